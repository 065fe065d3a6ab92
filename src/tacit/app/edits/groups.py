"""Changes on the page Groups made by hand: values into groups and out of them, and hierarchies from files."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...files import write_text
from ...release.hierarchy import TableHierarchy, hierarchy
from ...release.hierarchy.manual import (
    complete_hierarchy,
    put_into,
    rename_hierarchy_group,
    small_spec,
    taken_out,
    without_level,
)
from ...release.hierarchy.table import as_file
from ..forms import FormErrors
from ..panels.hierarchy_file import plain_name
from ..panels.levels import BY_HAND
from ..project.atomic_files import disk_errors
from ..project.opening import file_path
from .edit import Editing, errors_at_field, on_disk
from .hierarchies import build_fitting_hierarchy, column_of, kept_for, read_values, told_of

FEW = 40
"""Values that a plan lists itself; more of them go into a file beside it."""
OTHER = "other"


def regroup_labels(editing: Editing) -> None:
    """Chosen labels into a group, or out of theirs; or a whole group dissolved."""
    column, form = column_of(editing), editing.form
    found, now = _by_hand(editing, column)
    members, level = form.get_all("member"), found["level"]
    dissolved = form.get_last("dissolve")
    with errors_at_field("name"), told_of(column):
        if dissolved:
            members = [one["label"] for one in found["labels"] if one["group"] == dissolved]
        if not members:
            raise TacitError(
                "no value is chosen",
                code="missing_parameter",
                fix="tick the values that belong together, or drag them into a group",
            )
        if dissolved or form.get_last("do") == "out":
            changed, said = taken_out(now, level, members), f"{column}: took {len(members)} out of their groups"
        else:
            name = form.get_last("name").strip()
            changed, said = put_into(now, level, members, name), f"{column}: put {len(members)} into “{name}”"
    _save_hierarchy(editing, column, changed, said)


def rename_group(editing: Editing) -> None:
    """Another name for a group."""
    column, form = column_of(editing), editing.form
    found, now = _by_hand(editing, column)
    with errors_at_field("after"), told_of(column):
        changed = rename_hierarchy_group(now, found["level"], form.get_last("before"), form.get_last("after"))
    _save_hierarchy(
        editing, column, changed, f"{column}: {form.get_last('before')} is now {form.get_last('after').strip()}"
    )


def drop_level(editing: Editing) -> None:
    """Leave a level out."""
    column = column_of(editing)
    found, now = _by_hand(editing, column)
    with told_of(column):
        changed = without_level(now, found["level"])
    _save_hierarchy(editing, column, changed, f"{column}: left level {found['level']} out")


def set_fill(editing: Editing) -> None:
    """What becomes of the values that a hierarchy lacks."""
    column = column_of(editing)
    with told_of(column):
        built = build_fitting_hierarchy(editing, column, editing.project.raw()["hierarchies"][column])
        changed = _fill_missing_values(editing, column, built, editing.form.get_last("lacking"))
    _save_hierarchy(editing, column, changed, f"{column}: the other values too")


def hierarchy_from_file(editing: Editing) -> None:
    """A hierarchy from a file on this machine, or from the text of one that was chosen, which is kept in the project."""
    column, form = column_of(editing), editing.form
    kind = "edges" if form.get_last("form") == "edges" else "file"
    with errors_at_field("path"), told_of(column):
        path = _chosen_file(editing)
        given = {kind: file_path(editing.project.folder, path)}
        built = hierarchy(given, folder=editing.project.folder)
        changed = _fill_missing_values(editing, column, built, form.get_last("lacking"))
    name = form.get_last("filename") or path.name
    if changed is built:
        kept_for(editing, column, given, f"{column}: groups from {name}")
    else:
        _save_hierarchy(editing, column, changed, f"{column}: groups from {name}")


def _chosen_file(editing: Editing) -> Path:
    """The file of a form: the text of one that was chosen, kept in the project, or one at a path."""
    form = editing.form
    if text := form.get_last("text"):
        return _store_text(editing, plain_name(Path(form.get_last("filename")).stem), text)
    if not form.get_last("path").strip():
        raise TacitError("no file is chosen", code="missing_parameter", fix="choose or drop one, or type its path")
    return on_disk(form.get_last("path").strip())


def _by_hand(editing: Editing, column: str) -> tuple[Any, TableHierarchy]:
    """What the page shows of a column, and the hierarchy in it."""
    found = editing.found("by_hand", {"column": column, "level": editing.form.get_last("level", "1")})
    if found is None or found["rows"] is None:
        raise TacitError(
            "is still being read",
            code="unsuitable_column",
            column=column,
            fix="wait until its values are shown, then do it again",
        )
    return found, TableHierarchy(tuple(tuple(row) for row in found["rows"]))


def _save_hierarchy(editing: Editing, column: str, changed: TableHierarchy, said: str) -> None:
    """A small hierarchy in the plan, a large one in a file of the project; nothing when nothing is grouped any more."""
    given = small_spec(changed)
    if given is not None and len(changed.rows) > FEW:
        given = {
            "file": file_path(
                editing.project.folder, _store_text(editing, f"{plain_name(column)}{BY_HAND}", as_file(changed.rows))
            )
        }
    kept_for(editing, column, given, said)


def _store_text(editing: Editing, name: str, text: str) -> Path:
    """A text in a file of the project that is named by its content: none is ever overwritten, so that undo finds it."""
    if "\ufffd" in text or "\0" in text:
        raise TacitError(
            "the chosen file is not UTF-8 text", code="wrong_type", fix="save it as UTF-8 CSV and choose it again"
        )
    folder = editing.project.folder / "data"
    with disk_errors(editing.project.folder):
        folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:10]}.csv"
    if not path.exists():
        write_text(path, text, private=True)
    return path


def _fill_missing_values(editing: Editing, column: str, built: Any, lacking: str) -> TableHierarchy:
    """A table, with the values of the column that it lacks if that is wanted; refused when it is not."""
    values = read_values(editing, column)["values"]
    if not isinstance(built, TableHierarchy):
        raise TacitError("the groups follow a rule", code="bad_request", fix="correct its numbers")
    absent = set(values or ()) - {row[0] for row in built.rows}
    if not absent:
        return built
    if lacking not in ("own", OTHER):
        lacks = TacitError(
            f"the file lacks {len(absent)} of the {len(values)} values of the column",
            code="missing_parameter",
            fix="say here what becomes of them, or add them to the file; are they written in the same way?",
            where=f"column {column!r}",
        )
        raise FormErrors.of({"lacking": lacks})
    return complete_hierarchy(built, values, OTHER if lacking == OTHER else "")
