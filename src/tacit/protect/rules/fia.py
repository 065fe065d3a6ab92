"""Hiding by one victim item for each pattern: the rarest of its items, or the most frequent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .problem import Choice, Problem, RemovedCells, SensitivePattern


@dataclass(frozen=True, slots=True, kw_only=True)
class MinFia:
    """Take the item of smallest support out of as many transactions as need be.

    For every sensitive pattern the victim is its rarest item; the transactions that support it are taken in ascending
    order of their degree of conflict, the number of sensitive patterns that they support. What earlier patterns took
    out counts. Of a rule only the head gives victims. Time O(patterns · transactions), the fastest of all methods.

    >>> from tacit.protect.rules import Baskets, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> made = hide(shop, "bread, milk", minsup=3, method=MinFia()).baskets
    >>> made.support(["bread"]), made.support(["milk"]), made.support(["bread", "milk"])
    (2, 7, 2)

    References
    ----------
    Oliveira and Zaïane (2002), Privacy preserving frequent itemset mining, IEEE ICDM workshop, CRPIT 14, 43–54.
    """

    def choose(self, problem: Problem) -> Choice:
        """The cells to take out."""
        return _choose_victims(problem, lambda one: min(one.victims, key=lambda unit: (one.often[unit], unit)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxFia:
    """As :class:`MinFia` with the item of largest support for a victim: it can best spare some.

    >>> from tacit.protect.rules import Baskets, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> made = hide(shop, "bread, milk", minsup=3, method=MaxFia()).baskets
    >>> made.support(["bread"]), made.support(["milk"]), made.support(["bread", "milk"])
    (6, 3, 2)

    References
    ----------
    Oliveira and Zaïane (2002), Privacy preserving frequent itemset mining, IEEE ICDM workshop, CRPIT 14, 43–54.
    """

    def choose(self, problem: Problem) -> Choice:
        """The cells to take out."""
        return _choose_victims(problem, lambda one: min(one.victims, key=lambda unit: (-one.often[unit], unit)))


def _choose_victims(problem: Problem, victim: Callable[[SensitivePattern], int]) -> Choice:
    removed, conflict = RemovedCells(problem.size), problem.conflict_degrees()
    for one in problem.sought:
        left = one.rows[~removed.is_broken(one.units, one.rows)]
        order = left[np.argsort(conflict[left], kind="stable")]
        removed.take(order[: max(0, len(left) - one.most_left)], victim(one))
    return Choice(removed.cells())
