"""The expected value of 1/F for a class of f sampled people, each sampled with chance p."""

from __future__ import annotations

import numpy as np
from numba import njit

FEW = 50
SPARSE = 0.25


@njit(cache=True, nogil=True)
def mean_reciprocal(f, p):
    r"""E(1/F | f) = p·h_f with :math:`h_f = \int_0^1 s^{f-1}/(p + q s)\,ds = {}_2F_1(1, 1; f+1; q)/f`, q = 1 − p.

    Two ways, each where it loses nothing. The series Σ k! q^k / (f+1)_k has positive terms and ends soon for large f
    or small q. Otherwise h_1 = ln(1/p)/q and the recurrence q·h_{f+1} = 1/f − p·h_f, which damps errors by p/q < 1/3.
    At most 150 operations for each number. ``f`` whole numbers from 1 on, ``p`` in (0, 1].
    """
    risk = np.empty(f.size)
    for i in range(f.size):
        if f[i] >= FEW or p[i] >= SPARSE:
            risk[i] = p[i] * _sum_series(f[i], 1.0 - p[i])
        else:
            risk[i] = p[i] * _sum_recurrence(f[i], p[i])
    return risk


@njit(cache=True, nogil=True)
def mean_reciprocal_approx(f, p):
    """The same with p/(f − q) from f = 3 on, the first terms of its expansion; exact for f = 1 and 2."""
    risk = mean_reciprocal(f, p)
    for i in range(f.size):
        if f[i] > 2:
            risk[i] = p[i] / (f[i] - (1.0 - p[i]))
    return risk


@njit(cache=True, nogil=True)
def _sum_series(f, q):
    total, term, k = 1.0, 1.0, 0
    while term > 1e-18 * total:
        term *= q * (k + 1) / (f + 1 + k)
        total += term
        k += 1
    return total / f


@njit(cache=True, nogil=True)
def _sum_recurrence(f, p):
    q = 1.0 - p
    h = -np.log(p) / q
    for j in range(1, f):
        h = (1.0 / j - p * h) / q
    return h
