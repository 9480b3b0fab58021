"""How a tool shows text to a model: readable, and never longer than it may be."""

from __future__ import annotations

import re

from tools import Output

# Everything below space but tab and newline, DEL, C1 controls, lone surrogates.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def readable(text: str) -> str:
    """Line ends as newline, control characters as `\\x1b`: what a model can read and repeat."""
    text = text.replace("\r\n", "\n")
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def cut(text: str, limit: int, *, dropped: int = 0) -> str:
    """Head and tail of a text longer than `limit` characters, with the count of what was cut.

    dropped: what an earlier stage had already thrown away behind the end of `text`.
    """
    if len(text) <= limit and not dropped:
        return text
    if len(text) <= limit:
        return f"{text}\n[… {dropped:,} more characters cut …]"
    head = limit // 2
    tail = limit - head
    missing = len(text) - limit + dropped
    return f"{text[:head]}\n[… {missing:,} characters cut …]\n{text[-tail:]}"


def show_output(output: Output, *, timeout_s: float, memory_bytes: int, limit: int) -> str:
    """What a program printed and how it ended, for the model. stdout first, then stderr."""
    parts = []
    for text, total in ((output.stdout, output.stdout_bytes), (output.stderr, output.stderr_bytes)):
        if text.strip():
            dropped = max(0, total - len(text.encode("utf-8", "replace")))
            parts.append(cut(readable(text).rstrip("\n"), limit, dropped=dropped))
    ending = how_it_ended(output, timeout_s=timeout_s, memory_bytes=memory_bytes)
    if ending:
        parts.append(ending)
    return "\n".join(parts) or "[no output]"


def how_it_ended(output: Output, *, timeout_s: float, memory_bytes: int) -> str:
    """One bracketed line when a program did not simply succeed, else nothing."""
    match output.ended:
        case "timeout" | "idle":
            return f"[stopped: still running after the limit of {timeout_s:g} s]"
        case "memory":
            return f"[stopped: used more than the limit of {memory_bytes >> 20} MiB of memory]"
        case "output":
            return "[stopped: printed far too much]"
        case "signaled":
            return "[ended by a signal, like a crash]"
    return f"[exit code {output.exit_code}]" if output.exit_code else ""
