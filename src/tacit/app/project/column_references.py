"""The columns that the documents of a project name, and what becomes of a document when they get other names or are gone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...attack import ATTACKS
from ...models import MODELS
from ...plan.table.schema import TableOf
from ...protect import METHODS
from ...risk import MEASURES
from ..forms.field import BY_COLUMN
from ..forms.parameter import Parameter, parameters_of

ITSELF = ("column", "columns", "levels", "by", "response")
"""Parameters that say what a step or a table is about: without any of their columns it is about nothing."""


class ColumnRenaming:
    """Column → what it is called now, None for one that is forgotten; ``named`` gathers all that it meets."""

    def __init__(self, given: Mapping[str, str | None] | None = None) -> None:
        self.given = given or {}
        self.named: dict[str, None] = {}

    def new_name(self, column: str) -> str | None:
        """What becomes of a column."""
        self.named[column] = None
        return self.given.get(column, column)

    def new_names(self, columns: Iterable[str]) -> list[str]:
        """What becomes of several, each once."""
        found = (self.new_name(column) for column in columns)
        return list(dict.fromkeys(column for column in found if column is not None))

    def rename_keys(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """What becomes of values by column; what is said of a name anew holds instead of what was said of it before."""
        kept = {column: value for column, value in values.items() if self.new_name(column) == column}
        return kept | {
            now: value for column, value in values.items() if (now := self.given.get(column, column)) and now != column
        }


def named_columns(plan: Mapping[str, Any], table: Mapping[str, Any]) -> tuple[str, ...]:
    """The columns of the file that a plan and a table of the same file name."""
    seen = ColumnRenaming()
    plan_with(plan, seen)
    if table.get("data", {}).get("path") == plan.get("data", {}).get("path"):
        table_with(table, seen)
    return tuple(seen.named)


def plan_with(plan: Mapping[str, Any], change: ColumnRenaming) -> dict[str, Any]:
    """The sections of a plan after a change of columns."""
    found = dict(plan)
    for name, keys in (("data", ("as_written",)), ("intruder", ("knows", "second")), ("synth", ("predict",))):
        if name in plan:
            lists = {key: change.new_names(plan[name][key]) for key in keys if key in plan[name]}
            found[name] = {key: value for key, value in (plan[name] | lists).items() if lists.get(key) != []}
    if "roles" in plan:
        found["roles"] = _rename_roles(plan["roles"], change)
    if "kinds" in plan:
        found["kinds"] = change.rename_keys(plan["kinds"])
    if "hierarchies" in plan:
        found["hierarchies"] = {
            column: _rename_like(given, change) for column, given in change.rename_keys(plan["hierarchies"]).items()
        }
    if "require" in plan:
        required = {name: _rename_requirement(name, given, change) for name, given in plan["require"].items()}
        found["require"] = {name: given for name, given in required.items() if given is not None}
    for name, calls in (("protect", METHODS), ("attack", ATTACKS)):
        if name in plan:
            found[name] = steps_with(plan[name], change, calls)
    return {name: given for name, given in found.items() if given or name not in plan or not plan[name]}


def table_with(table: Mapping[str, Any], change: ColumnRenaming) -> dict[str, Any]:
    """The same of a table; nothing is left of one whose dimensions or figure are gone."""
    found, data = dict(table), dict(table.get("data", {}))
    shape = _rename_parameters(TableOf, table.get("table", {}), change)
    if shape is None:
        return {}
    if "as_written" in data:
        data["as_written"] = change.new_names(data["as_written"])
        found["data"] = {key: value for key, value in data.items() if value != []}
    if "hierarchies" in table:
        found["hierarchies"] = change.rename_keys(table["hierarchies"])
    return found | {"table": shape}


def steps_with(
    steps: Iterable[Mapping[str, Any]], change: ColumnRenaming, calls: Mapping[str, Any] = METHODS
) -> list[dict[str, Any]]:
    """Steps after a change; one that is about columns that are gone, and no others, goes with them."""
    changed = [
        _rename_parameters(calls[one["method"]].call, one, change) if one.get("method") in calls else one
        for one in steps
    ]
    return [dict(one) for one in changed if one is not None]


def _rename_roles(roles: Mapping[str, Any], change: ColumnRenaming) -> dict[str, Any]:
    found: dict[str, Any] = {}
    taken = {now for before, now in change.given.items() if _has_role(roles, before)}
    for role, given in roles.items():
        if isinstance(given, list):
            kept = [one for one in given if _column_name(one) not in taken]
            found[role] = [one for one in (_rename_identifier(one, change) for one in kept) if one is not None]
        elif role in ("keep_household", "key_file"):
            found[role] = given
        else:
            found[role] = change.new_name(given) if given not in taken else None
    return {role: given for role, given in found.items() if given}


def _has_role(roles: Mapping[str, Any], column: str) -> bool:
    return any(
        column in ([_column_name(one) for one in given] if isinstance(given, list) else [given])
        for given in roles.values()
    )


def _column_name(given: Any) -> str:
    return str(given["column"] if isinstance(given, Mapping) else given)


def _rename_identifier(given: Any, change: ColumnRenaming) -> Any:
    now = change.new_name(_column_name(given))
    return now if now is None or not isinstance(given, Mapping) else {**given, "column": now}


def _rename_like(given: Any, change: ColumnRenaming) -> Any:
    if not isinstance(given, Mapping) or "like" not in given:
        return given
    now = change.new_name(given["like"])
    return {
        word: (now if word == "like" else said) for word, said in given.items() if word != "like" or now is not None
    }


def _rename_requirement(name: str, given: Any, change: ColumnRenaming) -> Any:
    entry = MODELS.get(name) or MEASURES.get(name)
    return _rename_parameters(entry.call, given, change) if entry and isinstance(given, Mapping) else given


def _rename_parameters(
    call: Callable[..., Any], given: Mapping[str, Any], change: ColumnRenaming
) -> dict[str, Any] | None:
    """The parameters of a call after a change; None when those that say what it is about are gone."""
    found = dict(given)
    for one in parameters_of(call):
        if one.name not in given:
            continue
        found[one.name] = _rename_value(one, given[one.name], change)
        if found[one.name] in (None, [], {}) and given[one.name] not in (None, [], {}):
            if one.required or one.name in ITSELF:
                return None
            del found[one.name]
    return found


def _rename_value(one: Parameter, given: Any, change: ColumnRenaming) -> Any:
    if one.control in ("column", "columns", "places") and isinstance(given, str):
        return change.new_name(given)
    if one.control in ("columns", "places") and isinstance(given, list):
        return change.new_names(given)
    if not isinstance(given, Mapping):
        return given
    about = one.control == "toml" and set(given) & set(change.given)  # e.g. a percentage by column
    return change.rename_keys(given) if about or one.control in BY_COLUMN else given
