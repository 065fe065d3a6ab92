"""What a local recoding starts from: the different combinations of keys, what a group of them costs and must meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...models.demand import Model, compile_demands
from ...release.classes.arrays import ArrayClasses
from .._feasibility import check_feasible
from .keys import Key, Labels, key_of, shapes_of

if TYPE_CHECKING:
    from ...kernels.rules import Cells, Rules
    from ...kernels.shapes import Shapes
    from ...release.release import Release


PAIRS = 5000
"""From so many pairs of cells it is told which keys cost most."""


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Record i lies in cell ``of_record[i]``, whose keys are ``values[cell]``, one column per key.

    The cells stand in the order of their values, so that nothing depends on the order of the records; the keys in the
    order of what two records cost under one label, dearest first; ``first[key]`` is the number of its first node. ``is_union_closed``: a union of groups that meet the rules
    meets them.
    """

    release: Release
    keys: tuple[Key, ...]
    first: np.ndarray
    shapes: Shapes
    values: np.ndarray
    of_record: np.ndarray
    rules: Rules
    cells: Cells
    is_union_closed: bool


def build_problem(release: Release, models: Sequence[Model], labels: Labels, *, single: bool = False) -> Problem:
    """The problem of a release in memory; ``single`` makes every record a cell. O(n) per key and confidential column."""
    _about_classes(release, models)
    found = compile_demands(release, models)
    if (
        not found.is_union_closed
        and release.missing == "any"
        and any(release.codes(key).has_missing for key in release.quasi)
    ):
        raise TacitError(
            "a model among these need not hold for a union of classes, which is what a record with missing keys matches",
            code="wildcards_not_supported",
            fix="say missing='own', fill the missing keys, or ask for another form of the model",
        )
    check_feasible(release, models)
    classes = release.classes()
    assert isinstance(classes, ArrayClasses)
    rows, of_record, cells = np.arange(release.size), np.arange(release.size), found.cells
    if single:
        cells = _single_record_cells(release, models, found.cells)
    else:
        rows, of_record = np.zeros(classes.count, dtype=np.int64), classes.of_record
        rows[of_record[::-1]] = np.arange(release.size)[::-1]
    keys = [key_of(release, column, labels) for column in release.quasi]
    codes = [release.codes(key.column).codes[rows] for key in keys]
    order = np.lexsort([*_confidential_codes(cells, single=single), *reversed(codes)])
    shapes, first = shapes_of(keys)
    columns = [key.value[code[order]] + start for key, code, start in zip(keys, codes, first, strict=True)]
    values = np.column_stack(columns).astype(np.int64)
    dear = _keys_by_cost(values, shapes)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Problem(
        release,
        tuple(keys[key] for key in dear),
        first[dear],
        shapes._replace(form=shapes.form[dear], unit=shapes.unit[dear], blank=shapes.blank[dear]),
        np.ascontiguousarray(values[:, dear]),
        place[of_record],
        found.rules,
        _reorder_cells(cells, order),
        found.is_union_closed,
    )


def _about_classes(release: Release, models: Sequence[Model]) -> None:
    """Refuse models about a population: who of it fits a label is not known from the records that got it."""
    demands = [demand for model in models for demand in model.demands(release)]
    if any(demand.mapped or demand.low > 0.0 or demand.high < 1.0 for demand in demands):
        raise TacitError(
            "a model about a population cannot be met by labels that differ from group to group",
            code="cannot_be_met",
            fix="generalise all records to the same levels instead, or ask for k-anonymity",
        )


def subproblem(problem: Problem, cells: np.ndarray) -> Problem:
    """The same problem for some of the cells; its ``of_record`` stays that of the whole."""
    return replace(problem, values=problem.values[cells], cells=_reorder_cells(problem.cells, cells))


def _confidential_codes(cells: Cells, *, single: bool) -> list[np.ndarray]:
    """The first code of each confidential column in each record; what orders records with the same keys."""
    if not single:
        return []
    codes = np.append(cells.code, -1)
    return [
        np.where(start[1:] > start[:-1], codes[np.minimum(start[:-1], len(codes) - 1)], -1) for start in cells.start
    ]


def _single_record_cells(release: Release, models: Sequence[Model], cells: Cells) -> Cells:
    """Every record a cell, in the numbering of codes that the rules have."""
    columns = list(
        dict.fromkeys(
            demand.column for model in models for demand in model.demands(release) if demand.column is not None
        )
    )
    starts, codes = [], []
    laid = 0
    for place, column in enumerate(columns):
        code = release.codes(column).codes.astype(np.int64) + cells.first[place]
        known = code < cells.first[place + 1]
        starts.append(np.concatenate([[0], np.cumsum(known)]) + laid)
        laid += int(known.sum())
        codes.append(code[known])
    joined = np.concatenate(codes) if codes else np.zeros(0, dtype=np.int64)
    return cells._replace(
        size=np.ones(release.size, dtype=np.int64),
        start=np.array(starts, dtype=np.int64).reshape(len(columns), release.size + 1),
        code=joined,
        number=np.ones(len(joined), dtype=np.int64),
    )


def _keys_by_cost(values: np.ndarray, shapes: Shapes) -> np.ndarray:
    """The keys, from the one in which two records cost most under one label to the cheapest."""
    from ...kernels.shapes import group_states, summed_widths

    pairs = max(1, min(PAIRS, len(values) // 2))
    step = max(1, len(values) // 2 // pairs)
    one, other = np.arange(pairs) * step, np.minimum(np.arange(pairs) * step + len(values) // 2, len(values) - 1)
    low, high = group_states(shapes, values[np.concatenate([one, other])], np.tile(np.arange(pairs), 2), pairs)
    return np.argsort(-summed_widths(shapes, low, high), kind="stable")


def _reorder_cells(cells: Cells, order: np.ndarray) -> Cells:
    """The same cells in another order."""
    starts, codes, numbers = [], [], []
    laid = 0
    for start in cells.start:
        length = start[order + 1] - start[order]
        ends = np.concatenate([[0], np.cumsum(length)])
        taken = np.arange(ends[-1]) + np.repeat(start[order] - ends[:-1], length)
        starts.append(ends + laid)
        laid += int(ends[-1])
        codes.append(cells.code[taken])
        numbers.append(cells.number[taken])
    return cells._replace(
        size=cells.size[order],
        start=np.array(starts, dtype=np.int64).reshape(len(starts), len(order) + 1),
        code=np.concatenate(codes) if codes else cells.code,
        number=np.concatenate(numbers) if numbers else cells.number,
    )
