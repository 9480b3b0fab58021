"""Our own problem format: a folder with `problem.yaml`, described in docs/suites.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from agent.suite.data import File
from agent.suite.digest import with_digest
from agent.suite.errors import SuiteError, at
from agent.suite.generate import Plan, Recipe, made
from agent.suite.languages import KNOWN, language_of
from agent.suite.problem import (
    Checker,
    Problem,
    ProblemKind,
    ProblemLimits,
    Reference,
    Test,
    Tokens,
)
from agent.suite.yamlfile import Document, Strict, check, read, read_text

VerdictName = Literal["AC", "WA", "TLE", "MLE", "RE", "OLE", "ILE", "CE"]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
MIB = 1 << 20


class LimitsPart(Strict):
    """CPU seconds, MiB of memory (the whole process tree), MiB of output."""

    time_s: float = Field(gt=0, le=600)
    memory_mb: int = Field(default=1024, gt=0, le=1 << 16)
    output_mb: int = Field(default=64, gt=0, le=1024)

    def limits(self) -> ProblemLimits:
        return ProblemLimits(
            time_s=self.time_s,
            memory_bytes=self.memory_mb * MIB,
            output_bytes=self.output_mb * MIB,
        )


class ComparatorPart(Strict):
    """How tokens are compared; see `Tokens`."""

    float_abs: float | None = Field(default=None, ge=0)
    float_rel: float | None = Field(default=None, ge=0)
    case_sensitive: bool = True
    space_sensitive: bool = False


class CheckerPart(Strict):
    """A program of the problem that decides, or that talks to the submission."""

    kind: Literal["kattis", "testlib"] = "kattis"
    file: str = ""
    files: tuple[str, ...] = ()
    language: str = ""
    flags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_of(self) -> CheckerPart:
        if bool(self.file) == bool(self.files):
            raise ValueError("give one of 'file' and 'files'")
        return self


class GeneratedPart(Strict):
    """One generated test: `generator.py SEED ARGS…` prints its input."""

    name: Name
    args: tuple[str | int | float, ...] = ()
    seed: int = 0
    group: str = ""


class ReferencePart(Strict):
    """A solution and the verdicts of which the judge must find one."""

    file: str
    language: str = ""
    expect: tuple[VerdictName, ...] = ("AC",)
    passes_below: int | None = Field(default=None, gt=0)

    @field_validator("expect", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value


class ProblemFile(Strict):
    """`problem.yaml` of our own format."""

    title: str = Field(min_length=1)
    difficulty: Literal["easy", "medium", "hard"]
    tags: tuple[str, ...] = ()
    source: str = ""
    limits: LimitsPart
    comparator: ComparatorPart | None = None
    checker: CheckerPart | None = None
    interactor: CheckerPart | None = None
    samples: tuple[str, ...] = ()
    tests: tuple[GeneratedPart, ...] = ()
    answers: str = ""
    references: tuple[ReferencePart, ...] = ()

    @model_validator(mode="after")
    def _at_most_one_judge(self) -> ProblemFile:
        given = [n for n in ("comparator", "checker", "interactor") if getattr(self, n) is not None]
        if len(given) > 1:
            raise ValueError(f"give only one of {' and '.join(map(repr, given))}")
        return self


@dataclass(frozen=True, slots=True)
class OwnProblem:
    """A checked `problem.yaml` whose generated tests may still have to be made."""

    folder: Path
    document: Document
    file: ProblemFile
    statement: str
    written: tuple[Test, ...]  # tests that are files in the folder
    plans: tuple[Plan, ...]  # tests, or answers, that the cache must hold

    @property
    def id(self) -> str:
        return self.folder.name

    def owed(self) -> tuple[Plan, ...]:
        return tuple(plan for plan in self.plans if made(plan) is None)

    def problem(self) -> Problem:
        """The problem, once nothing is owed."""
        return _assemble(self)


def is_own(folder: Path) -> bool:
    """Whether the folder is of our format rather than an ICPC/Kattis package."""
    return (folder / "problem.yaml").is_file() and (folder / "statement.md").is_file()


def read_own(folder: Path) -> OwnProblem:
    """Reads and checks everything that needs no sandbox. Raises SuiteError."""
    folder = folder.resolve()
    document = read(folder / "problem.yaml")
    file = check(ProblemFile, document)
    statement = read_text(folder / "statement.md").strip()
    if not statement:
        raise SuiteError(f"{folder / 'statement.md'}: is empty")
    written, unanswered = _written(folder, file, document)
    generated = _generated(folder, file, document)
    names = [t.name for t in written] + [p.name for p in (*unanswered, *generated)]
    for position, part in enumerate(file.tests):
        if names.count(part.name) > 1:
            raise document.error(("tests", position, "name"), f"a second test named {part.name!r}")
    for position, name in enumerate(file.samples):
        if name not in names:
            raise document.error(("samples", position), f"there is no test named {name!r}")
    if not names:
        raise SuiteError(f"{folder}: has no tests; put tests/NAME.in and tests/NAME.ans there")
    for position, reference in enumerate(file.references):
        _inside(folder, reference.file, document, ("references", position, "file"))
        _language(reference, document, ("references", position))
    return OwnProblem(folder, document, file, statement, written, (*unanswered, *generated))


def _inside(folder: Path, name: str, document: Document, keys: tuple[str | int, ...]) -> Path:
    path = folder / name
    if not path.is_file():
        raise document.error(keys, f"no file {name!r} in {folder}")
    if not path.resolve().is_relative_to(folder):
        raise document.error(keys, f"{name!r} leads out of the problem's folder")
    return path


def _language(part: ReferencePart | CheckerPart, document: Document, keys: Any) -> str:
    name = part.file or (part.files[0] if isinstance(part, CheckerPart) else "")
    language = part.language or language_of(Path(name))
    if not language:
        raise document.error(keys, f"no 'language', and {name!r} does not tell it")
    if language not in KNOWN:
        known = ", ".join(sorted(KNOWN))
        raise document.error((*keys, "language"), f"{language!r} is not one of {known}")
    return language


def _written(
    folder: Path, file: ProblemFile, document: Document
) -> tuple[tuple[Test, ...], tuple[Plan, ...]]:
    """Tests that are files; those without an answer get one from the `answers` reference."""
    tests, plans = [], []
    inputs = sorted((folder / "tests").glob("*.in"))
    for path in inputs:
        answer = path.with_suffix(".ans")
        sample = path.stem in file.samples
        if answer.is_file():
            tests.append(Test(path.stem, File.at(path), File.at(answer), sample=sample))
        elif file.answers:
            reference = _answering(folder, file, document)
            plans.append(Plan(path.stem, input_file=path, reference=reference))
        else:
            raise SuiteError(f"{path}: has no {answer.name} beside it")
    for path in sorted((folder / "tests").glob("*.ans")):
        if not path.with_suffix(".in").is_file():
            raise SuiteError(f"{path}: has no {path.stem}.in beside it")
    return tuple(tests), tuple(plans)


def _answering(folder: Path, file: ProblemFile, document: Document) -> Path:
    if not file.answers:
        raise document.error(
            ("tests",), "generated tests need 'answers': the reference that answers them"
        )
    path = _inside(folder, file.answers, document, ("answers",))
    if path.suffix != ".py":
        raise document.error(("answers",), f"{file.answers!r} must be a Python program (.py)")
    return path


def _generated(folder: Path, file: ProblemFile, document: Document) -> tuple[Plan, ...]:
    if not file.tests:
        return ()
    generator = folder / "generator.py"
    if not generator.is_file():
        raise document.error(("tests",), f"generated tests need {generator}, which is not there")
    reference = _answering(folder, file, document)
    return tuple(
        Plan(
            part.name,
            reference=reference,
            recipe=Recipe(generator, part.seed, tuple(str(arg) for arg in part.args)),
            group=part.group,
        )
        for part in file.tests
    )


def _assemble(own: OwnProblem) -> Problem:
    file, folder = own.file, own.folder
    tests = list(own.written)
    for plan in own.plans:
        ready = made(plan)
        if ready is None:
            raise SuiteError(at(own.document.path, None, f"test {plan.name!r} is not made yet"))
        given, answer = ready
        tests.append(
            Test(plan.name, given, answer, sample=plan.name in file.samples, group=plan.group)
        )
    comparator: Tokens | Checker = Tokens()
    kind = ProblemKind.STDIN
    program = file.checker or file.interactor
    if file.comparator is not None:
        comparator = Tokens(**file.comparator.model_dump())
    elif program is not None:
        key = "checker" if file.checker else "interactor"
        names = program.files or (program.file,)
        comparator = Checker(
            kind=program.kind,
            files=tuple(_inside(folder, name, own.document, (key,)) for name in names),
            language=_language(program, own.document, (key,)),
            flags=program.flags,
        )
        kind = ProblemKind.INTERACTIVE if file.interactor else ProblemKind.STDIN
    references = tuple(
        Reference(
            name=Path(part.file).name,
            path=folder / part.file,
            language=part.language or language_of(Path(part.file)),
            expected=part.expect,
            passes_below=part.passes_below,
        )
        for part in file.references
    )
    return with_digest(
        Problem(
            id=own.id,
            title=file.title,
            statement=own.statement,
            limits=file.limits.limits(),
            tests=in_order(tests),
            comparator=comparator,
            kind=kind,
            difficulty=file.difficulty,
            tags=file.tags,
            source=file.source,
            references=references,
        )
    )


def in_order(tests: list[Test]) -> tuple[Test, ...]:
    """By input length, then name: the order in which the judge runs them."""
    return tuple(sorted(tests, key=lambda test: (test.input.size, test.name)))
