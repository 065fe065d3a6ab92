"""Hiding with an eye on the border: every single removal is the one that endangers other frequent sets least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import TacitError
from .problem import Choice, Problem, RemovedCells, SensitivePattern

MOST = 20_000
"""Sets on the border beyond which their rows do not fit into memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Border:
    r"""The border-based algorithm BBA: remove where the sets that should stay frequent suffer least.

    What should stay are the frequent sets without a sensitive one inside; the largest of them are their border, and
    while it stays all stay. With s the threshold, a border set B that had support :math:`n_B` and has :math:`n'_B` now
    weighs

    .. math:: w(B) = \frac{n_B - n'_B + 1}{n_B - s} \text{ if } n'_B > s, \qquad \lambda + s - n'_B \text{ else},

    λ being more than all border sets together can weigh before that. To remove item i from transaction t costs the
    weights of the border sets within t that have i; the cheapest removal is made, again and again, for the longest
    patterns first and among these the least frequent; among equals the shortest transaction. Only weights that changed
    are counted anew. Time O(mining + removals · border sets touched · transactions of the pattern), memory O(border sets
    · sensitive transactions).

    >>> from tacit.protect.rules import Baskets, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> made = hide(shop, "bread, milk", minsup=3, method=Border()).baskets
    >>> made.support(["bread"]), made.support(["milk"]), made.support(["bread", "milk"])
    (4, 5, 2)

    References
    ----------
    Sun and Yu (2005), A border-based approach for hiding sensitive frequent itemsets, IEEE ICDM, 426–433.
    """

    def choose(self, problem: Problem) -> Choice:
        """The cells to take out."""
        removed, border = RemovedCells(problem.size), _Border(problem)
        for one in sorted(problem.sought, key=lambda one: (-len(one.units), len(one.rows))):
            left = one.rows[~removed.is_broken(one.units, one.rows)]
            for row, unit in border.cheapest_removals(one, left, max(0, len(left) - one.most_left)):
                removed.take(row, unit)
        return Choice(removed.cells(), {"border": len(border)})


class _Border:
    """The border sets with their weights, as the removals go on."""

    def __init__(self, problem: Problem) -> None:
        if problem.kept is None:
            raise TacitError(
                "there are no other patterns to look at here", code="wrong_type", fix="use another method, e.g. exact"
            )
        sets = problem.kept(False)
        if len(sets) > MOST:
            raise TacitError(
                f"the border has {len(sets):,} sets, more than {MOST:,}",
                code="out_of_range",
                fix="use a higher minsup, or sliding_window",
            )
        self._least, self._lengths = problem.least, problem.lengths
        # Only rows with a sensitive pattern can change.
        rows = np.flatnonzero(problem.conflict_degrees())
        self._at = np.zeros(problem.size, np.int64)
        self._at[rows] = np.arange(len(rows))
        self._rows = np.array([np.isin(rows, kept.rows) for kept in sets], dtype=bool).reshape(len(sets), len(rows))
        self._before = np.array([len(kept.rows) for kept in sets], dtype=np.int64)
        self._now = self._before.copy()
        self._with: dict[int, np.ndarray] = {}
        for unit in {unit for kept in sets for unit in kept.units}:
            self._with[unit] = np.array([place for place, kept in enumerate(sets) if unit in kept.units])
        self._heavy = 1.0 + float(self._before.sum())

    def __len__(self) -> int:
        return len(self._before)

    def _set_weights(self, sets: np.ndarray) -> np.ndarray:
        before, now, least = self._before[sets], self._now[sets], self._least
        light = (before - now + 1) / np.maximum(before - least, 1)
        found: np.ndarray = np.where(now > least, light, self._heavy + least - now)
        return found

    def cheapest_removals(self, one: SensitivePattern, left: np.ndarray, count: int) -> list[tuple[int, int]]:
        """``count`` removals (row, unit), one after the other the cheapest."""
        found: list[tuple[int, int]] = []
        left = left[np.argsort(self._lengths[left], kind="stable")]
        touched = {unit: self._with.get(unit, np.zeros(0, np.int64)) for unit in one.victims}
        sets = np.unique(np.concatenate(list(touched.values())))
        inside = self._rows[np.ix_(sets, self._at[left])]
        belongs = np.array([np.isin(sets, touched[unit]) for unit in one.victims], dtype=float)
        cost = (belongs * self._set_weights(sets)) @ inside
        for _ in range(count):
            victim, place = divmod(int(cost.argmin()), len(left))
            hit = np.flatnonzero((belongs[victim] > 0) & inside[:, place])
            before = self._set_weights(sets[hit])
            self._now[sets[hit]] -= 1
            change = self._set_weights(sets[hit]) - before
            inside[hit, place] = False
            self._rows[sets[hit], self._at[left[place]]] = False
            cost += (belongs[:, hit] * change) @ inside[hit]
            cost[:, place] = np.inf
            found.append((int(left[place]), one.victims[victim]))
        return found
