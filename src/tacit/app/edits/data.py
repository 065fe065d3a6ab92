"""Changes on the page Data: the file, how it is read, and what its columns are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import TacitError, names
from ...plan.example_files import write_example
from ...release.files.formats import format_of
from ...release.roles import ROLES
from ...study.written import tomlkit_
from ..pages.page import ONE, SEVERAL, role_of
from ..pages.undecided import left_to_take
from ..project.copies import remove_unused_copies
from ..project.opening import renewed, start
from ..texts import texts
from .edit import Editing, beside, needed, on_disk, path_in_plan, section, set_key
from .table import read_as

CODES, AMOUNTS = ("nominal", "code", "geographic"), ("continuous", "date")
"""Kinds of what is a name, whatever it looks like, and of what is counted with."""


def open_file(editing: Editing) -> None:
    """Work on the file at a path: from the beginning, or as on the one before."""
    with beside("path"):
        path = on_disk(needed(editing.form, "path", "the path of a file"))
        format_of(path)
    if editing.form.one("keep") and editing.project.raw():
        editing.replaced(f"opened {path.name}, for the same job", renewed(editing.project, path))
    else:
        editing.replaced(f"opened {path.name}", start(editing.project, path))


def example(editing: Editing) -> None:
    """Write an example into the project and work on it."""
    folder = editing.project.folder / "data" / "example"
    data, *_ = write_example(needed(editing.form, "name", "an example"), folder, replace=True)
    editing.replaced(f"opened the example {data.stem}", start(editing.project, data))


def remove_copies(editing: Editing) -> None:
    """Remove the copies of dropped files that no plan reads; that cannot be undone."""
    number = remove_unused_copies(editing.project)
    files = "1 copy of a file" if number == 1 else f"{number} copies of files"
    editing.replaced(f"removed {files} from data/", {})


def reading(editing: Editing) -> None:
    """How the file is read."""
    plan, form = editing.document(), editing.form
    data = section(plan, "data")
    for key in ("separator", "encoding", "decimal", "thousands", "dates", "sheet"):
        set_key(data, key, form.one(key).replace("\\t", "\t") or None)
    set_key(data, "missing_values", [text.strip() for text in form.one("missing_values").split(",") if text.strip()])
    _read_alike(editing, "said how the file is read", plan)


def missing(editing: Editing) -> None:
    """What a missing quasi-identifier means."""
    plan, chosen = editing.document(), editing.form.one("missing")
    set_key(section(plan, "data"), "missing", chosen or None)
    editing.done(f"missing values: {texts().data.short_policies.get(chosen or 'none')}", plan)


def population(editing: Editing) -> None:
    """The file of the population that the data are a sample of; empty: none."""
    plan, given = editing.document(), editing.form.one("population").strip()
    with beside("population"):
        set_key(section(plan, "data"), "population", path_in_plan(editing, given))
    editing.done(f"the population: {Path(given).name or 'no file'}", plan)


def role(editing: Editing) -> None:
    """The role of one column."""
    plan, column = editing.document(), needed(editing.form, "column", "a column")
    _assign(plan, editing, {column: editing.form.one("role")}, pseudonym=editing.form.one("pseudonym") == "hmac")
    editing.done(f"{column}: {texts().data.role_names.get(editing.form.one('role'))}", plan)


def accept(editing: Editing) -> None:
    """All suggestions at once: roles, kinds and groups of columns, where nobody has chosen otherwise."""
    found = editing.found("suggestions")
    if found is None:
        raise TacitError("the suggestions are not there yet", fix="wait until the columns have been read")
    plan, left = editing.document(), left_to_take(editing.project.raw(), found["columns"])
    _assign(plan, editing, {column: one["role"] for column, one in left.items() if "role" in one})
    for column, one in left.items():
        if "kind" in one:
            section(plan, "kinds")[column] = one["kind"]
            _as_written(plan, editing, column, one["kind"])
        if "hierarchy" in one:
            set_key(section(plan, "hierarchies"), column, one["hierarchy"])
    _read_alike(editing, "took the suggested roles", plan)


def kind(editing: Editing) -> None:
    """The kind of one column."""
    plan, column = editing.document(), needed(editing.form, "column", "a column")
    names(column, editing.columns.names)
    chosen = editing.form.one("kind")
    set_key(section(plan, "kinds"), column, chosen or None)
    _as_written(plan, editing, column, chosen)
    _read_alike(editing, f"{column}: {texts().data.kinds.get(chosen, texts().data.by_type)}", plan)


def _as_written(plan: Any, editing: Editing, column: str, kind: str) -> None:
    """Codes of a CSV file that look like numbers are kept as they are written, 10.20 and not 10.2; amounts are not."""
    data, columns = section(plan, "data"), (editing.found("look") or {"columns": []})["columns"]
    written = data["as_written"].unwrap() if "as_written" in data else []
    kept = [one for one in written if one != column or kind not in AMOUNTS]
    number = any(one["name"] == column and one["type"] == "number" for one in columns)
    csv = format_of(Path(data["path"])).name == "csv"
    set_key(data, "as_written", [*kept, column] if number and csv and kind in CODES else kept)


def _read_alike(editing: Editing, said: str, plan: Any) -> None:
    """The plan is changed, and the table of the same file is read as it says."""
    tomlkit, table = tomlkit_(), editing.document("table")
    changed = {"plan": str(tomlkit.dumps(plan))}
    if editing.project.raw("table").get("data", {}).get("path") == plan["data"]["path"]:
        read_as(table, plan["data"].unwrap())
        changed["table"] = str(tomlkit.dumps(table))
    editing.replaced(said, changed)


def _assign(plan: Any, editing: Editing, given: dict[str, str], *, pseudonym: bool = False) -> None:
    """Columns out of the lists they stand in and into those of their new roles."""
    names(list(given), editing.columns.names or tuple(given))  # while the file is being read they are not known
    raw, roles = editing.project.raw(), section(plan, "roles")
    for column, chosen in given.items():
        if chosen not in ROLES:
            raise TacitError(f"the role {chosen!r} is unknown", fix=f"use one of {', '.join(ROLES)}")
        for before in _lists(role_of(raw, column)):
            if before in SEVERAL:
                set_key(roles, before, [one for one in roles[before].unwrap() if _name(one) != column])
            elif before in ONE:
                roles.pop(before, None)
        for role in _lists(chosen):
            if role in SEVERAL:
                entry = {"column": column, "pseudonym": "hmac"} if pseudonym and role == "identifier" else column
                set_key(roles, role, [*(roles[role].unwrap() if role in roles else []), entry])
            elif role in ONE:
                set_key(roles, role, column)


def _lists(role: str) -> tuple[str, ...]:
    """The keys of a plan under which a column of the role stands."""
    return ("quasi", "confidential") if role == "quasi_confidential" else (role,)


def _name(given: Any) -> str:
    return str(given["column"] if isinstance(given, dict) else given)
