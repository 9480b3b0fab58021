"""Compiles in a sandbox, once for each source: results are kept on disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agent.judge.languages import Language, LanguageError, Program
from agent.sandbox import Command, Ended, Execution, Limits, Sandbox, SandboxError
from agent.shipped import cache_folder

SOURCE_BYTES = 1 << 20  # a longer source is not compiled
_OUTPUT_BYTES = 8 << 10  # of the compiler's messages that are kept
_KEEP_BYTES = 2 << 30  # of compiled programs on disk
_NO_LIMITS = Limits(cpu_s=20, idle_s=30, memory_bytes=1 << 30)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What runs (`files`, the executable among them), or why nothing does."""

    ok: bool
    files: Mapping[str, bytes] = field(default_factory=dict)
    executable: bool = False
    output: str = ""
    cpu_s: float = 0.0


@dataclass(slots=True)
class Rate:
    """How often a compilation was spared."""

    asked: int = 0
    hits: int = 0


class Compiler:
    """Compiles programs; equal ones once for each compiler, sandbox image and flags."""

    def __init__(self, *, cache: bool = True) -> None:
        self.rate = Rate()
        self._folder = cache_folder("compiled") if cache else None
        self._versions: dict[tuple[str, str], str] = {}
        if self._folder is not None:
            _prune(self._folder)

    async def compile(self, sandbox: Sandbox, language: Language, program: Program) -> Compiled:
        """Compiles in `sandbox` under the language's own limits; afterwards /work is not empty.

        A program that does not compile, or not within the limits, is `ok=False`. Raises
        SandboxError, or LanguageError when the sandbox has no such compiler.
        """
        if refused := _refused(program):
            return Compiled(False, output=refused)
        version = await self._version(sandbox, language)
        command = language.compile_command(program)
        if not command:
            return Compiled(True, dict(program.files))
        key = _key(sandbox.info.image, version, command, program)
        self.rate.asked += 1
        if (known := self._read(key, program, language)) is not None:
            self.rate.hits += 1
            return known
        await sandbox.put(dict(program.files))
        entry = language.entry
        execution = await sandbox.run(
            Command(
                argv=command,
                env=language.env,
                limits=Limits(
                    cpu_s=entry.compile_s,
                    idle_s=entry.compile_s * 2,
                    memory_bytes=entry.compile_mb << 20,
                    wall_s=max(300.0, entry.compile_s * 10),
                    stdout_bytes=1 << 20,
                    kill_on_stdout_limit=False,
                ),
            )
        )
        compiled = await self._result(sandbox, language, program, execution)
        if compiled.ok or execution.ended is Ended.EXITED:
            self._write(key, compiled, entry.artifact)
        return compiled

    async def _version(self, sandbox: Sandbox, language: Language) -> str:
        """What the compiler says that it is."""
        key = (sandbox.info.image, language.name)
        if key not in self._versions and language.entry.version:
            argv = tuple(language.entry.version.split())
            execution = await sandbox.run(Command(argv, _NO_LIMITS))
            if execution.ended in (Ended.WALL_LIMIT, Ended.KILLED):
                raise SandboxError(f"{argv[0]} does not answer")
            if execution.exit_code != 0:
                raise LanguageError(
                    f"language {language.name!r}: {argv[0]} does not run in the"
                    f" {sandbox.info.backend} sandbox: {_text(execution)[-200:]}"
                )
            self._versions[key] = _text(execution)
        return self._versions.get(key, "")

    async def _result(
        self, sandbox: Sandbox, language: Language, program: Program, execution: Execution
    ) -> Compiled:
        if execution.ended in (Ended.WALL_LIMIT, Ended.KILLED):
            raise SandboxError("the compiler starved for want of a core")
        output = _text(execution)
        if execution.ended is not Ended.EXITED:
            output = f"{execution.ended.value.replace('_', ' ')} of the compiler\n{output}"
            return Compiled(False, output=output, cpu_s=execution.cpu_s)
        if execution.exit_code != 0:
            return Compiled(False, output=output, cpu_s=execution.cpu_s)
        artifact = language.entry.artifact
        if not artifact:
            return Compiled(True, dict(program.files), output=output, cpu_s=execution.cpu_s)
        try:
            content = await sandbox.get(artifact, max_bytes=256 << 20)
        except (FileNotFoundError, ValueError) as error:
            output = f"compiling made no usable {artifact}: {error}\n{output}"
            return Compiled(False, output=output, cpu_s=execution.cpu_s)
        return Compiled(True, {artifact: content}, True, output, execution.cpu_s)

    def _read(self, key: str, program: Program, language: Language) -> Compiled | None:
        if self._folder is None:
            return None
        path = self._folder / key
        try:
            head, _, content = path.read_bytes().partition(b"\n")
            info = json.loads(head)
            os.utime(path)
        except (OSError, ValueError):
            return None
        if len(content) != info["size"]:
            return None
        files = dict(program.files)
        if info["ok"] and language.entry.artifact:
            files = {language.entry.artifact: content}
        elif not info["ok"]:
            files = {}
        executable = bool(info["ok"] and language.entry.artifact)
        return Compiled(info["ok"], files, executable, info["output"], info["cpu_s"])

    def _write(self, key: str, compiled: Compiled, artifact: str) -> None:
        if self._folder is None:
            return
        content = compiled.files.get(artifact, b"") if artifact else b""
        info = {
            "ok": compiled.ok,
            "output": compiled.output,
            "cpu_s": compiled.cpu_s,
            "size": len(content),
        }
        part = self._folder / f".{key}.{secrets.token_hex(4)}"
        with contextlib.suppress(OSError):  # a full disk only costs the next compilation
            part.write_bytes(json.dumps(info).encode() + b"\n" + content)
            part.rename(self._folder / key)


def _refused(program: Program) -> str:
    """Why a source is not even given to the compiler, or ""."""
    size = sum(len(content) for _, content in program.files)
    if not any(content.strip() for _, content in program.files):
        return "the source is empty"
    if size > SOURCE_BYTES:
        return f"the source has {size} bytes, more than {SOURCE_BYTES}"
    return ""


def _key(image: str, version: str, command: tuple[str, ...], program: Program) -> str:
    sha = hashlib.sha256()
    parts = [image.encode(), version.encode(), "\0".join(command).encode()]
    for name, content in program.files:
        parts += [name.encode(), content]
    for part in parts:
        sha.update(len(part).to_bytes(8, "little") + part)
    return sha.hexdigest()


def _text(execution: Execution) -> str:
    """The compiler's messages, cut in the middle."""
    data = (execution.stdout + execution.stderr).strip()
    if len(data) > _OUTPUT_BYTES:
        half = _OUTPUT_BYTES // 2
        data = data[:half] + b"\n[...]\n" + data[-half:]
    return data.decode("utf-8", "replace")


def _prune(folder: Path) -> None:
    """Removes the least recently used programs beyond what is kept."""
    with contextlib.suppress(OSError):
        files = [(p.stat().st_mtime, p.stat().st_size, p) for p in folder.iterdir()]
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= _KEEP_BYTES:
                break
            path.unlink(missing_ok=True)
            total -= size
