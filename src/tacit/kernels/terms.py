"""The terms of a distance of one pair, and rows of a rival's terms minus one's own."""

from __future__ import annotations

import numpy as np
from numba import njit

from .forms import BILINEAR, MOEBIUS, ORDERED, WEIGHTED
from .nearest import CODE, NUMBER
from .point_distances import TIED


@njit(cache=True, nogil=True)
def pair_difference(sides, i, j, v):
    """What seeker i and place j differ by in column v."""
    x, y, weight = sides.seekers[i, v], sides.places[v, j], sides.weight[v]
    if x != x or y != y:
        return sides.both[v] if x != x and y != y else sides.missing[v]
    if sides.kind[v] == NUMBER:
        return weight * ((x - y) * (x - y)) if sides.squared else weight * (x - y)
    if sides.kind[v] == CODE:
        return weight if x != y else 0.0
    return weight if x < y else 0.0


@njit(cache=True, nogil=True)
def _sort_by_values(values, columns):
    """Both by the values, in place: there are few."""
    for k in range(1, values.size):
        value, column, at = values[k], columns[k], k
        while at > 0 and values[at - 1] > value:
            values[at], columns[at] = values[at - 1], columns[at - 1]
            at -= 1
        values[at], columns[at] = value, column


@njit(cache=True, nogil=True)
def fill_terms(differences, form, terms, from_what):
    """Into ``terms`` those of one pair, into ``from_what`` the size of what each was computed from, which it is exact to."""
    n = differences.size
    if form.code == WEIGHTED or form.code == ORDERED:
        for v in range(n):
            terms[v] = differences[v]
        if form.code == ORDERED:
            _sort_by_values(terms, np.arange(n))
    elif form.code == BILINEAR:
        at = 0
        for u in range(n):
            for v in range(u, n):
                terms[at] = differences[u] * differences[v]
                at += 1
    elif form.code == MOEBIUS:
        for t in range(terms.size):
            value = differences[form.last[t]]
            terms[t] = value if form.parent[t] < 0 else min(value, terms[form.parent[t]])
    else:
        _fill_steps(differences.copy(), np.arange(n), terms, from_what)
        return
    for t in range(terms.size):
        from_what[t] = abs(terms[t])


@njit(cache=True, nogil=True)
def _fill_steps(values, columns, terms, from_what):
    _sort_by_values(values, columns)
    terms[:] = 0.0
    from_what[:] = 0.0
    still, before = (1 << values.size) - 1, 0.0
    for k in range(values.size):
        terms[still - 1], from_what[still - 1] = values[k] - before, values[k]
        still ^= 1 << columns[k]
        before = values[k]


@njit(cache=True, nogil=True)
def fill_pair_terms(sides, form, i, j, terms, from_what):
    """Into ``terms`` those of seeker i and place j, see :func:`fill_terms`."""
    differences = np.empty(sides.seekers.shape[1])
    for v in range(differences.size):
        differences[v] = pair_difference(sides, i, j, v)
    fill_terms(differences, form, terms, from_what)


@njit(cache=True, nogil=True)
def row_between(terms, own, from_what, own_from_what, row):
    """Into ``row`` the terms of a rival minus those of one's own, 0 where they differ by no more than rounding."""
    for t in range(row.size):
        apart = terms[t] - own[t]
        row[t] = apart if abs(apart) > TIED * (from_what[t] + own_from_what[t]) else 0.0


@njit(cache=True, nogil=True)
def rows_of(sides, form, who, rivals, own, rows):
    """Into ``rows[k]`` the terms of seeker who[k] and rivals[k] minus those of it and own[k]."""
    terms, from_what = np.empty(rows.shape[1]), np.empty(rows.shape[1])
    mine, mine_from = np.empty(rows.shape[1]), np.empty(rows.shape[1])
    for k in range(who.size):
        fill_pair_terms(sides, form, who[k], rivals[k], terms, from_what)
        if k == 0 or who[k] != who[k - 1] or own[k] != own[k - 1]:
            fill_pair_terms(sides, form, who[k], own[k], mine, mine_from)
        row_between(terms, mine, from_what, mine_from, rows[k])
