"""The command line. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from ._interrupt import handle_interrupt, is_interrupted

if TYPE_CHECKING:
    from ..errors import TacitError

__all__ = ["main"]

OUR_ERROR, INTERRUPTED = 3, 130
"""Exit codes beside 0 (requirements hold), 1 (they do not) and those of errors (2: the user's mistake)."""


def main() -> None:
    """Run the command; every way to end has its exit code, and no text shows a cell of the data."""
    for name in ("SIGINT", "SIGTERM", "SIGALRM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handle_interrupt)
    if hasattr(signal, "SIGPIPE"):
        # A reader that went away ends the command as it ends any other, not with the exit code of a failed gate.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    from ..errors import TacitError

    try:
        from .app import run_command

        run_command()
    except Exception as problem:
        if is_interrupted():
            kept = f"; {problem.fix}" if isinstance(problem, TacitError) else ""
            _print_error(f"interrupted: nothing was left half-written{kept}")
            sys.exit(INTERRUPTED)
        if isinstance(problem, TacitError):
            _print_error(_error_as_json(problem) if "--json" in sys.argv else f"error: {problem}")
            sys.exit(problem.exit_code)
        _print_error(_format_bug(problem))
        sys.exit(OUR_ERROR)


def _print_error(text: str) -> None:
    print(text, file=sys.stderr)


def _error_as_json(problem: TacitError) -> str:
    """What a pipeline that asked for JSON reads: the code and the fields beside the sentence."""
    import json

    return json.dumps({"error": problem.as_json()}, ensure_ascii=False, default=str)


def _format_bug(problem: Exception) -> str:
    """Our own mistake: kind and place only, because the message of an exception may quote the data."""
    if os.environ.get("TACIT_DEBUG"):
        import traceback

        return "".join(traceback.format_exception(problem))
    from ..errors import describe_bug

    return (
        f"error: {describe_bug(problem)}\n"
        "  fix: please report it; TACIT_DEBUG=1 shows the whole trace (it may quote cells of your data: read before sharing)"
    )
