"""Changes on the page Data: the file, how it is read, and what its columns are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import TacitError, check_columns
from ...plan.example_files import write_example
from ...release.files.formats import format_of
from ...release.roles import ROLES
from ...study.plan_text import import_tomlkit
from ..pages.page import ONE, SEVERAL, role_of
from ..pages.pending_suggestions import left_to_take
from ..project.copies import remove_unused_copies
from ..project.opening import documents_for_file, new_documents
from ..texts import texts
from .edit import Editing, errors_at_field, get_section, on_disk, path_in_plan, require_text, set_key
from .table import read_as

CODES, AMOUNTS = ("nominal", "code", "geographic"), ("continuous", "date")
"""Kinds of what is a name, whatever it looks like, and of what is counted with."""


def open_file(editing: Editing) -> None:
    """Work on the file at a path: from the beginning, or as on the one before."""
    with errors_at_field("path"):
        path = on_disk(require_text(editing.form, "path", "the path of a file"))
        format_of(path)
    if editing.form.get_last("keep") and editing.project.raw():
        editing.save_texts(f"opened {path.name}, for the same job", documents_for_file(editing.project, path))
    else:
        editing.save_texts(f"opened {path.name}", new_documents(editing.project, path))


def open_example(editing: Editing) -> None:
    """Write an example into the project and work on it."""
    folder = editing.project.folder / "data" / "example"
    data, *_ = write_example(require_text(editing.form, "name", "an example"), folder, replace=True)
    editing.save_texts(f"opened the example {data.stem}", new_documents(editing.project, data))


def remove_copies(editing: Editing) -> None:
    """Remove the copies of dropped files that no plan reads; that cannot be undone."""
    number = remove_unused_copies(editing.project)
    files = "1 copy of a file" if number == 1 else f"{number} copies of files"
    editing.save_texts(f"removed {files} from data/", {})


def set_read_options(editing: Editing) -> None:
    """How the file is read."""
    plan, form = editing.document(), editing.form
    data = get_section(plan, "data")
    for key in ("separator", "encoding", "decimal", "thousands", "dates", "sheet"):
        set_key(data, key, form.get_last(key).replace("\\t", "\t") or None)
    set_key(
        data, "missing_values", [text.strip() for text in form.get_last("missing_values").split(",") if text.strip()]
    )
    _read_alike(editing, "said how the file is read", plan)


def set_missing_meaning(editing: Editing) -> None:
    """What a missing quasi-identifier means."""
    plan, chosen = editing.document(), editing.form.get_last("missing")
    set_key(get_section(plan, "data"), "missing", chosen or None)
    editing.save_document(f"missing values: {texts().data.short_policies.get(chosen or 'none')}", plan)


def set_population_file(editing: Editing) -> None:
    """The file of the population that the data are a sample of; empty: none."""
    plan, given = editing.document(), editing.form.get_last("population").strip()
    with errors_at_field("population"):
        set_key(get_section(plan, "data"), "population", path_in_plan(editing, given))
    editing.save_document(f"the population: {Path(given).name or 'no file'}", plan)


def set_role(editing: Editing) -> None:
    """The role of one column."""
    plan, column = editing.document(), require_text(editing.form, "column", "a column")
    _assign_roles(
        plan, editing, {column: editing.form.get_last("role")}, pseudonym=editing.form.get_last("pseudonym") == "hmac"
    )
    editing.save_document(f"{column}: {texts().data.role_names.get(editing.form.get_last('role'))}", plan)


def accept_suggestions(editing: Editing) -> None:
    """All suggestions at once: roles, kinds and groups of columns, where nobody has chosen otherwise."""
    found = editing.found("suggestions")
    if found is None:
        raise TacitError(
            "the suggestions are not there yet", code="wrong_type", fix="wait until the columns have been read"
        )
    plan, left = editing.document(), left_to_take(editing.project.raw(), found["columns"])
    _assign_roles(plan, editing, {column: one["role"] for column, one in left.items() if "role" in one})
    for column, one in left.items():
        if "kind" in one:
            get_section(plan, "kinds")[column] = one["kind"]
            _as_written(plan, editing, column, one["kind"])
        if "hierarchy" in one:
            set_key(get_section(plan, "hierarchies"), column, one["hierarchy"])
    _read_alike(editing, "took the suggested roles", plan)


def set_kind(editing: Editing) -> None:
    """The kind of one column."""
    plan, column = editing.document(), require_text(editing.form, "column", "a column")
    check_columns(column, editing.columns.names)
    chosen = editing.form.get_last("kind")
    set_key(get_section(plan, "kinds"), column, chosen or None)
    _as_written(plan, editing, column, chosen)
    _read_alike(editing, f"{column}: {texts().data.kinds.get(chosen, texts().data.by_type)}", plan)


def _as_written(plan: Any, editing: Editing, column: str, kind: str) -> None:
    """Codes of a CSV file that look like numbers are kept as they are written, 10.20 and not 10.2; amounts are not."""
    data, columns = get_section(plan, "data"), (editing.found("look") or {"columns": []})["columns"]
    written = data["as_written"].unwrap() if "as_written" in data else []
    kept = [one for one in written if one != column or kind not in AMOUNTS]
    number = any(one["name"] == column and one["type"] == "number" for one in columns)
    csv = "separator" in format_of(Path(data["path"])).options
    set_key(data, "as_written", [*kept, column] if number and csv and kind in CODES else kept)


def _read_alike(editing: Editing, said: str, plan: Any) -> None:
    """The plan is changed, and the table of the same file is read as it says."""
    tomlkit, table = import_tomlkit(), editing.document("table")
    changed = {"plan": str(tomlkit.dumps(plan))}
    if editing.project.raw("table").get("data", {}).get("path") == plan["data"]["path"]:
        read_as(table, plan["data"].unwrap())
        changed["table"] = str(tomlkit.dumps(table))
    editing.save_texts(said, changed)


def _assign_roles(plan: Any, editing: Editing, given: dict[str, str], *, pseudonym: bool = False) -> None:
    """Columns out of the lists they stand in and into those of their new roles."""
    check_columns(list(given), editing.columns.names or tuple(given))  # while the file is being read they are not known
    raw, roles = editing.project.raw(), get_section(plan, "roles")
    for column, chosen in given.items():
        if chosen not in ROLES:
            raise TacitError(
                f"the role {chosen!r} is unknown", code="unknown_name", fix=f"use one of {', '.join(ROLES)}"
            )
        for before in _role_keys(role_of(raw, column)):
            if before in SEVERAL:
                set_key(roles, before, [one for one in roles[before].unwrap() if _column_name(one) != column])
            elif before in ONE:
                roles.pop(before, None)
        for role in _role_keys(chosen):
            if role in SEVERAL:
                entry = {"column": column, "pseudonym": "hmac"} if pseudonym and role == "identifier" else column
                set_key(roles, role, [*(roles[role].unwrap() if role in roles else []), entry])
            elif role in ONE:
                set_key(roles, role, column)


def _role_keys(role: str) -> tuple[str, ...]:
    """The keys of a plan under which a column of the role stands."""
    return ("quasi", "confidential") if role == "quasi_confidential" else (role,)


def _column_name(given: Any) -> str:
    return str(given["column"] if isinstance(given, dict) else given)
