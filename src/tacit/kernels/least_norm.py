"""Whether rows can all be made positive at once: the point of their convex hull that is nearest to nought."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .factor import append_column, inner_product, remove_column, solve_weights

FEASIBLE, INFEASIBLE, STALLED = 1, 0, -1

BATCH = 40
"""So many rows join the pool before it is asked again."""
FLAT = 1e-12
"""A row that is not above this share of |x| is not positive at x; a side may be so far below nought."""
CERTAIN = 1e-7
"""The hull of rows of length 1 holds nought when it comes so close, summed anew from the rows."""


class RowPool(NamedTuple):
    """Rows seen to matter: copies, their seekers and numbers; who is inside; (how many, where to look next)."""

    values: np.ndarray
    owner: np.ndarray
    row: np.ndarray
    inside: np.ndarray
    held: np.ndarray


class NormWorkspace(NamedTuple):
    """The factorised columns, their names (rows ≥ 0, sides −1, −2, …) and weights; x; what is listed and barred."""

    basis: np.ndarray
    triangle: np.ndarray
    chosen: np.ndarray
    weights: np.ndarray
    column: np.ndarray
    x: np.ndarray
    seen: np.ndarray
    barred: np.ndarray
    shut: np.ndarray


@njit(cache=True, nogil=True)
def mark_positive(values, start, x, found):
    """Mark the seekers all of whose rows are positive at x; how many they are. O(rows · parameters)."""
    count = 0
    for i in range(len(start) - 1):
        found[i] = True
        for r in range(start[i], start[i + 1]):
            if inner_product(values[r], x) <= 0.0:
                found[i] = False
                break
        count += found[i]
    return count


@njit(cache=True, nogil=True)
def least_norm(values, start, pool, active, bias, sides, close):
    """See whether some x has v·x > 0 on all rows of the active seekers and h·x ≥ 0 on all sides of the cone.

    Lawson and Hanson's nonnegative least squares on the columns (v, 1) and (h, 0) with the aim (0, …, 0, 1): a residual
    of nought is a combination Σλv + Σμh = 0 that excludes every x; else the residual gives x. Rows are priced in the pool
    first, then among all; ``bias`` says which seekers to take rather. A residual below ``close`` (≤ 1e-7) is nought.
    Returns the answer, x, and the rows of the combination (at most parameters + 1); STALLED where rounding leaves it open.
    """
    width = values.shape[1] + 1
    work = _make_workspace(width, len(pool.owner), len(sides))
    size, many, looked = 0, 0, 0
    for _ in range(60 * width + 400):
        while looked < pool.held[0]:
            if active[pool.owner[looked]]:
                work.seen[many] = looked
                many += 1
            looked += 1
        length = np.sqrt(inner_product(work.x, work.x))
        side = _most_violated_side(work, sides, length)
        at = -1 if side >= 0 else _lowest_row(work, pool, many, bias, length)
        if side < 0 and at < 0:
            added, missed = _refill_pool(values, start, pool, active, work.x, length)
            if missed == 0:
                return FEASIBLE, work.x, work.chosen[:0]
            if added == 0 or pool.held[0] == len(pool.owner):
                break
            continue
        size = _add_to_combination(work, pool, sides, size, side, at)
        if size and _is_combination_zero(work, values, sides, size, close):
            return INFEASIBLE, work.x, work.chosen[:size]
    return STALLED, work.x, work.chosen[:0]


@njit(cache=True, nogil=True)
def _make_workspace(width, most, sides):
    return NormWorkspace(
        np.zeros((width + 1, width)),
        np.zeros((width + 1, width + 1)),
        np.zeros(width + 1, dtype=np.int64),
        np.zeros(width + 1),
        np.zeros(width),
        np.zeros(width - 1),
        np.empty(most, dtype=np.int64),
        np.zeros(most, dtype=np.uint8),
        np.zeros(sides, dtype=np.uint8),
    )


@njit(cache=True, nogil=True)
def _most_violated_side(work, sides, length):
    """The side that x is furthest beyond, or −1."""
    best, at = FLAT * length, -1
    for c in range(len(sides)):
        wrong = -inner_product(sides[c], work.x)
        if wrong > best and work.shut[c] == 0:
            best, at = wrong, c
    return at


@njit(cache=True, nogil=True)
def _lowest_row(work, pool, many, bias, length):
    """The listed row that is lowest at x and not positive, weighed by ``bias``; or −1."""
    best, at = 0.0, -1
    for n in range(many):
        if work.barred[n] == 0:
            margin = inner_product(pool.values[work.seen[n]], work.x)
            if margin <= FLAT * length:
                wrong = (length * length - margin if length > 0.0 else 1.0) * bias[pool.owner[work.seen[n]]]
                if wrong > best:
                    best, at = wrong, n
    return at


@njit(cache=True, nogil=True)
def _refill_pool(values, start, pool, active, x, length):
    """Put into the pool the lowest row of active seekers that x does not satisfy; how many new ones, how many at all."""
    seekers, first, added, missed = len(start) - 1, pool.held[1], 0, 0
    for n in range(seekers):
        i = (first + n) % seekers
        if not active[i]:
            continue
        low, best = FLAT * length, -1
        for r in range(start[i], start[i + 1]):
            margin = inner_product(values[r], x)
            if margin <= low:
                low, best = margin, r
        missed += best >= 0
        if best >= 0 and not pool.inside[best]:
            at = pool.held[0]
            pool.values[at], pool.owner[at], pool.row[at], pool.inside[best] = values[best], i, best, True
            pool.held[0] += 1
            added += 1
            if added == BATCH or pool.held[0] == len(pool.owner):
                pool.held[1] = (i + 1) % seekers
                break
    return added, missed


@njit(cache=True, nogil=True)
def _add_to_combination(work, pool, sides, size, side, at):
    """Let a side or a listed row join the combination, and move x; how many columns it has then."""
    if side >= 0:
        name = -1 - side
        work.column[:-1] = sides[side]
        work.column[-1] = 0.0
    else:
        name = pool.row[work.seen[at]]
        work.column[:-1] = pool.values[work.seen[at]]
        work.column[-1] = 1.0
    kept = False
    if size < len(work.column) and append_column(work.basis, work.triangle, size, work.column):
        work.chosen[size], work.weights[size] = name, 0.0
        size = _settle_weights(work, size + 1)
        for k in range(size):
            kept = kept or work.chosen[k] == name
    if kept:
        work.barred[:] = 0
        work.shut[:] = 0
    elif side >= 0:
        work.shut[side] = 1
    else:
        work.barred[at] = 1
    return size


@njit(cache=True, nogil=True)
def _settle_weights(work, size):
    """Move the weights towards the free ones as far as they stay positive, dropping columns; then set x."""
    aim, weights = np.empty(len(work.weights)), work.weights
    while size:
        solve_weights(work.basis, work.triangle, size, aim)
        step, at = 1.0, -1
        for k in range(size):
            if aim[k] <= 0.0:
                share = weights[k] / (weights[k] - aim[k]) if weights[k] > aim[k] else 0.0
                if share < step or at < 0:
                    step, at = share, k
        if at < 0:
            break
        for k in range(size):
            weights[k] += step * (aim[k] - weights[k])
        remove_column(work.basis, work.triangle, size, at)
        for k in range(at, size - 1):
            weights[k], work.chosen[k] = weights[k + 1], work.chosen[k + 1]
        size -= 1
    weights[:size] = aim[:size]
    rest = work.column
    rest[:] = 0.0
    rest[-1] = 1.0
    for k in range(size):
        part = inner_product(work.basis[k], rest)
        for j in range(len(rest)):
            rest[j] -= part * work.basis[k, j]
    work.x[:] = -rest[:-1]
    return size


@njit(cache=True, nogil=True)
def _is_combination_zero(work, values, sides, size, close):
    """Whether the combination is nought, by the factors and by its sum."""
    total = 0.0
    for k in range(size):
        if work.chosen[k] >= 0:
            total += work.weights[k]
    if total <= 0.0 or np.sqrt(inner_product(work.x, work.x)) > close * total:
        return False
    rest = np.zeros(len(work.x))
    for k in range(size):
        name = work.chosen[k]
        rest += work.weights[k] * (values[name] if name >= 0 else sides[-1 - name])
    return np.sqrt(inner_product(rest, rest)) <= CERTAIN * total
