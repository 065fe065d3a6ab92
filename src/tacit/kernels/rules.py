"""Whether a set of small groups, taken together, meets every rule: the question that all searches ask.

The searches start from the finest groups and only ever merge them, so a candidate group is a list of finest groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .class_spread import AT_LEAST, FileDistribution, spread_measure

ROUNDING = 1e-12


class Cells(NamedTuple):
    """The finest groups: their sizes, and how often each code of each confidential column occurs in them.

    ``size[g]``; ``population[g]`` people of the population have the same keys (empty without a population);
    ``code[start[c, g]:start[c, g + 1]]`` are the codes of column c in group g, ``number`` how often each occurs. Codes of
    column c lie in [``first[c]``, ``first[c + 1]``): the columns follow each other in one numbering.
    """

    size: np.ndarray
    population: np.ndarray
    start: np.ndarray
    code: np.ndarray
    number: np.ndarray
    first: np.ndarray


class Rules(NamedTuple):
    """What every group must satisfy.

    At least ``least`` records, and ``mapped`` people of the population; records over people within [``low``, ``high``]
    (these three only with a population). Then one rule per place: ``kind`` of :mod:`spread`, on column ``column``, with
    ``extra``, at least or at most ``bound``; rules of one column stand together. ``share``, ``cumulated``, ``prefix``,
    ``tree`` are those of :class:`spread.Whole` in the common numbering of codes, ``prefix`` one longer per column;
    ``height[c]`` is the number of levels of column c's tree, whose nodes are numbered within the column; ``known[c]`` is
    its number of codes that are values and not missing.
    """

    least: int
    mapped: int
    low: float
    high: float
    column: np.ndarray
    kind: np.ndarray
    extra: np.ndarray
    bound: np.ndarray
    share: np.ndarray
    cumulated: np.ndarray
    prefix: np.ndarray
    tree: np.ndarray
    height: np.ndarray
    known: np.ndarray


@njit(cache=True, nogil=True)
def is_large_enough(rules, size, population):
    """Whether a group of this size, with so many people in the population, is large enough."""
    if size < rules.least:
        return False
    if rules.mapped > 0 and population < rules.mapped:
        return False
    if rules.high < 1.0 or rules.low > 0.0:
        share = size / max(1, population)
        return rules.low - ROUNDING <= share <= rules.high + ROUNDING
    return True


@njit(cache=True, nogil=True)
def meets_rules(rules, cells, groups, tally, present):
    """Whether the finest groups listed in ``groups``, as one group, meet every rule.

    ``tally`` (all 0, as long as there are codes, given back all 0) and ``present`` (as long) are room to work in.
    O(groups + their codes), with an early end at the first rule that fails.
    """
    size, population = 0, 0
    for g in groups:
        size += cells.size[g]
        if cells.population.size:
            population += cells.population[g]
    if not is_large_enough(rules, size, population):
        return False
    rule = 0
    while rule < rules.kind.size:
        column = rules.column[rule]
        first, last = cells.first[column], cells.first[column + 1]
        found, total = np.int64(0), np.int64(0)  # a literal 0 would be a type of its own
        for g in groups:
            for at in range(cells.start[column, g], cells.start[column, g + 1]):
                code = cells.code[at]
                if tally[code] == 0:
                    present[found] = code - first
                    found += 1
                tally[code] += cells.number[at]
                total += cells.number[at]
        whole = FileDistribution(
            rules.share[first:last],
            rules.cumulated[first:last],
            rules.prefix[first + column : last + column + 1],
            rules.tree[: rules.height[column], first:last],
            rules.known[column],
        )
        good = True
        while rule < rules.kind.size and rules.column[rule] == column:
            if good:
                value = spread_measure(
                    rules.kind[rule], rules.extra[rule], tally[first:last], present, found, total, whole
                )
                if rules.kind[rule] < AT_LEAST:
                    good = value >= rules.bound[rule] - ROUNDING
                else:
                    good = value <= rules.bound[rule] + ROUNDING
            rule += 1
        for place in range(found):
            tally[first + present[place]] = 0
        if not good:
            return False
    return True
