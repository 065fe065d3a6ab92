"""Changes on the page Tables: which table, how its codes add up, which cells disclose, and what is done about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError, suggest_alternative
from ...plan.parse import error_key
from ...plan.table.methods import WAYS
from ...plan.table.schema import TableData, TableOf
from ...report.words import to_prose
from ...tables.build.hierarchies import is_data_independent
from ...tables.rules.registry import ALL as RULES
from ...tables.rules.serialise import from_json
from ..forms import FormErrors, parse_form
from ..texts import texts
from .edit import Editing, get_section, require_text, set_key
from .toml_tables import put_tables, table_of, tables_of


def table_shape(editing: Editing) -> None:
    """The dimensions of the table and what it holds; hierarchies of the plan come along where they fit."""
    found = parse_form(TableOf, editing.form, columns=editing.columns)
    if not found.get("by") and not found.get("linked"):
        raise FormErrors.of(
            {
                "by": TacitError(
                    "the table has no dimension", code="bad_request", fix="tick at least one column of codes"
                )
            }
        )
    document = _table_document(editing)
    before = set(document.get("table", {}).get("by", []))
    document["table"] = table_of(found)
    kept: Any = get_section(document, "hierarchies")
    plan = editing.project.raw().get("hierarchies", {})
    spanned = {*found.get("by", []), *(name for one in found.get("linked", []) for name in one.get("by", []))}
    for name in [name for name in kept if name not in spanned]:
        kept.pop(name)
    for name in spanned - before:
        if name in plan and name not in kept and is_data_independent(plan[name], folder=editing.project.folder):
            set_key(kept, name, plan[name])
    if not len(kept):
        document.pop("hierarchies")
    editing.save_document(f"a table by {', '.join(sorted(spanned))}", document, "table")


def table_tree(editing: Editing) -> None:
    """How the codes of a dimension add up: as its groups on the page Groups do, or directly to the total."""
    document, name = editing.document("table"), require_text(editing.form, "dimension", "a dimension")
    given = editing.project.raw().get("hierarchies", {}).get(name)
    chosen = editing.form.get_last("tree")
    if chosen == "plan" and given is None:
        raise TacitError("has no groups yet", code="unsuitable_column", column=name, fix="make them on the page Groups")
    if chosen != "own":
        set_key(get_section(document, "hierarchies"), name, given if chosen == "plan" else None)
    if not len(document["hierarchies"]):
        document.pop("hierarchies")
    editing.save_document(f"{name} adds up {'by its groups' if chosen == 'plan' else 'directly'}", document, "table")


def table_rule(editing: Editing) -> None:
    """A rule, new or changed."""
    name = require_text(editing.form, "rule", "a rule")
    if name not in RULES:
        raise TacitError(
            f"the rule {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(RULES))
        )
    found = {"method": name, **parse_form(RULES[name].call, editing.form, columns=editing.columns)}
    try:
        from_json(found)
    except TacitError as problem:
        raise FormErrors.of({next(iter(error_key(problem, found)), ""): problem}) from None
    document = editing.document("table")
    rules = tables_of(document, "rule")
    if "place" in editing.form:
        rules[_rule_index(editing, rules)] = table_of(found)
    else:
        rules.append(table_of(found))
    put_tables(document, rules, "rule")
    editing.save_document(f"rule: {to_prose(name)}", document, "table")


def table_rule_remove(editing: Editing) -> None:
    """A rule is no longer one."""
    document = editing.document("table")
    rules = tables_of(document, "rule")
    gone = rules.pop(_rule_index(editing, rules))
    put_tables(document, rules, "rule")
    editing.save_document(f"no longer a rule: {to_prose(str(gone['method']))}", document, "table")


def table_way(editing: Editing) -> None:
    """What is done about the cells that disclose."""
    name, document = require_text(editing.form, "way", "a way to protect"), editing.document("table")
    if name not in WAYS:
        raise TacitError(f"the way {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(WAYS)))
    document["protect"] = table_of({"method": name, **parse_form(WAYS[name], editing.form, columns=editing.columns)})
    editing.save_document(f"the table is protected by: {to_prose(name)}", document, "table")


def table_missing(editing: Editing) -> None:
    """Records without a code of a dimension get one of their own, and are counted under it."""
    document = editing.document("table")
    code = texts().tables.missing_code
    set_key(get_section(document, "table"), "missing", code)
    editing.save_document(f"records without a code count as {code}", document, "table")


def table_none(editing: Editing) -> None:
    """The table is taken away; what was released stays."""
    editing.save_texts("no table", {"table": ""})


def _table_document(editing: Editing) -> Any:
    """The document with the file of the plan in it, read as the plan says."""
    document = editing.document("table")
    if editing.project.raw():
        read_as(document, editing.project.raw()["data"])
    get_section(document, "data")["noun"] = "table"
    if "output" not in document:
        set_key(get_section(document, "output"), "directory", "table-out")
    return document


def read_as(document: Any, data: Mapping[str, Any]) -> None:
    """The file of a plan in the document of a table, read as the plan says."""
    for key in TableData.model_fields:
        if key != "noun":
            set_key(get_section(document, "data"), key, data.get(key))


def _rule_index(editing: Editing, rules: list[Any]) -> int:
    place = editing.form.number("place")
    if not 0 <= place < len(rules):
        raise TacitError(
            "this rule is not there any more", code="path_not_found", fix="look at the list, then do it again"
        )
    return place
