"""Running a program on the public samples, or on an input of the model's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import Field

from tools import Workspace
from tools.arguments import Arguments, parse, schema_of
from tools.files import read_text
from tools.submit import Accepted


class SampleRunner(Protocol):
    """Runs a program in the judge's own conditions; the text is what the model reads."""

    async def samples(self, source: str, language: str, *, limit: int) -> str:
        """On every public sample: verdict, time, memory, and where the output differs."""
        ...

    async def own(self, source: str, language: str, data: bytes, *, limit: int) -> str:
        """On an input of the model's own: what it printed, time and memory."""
        ...


class Tested(Arguments):
    path: str = Field(description="Path of the program, in /work.")
    input: str | None = Field(
        default=None, description="Path of an input file to use instead of the samples."
    )
    language: str | None = Field(
        default=None, description="Its language, when the file's ending does not tell."
    )


class RunTests:
    """`run_tests(path, input, language)`."""

    name = "run_tests"
    description = (
        "Runs a program as the judge does (same compiler, flags, limits): on the public samples,"
        " or on the file `input` of your own. Tells verdicts, time and memory."
    )

    schema = schema_of(Tested)

    def __init__(
        self,
        workspace: Workspace,
        samples: SampleRunner | None,
        accepted: Accepted,
        *,
        output_chars: int,
    ) -> None:
        self._workspace, self._samples, self._accepted = workspace, samples, accepted
        self._output_chars = output_chars

    async def call(self, arguments: Mapping[str, Any]) -> str:
        """Runs the file."""
        given = parse(Tested, arguments)
        language = self._accepted.of(given.path, given.language)
        source = await read_text(self._workspace, given.path)
        if self._samples is None:
            return "[run_tests is not available here; use the shell]"
        if given.input is None:
            return await self._samples.samples(source, language, limit=self._output_chars)
        data = (await read_text(self._workspace, given.input)).encode("utf-8", "replace")
        return await self._samples.own(source, language, data, limit=self._output_chars)
