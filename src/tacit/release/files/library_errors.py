"""Errors of the libraries below, told in our words: their texts quote cells, ours must not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ...errors import TacitError
from ...files import write_error
from .formats import EXTRA

if TYPE_CHECKING:
    from .formats import Format


@contextmanager
def translate_read_errors(path: Path, form: Format) -> Iterator[None]:
    """Whatever a library says against the file becomes one error that names file and remedy, and no cell."""
    import polars as pl

    try:
        yield
    except (TacitError, AssertionError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as problem:
        what = f"cannot be read as {form.title} ({type(problem).__name__})"
        fix = "the file is damaged or of another format: open it in the program that wrote it and export it again"
        raise TacitError(what, code="cannot_read", where=str(path), fix=fix) from None


@contextmanager
def translate_write_errors(path: Path, form: Format) -> Iterator[None]:
    """The same for files that are written."""
    import polars as pl

    try:
        yield
    except (TacitError, AssertionError, MemoryError):
        raise
    except OSError as problem:
        raise write_error(path, problem) from None
    except (Exception, pl.exceptions.PanicException) as problem:
        what = f"the table cannot be written as {form.title} ({type(problem).__name__})"
        raise TacitError(
            what, code="cannot_write", where=str(path), fix="write it as .parquet, which holds every kind of column"
        ) from None


def import_library(name: str, path: Path) -> ModuleType:
    """A library of the extra ``files``, or an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError:
        what = f"needs the library {name}, which is not installed"
        raise TacitError(what, code="not_installed", where=str(path), fix=EXTRA) from None
