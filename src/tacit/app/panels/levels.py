"""A column under its hierarchy: each level in numbers, and the values to be put into groups by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import Cancelled, TacitError
from ...progress import report_progress
from ...release.hierarchy import Hierarchy, hierarchy
from ...release.hierarchy_from_data import build_hierarchy
from ...release.hierarchy_layout import HierarchyLayout, laid_out, rows_of

if TYPE_CHECKING:
    from .context import PanelContext


ABOUT: Mapping[str, tuple[str, ...]] = {"plan": ("data", "hierarchies")}
BY_HAND = "-by-hand"
"""In the name of a file with groups that were made in the page."""
MOST = 2_000
"""Values of a column that can be put into groups one by one."""
SHOWN = 8
"""Groups of a level that are shown."""
RARE = 3
"""Of the smallest ones so many."""
LONGEST = 80
"""Characters of a label that are shown."""


def of_column(raw: dict[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """What matters to the panels of one column: its own hierarchy, not those of others."""
    own = {name: given for name, given in raw.get("hierarchies", {}).items() if name == question.get("column")}
    return {**raw, "hierarchies": own}


@dataclass(frozen=True, slots=True)
class ColumnHierarchy:
    """A column with its hierarchy, as far as it can be made of what the plan says."""

    name: str
    given: bool
    built: Hierarchy | None
    problem: TacitError | None
    found: HierarchyLayout


def column_hierarchy(bench: PanelContext) -> ColumnHierarchy:
    """The column of a question; what is wrong with its hierarchy is kept, so that its values can be shown beside it."""
    name = str(bench.question["column"])
    given = bench.plan.plan.hierarchies.get(name)
    built, problem = None, None
    report_progress(bench.progress, "counting values", 0.1)
    try:
        if given is not None:
            built = build_hierarchy(bench.table, name, by=hierarchy(given, folder=bench.folder))
    except Cancelled:
        raise
    except TacitError as wrong:
        problem = wrong
    return ColumnHierarchy(name, given is not None, built, problem, laid_out(bench.table, name, built))


def levels_panel(bench: PanelContext) -> dict[str, Any]:
    """Each level of a hierarchy: how many groups, how small, what merges into what, and the k of the column alone."""
    column = column_hierarchy(bench)
    found, texts = column.found, column.found.table["0"]
    report_progress(bench.progress, "counting groups", 0.6)
    longest = texts.str.len_chars().max()
    return {
        "column": column.name,
        "records": bench.table.size,
        "distinct": texts.len(),
        "missing": found.missing,
        "asks": bool(found.missing) and found.policy is None,
        "longest": longest if isinstance(longest, int) else 0,
        "given": column.given,
        "grown": found.grown,
        "lacking": found.uncovered_count,
        "problem": column.problem and {"what": _format_problem(column.problem), "fix": column.problem.fix},
        "levels": [_level_summary(found, number) for number in range(found.height + 1)]
        if column.built
        else [_level_summary(found, 0)],
        "values": texts.to_list() if texts.len() <= MOST else None,
    }


def _format_problem(problem: TacitError) -> str:
    """What is wrong, after the name of the column: as its predicate, or as a sentence of its own."""
    return f" {problem.what}" if problem.column is not None else f": {problem.what}"


def _level_summary(found: HierarchyLayout, number: int) -> dict[str, Any]:
    one = found.level(number)
    groups = [
        {
            "label": _shorten_label(group.label),
            "records": group.records,
            "parts": group.parts,
            "examples": [*map(_shorten_label, group.examples)],
        }
        for group in found.groups(number, SHOWN)
    ]
    rare = [[_shorten_label(group.label), group.records] for group in found.groups(number, RARE, rare=True)]
    sizes = {"groups": one.groups, "smallest": one.smallest, "largest": one.largest, "k": one.k}
    return {"level": number, **sizes, "top": groups, "rare": rare if one.groups > SHOWN else []}


def _shorten_label(label: str) -> str:
    return label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"


def by_hand(bench: PanelContext) -> dict[str, Any]:
    """The labels of the level below the one asked for, each with its records and the group that it is in."""
    column = column_hierarchy(bench)
    found = column.found
    if found.table.height > MOST:
        return {"rows": None, "distinct": found.table.height, "most": MOST}
    rows = rows_of(found, column.built)
    level = max(1, min(int(bench.question.get("level", 1)), found.height))
    records = dict(found.table.select("0", "records").rows())
    labels: dict[str, dict[str, Any]] = {}
    for row in rows:
        above = row[level] if level < found.height else row[level - 1]
        label = labels.setdefault(row[level - 1], {"group": above if above != row[level - 1] else None, "records": 0})
        label["records"] += records.get(row[0], 0)
    groups = list(dict.fromkeys(one["group"] for one in labels.values() if one["group"] is not None))
    return {
        "level": level,
        "height": found.height,
        "rows": [list(row) for row in rows],
        "labels": [{"label": label, **one} for label, one in labels.items()],
        "groups": groups,
    }
