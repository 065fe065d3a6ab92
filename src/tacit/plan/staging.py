"""A folder for a result that is not finished: gone when the work does not come to its end, whatever stops it."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import TacitError

__all__ = ["PREFIX", "staging", "staging_prefix"]

PREFIX = ".tacit-"
"""How the names of unfinished things begin."""


def staging_prefix(process: int) -> str:
    """How the names of a process's folders begin: who clears away after one that was killed spares those of others.

    >>> staging_prefix(4711)
    '.tacit-4711-'
    """
    return f"{PREFIX}{process}-"


@contextmanager
def staging(parent: Path) -> Iterator[Path]:
    """A new private folder inside ``parent``, removed when what is done with it fails or is interrupted.

    Its name is known before it is made, so that an interruption between the two leaves nothing.
    """
    folder = parent / f"{staging_prefix(os.getpid())}{secrets.token_hex(8)}"
    try:
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)
        except OSError as problem:
            raise TacitError(
                f"the folder {str(parent)!r} cannot be written: {problem.strerror}",
                fix="choose another folder with --out",
            ) from problem
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
