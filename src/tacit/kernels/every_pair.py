"""What a distance finds among all pairs of seekers and places, without keeping them: a few seekers at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from .apart import TIED
from .forms import Form, Sides
from .term_sums import measure
from .terms import fill_pair_terms, row_between

__all__ = ["lowest", "nearest_places", "own_or_rival"]

PAIRS = 1 << 16
"""So many distances are kept at once, at least those of one seeker."""


def _blocks(sides: Sides, seekers: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The first seeker of each block, and room for their distances and the reach of these."""
    places = sides.places.shape[1]
    rows = max(1, min(seekers, PAIRS // max(1, places)))
    far, reach = np.empty((rows, places)), np.empty((rows, places))
    for first in range(0, seekers, rows):
        size = min(rows, seekers - first)
        yield first, far[:size], reach[:size]


def own_or_rival(
    sides: Sides, own: np.ndarray, form: Form, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each seeker whether its own place is nearest, the rival that comes closest to it or beats it, and by how much."""
    found, rival, margin = np.zeros(len(own), bool), np.full(len(own), -1), np.zeros(len(own))
    for first, far, reach in _blocks(sides, len(own)):
        measure(sides, form, parameters, first, far, reach)
        _judge((sides, form, parameters), first, (far, reach), own, (found, rival, margin))
    return found, rival, margin


def nearest_places(
    sides: Sides, form: Form, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each seeker the places that tie for the smallest distance; that distance, and the next."""
    many = len(sides.seekers)
    sizes, distance, following = np.zeros(many, np.int64), np.empty(many), np.full(many, np.inf)
    answers = [np.empty(0, np.int64)]
    for first, far, reach in _blocks(sides, many):
        measure(sides, form, parameters, first, far, reach)
        told = slice(first, first + len(far))
        distance[told] = far.min(axis=1)
        if far.shape[1] > 1:
            following[told] = np.partition(far, 1, axis=1)[:, 1]
        answers.append(_tied((sides, form, parameters), first, (far, reach), sizes))
    return np.append(0, np.cumsum(sizes)), np.concatenate(answers), distance, following


def lowest(sides: Sides, form: Form, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each seeker the place with the lowest distance beside its reach, and that ratio (0 where nothing differs)."""
    many = len(sides.seekers)
    where, ratio = np.empty(many, np.int64), np.empty(many)
    for first, far, reach in _blocks(sides, many):
        measure(sides, form, parameters, first, far, reach)
        np.divide(far, reach, out=far, where=reach > 0)
        told = slice(first, first + len(far))
        where[told], ratio[told] = far.argmin(axis=1), far.min(axis=1)
    return where, ratio


@njit(cache=True, nogil=True)
def _margin(row, parameters):
    """By how much a rival is farther, and that less what counts as a tie."""
    margin, size = 0.0, 0.0
    for t in range(row.size):
        margin += row[t] * parameters[t]
        size += abs(row[t] * parameters[t])
    return margin, margin - TIED * size


@njit(cache=True, nogil=True)
def _judge(distance, first, block, own, answers):
    (sides, form, parameters), (far, reach), (found, rival, margin) = distance, block, answers
    q, total = parameters.size, np.abs(parameters).sum()
    mine, mine_from, terms, from_what, row = np.empty(q), np.empty(q), np.empty(q), np.empty(q), np.empty(q)
    for i in range(first, first + far.shape[0]):
        if own[i] < 0:
            continue
        away, size = far[i - first], reach[i - first]
        fill_pair_terms(sides, form, i, own[i], mine, mine_from)
        least, margin[i] = np.inf, np.inf
        for j in range(away.size):
            # What rounding can hide is far below this: only what may be the least is looked at term by term.
            slack = 2.0 * TIED * total * (size[j] + size[own[i]])
            if j == own[i] or away[j] - away[own[i]] - slack >= least:
                continue
            fill_pair_terms(sides, form, i, j, terms, from_what)
            row_between(terms, mine, from_what, mine_from, row)
            apart, beyond = _margin(row, parameters)
            if beyond < least:
                least, rival[i], margin[i] = beyond, j, apart
        found[i] = least > 0.0


@njit(cache=True, nogil=True)
def _tied(distance, first, block, sizes):
    """The places that tie for the nearest, seeker by seeker; how many each has goes into ``sizes``."""
    (sides, form, parameters), (far, reach) = distance, block
    q, total = parameters.size, np.abs(parameters).sum()
    best, best_from, terms, from_what, row = np.empty(q), np.empty(q), np.empty(q), np.empty(q), np.empty(q)
    answers, count = np.empty(2 * far.shape[0], np.int64), 0
    for i in range(far.shape[0]):
        near = np.argmin(far[i])
        fill_pair_terms(sides, form, first + i, near, best, best_from)
        for j in range(far.shape[1]):
            if far[i, j] - far[i, near] > 2.0 * TIED * total * (reach[i, j] + reach[i, near]):
                continue
            fill_pair_terms(sides, form, first + i, j, terms, from_what)
            row_between(terms, best, from_what, best_from, row)
            if _margin(row, parameters)[1] <= 0.0:
                if count == answers.size:
                    answers = np.concatenate((answers, np.empty(count, np.int64)))
                answers[count] = j
                count += 1
                sizes[first + i] += 1
    return answers[:count].copy()
