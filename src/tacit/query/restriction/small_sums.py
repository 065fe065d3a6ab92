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
    yield from ((place,) for place in np.flatnonzero(np.isin(unknowns, space.determined())).tolist())
    smallest = int(units.min())
    among = np.flatnonzero(units + smallest < least)  # the others are too many with any partner
    if len(among) < 2:
        return
    if len(among) > MOST_SMALL:
        raise Refusal(
            "too_complex",
            f"more than {MOST_SMALL} small groups are told apart by the answers, too many to audit their sums",
            fix="ask about wider groups; the owner of the data may declare fewer or coarser columns",
        )
    tags = _tags(space, unknowns[among])
    for found in _zero_sums(tags, 3 * smallest < least, space.prime):
        places = tuple(among[list(found)].tolist())
        if units[list(places)].sum() < least and _follows(space, unknowns[list(places)]):
            yield places


def _zero_sums(tags: Whole, three: bool, prime: int) -> Iterator[tuple[int, ...]]:
    """Sets of two and, where those can be few units, of three places whose tags add up to 0."""
    order = np.argsort(tags, kind="stable")
    ordered = tags[order]
    for first, second in _partners(ordered, order, -tags % prime):
        if first < second:
            yield first, second
    if three:
        for first in range(len(tags) - 2):
            for place, third in _partners(ordered, order, -(tags[first + 1 :] + tags[first]) % prime):
                if first + 1 + place < third:
                    yield first, first + 1 + place, third


def _partners(ordered: Whole, order: Whole, wanted: Whole) -> Iterator[tuple[int, int]]:
    """Each place of ``wanted`` with all places that have its tag. O(wanted · log), for hardly any has one."""
    start = np.searchsorted(ordered, wanted)
    found = ordered[np.minimum(start, len(ordered) - 1)] == wanted
    for place in np.flatnonzero(found).tolist():
        for rank in range(int(start[place]), len(ordered)):
            if ordered[rank] != wanted[place]:
                break
            yield place, int(order[rank])


def _tags(space: Space, unknowns: Whole) -> Whole:
    """H of each unknown. O(rank · unknowns)."""
    prime, width = space.prime, space.rows.shape[1]
    rng = np.random.default_rng(secrets.randbits(128))
    draw: Whole = np.asarray(rng.integers(0, prime, width), np.int64)
    free = np.ones(width, bool)
    free[space.pivots] = False
    tags: Whole = np.asarray(-draw % prime, np.int64)
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
