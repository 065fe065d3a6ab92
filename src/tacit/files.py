"""The one way to a file: paths that can be read or written, and files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import TacitError, nearest_name

PREFIX = ".tacit-"
"""How the names of drafts and of private folders begin."""


def check_source_path(path: str | os.PathLike[str]) -> Path:
    """The path of a file that exists, is not empty and may be read."""
    if not isinstance(path, str | os.PathLike):
        raise TacitError(
            f"a file is named by its path, not by a {type(path).__name__}",
            code="invalid_parameter",
            fix="e.g. tacit.read('data.csv')",
        )
    file = Path(path)
    where = str(file)
    try:
        if not file.exists():
            raise _missing_file_error(file)
        if file.is_dir():
            raise TacitError("is a folder, not a file", code="not_a_file", where=where, fix=_suggest_file_in(file))
        with file.open("rb") as opened:
            if not opened.read(1):
                raise TacitError(
                    "the file is empty",
                    code="file_empty",
                    where=where,
                    fix="check that the export that wrote it has finished",
                )
    except PermissionError:
        fix = "ask its owner for the right to read it, or copy it to a folder of yours"
        raise TacitError(
            "permission to read the file is denied", code="permission_denied", where=where, fix=fix
        ) from None
    except OSError as problem:
        raise TacitError(
            f"cannot be opened ({problem.strerror})", code="cannot_read", where=where, fix="check the path and the disk"
        ) from None
    return file


def check_target_path(path: str | os.PathLike[str], *, replace: bool = True, keep: Iterable[Path] = ()) -> Path:
    """The path of a file that can be written: its folder exists and takes new files.

    Without ``replace`` a file that exists is refused; one of ``keep``, which were read, is refused always.
    """
    file = Path(path)
    where = str(file)
    if file.is_dir():
        raise TacitError(
            "is a folder, not a file",
            code="not_a_file",
            where=where,
            fix=f"add a file name, e.g. {file / 'masked.csv'}",
        )
    if not file.parent.is_dir():
        exists = file.parent.exists()
        what = f"{str(file.parent)!r} is not a folder" if exists else f"the folder {str(file.parent)!r} does not exist"
        raise TacitError(
            what, code="folder_missing", where=where, fix="choose a folder that exists" if exists else "create it first"
        )
    if any(file.resolve() == Path(one).resolve() for one in keep):
        raise TacitError("is the file that was read", code="file_was_read", where=where, fix="write to another name")
    if not replace and os.path.lexists(file):
        raise _existing_file_error(file)
    if not os.access(file.parent, os.W_OK | os.X_OK):
        fix = "choose a folder that you may write to"
        raise TacitError(
            f"permission to write in {str(file.parent)!r} is denied", code="permission_denied", where=where, fix=fix
        )
    return file


@contextmanager
def atomic_write(
    path: str | os.PathLike[str], *, replace: bool = False, private: bool = False, keep: Iterable[Path] = ()
) -> Iterator[Path]:
    """A draft beside ``path`` to write to: it takes the name of ``path`` when all went well, else it is removed.

    A file that exists is replaced only with ``replace``, and then its mode is kept; those in ``keep``, which were read,
    never. A ``private`` file can be read by its owner alone from the first byte on. All of it is on the disk before it gets
    its name.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "counts.csv") as draft:
    ...         _ = draft.write_text("sex,n")
    ...     [file.name for file in Path(folder).iterdir()]
    ['counts.csv']
    """
    file = check_target_path(path, replace=replace, keep=keep)
    try:
        with draft_beside(file, private=private) as draft:
            yield draft
            sync_file(draft)
            commit_draft(draft, file, replace=replace, private=private)
    except FileExistsError:
        raise _existing_file_error(file) from None
    except OSError as problem:
        raise write_error(file, problem) from None


def write_text(path: str | os.PathLike[str], text: str, *, replace: bool = False, private: bool = False) -> None:
    """Write a text as UTF-8 with its line ends as they are; as :func:`atomic_write` writes."""
    with atomic_write(path, replace=replace, private=private) as draft:
        draft.write_text(text, encoding="utf-8", newline="")


@contextmanager
def draft_beside(path: Path, *, private: bool = False) -> Iterator[Path]:
    """An empty file beside ``path``, removed at the end unless :func:`commit_draft` gave it a name.

    It has the suffix of the file, and nobody can read it who may not read the file. The name is drawn before the file is
    made: an interruption between the two leaves nothing.
    """
    draft = path.with_name(f"{PREFIX}{secrets.token_hex(8)}{path.suffix}")
    mode = _target_mode(path, private=private)
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode | 0o600))
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def commit_draft(draft: Path, path: Path, *, replace: bool = False, private: bool = False) -> None:
    """Give a draft its name, for good: the folder that says so is on the disk then.

    Without ``replace`` it raises ``FileExistsError`` for a name that is taken, also when another process takes it just now.
    """
    mode = _target_mode(path, private=private)
    if mode is not None:
        draft.chmod(mode)
    if replace:
        draft.replace(path)
    else:
        try:
            os.link(draft, path)  # unlike a renamed file, a link never replaces what is there
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            if os.path.lexists(path):
                raise FileExistsError(path) from None
            draft.rename(path)
    if os.name == "posix":
        sync_file(path.parent)


def _target_mode(path: Path, *, private: bool) -> int | None:
    """The mode that a file is to have; None for a new one, which the system gives its own."""
    if private:
        return 0o600
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return None


def write_error(path: Path, problem: OSError) -> TacitError:
    """A disk that is full or closed to us."""
    what = f"cannot be written ({problem.strerror or type(problem).__name__})"
    return TacitError(what, code="cannot_write", where=str(path), fix="check the free space and your rights there")


def sync_file(path: Path) -> None:
    """Wait until a file or folder is on the disk, whatever becomes of the machine; some file systems cannot."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    except OSError:
        if not path.is_dir():
            raise
    finally:
        os.close(handle)


def _existing_file_error(file: Path) -> TacitError:
    return TacitError(
        "the file exists already",
        code="file_exists",
        where=str(file),
        fix="choose another name, or remove the file first",
    )


def _missing_file_error(file: Path) -> TacitError:
    folder, where = file.parent, os.path.normpath(file)  # no a/../b, which nobody would type
    if not folder.is_dir():
        fix = f"check the path: the folder {os.path.normpath(folder)!r} does not exist"
        return TacitError("there is no such file", code="file_missing", where=where, fix=fix)
    near = nearest_name(file.name, [entry.name for entry in folder.iterdir()])
    fix = (
        f"did you mean {os.path.normpath(folder / near)!r}?"
        if near
        else f"check the name; the folder is {str(folder.resolve())!r}"
    )
    return TacitError("there is no such file", code="file_missing", where=where, fix=fix)


def _suggest_file_in(folder: Path) -> str:
    first = min((entry.name for entry in folder.iterdir() if entry.is_file()), default=None)
    return f"name a file in it, e.g. {str(folder / first)!r}" if first else "name a file; the folder holds none"
