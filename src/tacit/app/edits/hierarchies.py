"""Changes on the page Groups: a hierarchy by rule, the suggested one, or none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import TacitError, instead, names
from ...release.hierarchy import Hierarchy, Recipe, hierarchy
from ..forms import Mistakes
from .edit import Editing, needed, section, set_key
from .ways import WAYS, typed_for

__all__ = [
    "by_rule",
    "column_of",
    "fitting",
    "kept_for",
    "no_hierarchy",
    "read_values",
    "suggested_hierarchy",
    "told_of",
]


def by_rule(editing: Editing) -> None:
    """A hierarchy from a rule and its numbers."""
    column, way = column_of(editing), editing.form.one("way")
    if way not in WAYS:
        raise TacitError(f"the way {way!r} is unknown", fix=instead(way, tuple(WAYS)))
    with typed_for(way), told_of(column):
        given = WAYS[way](editing.form)
        if way == "prefix":
            given = {"prefix": _with_whole(given["prefix"], read_values(editing, column)["longest"], column)}
        fitting(editing, column, given)
    kept_for(editing, column, given, f"{column}: groups by {way}")


def suggested_hierarchy(editing: Editing) -> None:
    """The hierarchy that the look at the data suggests."""
    column = column_of(editing)
    found = editing.found("suggestions") or {"columns": []}
    given = next((one["hierarchy"] for one in found["columns"] if one["column"] == column), None)
    if not given:
        raise TacitError("has no suggested groups", column=column, fix="choose one of the ways below")
    kept_for(editing, column, given, f"{column}: took the suggested groups")


def no_hierarchy(editing: Editing) -> None:
    """Take the hierarchy of a column away."""
    column = column_of(editing)
    kept_for(editing, column, None, f"{column}: no groups")


def column_of(editing: Editing) -> str:
    """The column that a form is about."""
    column = needed(editing.form, "column", "a column")
    names(column, editing.columns.names)
    return column


def kept_for(editing: Editing, column: str, given: Mapping[str, Any] | None, said: str) -> None:
    """The hierarchy of a column in the plan, or out of it."""
    plan = editing.document()
    ladders = section(plan, "hierarchies")
    ladders.pop(column, None)
    set_key(ladders, column, given)
    if not ladders:
        plan.pop("hierarchies")
    editing.done(said, plan)


def fitting(editing: Editing, column: str, given: Mapping[str, Any]) -> Hierarchy | Recipe:
    """A hierarchy that can be made and is for values of the column's type."""
    built = hierarchy(given, folder=editing.project.folder)
    look = editing.found("look") or {"columns": []}
    for one in look["columns"]:
        if one["name"] == column:
            built.fits(column, one["type"])
    if "like" in given:
        names(given["like"], editing.columns.names)
    return built


def read_values(editing: Editing, column: str) -> Any:
    """What is known of the values of a column."""
    found = editing.found("levels", {"column": column})
    if found is None:
        raise TacitError("is still being read", column=column, fix="wait until its levels are shown, then do it again")
    return found


@contextmanager
def told_of(column: str) -> Iterator[None]:
    """Errors that say which column they are about."""
    try:
        yield
    except Mistakes:
        raise
    except TacitError as problem:
        raise problem if problem.column is not None else problem.at(_place(column, problem)) from None


def _place(column: str, problem: TacitError) -> str:
    return f"column {column!r}" + (f", {problem.where}" if problem.where else "")


def _with_whole(kept: list[int], longest: int, column: str) -> list[int]:
    """The lengths of a plan, which begin with that of the code itself."""
    if kept and kept[0] > longest:
        raise TacitError(
            f"has values of at most {longest} characters, of which the first {kept[0]} cannot be kept",
            column=column,
            fix=f"keep fewer, e.g. {max(1, longest - 2)}" if longest > 1 else "put its values into groups by hand",
        )
    return kept if kept and kept[0] == longest else [longest, *kept]
