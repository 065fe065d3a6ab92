"""Hiding in one pass over windows of transactions: the item that ends most sensitive patterns at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...errors import check_int
from .problem import Choice, Problem, RemovedCells, SensitivePattern


@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingWindow:
    """The sliding window algorithm SWA: transactions in windows, shortest first, the most shared item.

    In each window of ``window`` transactions (None: the whole file is one), for each sensitive pattern: the supporting
    transactions are taken in ascending order of length; the victim in each is the item that most of the sensitive
    patterns supported by that transaction have in common, among equals the one of largest support (the paper draws).
    Up to the end of each window no more is left of a pattern than its share of what may be left in all.
    What earlier patterns took out counts. Time O(patterns · items · transactions), memory O(items · transactions).

    >>> from tacit.protect.rules import Baskets, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> made = hide(shop, "bread, milk", minsup=3, method=SlidingWindow()).baskets
    >>> made.support(["bread"]), made.support(["milk"]), made.support(["bread", "milk"])
    (6, 3, 2)

    References
    ----------
    Oliveira and Zaïane (2003), Protecting sensitive knowledge by data sanitization, IEEE ICDM, 613–616.
    """

    window: int | None = None

    def __post_init__(self) -> None:
        if self.window is not None:
            check_int("window", self.window, least=1)

    def choose(self, problem: Problem) -> Choice:
        """The cells to take out."""
        removed, shared = RemovedCells(problem.size), _shared_patterns(problem)
        stayed = [0] * len(problem.sought)
        for first, stop in self._window_bounds(problem.size):
            for place, one in enumerate(problem.sought):
                seen = int(np.searchsorted(one.rows, stop))
                here = one.rows[np.searchsorted(one.rows, first) : seen]
                left = here[~removed.is_broken(one.units, here)]
                may_stay = one.most_left * seen // max(len(one.rows), 1) - stayed[place]
                order = left[np.argsort(problem.lengths[left], kind="stable")]
                rows = order[: max(0, len(left) - may_stay)]
                stayed[place] += len(left) - len(rows)
                victims = _choose_victims(one, rows, shared)
                for unit in set(victims.tolist()):
                    removed.take(rows[victims == unit], unit)
        return Choice(removed.cells())

    def _window_bounds(self, size: int) -> Iterator[tuple[int, int]]:
        step = self.window or max(size, 1)
        return ((first, min(first + step, size)) for first in range(0, size, step))


def _shared_patterns(problem: Problem) -> dict[int, np.ndarray]:
    """Unit → how many sensitive patterns with it each row supports."""
    found: dict[int, np.ndarray] = {}
    for one in problem.sought:
        for unit in one.victims:
            found.setdefault(unit, np.zeros(problem.size, np.int32))[one.rows] += 1
    return found


def _choose_victims(one: SensitivePattern, rows: np.ndarray, shared: dict[int, np.ndarray]) -> np.ndarray:
    units = sorted(one.victims, key=lambda unit: (-one.often[unit], unit))
    counts = np.stack([shared[unit][rows] for unit in units])
    found: np.ndarray = np.array(units)[counts.argmax(axis=0)]
    return found
