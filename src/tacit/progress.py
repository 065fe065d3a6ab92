"""Progress on long work: a callback that is passed down, and may cancel."""

from __future__ import annotations

from collections.abc import Callable

from .errors import Cancelled

Progress = Callable[[str, float], bool | None]
"""Called with the step and the share done in [0, 1]; returning False cancels."""


def report_progress(progress: Progress | None, step: str, share: float) -> None:
    """Tell the share done; raise :class:`Cancelled` when the listener answers False."""
    if progress is not None and progress(step, share) is False:
        raise Cancelled(f"was cancelled during {step!r}", fix="start it again; nothing was written")


def sub_progress(progress: Progress | None, start: float, end: float) -> Progress | None:
    """A listener for a part of the work that spans ``start`` to ``end`` of the whole."""
    if progress is None:
        return None
    return lambda step, share: progress(step, start + (end - start) * share)
