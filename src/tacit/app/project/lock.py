"""One studio at a time works on a project; the system gives the lock back when a process ends, however it ends."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import TacitError

__all__ = ["locked"]


def locked(path: Path) -> int:
    """Take the lock for as long as this process lives; an error when another studio has it."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _take(handle)
    except OSError:
        os.close(handle)
        raise TacitError(
            f"another studio has the project {path.parent.parent.name!r} open",
            fix="go on in its page, or end it; or name another folder with --project",
        ) from None
    return handle


def _take(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
