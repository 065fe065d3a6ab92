"""One search laid out as arrays: the finest classes, the columns in the order of the search, rules, tallies, limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .columns import Column, columns_of

if TYPE_CHECKING:
    from ...models.demand import Model
    from ...release.release import Release
    from .objectives import Objective


WORD = 62
"""Bits of a word that keys may use."""


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """As in :class:`tacit.kernels.lattice.Lattice`, columns in the release's order.

    ``leaf[at[j, h] + v]`` is the node of value v of column j at level h.
    """

    word: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    first: np.ndarray
    up: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    most: np.ndarray
    leaf: np.ndarray
    at: np.ndarray


def tables_of(columns: list[Column], objective: Objective, records: list[np.ndarray]) -> Tables:
    """The tables; ``records[j][v]`` records have value v of column j. O(values · levels)."""
    deepest = max(column.height for column in columns)
    first = np.zeros((len(columns), deepest + 2), np.int64)
    at = np.zeros((len(columns), deepest + 1), np.int64)
    total, most = (np.zeros((len(columns), deepest + 1)) for _ in range(2))
    up, cost, leaf = [], [], []
    laid = leaves = 0
    for j, column in enumerate(columns):
        total[j, : column.height + 1] = objective.totals(column, records[j])
        for level, costs in enumerate(objective.costs(column)):
            first[j, level], at[j, level] = laid, leaves
            most[j, level] = costs[column.number[level]].max()
            above = np.zeros(len(costs), np.int64)
            if level < column.height:
                above[column.number[level]] = column.number[level + 1]
            up.append(above)
            cost.append(costs)
            leaf.append(column.number[level])
            laid += len(costs)
            leaves += column.number.shape[1]
        first[j, column.height + 1 :] = laid
    fields = _bit_fields([len(column.leaves[0]) for column in columns])
    return Tables(*fields, first, np.concatenate(up), np.concatenate(cost), total, most, np.concatenate(leaf), at)


def _bit_fields(values: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Word, shift and mask of each column's field: wide enough for its values and for missing."""
    word, shift, mask = (np.zeros(len(values), np.int64) for _ in range(3))
    used = 0
    for j, count in enumerate(values):
        bits = max(1, count.bit_length())
        if used % WORD + bits > WORD:
            used = (used // WORD + 1) * WORD
        word[j], shift[j], mask[j] = used // WORD, used % WORD, (1 << bits) - 1
        used += bits
    return word, shift, mask


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """What every search on a release needs; levels are in the order of ``columns``, the release's own.

    ``codes`` are the values of the finest classes in sorted order, so that nothing follows the order of the records;
    class ``order[i]`` of the release is row i. ``room`` is where every run begins: a stack whose slot 0 is filled with the
    finest classes, its keys written anew and its slot 1 free. ``coarse`` are the rules that, broken by a coarse node beyond
    the limit, are broken so by every finer one. ``bits[j]`` is the entropy of column j in the release.
    """

    columns: list[Column]
    codes: np.ndarray
    order: np.ndarray
    rules: Any
    coarse: Any
    cells: Any
    size: int
    limit: int
    objective: Objective
    weight: np.ndarray
    target: int
    tables: Tables
    room: Any
    bits: np.ndarray

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(column.name for column in self.columns)


def problem_of(
    release: Release,
    models: Sequence[Model],
    *,
    objective: Objective,
    weights: np.ndarray,
    limit: int,
    target: str | None,
) -> Problem:
    """The search for the release; O(n) and a sort of its classes."""
    from ...models.demand import compile_demands

    wanted = compile_demands(release, models)
    # what is asked of the population is measured on the released table alone
    rules, coarse = _split_rules(wanted.rules._replace(mapped=0, low=0.0, high=1.0), limit)
    columns = columns_of(release)
    classes: Any = release.classes()
    example = np.zeros(classes.count, dtype=np.int64)
    example[classes.of_record[::-1]] = np.arange(release.size)[::-1]
    codes = np.column_stack([_codes_missing_last(release, column.name)[example] for column in columns])
    order = np.lexsort(codes.T[::-1])
    cells = wanted.cells if target is None else _with_target(release, classes, wanted.cells, target)
    codes = np.ascontiguousarray(codes[order])
    sizes = cells.size[order]
    records = [np.bincount(codes[:, j], sizes, column.number.shape[1]) for j, column in enumerate(columns)]
    tables = tables_of(columns, objective, records)
    place = -1 if target is None else len(cells.start) - 1
    room = _allocate_stack(cells, order, 1 + int(tables.word.max()))
    size, bits = release.size, np.array([_entropy_bits(one) for one in records])
    return Problem(
        columns, codes, order, rules, coarse, cells, size, limit, objective, weights, place, tables, room, bits
    )


def _entropy_bits(records: np.ndarray) -> float:
    share = records[records > 0] / max(1, records.sum())
    return float(-(share * np.log2(share)).sum())


def _split_rules(rules: Any, limit: int) -> tuple[Any, Any]:
    """All rules, and those for coarse nodes: the growing ones and, when nothing may be removed, the uniting ones.

    A class with ℓ different values has ℓ records, which is said as a size, too: sizes are cheap.
    """
    from ...kernels.class_spread import DISTINCT, ENTROPY, GRASSBERGER, RATIO, RECURSIVE

    counting = np.isin(rules.kind, (DISTINCT, ENTROPY, RECURSIVE))
    sizes = np.ceil(rules.bound[counting] - 1e-9)
    rules = rules._replace(least=int(max(rules.least, *sizes, 1)))
    kept = rules.kind == DISTINCT
    if limit == 0:
        kept = (rules.kind != GRASSBERGER) & ((rules.kind != RATIO) | (rules.extra == 1.0))
    each = {name: getattr(rules, name)[kept] for name in ("column", "kind", "extra", "bound")}
    return rules, rules._replace(**each)


def _allocate_stack(cells: Any, order: np.ndarray, words: int) -> Any:
    from ...kernels.lattice import stack_of

    room = stack_of(2, len(order), words, cells)
    room.groups[0], room.sizes[0] = len(order), cells.size[order]
    room.start[0], room.code[0], room.number[0] = cells.start, cells.code, cells.number
    return room


def _codes_missing_last(release: Release, column: str) -> np.ndarray:
    """Codes in which missing, where there is any, has the last number."""
    return release.codes(column).codes.astype(np.int64)


def _with_target(release: Release, classes: Any, cells: Any, target: str) -> Any:
    """The tallies with the column to be classified after the others."""
    of_class, code, count = classes.histogram(target)
    start = np.searchsorted(of_class, np.arange(classes.count + 1)) + cells.code.size
    return cells._replace(
        start=np.vstack([cells.start, start]).astype(np.int64),
        code=np.concatenate([cells.code, code + cells.first[-1]]).astype(np.int64),
        number=np.concatenate([cells.number, count]).astype(np.int64),
        first=np.append(cells.first, cells.first[-1] + release.codes(target).count).astype(np.int64),
    )
