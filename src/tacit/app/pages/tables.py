"""The page Tables: counts and sums of the records, the cells that disclose, and how they are protected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...plan.table.methods import WAYS, Suppress
from ...plan.table.schema import TableOf
from ...report.words import to_prose
from ...tables.build.hierarchies import is_data_independent
from ...tables.rules.registry import ALL as RULES
from ...toml_text import to_inline_toml
from ..forms import Field, fields_of
from ..forms.repeated_help import drop_repeated_help
from ..texts import texts
from .page import View

FIRST = ("by", "response", "holding")
"""What is asked of every table; the rest is for those who need it."""
FORMS = ("long", "pivot")


def tables_context(view: View) -> Mapping[str, Any]:
    """The forms of the table, its rules and ways, with what stands in the plan."""
    given = view.table
    say = texts().forms.mapping
    shape = [
        _relabel_field(one) for one in fields_of(TableOf, columns=view.columns, say=say, given=given.get("table", {}))
    ]
    method = given.get("protect", {}).get("method", "suppress")
    way = view.query.get("way", method)
    way = way if way in WAYS else method
    rule, rules = view.query.get("rule", ""), given.get("rule", [])
    fresh = view.query.get("after", str(len(rules))) == str(len(rules))
    return {
        "given": given,
        "shape": [one for one in shape if one.name in FIRST],
        "more": [one for one in shape if one.name not in FIRST],
        "dimensions": [_dimension_entry(view, name) for name in given.get("table", {}).get("by", [])],
        "rules": [_rule_entry(view, place, one) for place, one in enumerate(rules)],
        "offered": [{"name": name, "summary": to_prose(one.summary), "use": one.use} for name, one in RULES.items()],
        "adding": _rule_entry(view, None, {"method": rule}) if rule in RULES and fresh else None,
        "ways": tuple(WAYS),
        "method": method,
        "way": way,
        "way_summary": to_prose((WAYS[way].__doc__ or "").splitlines()[0]),
        "way_fields": _way_fields(view, way, given.get("protect", {}) if way == method else {}),
        "drawn": WAYS[method] is not Suppress,
        "asked": dict(view.desk.last_question("table")),
        "output": given.get("output", {}),
        "title": given.get("title", ""),
        "forms": FORMS,
    }


def _relabel_field(one: Field) -> Field:
    """A field of the table in the words of the page."""
    say = texts().tables
    choices = one.choices
    if one.name in ("response", "holding"):
        choices = (("", say.absent.get(one.name)), *one.choices[1:])
    if one.name == "unanswered":
        choices = tuple((value, say.unanswered.get(value or "none")) for value, _ in one.choices)
    return replace(one, label=say.labels.get(one.name, one.label), choices=choices)


def _dimension_entry(view: View, name: str) -> dict[str, Any]:
    """A dimension, how its codes add up, and whether the groups of the plan say so too."""
    own, plan = view.table.get("hierarchies", {}).get(name), view.raw.get("hierarchies", {}).get(name)
    tree = "flat" if own is None else "plan" if own == plan else "own"
    fits = plan is not None and is_data_independent(plan, folder=view.project.folder)
    return {"name": name, "tree": tree, "fits": fits, "said": to_inline_toml(own) if tree == "own" else ""}


def _rule_entry(view: View, place: int | None, given: Mapping[str, Any]) -> dict[str, Any]:
    name = given["method"]
    entry = RULES[name]
    every = fields_of(entry.call, columns=view.columns, say=texts().forms.mapping, given=given, example=entry.example)
    fields = drop_repeated_help(every, to_prose(entry.summary))
    said = ", ".join(f"{to_prose(key)} {to_inline_toml(value)}" for key, value in given.items() if key != "method")
    about = {"summary": to_prose(entry.summary), "use": entry.use, "avoid": entry.avoid}
    return {"name": name, "place": place, "fields": fields, "said": said, **about}


def _way_fields(view: View, name: str, given: Mapping[str, Any]) -> Any:
    return fields_of(WAYS[name], columns=view.columns, say=texts().forms.mapping, given=given)
