"""Publish the dearest cells first, as long as no unsafe cell can be computed from what stands there."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from ...progress import Progress, report
from ..problem import Problem
from .inner import PRIME, Column, Inner

__all__ = ["elimination"]


def elimination(problem: Problem, *, progress: Progress | None = None) -> np.ndarray:
    """A pattern in which no unsafe cell can be computed exactly; intervals are not looked at (G-04).

    Every cell is a sum of inner cells. A cell is published when, with all that is published already, no unsafe cell falls
    into the span of the published ones; cells are tried dearest first, and those that are computable anyway are free.
    Gaussian elimination on sparse columns modulo a prime: exact but for a chance of about cells / 2³¹ of taking
    independent columns for dependent ones, so levels are to be checked afterwards. Fast, and below the optimum in cost where levels are
    missed: follow it by :func:`~tacit.tables.suppress.flow.flow` and a clean-up.

    References: Ø. Langsrud, Secondary cell suppression by Gaussian elimination: an algorithm suitable for handling issues
    with zeros and singletons, Privacy in Statistical Databases, Springer (2024).
    """
    inner = Inner(problem)
    span = _Span([inner.column(int(cell)) for cell in problem.primaries])
    for relation in inner.relations:
        span.publish(relation)
    hidden = problem.must
    tried = np.flatnonzero(problem.may)
    tried = tried[np.lexsort((tried, -problem.cost[tried]))]
    for done, cell in enumerate(tried.tolist()):
        if done % 256 == 0:
            report(progress, "elimination", done / len(tried))
        hidden[cell] = not span.publish(inner.column(cell))
    return hidden


class _Span:
    """What the published cells span, and the unsafe cells reduced by it."""

    def __init__(self, unsafe: list[Column]) -> None:
        self._unsafe = unsafe
        self._with: dict[int, set[int]] = {}
        for number, column in enumerate(unsafe):
            for at in column:
                self._with.setdefault(at, set()).add(number)
        self._pivots: dict[int, Column] = {}
        self._age: dict[int, int] = {}

    def publish(self, column: Column) -> bool:
        """Take the column in unless an unsafe cell would become computable; whether it was taken."""
        column = self._reduced(column)
        if not column:
            return True
        pivot = min(column, key=lambda at: (len(self._with.get(at, ())), at))
        hit = sorted(self._with.get(pivot, ()))
        inverse = pow(column[pivot], -1, PRIME)
        column = {at: value * inverse % PRIME for at, value in column.items()}
        if any(_multiple(self._unsafe[number], column, pivot) for number in hit):
            return False
        self._age[pivot] = len(self._age)
        self._pivots[pivot] = column
        for number in hit:
            self._take_out(number, column, pivot)
        return True

    def _reduced(self, column: Column) -> Column:
        """The column without pivots; oldest pivots first, so that each is used once."""
        todo = [(self._age[at], at) for at in column if at in self._pivots]
        heapify(todo)
        seen = {at for _, at in todo}
        while todo:
            _, at = heappop(todo)
            factor = column.get(at)
            if factor is None:
                continue
            for other, value in self._pivots[at].items():
                new = (column.get(other, 0) - factor * value) % PRIME
                if not new:
                    column.pop(other, None)
                    continue
                column[other] = new
                if other in self._pivots and other not in seen:
                    heappush(todo, (self._age[other], other))
                    seen.add(other)
        return column

    def _take_out(self, number: int, column: Column, pivot: int) -> None:
        unsafe = self._unsafe[number]
        factor = unsafe[pivot]
        for at, value in column.items():
            new = (unsafe.get(at, 0) - factor * value) % PRIME
            if new:
                if at not in unsafe:
                    self._with.setdefault(at, set()).add(number)
                unsafe[at] = new
            elif at in unsafe:
                del unsafe[at]
                self._with[at].discard(number)


def _multiple(one: Column, other: Column, pivot: int) -> bool:
    """Whether one column is a multiple of another whose pivot is 1."""
    if len(one) != len(other):
        return False
    factor = one[pivot]
    return all((value * factor - one.get(at, 0)) % PRIME == 0 for at, value in other.items())
