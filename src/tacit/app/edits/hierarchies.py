"""Changes on the page Groups: a hierarchy by rule, the suggested one, or none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import TacitError, check_columns, suggest_alternative
from ...release.hierarchy import Hierarchy, Recipe, hierarchy
from ..forms import FormErrors
from ..texts import texts
from .edit import Editing, get_section, require_text, set_key
from .form import Form

FIELDS = {"cuts": "points", "priority": "order", "dates": "units"}
"""The field of a way, where it is not that of its numbers."""

AS_IN_A_PLAN = re.compile(r" = |[{\['][\['{\w]")

LIST = re.compile(r"(?:\b\w+ = )?\[([^\[\]]*)\]")


@contextmanager
def typed_for(way: str) -> Iterator[None]:
    """What is wrong with a way stands beside the field that it was typed into, in the words of the page."""
    try:
        yield
    except TacitError as problem:
        words = texts().hierarchies
        field = next((name for name in ("keep", "like") if name in problem.what), FIELDS.get(way, "numbers"))
        fix = words.right.get(way) if AS_IN_A_PLAN.search(problem.fix) else problem.fix
        what = LIST.sub(lambda found: found[1] or words.nothing, problem.what)
        raise FormErrors.of({field: problem.restate(what=what, fix=fix)}) from None


def _required_numbers(form: Form, name: str, *, whole: bool = True) -> list[Any]:
    return _parse_numbers(require_text(form, name, "a list of numbers"), whole=whole)


def _parse_numbers(typed: str, *, whole: bool) -> list[Any]:
    parts = _split_numbers(typed, whole=whole)
    try:
        return [_parse_number(part, whole=whole) for part in parts]
    except ValueError:
        kind = "whole numbers" if whole else "numbers"
        raise TacitError(
            f"{typed!r} is no list of {kind}", code="wrong_type", fix="write them with commas between, e.g. 5, 10, 20"
        ) from None


def _split_numbers(typed: str, *, whole: bool) -> list[str]:
    """What stands between commas, semicolons and blanks; where decimals may be meant by a comma it has to be said."""
    between, within = ";" in typed or re.search(r",\s|\d\s+\d", typed), re.search(r"\d,\d", typed)
    if not whole and between and within:
        raise TacitError(
            f"{typed!r} can be read in two ways",
            code="bad_request",
            fix="write a point before decimals and a blank after each comma: 2.5, 10",
        )
    return typed.replace(",", " ").replace(";", " ").split()


def _parse_number(part: str, *, whole: bool) -> int | float:
    try:
        return int(part)
    except ValueError:
        if whole:
            raise
        return float(part)


def _intervals_params(form: Form) -> dict[str, Any]:
    origin = _parse_numbers(form.get_last("origin"), whole=True)
    return {"intervals": _required_numbers(form, "numbers")} | ({"origin": origin[0]} if origin and origin[0] else {})


def _cuts_params(form: Form) -> dict[str, Any]:
    lines = [line for line in form.get_last("points").splitlines() if line.strip()]
    return {"cuts": [_parse_numbers(line, whole=False) for line in lines]}


def _priority_params(form: Form) -> dict[str, Any]:
    order = [line.strip() for line in form.get_last("order").splitlines() if line.strip()]
    keep = form.get_last("keep").strip()
    return {"priority": order} | ({"keep": _parse_numbers(keep, whole=True)} if keep else {})


WAYS: Mapping[str, Callable[[Form], dict[str, Any]]] = {
    "prefix": lambda form: {"prefix": _required_numbers(form, "numbers")},
    "intervals": _intervals_params,
    "cuts": _cuts_params,
    "dates": lambda form: {"dates": form.get_all("units")},
    "ip": lambda form: {"ip": _required_numbers(form, "numbers")},
    "frequency": lambda form: {"frequency": _required_numbers(form, "numbers")},
    "priority": _priority_params,
    "quantiles": lambda form: {"quantiles": _required_numbers(form, "numbers")},
    "clusters": lambda form: (
        {"clusters": _required_numbers(form, "numbers")}
        | ({"like": form.get_last("like")} if form.get_last("like") else {})
    ),
}


def by_rule(editing: Editing) -> None:
    """A hierarchy from a rule and its numbers."""
    column, way = column_of(editing), editing.form.get_last("way")
    if way not in WAYS:
        raise TacitError(f"the way {way!r} is unknown", code="unknown_name", fix=suggest_alternative(way, tuple(WAYS)))
    with typed_for(way), told_of(column):
        given = WAYS[way](editing.form)
        if way == "prefix":
            given = {"prefix": _with_whole(given["prefix"], read_values(editing, column)["longest"], column)}
        build_fitting_hierarchy(editing, column, given)
    kept_for(editing, column, given, f"{column}: groups by {way}")


def suggested_hierarchy(editing: Editing) -> None:
    """The hierarchy that the look at the data suggests."""
    column = column_of(editing)
    found = editing.found("suggestions") or {"columns": []}
    given = next((one["hierarchy"] for one in found["columns"] if one["column"] == column), None)
    if not given:
        raise TacitError(
            "has no suggested groups", code="unsuitable_column", column=column, fix="choose one of the ways below"
        )
    kept_for(editing, column, given, f"{column}: took the suggested groups")


def no_hierarchy(editing: Editing) -> None:
    """Take the hierarchy of a column away."""
    column = column_of(editing)
    kept_for(editing, column, None, f"{column}: no groups")


def column_of(editing: Editing) -> str:
    """The column that a form is about."""
    column = require_text(editing.form, "column", "a column")
    check_columns(column, editing.columns.names)
    return column


def kept_for(editing: Editing, column: str, given: Mapping[str, Any] | None, said: str) -> None:
    """The hierarchy of a column in the plan, or out of it."""
    plan = editing.document()
    ladders = get_section(plan, "hierarchies")
    ladders.pop(column, None)
    set_key(ladders, column, given)
    if not ladders:
        plan.pop("hierarchies")
    editing.save_document(said, plan)


def build_fitting_hierarchy(editing: Editing, column: str, given: Mapping[str, Any]) -> Hierarchy | Recipe:
    """A hierarchy that can be made and is for values of the column's type."""
    built = hierarchy(given, folder=editing.project.folder)
    look = editing.found("look") or {"columns": []}
    for one in look["columns"]:
        if one["name"] == column:
            built.check_type(column, one["type"])
    if "like" in given:
        check_columns(given["like"], editing.columns.names)
    return built


def read_values(editing: Editing, column: str) -> Any:
    """What is known of the values of a column."""
    found = editing.found("levels", {"column": column})
    if found is None:
        raise TacitError(
            "is still being read",
            code="unsuitable_column",
            column=column,
            fix="wait until its levels are shown, then do it again",
        )
    return found


@contextmanager
def told_of(column: str) -> Iterator[None]:
    """Errors that say which column they are about."""
    try:
        yield
    except FormErrors:
        raise
    except TacitError as problem:
        raise (
            problem if problem.column is not None else problem.with_location(_error_location(column, problem))
        ) from None


def _error_location(column: str, problem: TacitError) -> str:
    return f"column {column!r}" + (f", {problem.where}" if problem.where else "")


def _with_whole(kept: list[int], longest: int, column: str) -> list[int]:
    """The lengths of a plan, which begin with that of the code itself."""
    if kept and kept[0] > longest:
        raise TacitError(
            f"has values of at most {longest} characters, of which the first {kept[0]} cannot be kept",
            code="out_of_range",
            column=column,
            fix=f"keep fewer, e.g. {max(1, longest - 2)}" if longest > 1 else "put its values into groups by hand",
        )
    return kept if kept and kept[0] == longest else [longest, *kept]
