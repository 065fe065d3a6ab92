"""Changes on the page Release: what has to hold, what the result is called, and the plan as a text."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError
from ...report.words import to_prose
from ...toml_text import to_inline_toml
from ..forms import parsed_requirement
from ..project.project import DOCUMENTS
from .edit import Editing, get_section, require_text, set_key


def require_set(editing: Editing) -> None:
    """A requirement, new or changed."""
    plan, name = editing.document(), require_text(editing.form, "requirement", "a requirement")
    content = parsed_requirement(name, editing.form, columns=editing.columns)
    set_key(get_section(plan, "require"), name, content)
    editing.save_document(f"required {to_prose(name)}: {to_inline_toml(content)}", plan)


def require_remove(editing: Editing) -> None:
    """A requirement is no longer one."""
    plan, name = editing.document(), require_text(editing.form, "requirement", "a requirement")
    required = get_section(plan, "require")
    if name not in required:
        raise TacitError(f"{name!r} is not required", code="wrong_type", fix="reload the page: it shows what is")
    required.pop(name)
    if not len(required):
        plan.pop("require")
    editing.save_document(f"no longer required {to_prose(name)}", plan)


def set_output(editing: Editing) -> None:
    """The title of the report, and the folder and file of what is released."""
    name = editing.form.get_last("document", "plan")
    plan, form = editing.document(name), editing.form
    set_key(plan, "title", form.get_last("title").strip() or None)
    out: Any = get_section(plan, "output")
    for key in ("directory", "file", "form"):
        if key in form:
            set_key(out, key, form.get_last(key).strip() or None)
    _check_separate_folders(editing, name, str(out.get("directory", "out")))
    if not len(out):
        plan.pop("output")
    editing.save_document("named the result", plan, name)


def _check_separate_folders(editing: Editing, name: str, directory: str) -> None:
    """Refuse one folder for the file and for the table: each result takes the place of what is in its folder."""
    folder = editing.project.folder
    other = editing.project.raw("table" if name == "plan" else "plan")
    if other and (folder / other.get("output", {}).get("directory", "out")).resolve() == (folder / directory).resolve():
        raise TacitError(
            f"the folder {directory!r} is that of the other result, which would be lost",
            code="bad_request",
            fix="name another folder",
        )


def plan_text(editing: Editing) -> None:
    """A whole plan as somebody typed it, if it can be read."""
    name = editing.form.get_last("document", "plan")
    if name not in DOCUMENTS:
        raise TacitError(f"there is no document {name!r}", code="unknown_name", fix="reload the page")
    text = require_text(editing.form, "text", "the text of the plan").replace("\r\n", "\n").rstrip("\n") + "\n"
    if text.strip() != editing.project.documents.get(name, "").strip():
        editing.save_texts(f"wrote in {DOCUMENTS[name]}", {name: text})
