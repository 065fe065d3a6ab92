"""Private folders for what is not finished or must not stay: readable by their owner alone, removed with the work.

A process that is killed removes nothing. Each folder therefore holds a file that its process keeps locked; the system gives the
lock back however the process ends, so that the next start knows which folders nobody works in, and removes them.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..files import PREFIX

ALIVE = ".alive"
"""The file in a private folder that its process keeps locked."""
YOUNG = 60.0
"""Seconds in which the process of a new folder may not have locked it yet."""
DAY = 86_400.0
"""Seconds after which a folder without a lock, made by a version that had none, is taken for a leftover."""

_locks: dict[Path, int] = {}
_places: list[Path] = []
_swept: set[Path] = set()


def make_private_folder(parent: Path) -> Path:
    """A new folder inside ``parent`` that only its owner can read, locked for as long as this process lives.

    :func:`remove_private_folder` removes it. The name is drawn before the folder is made: an interruption between the two
    leaves nothing.
    """
    folder = parent / f"{PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    try:
        folder.mkdir(mode=0o700)
        handle = os.open(folder / ALIVE, os.O_RDWR | os.O_CREAT, 0o600)
        _locks[folder] = handle
        with suppress(OSError):  # a file system without locks
            take_lock(handle)
    except BaseException:
        remove_private_folder(folder)
        raise
    return folder


def make_private_file(path: Path) -> Path:
    """An empty file that only its owner can read, for a library that would make it readable to everybody."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    return path


def remove_private_folder(folder: Path) -> None:
    """Remove a folder of :func:`make_private_folder` with all that is in it; one that is gone already is no error."""
    shutil.rmtree(folder, ignore_errors=True)
    handle = _locks.pop(folder, None)
    if handle is not None:
        with suppress(OSError):
            os.close(handle)


@contextmanager
def scratch_inside(parent: Path) -> Iterator[None]:
    """While it lasts, copies of the data that engines make go into private folders inside ``parent``.

    They go with the tables that need them; when the work fails, at once.
    """
    before = set(_locks)
    _places.append(parent)
    try:
        yield
    except BaseException:
        for folder in set(_locks) - before:
            if folder.parent == parent:
                remove_private_folder(folder)
        raise
    finally:
        _places.remove(parent)


def make_scratch_folder() -> Path:
    """A private folder for a copy of the data: where the running job keeps such copies, else in the system's temporary folder.

    In the latter, those of dead processes of the same user are removed first, once in a process.
    """
    if _places:
        _places[-1].mkdir(parents=True, exist_ok=True)
        return make_private_folder(_places[-1])
    shared = Path(tempfile.gettempdir())
    if shared not in _swept:
        _swept.add(shared)
        for folder in list_leftovers(shared):
            remove_private_folder(folder)
    return make_private_folder(shared)


def list_leftovers(parent: Path) -> list[Path]:
    """The private folders inside ``parent`` whose processes are dead; those of other users are not looked at."""
    try:
        inside = list(os.scandir(parent))
    except OSError:
        return []
    return [Path(entry.path) for entry in inside if _is_ours(entry) and _is_dead(Path(entry.path))]


def _is_ours(entry: os.DirEntry[str]) -> bool:
    with suppress(OSError):
        named = re.fullmatch(rf"{re.escape(PREFIX)}\d+-[0-9a-f]+", entry.name) is not None
        if named and entry.is_dir(follow_symlinks=False):
            return not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()
    return False


def _is_dead(folder: Path) -> bool:
    """Whether nobody holds the lock; a folder without one belongs to the process of its name for a day."""
    with suppress(OSError):
        age = time.time() - folder.stat().st_mtime
        running = _is_running(int(folder.name.removeprefix(PREFIX).partition("-")[0]))
        if (folder / ALIVE).exists():
            return not is_locked(folder / ALIVE) and not (running and age < YOUNG)
        return not running and age > DAY
    return False


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of a file; also where the system cannot tell."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return True
    try:
        take_lock(handle)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def take_lock(handle: int) -> None:
    """Lock an open file until it is closed or the process ends; ``BlockingIOError`` when another one has it."""
    try:
        import fcntl
    except ImportError:  # Windows locks a byte, which is then far behind all that is read
        import msvcrt

        os.lseek(handle, 1 << 30, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        except OSError as problem:
            raise BlockingIOError(errno.EWOULDBLOCK, "locked") from problem
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
