"""The page Protect: the steps in their order, each with what it does, and variants to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from ...protect import METHODS
from ...registry import Family
from ...release.roles import QUASI
from ...report.words import to_prose
from ..forms import Columns, Field, fields_of
from ..forms.repeated_help import drop_repeated_help
from ..plain_language import to_plain_language
from ..project.steps import PlacedStep, said_of, step_title, steps_in_order
from ..texts import texts
from .page import View
from .starts import starting_steps


def protect_context(view: View) -> Mapping[str, Any]:
    """Cards of the steps, the form of a chosen method, ways to start, and what is compared."""
    every = steps_in_order(view.project, view.raw)
    chosen = view.query.get("method", "")
    return {
        "cards": [_step_card(view, one) for one in every],
        "done": len(view.raw.get("protect", [])),
        "fixed": _fixed_steps(view.raw),
        "groups": method_groups(),
        "chosen": describe_method(chosen) if chosen in METHODS else None,
        "fields": _step_fields(view, _new_step(view, chosen)) if chosen in METHODS else None,
        "suiting": suitable_methods(view.columns),
        "starts": [
            {"name": one.name, "steps": [(step_title(step), said_of(step)) for step in one.steps]}
            for one in (() if every else starting_steps(view.project.draft(), view.raw, view.columns.heights))
        ],
        "column": _shown_column(view),
        "after": _shown_step(view),
        "compared": _variant_comparison(view),
    }


def _step_card(view: View, one: PlacedStep) -> dict[str, Any]:
    method = str(one.step.get("method"))
    return {
        "id": f"{'off' if one.off else 'step'}-{one.place}-{method}",
        "place": one.place,
        "off": one.off,
        "title": step_title(one.step),
        "said": said_of(one.step),
        "about": describe_method(method),
        "fields": None if one.off else _step_fields(view, one.step),
    }


def _new_step(view: View, method: str) -> dict[str, Any]:
    """A new step; who came from a column has it ticked."""
    column, takes = view.query.get("of", ""), METHODS[method].parameters
    return {"method": method} | ({"columns": [column]} if "columns" in takes and column in view.columns.names else {})


def _step_fields(view: View, step: Mapping[str, Any]) -> dict[str, list[Field]]:
    """The fields of a step: those that one has to think of, and the rest."""
    entry = METHODS[str(step["method"])]
    say, columns = texts().forms.mapping, _remaining_columns(view)
    fields = fields_of(entry.call, columns=columns, say=say, given=step, example=entry.example)
    every = drop_repeated_help(fields, describe_method(str(step["method"]))["summary"])
    essential = [one for one in every if one.required or one.name in entry.example or one.name in step]
    return {"essential": essential, "more": [one for one in every if one not in essential]}


def _remaining_columns(view: View) -> Columns:
    """The columns that steps can be about: those that are not left out before the first of them."""
    dropped = _fixed_steps(view.raw)["dropped"]
    return replace(view.columns, every=tuple(one for one in view.columns.every if one.name not in dropped))


def _fixed_steps(raw: Mapping[str, Any]) -> dict[str, Any]:
    """What every release gets before and after the steps of the plan."""
    roles = raw.get("roles", {})
    given = [{"column": one} if isinstance(one, str) else one for one in roles.get("identifier", [])]
    return {
        "hashed": [one["column"] for one in given if one.get("pseudonym")],
        "dropped": [one["column"] for one in given if not one.get("pseudonym")],
        "household": roles.get("household"),
        "keeps_household": bool(roles.get("keep_household")),
    }


def _shown_column(view: View) -> str:
    """The column that is looked at: the chosen one, or the first that a step is about."""
    known = view.columns.names
    if view.query.get("column") in known:
        return view.query["column"]
    named = [
        column
        for step in view.raw.get("protect", [])
        for value in step.values()
        for column in ([value] if isinstance(value, str) else value if isinstance(value, list | dict) else [])
        if isinstance(column, str) and column in known
    ]
    quasi = [one.name for one in view.columns.every if one.role in (*QUASI, "confidential")]
    return next(iter([*named, *quasi, *known]), "")


def _shown_step(view: View) -> str:
    """The step after which a column is looked at: the chosen one while it is there, or the last."""
    after = view.query.get("after", "last")
    known = [str(place) for place in range(len(view.raw.get("protect", [])))]
    return after if after in known else "last"


def _variant_comparison(view: View) -> dict[str, Any] | None:
    """The two variants that are compared, with what is known of them; the present state has no name."""
    names = view.query.get("left", ""), view.query.get("right", "")
    known = view.project.variants
    if names[0] not in known or names[1] not in (*known, ""):
        return None
    found = [view.desk.found("variant", {"variant": name}) for name in names]
    return {"names": names, "found": found if all(found) else None}


def method_groups() -> list[tuple[str, list[dict[str, Any]]]]:
    """Every method of :data:`tacit.protect.METHODS`, family by family."""
    groups: dict[str, list[dict[str, Any]]] = {family: [] for family in get_args(Family)}
    for name, entry in METHODS.items():
        groups[entry.family].append(describe_method(name))
    return [(family, listed) for family, listed in groups.items() if listed]


def describe_method(name: str) -> dict[str, Any]:
    """What is said of a method to somebody who chooses one."""
    entry = METHODS[name]
    return {
        "name": name,
        "title": to_prose(name),
        "summary": to_plain_language(to_prose(entry.summary)),
        "use": to_plain_language(to_prose(entry.use)),
        "avoid": to_plain_language(to_prose(entry.avoid)),
        "repeatable": entry.repeatable,
        "proven": entry.tags.shown == "proven",
        "models": bool(entry.provides),
        "essential": set(entry.example),
    }


def suitable_methods(columns: Columns) -> list[tuple[str, str, Sequence[str]]]:
    """Columns that somebody may know or should not learn, with the methods that suit their kinds."""
    roles = (*QUASI, "confidential")
    shown = [one for one in columns.every if one.role in roles]
    suiting = {kind: _methods_suiting(kind) for kind in {one.kind for one in shown}}
    return [(one.name, one.kind, suiting[one.kind]) for one in shown if suiting[one.kind]]


def _methods_suiting(kind: str) -> tuple[str, ...]:
    """The methods that are tried first on columns of a kind, in the order of their ranks."""
    ranks = {name: entry.suits[kind] for name, entry in METHODS.items() if kind in entry.suits}
    return tuple(sorted(ranks, key=ranks.__getitem__))
