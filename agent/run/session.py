"""From a command to a finished (or resumable) run: plan, open what is needed, drive, sum up."""

from __future__ import annotations

import asyncio
import contextlib
import platform
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict

from agent import __version__
from agent.errors import AgentError, UsageError
from agent.judge.judge import Judge, open_judge
from agent.judge.verdict import Judgement, Submission
from agent.models import ChatModel
from agent.models.open import open_model
from agent.modes import Generation
from agent.modes.attempt import attempt
from agent.modes.registry import Mode, load_mode
from agent.run.driver import Counters, Driver
from agent.run.plan import Cell, plan
from agent.run.progress import shown
from agent.run.request import RunRequest, Summary
from agent.run.store import Owed, RunStore
from agent.sandbox import Backend, SandboxSpec
from agent.sandbox.backends import open_backend
from agent.sandbox.pool import SandboxPool
from agent.suite.problem import Problem

Say = Callable[[str], None]


async def run(request: RunRequest, say: Say) -> Summary:
    """Plans what is new, does what is owed, and returns how the run stands.

    Raises UsageError before anything is written when the request is wrong; the first SIGINT lets
    what is running finish, the second stops at once. Either way the run can be resumed.
    """
    modes = {name: load_mode(name, request.mode_settings.get(name, {})) for name in request.modes}
    await _check_models(request)
    store = RunStore(request.out)
    try:
        recorded = store.judging()
        choice = request.sandbox
        if choice == "auto" and recorded is not None:
            choice = str(recorded["sandbox"])  # a run is judged in one kind of sandbox
        async with contextlib.AsyncExitStack() as stack:
            backend = await open_backend(choice, say=say)
            stack.push_async_callback(backend.close)
            judge = await open_judge(backend, workers=request.judges)
            stack.push_async_callback(judge.close)
            _plan(store, request, modes, judge, backend)
            return await _drive(store, request, modes, judge, backend, say)
    finally:
        store.close()


async def _check_models(request: RunRequest) -> None:
    """Every name must stand for something, and a server that others run must answer."""
    for name in request.models:
        spec = request.registry.resolve(name, base_url=request.base_url)
        if spec.endpoint is not None:
            async with open_model(name, registry=request.registry, base_url=request.base_url):
                pass


def _plan(
    store: RunStore,
    request: RunRequest,
    modes: Mapping[str, Mode],
    judge: Judge,
    backend: Backend,
) -> None:
    """Adds to the run's plan what this command asks for and the plan does not hold yet."""
    suite = request.suite
    if store.meta("seed") is None:
        store.set_meta("seed", request.seed)
        store.set_meta("created_by", {"version": __version__, "python": platform.python_version()})
        store.set_meta("machine", platform.platform())
    elif store.meta("seed") != request.seed:
        raise UsageError(
            f"{request.out}: planned with --seed {store.meta('seed')}, not {request.seed};"
            " choose another --out"
        )
    store.set_meta("commands", [*(store.meta("commands") or []), sys.argv[1:]])
    store.add_judging(
        {
            "all_tests": request.all_tests,
            "languages": list(suite.languages),
            "time_factors": dict(suite.time_factors),
            **judge.conditions,
        }
    )
    store.add_problems(suite.problems)
    cells = [_cell(request, model, mode) for model in request.models for mode in modes.values()]
    for cell in cells:
        store.add_cell(cell)
    attempts = plan(cells, [p.id for p in suite.problems], n=request.n, run_seed=request.seed)
    store.add_attempts(a for a in attempts if request.shard.holds(a))


def _cell(request: RunRequest, model: str, mode: Mode) -> Cell:
    spec = request.registry.resolve(model, base_url=request.base_url)
    sampling = asdict(request.sampling)
    languages = request.suite.languages
    identity = mode.identity(sampling=sampling, languages=languages)
    return Cell(
        model=model,
        mode=mode.name,
        mode_hash=identity.hash,
        family=spec.family,
        alpha=spec.alpha,
        settings=identity.settings,
    )


async def _drive(
    store: RunStore,
    request: RunRequest,
    modes: Mapping[str, Mode],
    judge: Judge,
    backend: Backend,
    say: Say,
) -> Summary:
    problems = {problem.id: problem for problem in request.suite.problems}
    owed = [o for o in store.owed() if _asked(o, request, problems)]
    planned, done, solved = store.counts()
    counters = Counters(planned=planned, done=done, solved=solved)
    say(f"{request.out}: {planned} planned, {done} done, {len(owed)} to do now")

    async def judging(problem: Problem, submission: Submission) -> Judgement:
        return await judge.judge(
            problem,
            submission,
            all_tests=request.all_tests,
            time_factor=request.suite.time_factors.get(submission.language),
        )

    driver = Driver(store, problems, judging, counters, judges=judge.workers)
    try:
        async with shown(counters), driver.judging():
            with _interrupts(driver, say):
                for item in owed:
                    if item.submission is not None:
                        driver.judge_later(item, item.submission)
                for model in request.models:
                    mine = [o for o in owed if o.model == model and o.submission is None]
                    if mine and not driver.stopping.is_set():
                        await _one_model(store, request, modes, judge, backend, driver, mine, say)
    except BaseExceptionGroup as group:
        raise _plain_error(group) from group
    planned, done, solved = store.counts()
    return Summary(planned, done, solved, counters.errors, driver.stopping.is_set())


def _asked(owed: Owed, request: RunRequest, problems: Mapping[str, Problem]) -> bool:
    """A run may hold more than this command asks for: only what it names is worked on."""
    return (
        owed.model in request.models
        and owed.mode in request.modes
        and owed.problem in problems
        and owed.sample < request.n
    )


async def _one_model(
    store: RunStore,
    request: RunRequest,
    modes: Mapping[str, Mode],
    judge: Judge,
    backend: Backend,
    driver: Driver,
    owed: Sequence[Owed],
    say: Say,
) -> None:
    """Serves one model and makes its attempts in all modes; judging goes on behind."""
    name = owed[0].model
    driver.counters.stage = name
    async with (
        open_model(
            name,
            registry=request.registry,
            base_url=request.base_url,
            say=say,
            concurrency=request.concurrency,
        ) as model,
        _workspaces(backend, request, modes, owed) as workspaces,
    ):
        await _check_identity(store, model)

        async def one(item: Owed, problem: Problem) -> Generation:
            return await attempt(
                problem,
                modes[item.mode],
                model,
                seed=item.seed,
                languages=request.suite.languages,
                sampling=request.sampling,
                workspaces=workspaces,
                judge=judge,
            )

        await driver.generate(owed, one, concurrency=request.concurrency)


@contextlib.asynccontextmanager
async def _workspaces(
    backend: Backend, request: RunRequest, modes: Mapping[str, Mode], owed: Sequence[Owed]
) -> AsyncIterator[SandboxPool | None]:
    """Sandboxes for the modes that use tools, one for each attempt that can run at a time."""
    if not any(modes[item.mode].uses_workspace for item in owed):
        yield None
        return
    spec = SandboxSpec(image="workspace", owner=request.out.name)
    pool = SandboxPool(backend, spec, min(request.concurrency, len(owed)), pin=False)
    try:
        yield pool
    finally:
        await pool.close()


async def _check_identity(store: RunStore, model: ChatModel) -> None:
    """Other weights under the same name would mix two models in one cell."""
    known, now = store.identity(model.name), model.identity
    weights = known.get("weights")
    if weights is not None and now.get("weights") not in (None, weights):
        raise UsageError(
            f"{store.folder}: {model.name} now has other weights than when this run began;"
            " choose another --out"
        )
    if not known:
        await store.set_identity(model.name, now)


@contextlib.contextmanager
def _interrupts(driver: Driver, say: Say) -> Iterator[None]:
    """First SIGINT: finish what is running. Second SIGINT or SIGTERM: stop now."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def gently() -> None:
        if driver.stopping.is_set():
            task.cancel()
        else:
            driver.stopping.set()
            say("interrupted: finishing what is running (again: stop now); the run can be resumed")

    loop.add_signal_handler(signal.SIGINT, gently)
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        loop.remove_signal_handler(signal.SIGTERM)


def _plain_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that a user can act on, out of what concurrent tasks raised together."""
    leaves = list(_leaves(group))
    for kind in (AgentError, Exception):
        for leaf in leaves:
            if isinstance(leaf, kind):
                return leaf
    return leaves[0]


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error
