"""Changes on the page Tables: which table, how its codes add up, which cells disclose, and what is done about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError, instead
from ...plan.parse import blamed
from ...plan.table.schema import TableData, TableOf
from ...plan.table.ways import WAYS
from ...report.words import readable
from ...tables.build.hierarchies import usable
from ...tables.rules.all import ALL as RULES
from ...tables.rules.load import from_json
from ..forms import Mistakes, parsed
from ..texts import texts
from .edit import Editing, needed, section, set_key
from .tables import put, table_of, tables_of


def table_shape(editing: Editing) -> None:
    """The dimensions of the table and what it holds; hierarchies of the plan come along where they fit."""
    found = parsed(TableOf, editing.form, columns=editing.columns)
    if not found.get("by") and not found.get("linked"):
        raise Mistakes.of({"by": TacitError("the table has no dimension", fix="tick at least one column of codes")})
    document = _begun(editing)
    before = set(document.get("table", {}).get("by", []))
    document["table"] = table_of(found)
    kept: Any = section(document, "hierarchies")
    plan = editing.project.raw().get("hierarchies", {})
    spanned = {*found.get("by", []), *(name for one in found.get("linked", []) for name in one.get("by", []))}
    for name in [name for name in kept if name not in spanned]:
        kept.pop(name)
    for name in spanned - before:
        if name in plan and name not in kept and usable(plan[name], folder=editing.project.folder):
            set_key(kept, name, plan[name])
    if not len(kept):
        document.pop("hierarchies")
    editing.done(f"a table by {', '.join(sorted(spanned))}", document, "table")


def table_tree(editing: Editing) -> None:
    """How the codes of a dimension add up: as its groups on the page Groups do, or directly to the total."""
    document, name = editing.document("table"), needed(editing.form, "dimension", "a dimension")
    given = editing.project.raw().get("hierarchies", {}).get(name)
    chosen = editing.form.one("tree")
    if chosen == "plan" and given is None:
        raise TacitError("has no groups yet", column=name, fix="make them on the page Groups")
    if chosen != "own":
        set_key(section(document, "hierarchies"), name, given if chosen == "plan" else None)
    if not len(document["hierarchies"]):
        document.pop("hierarchies")
    editing.done(f"{name} adds up {'by its groups' if chosen == 'plan' else 'directly'}", document, "table")


def table_rule(editing: Editing) -> None:
    """A rule, new or changed."""
    name = needed(editing.form, "rule", "a rule")
    if name not in RULES:
        raise TacitError(f"the rule {name!r} is unknown", fix=instead(name, list(RULES)))
    found = {"method": name, **parsed(RULES[name].call, editing.form, columns=editing.columns)}
    try:
        from_json(found)
    except TacitError as problem:
        raise Mistakes.of({next(iter(blamed(problem, found)), ""): problem}) from None
    document = editing.document("table")
    rules = tables_of(document, "rule")
    if "place" in editing.form:
        rules[_place(editing, rules)] = table_of(found)
    else:
        rules.append(table_of(found))
    put(document, rules, "rule")
    editing.done(f"rule: {readable(name)}", document, "table")


def table_rule_remove(editing: Editing) -> None:
    """A rule is no longer one."""
    document = editing.document("table")
    rules = tables_of(document, "rule")
    gone = rules.pop(_place(editing, rules))
    put(document, rules, "rule")
    editing.done(f"no longer a rule: {readable(str(gone['method']))}", document, "table")


def table_way(editing: Editing) -> None:
    """What is done about the cells that disclose."""
    name, document = needed(editing.form, "way", "a way to protect"), editing.document("table")
    if name not in WAYS:
        raise TacitError(f"the way {name!r} is unknown", fix=instead(name, list(WAYS)))
    document["protect"] = table_of({"method": name, **parsed(WAYS[name], editing.form, columns=editing.columns)})
    editing.done(f"the table is protected by: {readable(name)}", document, "table")


def table_missing(editing: Editing) -> None:
    """Records without a code of a dimension get one of their own, and are counted under it."""
    document = editing.document("table")
    code = texts().tables.missing_code
    set_key(section(document, "table"), "missing", code)
    editing.done(f"records without a code count as {code}", document, "table")


def table_none(editing: Editing) -> None:
    """The table is taken away; what was released stays."""
    editing.replaced("no table", {"table": ""})


def _begun(editing: Editing) -> Any:
    """The document with the file of the plan in it, read as the plan says."""
    document = editing.document("table")
    if editing.project.raw():
        read_as(document, editing.project.raw()["data"])
    section(document, "data")["noun"] = "table"
    if "output" not in document:
        set_key(section(document, "output"), "directory", "table-out")
    return document


def read_as(document: Any, data: Mapping[str, Any]) -> None:
    """The file of a plan in the document of a table, read as the plan says."""
    for key in TableData.model_fields:
        if key != "noun":
            set_key(section(document, "data"), key, data.get(key))


def _place(editing: Editing, rules: list[Any]) -> int:
    place = editing.form.number("place")
    if not 0 <= place < len(rules):
        raise TacitError("this rule is not there any more", fix="look at the list, then do it again")
    return place
