"""Sums of values and of their products that do not depend on the order of the rows, not even in the last bit."""

import numpy as np
from numba import njit

ROWS = 512
"""Rows that are handled together: each adds to a sum of its own, so that the processor takes several at once."""


@njit(cache=True, nogil=True)
def min_max_nan(values):
    """The least and the largest of the values, and whether one is NaN, in one pass."""
    low, high, missing = np.inf, -np.inf, False
    for value in values:
        low = value if value < low else low
        high = value if value > high else high
        missing |= value != value
    return low, high, missing


@njit(cache=True, nogil=True)
def _add_products(left, right, coarse, fine, high, low):
    for row in range(len(left)):
        term = left[row] * right[row]
        rounded = (term + high) - high
        coarse[row] += rounded
        fine[row] += ((term - rounded) + low) - low


@njit(cache=True, nogil=True)
def _add_terms(terms, coarse, fine, high, low):
    for row in range(len(terms)):
        rounded = (terms[row] + high) - high
        coarse[row] += rounded
        fine[row] += ((terms[row] - rounded) + low) - low


@njit(cache=True, nogil=True)
def _centre_and_scale(values, centre, scale, out):
    for row in range(len(values)):
        out[row] = (values[row] - centre) * scale


@njit(cache=True, nogil=True)
def _add_grouped_products(left, right, group, sums, high, low):
    for row in range(len(left)):
        term = left[row] * right[row]
        coarse = (term + high) - high
        sums[group[row], 0] += coarse
        sums[group[row], 1] += ((term - coarse) + low) - low


@njit(cache=True, nogil=True)
def exact_sums(values, centre, scale, group, sums, steps):
    """Add to ``sums[group, pair, part]`` the sums of y and of y·y' over the rows, y = (value − centre) · scale.

    The pairs are (i, j), i ≤ j, with 1 as the last column. |y| ≤ 1; each term is cut into a multiple of a coarse and one
    of a fine step (``steps`` are the numbers that round to them), so large that no sum is ever rounded. ``group`` is
    empty where all rows are one group.
    """
    columns, rows = values.shape
    high, low = steps
    part = np.ones((columns + 1, ROWS))
    many = sums.shape[1]
    room = np.zeros((many, 2, ROWS if len(group) == 0 else 0))
    for start in range(0, rows, ROWS):
        end = min(start + ROWS, rows)
        size = end - start
        for column in range(columns):
            _centre_and_scale(values[column, start:end], centre[column], scale[column], part[column])
        pair = 0
        for i in range(columns):
            for j in range(i, columns + 1):
                if len(group):
                    _add_grouped_products(part[i, :size], part[j, :size], group[start:end], sums[:, pair], high, low)
                elif j < columns:
                    _add_products(part[i, :size], part[j, :size], room[pair, 0], room[pair, 1], high, low)
                else:
                    _add_terms(part[i, :size], room[pair, 0], room[pair, 1], high, low)
                pair += 1
    if len(group) == 0:
        for pair in range(many):
            sums[0, pair, 0] += room[pair, 0].sum()
            sums[0, pair, 1] += room[pair, 1].sum()
