"""The page Groups: coarser labels for the values of each column, made without programming."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import TacitError
from ...release.hierarchy import hierarchy
from ...release.hierarchy.build import BESIDE
from ...release.roles import QUASI
from ..forms import Column
from ..panels.levels import BY_HAND
from .page import View

EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "intervals": {"intervals": [5]},
    "cuts": {"cuts": [[1]]},
    "dates": {"dates": ["year"]},
    "prefix": {"prefix": [2, 1]},
    "frequency": {"frequency": [10]},
    "quantiles": {"quantiles": [5]},
    "clusters": {"clusters": [5]},
    "priority": {"priority": ["a"]},
    "ip": {"ip": [24]},
}
"""The ways, in the order in which they are offered, each in its smallest form."""
LIKE = {"clusters": {"clusters": [5], "like": "y"}}


def hierarchies_context(view: View) -> Mapping[str, Any]:
    """The columns to choose from, the one that was chosen, and the ways that its type allows."""
    column = _chosen_column(view)
    types = {one["name"]: one["type"] for one in (view.look or {"columns": []})["columns"]}
    given = view.raw.get("hierarchies", {}).get(column.name) if column else None
    given = {"file": given} if isinstance(given, str) else given if isinstance(given, dict) else {}
    suggested = view.desk.found("suggestions") or {"columns": []}
    return {
        "column": column,
        "type": types.get(column.name, "") if column else "",
        "given": given,
        "way": _hierarchy_way(given),
        "ways": [way for way in EXAMPLES if column and _is_way_possible(way, types.get(column.name, ""))],
        "others": [one for one in view.columns.every if one.role not in QUASI],
        "keys": [one for one in view.columns.every if one.role in QUASI],
        "proposed": next(
            (one["hierarchy"] for one in suggested["columns"] if column and one["column"] == column.name), None
        ),
        "level": view.query.get("level", "1") if view.query.get("level", "1").isdecimal() else "1",
    }


def _chosen_column(view: View) -> Column | None:
    """The column in the address; else the first that an intruder may know and that has no groups yet."""
    every = view.columns.every
    asked = next((one for one in every if one.name == view.query.get("column")), None)
    keys = [one for one in every if one.role in QUASI]
    bare = [one for one in keys if one.name not in view.raw.get("hierarchies", {})]
    return asked or next(iter([*bare, *keys, *every]), None)


def _hierarchy_way(given: Mapping[str, Any]) -> str:
    """The way in which a hierarchy was made; large ones made by hand are in a file."""
    words = (word for word in given if word not in BESIDE)
    return "groups" if BY_HAND in str(given.get("file", "")) else next(words, "")


def _is_way_possible(way: str, type: str) -> bool:
    for example in (EXAMPLES[way], LIKE.get(way)):
        try:
            if example is not None:
                hierarchy(example).check_type("x", type)  # type: ignore[arg-type]
                return True
        except TacitError:
            continue
    return False
