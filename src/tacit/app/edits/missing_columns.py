"""Columns that the plan names and the file does not have: each gets the name that it has now, or is forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError, check_columns
from ...study.plan_text import import_tomlkit
from ..forms import FormErrors
from ..project.column_references import ColumnRenaming, named_columns, plan_with, steps_with, table_with
from ..project.steps import OFF, off_of
from ..texts import texts
from .edit import Editing, set_key
from .toml_tables import put_tables, table_of, tables_of

ASKED = "now:"
"""What the name of a field begins with; the column follows."""
FORGET, CALLED = "forget", "called:"
"""What is chosen: that it is forgotten, or what it is called; the new name follows."""
LISTS = ("protect", "attack")


def resolve_missing_columns(editing: Editing) -> None:
    """All that was chosen for columns that are not in the file, as one change."""
    project, given = editing.project, _chosen_names(editing)
    change, plan, table = ColumnRenaming(given), project.raw(), project.raw("table")
    texts_now = {"plan": _updated_text(editing, "plan", plan, plan_with(plan, change))}
    if table and table["data"]["path"] == plan["data"]["path"]:
        texts_now["table"] = _updated_text(editing, "table", table, table_with(table, change))
    off = off_of(project)
    if off:
        document = import_tomlkit().document()
        put_tables(document, [table_of(one) for one in steps_with(off, change)], under="step")
        texts_now[OFF] = str(import_tomlkit().dumps(document))
    editing.save_texts("; ".join(_describe_choice(before, now) for before, now in given.items()), texts_now)


def _chosen_names(editing: Editing) -> dict[str, str | None]:
    """What was chosen, by column; those without a choice stay for later."""
    form, columns = editing.form, editing.columns.names
    known = set(named_columns(editing.project.raw(), editing.project.raw("table"))) - set(columns)
    found: dict[str, str | None] = {}
    for key in form:
        column, choice = key.removeprefix(ASKED), form.get_last(key)
        if not key.startswith(ASKED) or column not in known or not choice:
            continue
        now = None if choice == FORGET else check_columns(choice.removeprefix(CALLED), columns)[0]
        if now is not None and now in found.values():
            twice = TacitError(
                f"{now} is chosen for two columns", code="duplicate", fix="choose another one, or forget one of the two"
            )
            raise FormErrors.of({key: twice})
        found[column] = now
    if not found:
        nothing = TacitError(
            "nothing is chosen",
            code="missing_parameter",
            fix="say for a column at least what it is called now, or forget it",
        )
        raise FormErrors.of({next((key for key in form if key.startswith(ASKED)), ""): nothing})
    return found


def _describe_choice(before: str, now: str | None) -> str:
    say = texts().data
    return f"{say.forgot} {before}" if now is None else f"{before} {say.is_now} {now}"


def _updated_text(editing: Editing, name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text of a document with what changed in it, and all else as it is written."""
    if not after:
        return ""
    document = editing.document(name)
    for part in before:
        if before[part] == after.get(part):
            continue
        if part in LISTS:
            as_they_are = {str(table.unwrap()): table for table in tables_of(document, part)}
            put_tables(document, [as_they_are.get(str(one)) or table_of(one) for one in after.get(part, [])], part)
        elif part not in after:
            document.pop(part)
        else:
            for key in dict.fromkeys([*before[part], *after[part]]):
                if before[part].get(key) != after[part].get(key):
                    set_key(document[part], key, after[part].get(key))
    return str(import_tomlkit().dumps(document))
