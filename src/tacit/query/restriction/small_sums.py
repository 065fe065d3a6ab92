"""Which sums of one, two or three unknowns follow from the answers.

A vector of zeros and ones lies in the row space exactly when the rows of the pivots that it meets add up to it. For a random
vector r let H(u) be the product of r with the row of u, without its pivot, if u is a pivot, and −r_u if it is none: then the sum of
a set of unknowns follows only if their H add up to 0 modulo the prime. What does so is looked at exactly. So no sum is
missed, and sets of three are found in the time of sets of two.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import numpy as np

from ..refusal import Refusal
from .space import Space, Whole

__all__ = ["MOST_SMALL", "small_sums"]

MOST_SMALL = 4_000
"""Cells of few units that an audit looks at in threes; O(cells²·log)."""

HALF = 25


def small_sums(space: Space, unknowns: Whole, units: Whole, least: int) -> Iterator[tuple[int, ...]]:
    """Places among ``unknowns`` of one to three whose sum follows and whose units are fewer than ``least`` together."""
    if not len(unknowns):
        return
    if least > 3 and len(unknowns) > MOST_SMALL:
        raise Refusal(
            "too_complex",
            f"more than {MOST_SMALL} small groups are told apart by the answers, too many to audit their sums",
            fix="ask about wider groups; the owner of the data may declare fewer or coarser columns",
        )
    yield from ((place,) for place in np.flatnonzero(np.isin(unknowns, space.determined())).tolist())
    if least < 3:
        return
    tags = _tags(space, unknowns)
    order = np.argsort(tags, kind="stable")
    for places in _zero_sums(tags, order, least, space.prime):
        if units[list(places)].sum() < least and _follows(space, unknowns[list(places)]):
            yield places


def _zero_sums(tags: Whole, order: Whole, least: int, prime: int) -> Iterator[tuple[int, ...]]:
    """Sets of two and, where so many units are too few, of three places whose tags add up to 0."""
    yield from _partners(tags, order, -tags % prime, ())
    if least > 3:
        for first in range(len(tags)):
            yield from _partners(tags, order, -(tags + tags[first]) % prime, (first,))


def _partners(tags: Whole, order: Whole, wanted: Whole, before: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Pairs of places, in order and after those before, of which the second has the tag that the first wants."""
    start = np.searchsorted(tags, wanted, side="left", sorter=order)
    end = np.searchsorted(tags, wanted, side="right", sorter=order)
    last = before[-1] if before else -1
    for place in np.flatnonzero(end > start).tolist():
        if place > last:
            yield from ((*before, place, other) for other in order[start[place] : end[place]].tolist() if other > place)


def _tags(space: Space, unknowns: Whole) -> Whole:
    """H of each unknown. O(rank · unknowns)."""
    prime, width = space.prime, space.rows.shape[1]
    rng = np.random.default_rng(secrets.randbits(128))
    draw: Whole = rng.integers(0, prime, width)
    free = np.ones(width, bool)
    free[space.pivots] = False
    tags: Whole = -draw % prime
    if len(space.pivots):
        tags[space.pivots] = _product(space.rows * free, draw, prime)
    found: Whole = tags[unknowns]
    return found


def _product(rows: Whole, draw: Whole, prime: int) -> Whole:
    """Rows times a vector modulo a prime below 2⁵⁰, in halves of 25 bits: 2¹³ products of 50 bits fit into 63."""
    found = np.zeros(len(rows), np.int64)
    mask = (1 << HALF) - 1
    for start in range(0, rows.shape[1], 2**13):
        part, by = rows[:, start : start + 2**13], draw[start : start + 2**13]
        high = (part >> HALF) @ (by >> HALF) % prime
        middle = ((part >> HALF) @ (by & mask) % prime + (part & mask) @ (by >> HALF) % prime) % prime
        low = (part & mask) @ (by & mask) % prime
        found = (found + _shifted((_shifted(high, prime) + middle) % prime, prime) + low) % prime
    return found


def _shifted(values: Whole, prime: int) -> Whole:
    """Times 2²⁵, in shifts that 63 bits hold."""
    for bits in (12, 12, 1):
        values = (values << bits) % prime
    return values


def _follows(space: Space, unknowns: Whole) -> bool:
    """Whether the sum of some unknowns lies in the row space."""
    vector = np.zeros(space.rows.shape[1], np.int64)
    vector[unknowns] = 1
    met = np.flatnonzero(np.isin(space.pivots, unknowns))
    total = np.zeros_like(vector)
    for row in met:
        total = (total + space.rows[row]) % space.prime
    return bool((total == vector).all())
