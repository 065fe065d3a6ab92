"""A small file that a command writes: new, there whole or not at all, and where it is secret for its owner alone."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from ..errors import TacitError


def refuse_taken(path: Path, *, option: str = "--out") -> None:
    """Refuse a place that is taken or cannot be written to, before any work is done for it."""
    if path.exists():
        raise TacitError(f"{str(path)!r} is there already", fix=f"choose another {option}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise TacitError(f"nothing can be written into {str(path.parent)!r}", fix=f"choose another {option}")


def write_new(path: Path, text: str, *, private: bool = False) -> None:
    """The text in a new file."""
    draft = path.with_name(f".{secrets.token_hex(8)}.draft")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    except OSError as problem:
        raise TacitError(
            f"{str(path)!r} cannot be written: {problem.strerror}", fix="make room, or choose another place"
        ) from None
    finally:
        draft.unlink(missing_ok=True)
