"""Learned distances pair by pair in fractions, and the most seekers that any of a family finds, by trying every set of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm, sqrt

import numpy as np

from tacit.attack.learning.pairs import Pairs
from tacit.kernels.nearest import CODE, FLOOR, NUMBER, Costs

Vector = Sequence[Fraction]
BILINEAR = "mahalanobis", "bilinear", "nonnegative", "definite"
CHOQUET = "choquet", "monotone"


def numbers(seekers, places, own=None, weight=None) -> Pairs:
    """Columns of numbers without gaps; every seeker looks for the place of its own row."""
    seekers, places = np.array(seekers, dtype=float), np.array(places, dtype=float)
    weight = np.ones(seekers.shape[1]) if weight is None else np.array(weight, dtype=float)
    costs = Costs(np.full(len(weight), NUMBER), weight, weight, weight)
    return Pairs(seekers, places, np.arange(len(seekers)) if own is None else np.array(own), costs)


def differences(pairs: Pairs, seeker: int, place: int, *, signed: bool) -> list[Fraction]:
    """Of one pair, column by column."""
    found = []
    for v, (kind, weight, missing, both) in enumerate(zip(*pairs.costs, strict=True)):
        x, y = float(pairs.seekers[seeker, v]), float(pairs.places[place, v])
        scale = 1.0
        if x != x or y != y:
            cost = both if x != x and y != y else missing
        else:
            cost = weight
            differ = {NUMBER: Fraction(x) - Fraction(y), CODE: int(x != y), FLOOR: int(x < y)}[kind]
            scale = differ if signed or kind != NUMBER else differ**2
        found.append(Fraction(sqrt(cost) if signed else cost) * Fraction(scale))
    return found


def terms(name: str, apart: list[Fraction], additive: int | None = None) -> list[Fraction]:
    """What the parameters of a family are multiplied with."""
    columns = range(len(apart))
    if name in BILINEAR:
        return [apart[i] * apart[j] for i in columns for j in columns if i <= j]
    if name in CHOQUET and additive is None:
        # A set counts for as much as all in it exceed all others.
        others = {one: [apart[v] for v in columns if v not in one] for one in sets(len(apart))}
        return [max(min(apart[v] for v in one) - max(rest, default=0), Fraction(0)) for one, rest in others.items()]
    if name in CHOQUET:
        inside = sorted(sets(len(apart), additive), key=len)
        return [min(apart[v] for v in one) for one in inside]
    return sorted(apart) if name == "ordered" else apart


def sets(columns: int, most: int | None = None) -> list[tuple[int, ...]]:
    """The sets of at most so many columns, as the bits of 1, 2, 3, …"""
    every = [tuple(v for v in range(columns) if one >> v & 1) for one in range(1, 2**columns)]
    return [one for one in every if len(one) <= (most or columns)]


def rows(pairs: Pairs, name: str, *, signed: bool, additive: int | None = None) -> list[list[list[Fraction]]]:
    """For each seeker and each place that is not its own, by how much the terms exceed those of its own."""
    found = []
    for seeker, own in enumerate(pairs.own):
        every = [
            terms(name, differences(pairs, seeker, place, signed=signed), additive)
            for place in range(len(pairs.places))
        ]
        others = [one for place, one in enumerate(every) if place != own]
        found.append([[a - b for a, b in zip(one, every[own], strict=True)] for one in others])
    return found


def found_exactly(rows: Sequence[Sequence[Vector]], parameters) -> list[bool]:
    """Who is found by these parameters, without rounding."""
    exact = [Fraction(float(p)) if isinstance(p, float) else Fraction(p) for p in parameters]
    return [all(sum(map(Fraction.__mul__, exact, map(Fraction, v))) > 0 for v in own) for own in rows]


def monotone_submodular(columns: int, additive: int | None = None) -> list[list[Fraction]]:
    """Sides of the measures that no column lowers and to which each adds the less the more there is; by definition, for every set.

    In the measure itself, or in its Möbius transform (``additive``).
    """
    places = sorted(sets(columns, additive), key=len) if additive else sets(columns)

    def measure(chosen: set[int]) -> np.ndarray:
        inside = [set(one) <= chosen if additive else set(one) == chosen for one in places]
        return np.array([Fraction(int(has)) for has in inside], dtype=object)

    found = []
    for base in [set(), *map(set, sets(columns))]:
        others = [v for v in range(columns) if v not in base]
        found += [measure(base | {v}) - measure(base) for v in others]
        for u, v in combinations(others, 2):
            found.append(measure(base | {u}) + measure(base | {v}) - measure(base | {u, v}) - measure(base))
    return [side.tolist() for side in found]


def positive_definite(matrix: Sequence[Vector]) -> bool:
    """Sylvester's rule, without rounding: no leading minor is zero or below."""
    left = [list(map(Fraction, row)) for row in matrix]
    for k in range(len(left)):
        if left[k][k] <= 0:
            return False
        for i in range(k + 1, len(left)):
            share = left[i][k] / left[k][k]
            left[i] = [a - share * b for a, b in zip(left[i], left[k], strict=True)]
    return True


def optimum(rows: Sequence[Sequence[Vector]], *, nonnegative: bool = False, sides: Sequence[Vector] = ()) -> int:
    """The size of the largest set of seekers whose rows can all be made positive at once; 2^seekers programmes."""
    size = next((len(v) for own in rows for v in own), 0)
    sides = [*sides, *(np.eye(size, dtype=int).tolist() if nonnegative else [])]
    alone = [i for i in range(len(rows)) if witness(rows[i], sides) is not None]
    for count in range(len(alone), 0, -1):
        for chosen in combinations(alone, count):
            if witness([v for i in chosen for v in rows[i]], sides) is not None:
                return count
    return 0


def witness(strict: Sequence[Vector], sides: Sequence[Vector]) -> list[Fraction] | None:
    """Some p with v·p > 0 for every strict v and s·p ≥ 0 for every side s, or None when there is none.

    By Motzkin's theorem there is none iff some y ≥ 0 with Σ y = 1 over the strict rows, and some z ≥ 0, have
    Σ y·v + Σ z·s = 0. Phase one of the simplex method looks for y and z, in whole numbers (fractions cleared, Bareiss'
    pivots, Bland's rule, so that it ends); when it fails, its multipliers are −p.
    """
    if not strict:
        return []
    columns = [[*_whole(v), 1] for v in strict] + [[*_whole(s), 0] for s in sides]
    height = len(columns[0])
    table = np.zeros((height + 1, len(columns) + height + 1), dtype=object)
    table[:height, : len(columns)] = np.array(columns, dtype=object).T
    table[:height, len(columns) : -1] = np.eye(height, dtype=int).astype(object)
    table[height - 1, -1] = 1
    table[height] = -table[:height].sum(axis=0)  # the sum of the artificial ones, to be made small
    table[height, len(columns) : -1] = 0
    table, shared = _solved(table, list(range(len(columns), len(columns) + height)))
    if table[height, -1] == 0:
        return None
    return [Fraction(int(cost), int(shared)) - 1 for cost in table[height, len(columns) : -2]]


def _solved(table: np.ndarray, basis: list[int]) -> tuple[np.ndarray, int]:
    """The last tableau, all of whose entries are over one denominator, and that."""
    shared = 1
    while True:
        entering = next((j for j in range(table.shape[1] - 1) if table[-1, j] < 0), None)
        if entering is None:
            return table, shared
        rows = [r for r in range(len(basis)) if table[r, entering] > 0]
        out = min(rows, key=lambda r: (Fraction(int(table[r, -1]), int(table[r, entering])), basis[r]))
        pivot = table[out, entering]
        after = (pivot * table - np.outer(table[:, entering], table[out])) // shared
        after[out] = table[out]
        table, shared, basis[out] = after, pivot, entering


def _whole(vector: Vector) -> list[int]:
    """A positive multiple of the vector, in whole numbers."""
    fractions = [Fraction(value) for value in vector]
    shared = lcm(*(value.denominator for value in fractions))
    return [int(value * shared) for value in fractions]
