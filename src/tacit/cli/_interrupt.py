"""Signals that end a command by the way of all errors."""

from __future__ import annotations

import signal
from types import FrameType

AGAIN = 0.001
"""Seconds after which an interruption that came in the wrong place is tried again."""
_interrupted = False
"""Set by the first signal: an exception raised inside a library's callback may get lost, this does not."""


def is_interrupted() -> bool:
    """Whether a signal asked the command to end."""
    return _interrupted


def handle_interrupt(signum: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the form of a handler
    """End by the way of all errors, so that every step cleans up after itself; where that is not safe, a moment later."""
    from ..errors import Cancelled
    from ..kernels.interrupts import is_safe_to_raise

    global _interrupted
    _interrupted = True
    if hasattr(signal, "setitimer") and not is_safe_to_raise(frame):
        signal.setitimer(signal.ITIMER_REAL, AGAIN)
        return
    raise Cancelled("was interrupted", fix="start it again")
