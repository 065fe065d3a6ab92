"""Exact line searches for the number of seekers who are found: the deepest point of many intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

NARROW = 1e-9
"""A segment of less than this angle is no place to stand in: rounding would decide who is found there."""
FAR = 1e3
"""A point larger than this, or smaller than one over it, is scaled back."""


class LineSearchState(NamedTuple):
    """Where the search stands: the rows of seeker i are ``start[i]:start[i+1]`` and it is found iff all are above zero.

    ``columns`` (q × rows) are the rows turned, ``sides`` (any × q) may not fall below zero. ``settle`` fills ``margin``
    (the rows at ``point``), ``inverse`` (1/margin), ``height`` (the sides at ``point``) and ``found``.
    """

    columns: np.ndarray
    start: np.ndarray
    sides: np.ndarray
    weight: np.ndarray
    point: np.ndarray
    margin: np.ndarray
    inverse: np.ndarray
    height: np.ndarray
    found: np.ndarray


class LineTrials(NamedTuple):
    """Directions to be tried one after another, how far each may be followed, and where in a segment to stop (0 to 1)."""

    directions: np.ndarray
    left: np.ndarray
    right: np.ndarray
    stop: np.ndarray


@njit(cache=True, nogil=True, error_model="numpy")
def climb_directions(state, trials):
    """Search along each direction in turn, go where the weight of the found is largest (also if it is no larger than here).

    O(rows · entries of a direction that are not zero + seekers · log seekers) for each direction.
    """
    slope, slant = np.empty(state.margin.size), np.empty(state.height.size)
    low, high = np.empty(state.found.size), np.empty(state.found.size)
    for k in range(len(trials.directions)):
        direction = trials.directions[k]
        left, right = _allowed_steps(state, direction, slant, trials.left[k], trials.right[k])
        if not left < right:
            continue
        _multiply_direction(state.columns, direction, slope)
        _found_intervals(state, slope, low, high)
        step = _deepest_step(state, low, high, left, right, _relative_steepness(state.point, direction), trials.stop[k])
        if step != 0.0:
            _move_point(state, direction, slope, slant, step)


@njit(cache=True, nogil=True, error_model="numpy")
def settle_state(state):
    """Fill what follows from the point."""
    _multiply_direction(state.columns, state.point, state.margin)
    for m in range(len(state.sides)):
        state.height[m] = max(np.dot(state.sides[m], state.point), 0.0)
    _judge_seekers(state)


@njit(cache=True, nogil=True, error_model="numpy")
def tightest_rows(margin, start):
    """The lowest row of each seeker; −1 for a seeker without rows."""
    where = np.full(start.size - 1, -1)
    for i in range(where.size):
        least = np.inf
        for r in range(start[i], start[i + 1]):
            if margin[r] < least:
                least, where[i] = margin[r], r
    return where


@njit(cache=True, nogil=True, error_model="numpy")
def mark_lowest(margin, start, count, marked):
    """Mark the ``count`` lowest rows of each seeker, and those that tie with the last."""
    for i in range(start.size - 1):
        own = margin[start[i] : start[i + 1]]
        last = np.partition(own, count - 1)[count - 1] if count < own.size else np.inf
        for k in range(own.size):
            if own[k] <= last:
                marked[start[i] + k] = True


@njit(cache=True, nogil=True, error_model="numpy")
def _multiply_direction(columns, direction, out):
    """Every row times the direction; most directions are zero nearly everywhere."""
    out[:] = 0.0
    for k in range(direction.size):
        amount = direction[k]
        if amount != 0.0:
            column = columns[k]
            for r in range(out.size):
                out[r] += amount * column[r]


@njit(cache=True, nogil=True, error_model="numpy")
def _judge_seekers(state):
    """Who is found, and one over every margin."""
    for i in range(state.found.size):
        least = np.inf
        for r in range(state.start[i], state.start[i + 1]):
            margin = state.margin[r]
            least = margin if margin < least else least
            state.inverse[r] = 1.0 / margin
        state.found[i] = least > 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _allowed_steps(state, direction, slant, left, right):
    """How far the direction may be followed both ways before a side falls below zero."""
    for m in range(len(state.sides)):
        slant[m] = np.dot(state.sides[m], direction)
        if slant[m] > 0.0:
            left = max(left, -state.height[m] / slant[m])
        elif slant[m] < 0.0:
            right = min(right, -state.height[m] / slant[m])
    return left, right


@njit(cache=True, nogil=True, error_model="numpy")
def _relative_steepness(point, direction):
    """The size of the direction beside that of the point."""
    return np.abs(direction).max() / max(np.abs(point).max(), 1e-300)


@njit(cache=True, nogil=True, error_model="numpy")
def _found_intervals(state, slope, low, high):
    """The steps at which each seeker is found: one open interval, empty where low ≥ high."""
    for i in range(state.found.size):
        first, last = state.start[i], state.start[i + 1]
        if state.found[i]:
            low[i], high[i] = _interval_around(state.inverse, slope, first, last)
        else:
            low[i], high[i] = _interval_elsewhere(state.margin, slope, first, last)


@njit(cache=True, nogil=True, error_model="numpy")
def _interval_around(inverse, slope, first, last):
    """The interval of a seeker who is found here: without a branch, because these are most."""
    up, down = 0.0, 0.0
    for r in range(first, last):
        rate = slope[r] * inverse[r]
        up = rate if rate > up else up
        down = rate if rate < down else down
    return -1.0 / up if up > 0.0 else -np.inf, -1.0 / down if down < 0.0 else np.inf


@njit(cache=True, nogil=True, error_model="numpy")
def _interval_elsewhere(margin, slope, first, last):
    """The interval of a seeker who is not found here; left as soon as it is seen to be empty."""
    low, high = -np.inf, np.inf
    for r in range(first, last):
        if slope[r] > 0.0:
            low = max(low, -margin[r] / slope[r])
        elif slope[r] < 0.0:
            high = min(high, -margin[r] / slope[r])
        elif margin[r] <= 0.0:
            return 1.0, 0.0
        if low >= high:
            return 1.0, 0.0
    return low, high


@njit(cache=True, nogil=True, error_model="numpy")
def _deepest_step(state, low, high, left, right, steepness, stop):
    """The step into the widest of the segments where the found weigh most, or 0: none weighs as much as here."""
    hope, lightest = 0.0, np.inf
    for i in range(low.size):
        if state.found[i]:
            lightest = min(lightest, state.weight[i])
        elif low[i] < high[i] and low[i] < right and high[i] > left:
            hope += state.weight[i]
    if lightest < np.inf:
        # Beyond the ends of so many who are found here, more is lost than all others could make good.
        bear = int(hope / lightest) + 1
        left, right = _narrow_range(state.found, low, high, bear, left, right)
    return _sweep_ends(state, low, high, left, right, steepness, stop)


@njit(cache=True, nogil=True, error_model="numpy")
def _narrow_range(found, low, high, bear, left, right):
    """Left and right drawn in to the ``bear``-th nearest end of the seekers who are found here."""
    ends = np.empty(found.size)
    for side in range(2):
        size = 0
        for i in range(found.size):
            if found[i]:
                ends[size] = high[i] if side else -low[i]
                size += 1
        if bear <= size:
            end = np.partition(ends[:size], bear - 1)[bear - 1]
            if side:
                right = min(right, end)
            else:
                left = max(left, -end)
    return left, right


@njit(cache=True, nogil=True, error_model="numpy")
def _sweep_ends(state, low, high, left, right, steepness, stop):
    """Sweep over the ends of the intervals between left and right."""
    at, change = np.empty(2 * low.size + 1), np.empty(2 * low.size + 1)
    size, depth, here = 0, 0.0, 0.0
    for i in range(low.size):
        if state.found[i]:
            here += state.weight[i]
        if low[i] < high[i] and low[i] < right and high[i] > left:
            if low[i] <= left:
                depth += state.weight[i]
            else:
                at[size], change[size] = low[i], state.weight[i]
                size += 1
            if high[i] < right:
                at[size], change[size] = high[i], -state.weight[i]
                size += 1
    at[size], change[size] = right, 0.0
    order = np.argsort(at[:size])
    top, widest, step = here - 1e-9 * (1.0 + here), 0.0, 0.0
    begin = np.arctan(left * steepness)
    for k in range(size + 1):
        event = order[k] if k < size else size
        end = np.arctan(at[event] * steepness)
        if end - begin > NARROW and (depth > top + 1e-9 * (1.0 + here) or (depth >= top and end - begin > widest)):
            top, widest = depth - 1e-9 * (1.0 + here), end - begin
            step = np.tan(begin + widest * stop) / steepness
        begin = end
        depth += change[event]
    return step


@njit(cache=True, nogil=True, error_model="numpy")
def _move_point(state, direction, slope, slant, step):
    """Move the point and all that follows from it."""
    for k in range(direction.size):
        state.point[k] += step * direction[k]
    for r in range(slope.size):
        state.margin[r] += step * slope[r]
    for m in range(slant.size):
        state.height[m] = max(state.height[m] + step * slant[m], 0.0)
    size = np.abs(state.point).max()
    if size > FAR or size < 1.0 / FAR:  # a multiple finds the same people, and the sums stay exact
        state.point[:] /= size
        state.margin[:] /= size
        state.height[:] /= size
    _judge_seekers(state)
