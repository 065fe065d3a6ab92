"""Writing a file whole or not at all, and never over one that should stay."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...errors import TacitError
from ...release.files.paths import check_target_path


@contextmanager
def atomic_write(path: str | os.PathLike[str], *, replace: bool = False, keep: Iterable[Path] = ()) -> Iterator[Path]:
    """A place beside ``path`` to write to; it takes the name of ``path`` when all went well, else it is gone.

    A file that is there is replaced only with ``replace``, and those in ``keep`` (what the table was read from) never.
    """
    file = check_target_path(path)
    if any(file.resolve() == Path(one).resolve() for one in keep):
        raise TacitError("is the file that was read", where=str(file), fix="write to another name")
    if file.exists() and not replace:
        raise TacitError("exists already", where=str(file), fix="choose another name, or have it replaced (replace)")
    place = file.with_name(f".{secrets.token_hex(8)}{file.suffix}")
    try:
        yield place
        place.replace(file)
    except OSError as problem:
        what = f"cannot be written ({problem.strerror or type(problem).__name__})"
        raise TacitError(what, where=str(file), fix="check the free space and your rights there") from None
    finally:
        place.unlink(missing_ok=True)


def check_codes(codes: Iterable[str], *, name: str, refused: str = "\n\r\0") -> None:
    """Refuse codes with signs that the format has no way to write."""
    for code in codes:
        sign = next((sign for sign in refused if sign in code), None)
        if sign is not None:
            what = f"the code {code!r} holds {sign!r}, which this format cannot write"
            raise TacitError(what, column=name, fix="give the code without that sign")
