"""The owner's secret, kept in a file that only the service can read. It is made once and must never change."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from ...errors import TacitError
from ...seed import secret

__all__ = ["kept_key"]


def kept_key(path: Path) -> bytes:
    """The key in a file, which is made (mode 0600) when there is none; two that start at once get the same.

    A new key would give new intervals, and their intersection with the old ones may tell a value.
    """
    if not path.exists():
        descriptor, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # its mode is 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(secret().hex().encode())
            with suppress(FileExistsError):
                os.link(fresh, path)  # unlike a renamed file, a link never replaces what is there
        finally:
            Path(fresh).unlink()
    return _read(path)


def _read(path: Path) -> bytes:
    if path.stat().st_mode & 0o077:
        raise TacitError(f"the key {path.name!r} can be read by others", fix=f"chmod 600 {path.name}")
    try:
        found = bytes.fromhex(path.read_text())
    except ValueError:
        found = b""
    if len(found) != 16:
        raise TacitError(
            f"{path.name!r} holds no key", fix="restore it from a copy; a new one would undo the protection"
        )
    return found
