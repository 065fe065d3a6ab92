"""What a distance finds among all pairs of seekers and places, without keeping them: a few seekers at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numba import njit

from .forms import BILINEAR, CHOQUET, MOEBIUS, WEIGHTED, Form, QueryPoints
from .nearest import CODE, NUMBER
from .point_distances import TIED
from .terms import fill_pair_terms, row_between

PAIRS = 1 << 16
"""So many distances are kept at once, at least those of one seeker."""

BLOCK = 1024

FEW = 64


def _query_blocks(sides: QueryPoints, seekers: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """The first seeker of each block, and room for their distances and the reach of these."""
    places = sides.places.shape[1]
    rows = max(1, min(seekers, PAIRS // max(1, places)))
    far, reach = np.empty((rows, places)), np.empty((rows, places))
    for first in range(0, seekers, rows):
        size = min(rows, seekers - first)
        yield first, far[:size], reach[:size]


def own_or_rival(
    sides: QueryPoints, own: np.ndarray, form: Form, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each seeker whether its own place is nearest, the rival that comes closest to it or beats it, and by how much."""
    found, rival, margin = np.zeros(len(own), bool), np.full(len(own), -1), np.zeros(len(own))
    for first, far, reach in _query_blocks(sides, len(own)):
        measure_distances(sides, form, parameters, first, far, reach)
        _judge_block((sides, form, parameters), first, (far, reach), own, (found, rival, margin))
    return found, rival, margin


def nearest_places(
    sides: QueryPoints, form: Form, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """For each seeker the places that tie for the smallest distance; that distance, and the next."""
    many = len(sides.seekers)
    sizes, distance, following = np.zeros(many, np.int64), np.empty(many), np.full(many, np.inf)
    answers = [np.empty(0, np.int64)]
    for first, far, reach in _query_blocks(sides, many):
        measure_distances(sides, form, parameters, first, far, reach)
        told = slice(first, first + len(far))
        distance[told] = far.min(axis=1)
        if far.shape[1] > 1:
            following[told] = np.partition(far, 1, axis=1)[:, 1]
        answers.append(_tied_places((sides, form, parameters), first, (far, reach), sizes))
    return np.append(0, np.cumsum(sizes)), np.concatenate(answers), distance, following


def lowest_ratios(sides: QueryPoints, form: Form, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each seeker the place with the lowest distance beside its reach, and that ratio (0 where nothing differs)."""
    many = len(sides.seekers)
    where, ratio = np.empty(many, np.int64), np.empty(many)
    for first, far, reach in _query_blocks(sides, many):
        measure_distances(sides, form, parameters, first, far, reach)
        np.divide(far, reach, out=far, where=reach > 0)
        told = slice(first, first + len(far))
        where[told], ratio[told] = far.argmin(axis=1), far.min(axis=1)
    return where, ratio


@njit(cache=True, nogil=True)
def _rival_margin(row, parameters):
    """By how much a rival is farther, and that less what counts as a tie."""
    margin, size = 0.0, 0.0
    for t in range(row.size):
        margin += row[t] * parameters[t]
        size += abs(row[t] * parameters[t])
    return margin, margin - TIED * size


@njit(cache=True, nogil=True)
def _judge_block(distance, first, block, own, answers):
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
            apart, beyond = _rival_margin(row, parameters)
            if beyond < least:
                least, rival[i], margin[i] = beyond, j, apart
        found[i] = least > 0.0


@njit(cache=True, nogil=True)
def _tied_places(distance, first, block, sizes):
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
            if _rival_margin(row, parameters)[1] <= 0.0:
                if count == answers.size:
                    answers = np.concatenate((answers, np.empty(count, np.int64)))
                answers[count] = j
                count += 1
                sizes[first + i] += 1
    return answers[:count].copy()


@njit(cache=True, nogil=True)
def measure_distances(sides, form, parameters, first, far, reach):
    """The distances of the seekers from ``first`` on to all places (seekers × places), and the reach of each."""
    m = far.shape[1]
    room = np.empty((sides.places.shape[0], min(BLOCK, m)))
    for i in range(far.shape[0]):
        for begin in range(0, m, BLOCK):
            end = min(begin + BLOCK, m)
            out = room[:, : end - begin]
            fill_differences(sides, first + i, begin, out)
            fill_distances(out, form, parameters, far[i, begin:end], reach[i, begin:end])


@njit(cache=True, nogil=True)
def fill_differences(sides, i, begin, out):
    """Into ``out[v, k]`` what seeker i and place ``begin + k`` differ by in column v."""
    size = out.shape[1]
    for v in range(out.shape[0]):
        x, weight, places, row = sides.seekers[i, v], sides.weight[v], sides.places[v, begin : begin + size], out[v]
        if sides.kind[v] == NUMBER:
            for k in range(size):
                row[k] = x - places[k]
            if sides.squared:
                for k in range(size):
                    row[k] = weight * (row[k] * row[k])
            else:
                for k in range(size):
                    row[k] = weight * row[k]
        elif sides.kind[v] == CODE:
            for k in range(size):
                row[k] = weight if x != places[k] else 0.0
        else:
            for k in range(size):
                row[k] = weight if x < places[k] else 0.0
        if sides.gaps[v]:
            _fill_gaps(x, places, sides.missing[v], sides.both[v], row)


@njit(cache=True, nogil=True)
def _fill_gaps(x, places, missing, both, row):
    for k in range(row.size):
        if x != x:
            row[k] = both if places[k] != places[k] else missing
        elif places[k] != places[k]:
            row[k] = missing


@njit(cache=True, nogil=True)
def fill_distances(differences, form, parameters, far, reach):
    """The distances of all pairs of ``differences`` (columns × pairs), and of what size the differences are.

    No term exceeds ``reach``: the sum of the differences, or of their squares where they have signs.
    """
    signs = form.code == BILINEAR
    reach[:] = 0.0
    for v in range(differences.shape[0]):
        row = differences[v]
        for k in range(far.size):
            reach[k] += row[k] * row[k] if signs else row[k]
    far[:] = 0.0
    if form.code == WEIGHTED:
        for v in range(differences.shape[0]):
            row, p = differences[v], parameters[v]
            for k in range(far.size):
                far[k] += p * row[k]
    elif signs:
        _fill_bilinear(differences, parameters, far)
    elif form.code == MOEBIUS:
        _fill_moebius(differences, form, parameters, far)
    elif form.code == CHOQUET:
        _fill_choquet(differences, parameters, far)
    else:
        _fill_ordered(differences, parameters, far)


@njit(cache=True, nogil=True)
def _fill_bilinear(differences, parameters, far):
    n, at, along = differences.shape[0], 0, np.empty(far.size)
    for u in range(n):
        row = differences[u]
        along[:] = 0.0
        for v in range(u, n):
            other, p = differences[v], parameters[at]
            at += 1
            for k in range(far.size):
                along[k] += p * other[k]
        for k in range(far.size):
            far[k] += along[k] * row[k]


@njit(cache=True, nogil=True)
def _fill_moebius(differences, form, parameters, far):
    """A few pairs at a time: all their terms stay near at hand."""
    terms = np.empty((parameters.size, FEW))
    for begin in range(0, far.size, FEW):
        out = far[begin : begin + FEW]
        for t in range(parameters.size):
            value, here, p = differences[form.last[t], begin : begin + FEW], terms[t], parameters[t]
            if form.parent[t] < 0:
                for k in range(out.size):
                    here[k] = value[k]
            else:
                before = terms[form.parent[t]]
                for k in range(out.size):
                    here[k] = value[k] if value[k] < before[k] else before[k]
            for k in range(out.size):
                out[k] += p * here[k]


@njit(cache=True, nogil=True)
def _fill_ordered(differences, parameters, far):
    values = differences.copy()
    _sort_pairs(values, np.empty((0, far.size), np.int64))
    for v in range(values.shape[0]):
        row, p = values[v], parameters[v]
        for k in range(far.size):
            far[k] += p * row[k]


@njit(cache=True, nogil=True)
def _fill_choquet(differences, parameters, far):
    values, bits = differences.copy(), np.empty(differences.shape, np.int64)
    for v in range(bits.shape[0]):
        bits[v] = 1 << v
    _sort_pairs(values, bits)
    still, before = np.full(far.size, (1 << bits.shape[0]) - 1), np.zeros(far.size)
    for v in range(values.shape[0]):
        row, bit = values[v], bits[v]
        for k in range(far.size):
            far[k] += parameters[still[k] - 1] * (row[k] - before[k])
            still[k] ^= bit[k]
            before[k] = row[k]


@njit(cache=True, nogil=True)
def _sort_pairs(values, bits):
    """Each pair's values (columns × pairs), and with them their ``bits`` (if any), by the network of Batcher: all pairs at once."""
    n, with_bits = values.shape[0], bits.shape[0] > 0
    top = 1
    while 2 * top < n:
        top *= 2
    p = top
    while p > 0:
        q, r, d = top, 0, p
        while True:
            for i in range(n - d):
                if i & p == r and with_bits:
                    _exchange_both(values[i], values[i + d], bits[i], bits[i + d])
                elif i & p == r:
                    _sort_elementwise(values[i], values[i + d])
            if q == p:
                break
            d, q, r = q - p, q // 2, p
        p //= 2


@njit(cache=True, nogil=True)
def _sort_elementwise(low, high):
    for k in range(low.size):
        x, y = low[k], high[k]
        low[k], high[k] = (y if y < x else x), (x if y < x else y)


@njit(cache=True, nogil=True)
def _exchange_both(low, high, low_bits, high_bits):
    for k in range(low.size):
        x, y, a, b = low[k], high[k], low_bits[k], high_bits[k]
        turn = y < x
        low[k], high[k] = (y if turn else x), (x if turn else y)
        low_bits[k], high_bits[k] = (b if turn else a), (a if turn else b)
