"""A folder for a result that is not finished: gone when the work does not come to its end, whatever stops it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import TacitError
from ..release.scratch import make_private_folder, remove_private_folder


@contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """A new private folder inside ``parent``, removed when what is done with it fails or is interrupted.

    So are the folders above it that had to be made for it, unless something else is in them by then.
    """
    missing = [folder for folder in (parent, *parent.parents) if not folder.exists()]
    folder = None
    try:
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder = make_private_folder(parent)
        except OSError as problem:
            raise TacitError(
                f"the folder {str(parent)!r} cannot be written: {problem.strerror}",
                code="cannot_write",
                fix="choose another folder with --out",
            ) from problem
        yield folder
    except BaseException:
        if folder is not None:
            remove_private_folder(folder)
        with suppress(OSError):
            for made in missing:
                made.rmdir()
        raise
