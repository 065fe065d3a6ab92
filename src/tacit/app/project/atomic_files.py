"""Files that are written as a whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from ...errors import TacitError
from ...json_text import json_text
from ...release.scratch import PREFIX

DRAFT = PREFIX
"""How the names of drafts begin."""


def write_text(path: Path, text: str) -> None:
    """The text in a file; what stood there before stays until all of it is on the disk."""
    with draft_file(path, text):
        pass


@contextmanager
def draft_file(path: Path, text: str) -> Iterator[None]:
    """The text on the disk beside its file, whose place it takes at the end unless something failed before."""
    with disk_errors(path.parent):
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=DRAFT)
    try:
        with disk_errors(path.parent), os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            sync_file(file)
        yield
        with disk_errors(path.parent):
            replace_file(Path(draft), path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def sync_file(file: IO[Any]) -> None:
    """All that was written to a file is on the disk, whatever becomes of the machine."""
    file.flush()
    os.fsync(file.fileno())


def replace_file(draft: Path, path: Path) -> None:
    """A draft takes its place for good: the folder that says so is on the disk as well."""
    draft.replace(path)
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_json(path: Path, value: Any) -> None:
    """Plain values in a file."""
    write_text(path, json_text(value, indent=1))


def read_json(path: Path) -> Any:
    """What a file holds; None when there is none, or none that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """A disk that is full or closed to us, told as such; nothing was changed then."""
    try:
        yield
    except OSError as problem:
        raise TacitError(
            f"the folder {folder.name!r} cannot be written: {problem.strerror or type(problem).__name__}",
            fix="free some space or make the folder writable, then do it again; what was there before is still there",
        ) from None
