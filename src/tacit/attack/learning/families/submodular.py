"""Monotone and submodular measures as a cone of parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..cone import Cone
from .measure import filled, measure_of, sizes

LISTED = 4_000_000
"""So many numbers are listed as sides; beyond, they are computed when asked for."""
MOST = 100
FLAT = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Corners:
    """Each row (a, b, c, d) of sets says μ(a) + μ(b) − μ(c) − μ(d) ≥ 0; 0 is the empty set."""

    sets: np.ndarray

    def values(self, measure: np.ndarray) -> np.ndarray:
        """The left sides for a measure over 1 … 2ⁿ−1."""
        a, b, c, d = np.append(0.0, measure)[self.sets.T]
        left: np.ndarray = a + b - c - d
        return left

    def rows(self, which: np.ndarray, terms: np.ndarray, *, moebius: bool) -> np.ndarray:
        """The sides as rows over ``terms`` (sets), for the measure itself or for its Möbius transform."""
        a, b, c, d = (part[:, None] for part in self.sets[which].T)
        if moebius:
            within = [((terms & ~one) == 0).astype(np.float64) for one in (a, b, c, d)]
        else:
            within = [(terms == one).astype(np.float64) for one in (a, b, c, d)]
        rows: np.ndarray = within[0] + within[1] - within[2] - within[3]
        return rows


def corners(columns: int, additive: int | None) -> Corners:
    r"""The sides that suffice: submodular :math:`\mu(S+u) + \mu(S+v) \ge \mu(S+u+v) + \mu(S)`, and monotone at the whole set.

    What a column adds shrinks as the set grows, so that it never falls below zero when it does not at the last step. With
    Möbius terms of at most two columns S = ∅ suffices: that a column adds less does not depend on S.
    """
    single = 1 << np.arange(columns, dtype=np.int64)
    every = np.zeros(1, dtype=np.int64) if additive is not None and additive <= 2 else np.arange(2**columns)
    found = []
    for u in range(columns):
        for v in range(u):
            bits = single[u] | single[v]
            s = every[(every & bits) == 0]
            found.append(np.column_stack([s | single[u], s | single[v], s | bits, s]))
    whole = np.int64((1 << columns) - 1)
    nothing = np.zeros(columns, dtype=np.int64)
    found.append(np.column_stack([np.full(columns, whole), nothing, whole ^ single, nothing]))
    return Corners(np.concatenate(found))


def submodular_cone(terms: np.ndarray, columns: int, additive: int | None) -> Cone:
    """The cone for the parameters of ``terms``: the measure itself, or its Möbius transform (``additive``).

    A list of sides where it is short, else computed on demand in O(columns² · 2^columns) time.
    """
    every, moebius = corners(columns, additive), additive is not None
    if len(every.sets) * len(terms) <= LISTED:
        sides = every.rows(np.arange(len(every.sets)), terms, moebius=moebius)
        sides = np.unique(sides[sides.any(axis=1)], axis=0) if moebius else sides
        return Cone(len(terms), sides=sides, inside=_within(terms, columns, additive))

    def values(parameters: np.ndarray) -> np.ndarray:
        return every.values(measure_of(filled(parameters, terms, columns)) if moebius else parameters)

    def beyond(parameters: np.ndarray) -> np.ndarray:
        left = values(parameters)
        below = np.flatnonzero(left < -FLAT * np.abs(parameters).max(initial=0.0))
        return every.rows(below[np.argsort(left[below], kind="stable")[:MOST]], terms, moebius=moebius)

    def span(parameters: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
        here, along = np.maximum(values(parameters), 0.0), values(direction)
        size = FLAT * np.abs(direction).max(initial=0.0)
        up, down = along > size, along < -size
        low = (-here[up] / along[up]).max(initial=-np.inf)
        return float(low), float((-here[down] / along[down]).min(initial=np.inf))

    return Cone(len(terms), beyond=beyond, span=span, inside=_within(terms, columns, additive))


def _within(terms: np.ndarray, columns: int, additive: int | None) -> np.ndarray:
    """A measure that grows with every column, ever less: |S|·(2n − |S|), and what singles and pairs have of it."""
    many = sizes(terms)
    if additive is None:
        measure: np.ndarray = (many * (2 * columns - many)).astype(np.float64)
        return measure
    inside: np.ndarray = np.where(many == 1, 2.0 * columns - 1.0, np.where(many == 2, -2.0, 0.0))
    return inside
