"""The command line. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["main"]

USERS_ERROR, OUR_ERROR, INTERRUPTED = 2, 3, 130
"""Exit codes beside 0 (requirements hold) and 1 (they do not): the user's mistake, ours, interrupted."""


def main() -> None:
    """Run the command; every way to end has its exit code, and no text shows a cell of the data."""
    from ..errors import Cancelled, TacitError
    from .app import app

    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), _interrupted)
    if hasattr(signal, "SIGPIPE"):
        # A reader that went away ends the command as it ends any other, not with the exit code of a failed gate.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        app(standalone_mode=True)
    except Cancelled as problem:
        _say(problem.what)
        sys.exit(INTERRUPTED)
    except TacitError as problem:
        _say(f"error: {problem}")
        sys.exit(USERS_ERROR)
    except Exception as problem:
        _say(_blunder(problem))
        sys.exit(OUR_ERROR)


def _interrupted(signum: int, frame: object) -> None:  # noqa: ARG001 - the form of a handler
    """End by the way of all errors, so that every step cleans up after itself."""
    from ..errors import Cancelled

    raise Cancelled("interrupted: nothing was left half-written", fix="start it again")


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _blunder(problem: Exception) -> str:
    """Our own mistake: kind and place only, because the message of an exception may quote the data."""
    if os.environ.get("TACIT_DEBUG"):
        import traceback

        return "".join(traceback.format_exception(problem))
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "unknown place"  # noqa: PTH119
    return (
        f"error: Tacit failed with {type(problem).__name__} at {place}; this is our mistake, not yours\n"
        "  fix: please report it; TACIT_DEBUG=1 shows the whole trace (it may quote cells of your data: read before sharing)"
    )
