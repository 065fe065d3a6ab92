"""Files that are written as a whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...files import commit_draft, draft_beside, sync_file, write_text
from ...json_text import json_text


@contextmanager
def draft_file(path: Path, text: str) -> Iterator[None]:
    """The text on the disk beside its file, whose place it takes at the end unless something failed before."""
    with disk_errors(path.parent), draft_beside(path, private=True) as draft:
        draft.write_text(text, encoding="utf-8")
        sync_file(draft)  # a disk that is full is noticed before anything else is done
        yield
        commit_draft(draft, path, replace=True, private=True)


def write_json(path: Path, value: Any) -> None:
    """Write plain values into a file that only its owner can read, in the place of the one before."""
    write_text(path, json_text(value, indent=1), replace=True, private=True)


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
            code="cannot_write",
            fix="free some space or make the folder writable, then do it again; what was there before is still there",
        ) from None
