"""The place of a file: what can be wrong with a path before anything is read or written."""

from __future__ import annotations

import os
from pathlib import Path

from ...errors import TacitError, nearest_name


def check_source_path(path: str | os.PathLike[str]) -> Path:
    """The path of a file that exists, is not empty and may be read."""
    if not isinstance(path, str | os.PathLike):
        raise TacitError(
            f"a file is named by its path, not by a {type(path).__name__}", fix="e.g. tacit.read('data.csv')"
        )
    file = Path(path)
    where = str(file)
    try:
        if not file.exists():
            raise _missing_file_error(file)
        if file.is_dir():
            raise TacitError("is a folder, not a file", where=where, fix=_suggest_file_in(file))
        with file.open("rb") as opened:
            if not opened.read(1):
                raise TacitError(
                    "the file is empty", where=where, fix="check that the export that wrote it has finished"
                )
    except PermissionError:
        fix = "ask its owner for the right to read it, or copy it to a folder of yours"
        raise TacitError("permission to read the file is denied", where=where, fix=fix) from None
    except OSError as problem:
        raise TacitError(
            f"cannot be opened ({problem.strerror})", where=where, fix="check the path and the disk"
        ) from None
    return file


def check_target_path(path: str | os.PathLike[str]) -> Path:
    """The path of a file that can be written: its folder exists and takes new files."""
    file = Path(path)
    where = str(file)
    if file.is_dir():
        raise TacitError("is a folder, not a file", where=where, fix=f"add a file name, e.g. {file / 'masked.csv'}")
    if not file.parent.is_dir():
        exists = file.parent.exists()
        what = f"{str(file.parent)!r} is not a folder" if exists else f"the folder {str(file.parent)!r} does not exist"
        raise TacitError(what, where=where, fix="choose a folder that exists" if exists else "create it first")
    if not os.access(file.parent, os.W_OK | os.X_OK):
        fix = "choose a folder that you may write to"
        raise TacitError(f"permission to write in {str(file.parent)!r} is denied", where=where, fix=fix)
    return file


def _missing_file_error(file: Path) -> TacitError:
    folder, where = file.parent, os.path.normpath(file)  # no a/../b, which nobody would type
    if not folder.is_dir():
        fix = f"check the path: the folder {os.path.normpath(folder)!r} does not exist"
        return TacitError("there is no such file", where=where, fix=fix)
    near = nearest_name(file.name, [entry.name for entry in folder.iterdir()])
    fix = (
        f"did you mean {os.path.normpath(folder / near)!r}?"
        if near
        else f"check the name; the folder is {str(folder.resolve())!r}"
    )
    return TacitError("there is no such file", where=where, fix=fix)


def _suggest_file_in(folder: Path) -> str:
    first = min((entry.name for entry in folder.iterdir() if entry.is_file()), default=None)
    return f"name a file in it, e.g. {str(folder / first)!r}" if first else "name a file; the folder holds none"
