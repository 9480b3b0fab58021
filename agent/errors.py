"""The errors that a user may see. Each is one line: what is wrong, where, and what to do.

Every room types its errors at the source by subclassing one of these; `agent.cli.main` prints the
message without a traceback and exits with `exit_code`. Anything else that escapes is a bug.
"""

from __future__ import annotations


class AgentError(Exception):
    """Something failed while working (exit code 1)."""

    exit_code = 1


class UsageError(AgentError):
    """The command, a file or a name that the user gave is wrong (exit code 2)."""

    exit_code = 2


class InfrastructureError(AgentError):
    """The harness, the sandbox, the judge or a server failed: never the model's fault.

    It is stored as such, the work stays owed, and it never becomes a model's failure.
    """
