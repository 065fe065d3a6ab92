"""A change of the project: a form comes in, a document with that change in it goes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...study.plan_text import import_tomlkit, toml_value
from ..forms import Columns, FormErrors
from ..pages.page import columns_of
from ..project.opening import file_path
from ..project.project import Project, check_readable
from .form import Form

LONGEST = 300
"""Characters of a path that an error shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Editing:
    """What a change works with; ``found`` gives what a panel found already, or None."""

    project: Project
    form: Form
    found: Callable[..., Any]

    @property
    def columns(self) -> Columns:
        """The columns of the file."""
        return columns_of(self.project.raw("plan"), self.found("look"), self.project)

    def document(self, name: str = "plan") -> Any:
        """A document to be changed, comments and all."""
        return import_tomlkit().parse(self.project.documents.get(name, ""))

    def save_document(self, said: str, document: Any, name: str = "plan") -> None:
        """The changed document becomes the present one, if it can be read; ``said`` tells what was done."""
        text = str(import_tomlkit().dumps(document))
        self.save_texts(said, {name: text})

    def save_texts(self, said: str, texts: dict[str, str]) -> None:
        """Texts become the present ones, each of them checked first."""
        check_readable(texts, self.project.folder)
        version = self.form.number("version") if "version" in self.form else None
        self.project.change(said, texts, version=version)


Edit = Callable[[Editing], None]


@contextmanager
def errors_at_field(field: str) -> Iterator[None]:
    """What is wrong stands beside a field of the form; what says which field it is about stays there."""
    try:
        yield
    except FormErrors:
        raise
    except TacitError as problem:
        raise FormErrors.of({field: problem}) from None


def get_section(document: Any, name: str) -> Any:
    """A section of a document, made when it is not there."""
    if name not in document:
        document[name] = import_tomlkit().table()
    return document[name]


def set_key(table: Any, key: str, value: Any) -> None:
    """Set a key; None, and an empty list or table, take it away."""
    if value is None or value in ([], {}, ""):
        table.pop(key, None)
    else:
        table[key] = toml_value(value)


def on_disk(typed: str, *, fix: str = "check the path; a file can also be dropped on the page") -> Path:
    """The file at a path that was typed: relative to where the studio was started, or whole."""
    path = Path(typed).expanduser()
    if not _is_file(path):
        raise TacitError(f"there is no file {str(path)[:LONGEST]!r}", code="path_not_found", fix=fix)
    return path


def path_in_plan(editing: Editing, typed: str) -> str | None:
    """A path as the plan writes it, of a file that it names already or of one that was typed; None for nothing typed."""
    if not typed:
        return None
    folder = editing.project.folder
    fix = "check the path, whole or from where the studio was started"
    return file_path(folder, folder / typed if _is_file(folder / typed) else on_disk(typed, fix=fix))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, a folder that is closed
        return False


def require_text(form: Form, name: str, what: str) -> str:
    """A text that has to be there."""
    found = form.get_last(name).strip()
    if not found:
        raise TacitError(f"{what} is missing", code="missing_parameter", fix=f"type {what}")
    return found
