"""One number about how the values of a column spread within one group: the arithmetic behind ℓ, t, α, β and δ.

A group is given by its tally: ``tally[code]`` is how often each code occurs, ``present[:found]`` lists the codes that do,
``total`` is their sum. The tally of codes that are not present is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

DISTINCT, ENTROPY, GRASSBERGER, RECURSIVE, OTHERS = 0, 1, 2, 3, 4

VARIATIONAL, ORDERED, HIERARCHICAL, LARGEST, GAIN, ENHANCED, RATIO = 10, 11, 12, 13, 14, 15, 16

LEVEL = 1e-13
"""Shares that differ by no more than this are equal: what adding up thousands of them may round."""

AT_LEAST = 10
"""Kinds below this number are the better the larger they are; those from it on the better the smaller."""

inner = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions that only other kernels call: quicker to compile, because there is no way in from Python."""

FEW = 16
"""Stretches of up to so many values are sorted by insertion."""


class FileDistribution(NamedTuple):
    """The distribution of the whole file over the codes of one column, and the tree over them, if any.

    ``share[code]``; ``cumulated[code]`` = Σ share up to it; ``prefix[i]`` = Σ cumulated before i (one longer);
    ``tree[h, code]`` is the node above the code at level h + 1, the last level being the root; no rows without a tree.
    The first ``known`` codes are values in their order; one code more stands for a missing value, which has no place in it.
    """

    share: np.ndarray
    cumulated: np.ndarray
    prefix: np.ndarray
    tree: np.ndarray
    known: int


def whole_of(counts: np.ndarray, tree: np.ndarray | None = None, *, known: int | None = None) -> FileDistribution:
    """From the counts of the codes in the whole file; ``tree`` and ``known`` (all codes by default) as in :class:`FileDistribution`."""
    share = counts / max(1, counts.sum())
    cumulated = np.cumsum(share)
    levels = np.zeros((0, len(counts)), dtype=np.int64) if tree is None else np.ascontiguousarray(tree, dtype=np.int64)
    prefix = np.concatenate(([0.0], np.cumsum(cumulated)))
    return FileDistribution(share, cumulated, prefix, levels, len(counts) if known is None else known)


@njit(cache=True, nogil=True)
def spread_measure(kind, extra, tally, present, found, total, whole):
    """The number of the kind; O(found), but ORDERED O(found log codes), with missing values 45 times that, and HIERARCHICAL O(levels · codes).

    DISTINCT: how many codes. ENTROPY: exp(H). GRASSBERGER: exp of the estimate of H that corrects for few records, but
    no more than the codes that occur. RECURSIVE: the largest ℓ with r₁ < ``extra`` · (r_ℓ + … + r_m), r the counts in
    falling order; 0 if there is none. OTHERS: how many do not have the most frequent code, ``total`` − r₁. LARGEST: the largest share p. VARIATIONAL, ORDERED, HIERARCHICAL: the earth mover's distance from p to the whole
    file's q with equal, ordered or tree distances, missing being at distance 1 from every value. GAIN: the largest (p − q)/q. ENHANCED: the same, infinite where a
    gain is above −ln q. RATIO: the largest |log₂(p/q)| over the codes present; ``extra`` = 1 makes it infinite where a
    code of the file is absent. A group without values has 0 of everything.
    """
    if kind < AT_LEAST:
        return variety_measure(kind, extra, tally, present, found, total)
    if kind == HIERARCHICAL:
        return along_tree(tally, found, total, whole)
    return excess_measure(kind, extra, tally, present, found, total, whole)


@inner
def variety_measure(kind, extra, tally, present, found, total):
    """The kinds of :func:`spread_measure` that are the better the larger they are."""
    if found == 0:
        return 0.0
    if kind == DISTINCT:
        return float(found)
    if kind == ENTROPY:
        return np.exp(_tally_entropy(tally, present, found, total))
    if kind == GRASSBERGER:
        return min(float(found), np.exp(_grassberger_entropy(tally, present, found, total)))
    if kind == RECURSIVE:
        return _recursive_diversity(extra, tally, present, found)
    return float(total - _largest_count(tally, present, found))


@inner
def excess_measure(kind, extra, tally, present, found, total, whole):
    """The kinds of :func:`spread_measure` that are the better the smaller they are, but for that along a tree."""
    if found == 0:
        return 0.0
    if kind == VARIATIONAL:
        return _variational_distance(tally, present, found, total, whole.share)
    if kind == ORDERED:
        return _ordered_distance(tally, present, found, total, whole)
    if kind == LARGEST:
        return _largest_count(tally, present, found) / total
    if kind == RATIO:
        return _largest_log_ratio(extra, tally, present, found, total, whole.share)
    return _largest_gain(kind, tally, present, found, total, whole.share)


@inner
def _tally_entropy(tally, present, found, total):
    entropy = 0.0
    for place in range(found):
        share = tally[present[place]] / total
        entropy -= share * np.log(share)
    return entropy


@inner
def _digamma(x):
    """ψ(x) for x > 0 by its recurrence and asymptotic series; to about 1e-12."""
    value = 0.0
    while x < 10.0:
        value -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = 1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square * (1.0 / 240.0 - square / 132.0)))
    return value + np.log(x) - 0.5 / x - square * series


@inner
def _log_estimate(count):
    """The G(n) that stands for ln n in estimates from few records: ψ(n) + ½ (−1)ⁿ (ψ((n+1)/2) − ψ(n/2))."""
    n = float(count)
    sign = 1.0 if count % 2 == 0 else -1.0
    return _digamma(n) + 0.5 * sign * (_digamma((n + 1.0) / 2.0) - _digamma(n / 2.0))


@inner
def _grassberger_entropy(tally, present, found, total):
    """G(n) − (1/n) Σ n_i G(n_i); with G(n) in place of Grassberger's ln n a group of one code has 0."""
    summed = 0.0
    for place in range(found):
        count = tally[present[place]]
        summed += count * _log_estimate(count)
    return _log_estimate(total) - summed / total


@inner
def _largest_count(tally, present, found):
    largest = 0
    for place in range(found):
        largest = max(largest, tally[present[place]])
    return largest


@inner
def _recursive_diversity(c, tally, present, found):
    counts = np.empty(found, np.int64)
    for place in range(found):
        counts[place] = tally[present[place]]
    sort_numbers(counts)
    largest, tail = counts[found - 1], 0
    for left in range(found):
        tail += counts[left]
        if largest < c * tail:
            return float(found - left)
    return 0.0


@inner
def _variational_distance(tally, present, found, total, share):
    apart, covered = 0.0, 0.0
    for place in range(found):
        code = present[place]
        apart += abs(tally[code] / total - share[code])
        covered += share[code]
    return min(1.0, max(0.0, 0.5 * (apart + 1.0 - covered)))


@inner
def _ordered_distance(tally, present, found, total, whole):
    """The earth mover's distance where values i and j are |i − j|/(m − 1) apart, and missing is 1 apart from each.

    Without a missing value it is Σ |P_i − Q_i|/(m − 1) over the m − 1 steps between neighbouring values: between two
    codes of the group P is constant and Q grows, so each stretch comes from prefix sums of Q. If the shares of missing
    values differ by e, the mass |e| moves between missing and known at cost 1, wherever it arrives; where it arrives
    best is :func:`_monotone_fit`.
    """
    codes = np.empty(found, np.int64)
    for place in range(found):
        codes[place] = present[place]
    sort_numbers(codes)
    steps, stretches = whole.known - 1, np.int64(0)  # a literal 0 would be a type of its own
    start, reached = np.empty(found + 2, np.int64), np.empty(found + 1)
    start[0], reached[0], lacking = 0, 0.0, 0.0
    for place in range(found):
        if codes[place] >= whole.known:
            lacking += tally[codes[place]] / total
        elif codes[place] < steps:
            stretches += 1
            start[stretches] = codes[place]
            reached[stretches] = reached[stretches - 1] + tally[codes[place]] / total
    start[stretches + 1] = max(0, steps)
    for code in range(whole.known, whole.share.size):
        lacking -= whole.share[code]
    apart = 0.0
    if abs(lacking) <= LEVEL:
        for place in range(stretches + 1):
            apart += _stretch_distance(whole.cumulated, whole.prefix, start[place], start[place + 1], reached[place])
    else:
        apart = _monotone_fit(whole, start, reached, stretches, lacking)
    return min(1.0, max(0.0, abs(lacking) + apart / max(1, steps)))


@inner
def _monotone_fit(whole, start, reached, stretches, lacking):
    """The least Σ |S_i − a_i| over the steps i and all non-decreasing S between 0 and |lacking|.

    With ``lacking`` = p₀ − q₀ > 0 the missing values of the group fill a part of the file's known values: S_i is how much
    of the values up to i they fill, a_i = Q_i − P_i what the group's own values leave open there, and |S_i − a_i| is what
    must cross the step. With ``lacking`` < 0 a part of the group's known values goes to the file's missing ones, and
    a_i = P_i − Q_i. For a level c the steps with S ≤ c are those before a cut, and the best cut is the one with the
    fewest a_i on its wrong side; so the range of S is halved until an interval of steps lies within one stretch, where a
    is monotone and the best S known, or until the range is as small as rounding errors. O(stretches · log codes) for each
    of at most 45 halvings.
    """
    cumulated, prefix = whole.cumulated, whole.prefix
    rising = lacking > 0.0
    sign = 1.0 if rising else -1.0
    left, right = np.empty(64, np.int64), np.empty(64, np.int64)
    least, most = np.empty(64), np.empty(64)
    left[0], right[0], least[0], most[0] = 0, start[stretches + 1], 0.0, abs(lacking)
    open_ranges, apart = 1, 0.0
    while open_ranges > 0:
        open_ranges -= 1
        low, high, floor, ceiling = left[open_ranges], right[open_ranges], least[open_ranges], most[open_ranges]
        if high <= low:
            continue
        first = np.int64(np.searchsorted(start[: stretches + 2], low, side="right") - 1)
        if high <= start[first + 1]:
            apart += _within_stretch(cumulated, prefix, low, high, reached[first], floor, ceiling, rising)
            continue
        level, surplus, fewest, cut = 0.5 * (floor + ceiling), 0, 0, low
        flat = ceiling - floor <= LEVEL
        place = first
        while place <= stretches and start[place] < high:
            begin, end = max(low, start[place]), min(high, start[place + 1])
            if flat:
                apart += _stretch_distance(cumulated, prefix, begin, end, reached[place] + sign * floor)
            elif begin < end:
                crossing = _first_above(cumulated, begin, end, reached[place] + sign * level)
                if rising:  # up to the crossing a ≤ level, then above
                    if surplus - (crossing - begin) < fewest:
                        fewest, cut = surplus - (crossing - begin), crossing
                    surplus += (end - crossing) - (crossing - begin)
                else:
                    surplus += (crossing - begin) - (end - crossing)
                    if surplus < fewest:
                        fewest, cut = surplus, end
            place += 1
        if not flat:
            left[open_ranges], right[open_ranges] = low, cut
            least[open_ranges], most[open_ranges] = floor, level
            left[open_ranges + 1], right[open_ranges + 1] = cut, high
            least[open_ranges + 1], most[open_ranges + 1] = level, ceiling
            open_ranges += 2
    return apart


@inner
def _within_stretch(cumulated, prefix, low, high, reached, floor, ceiling, rising):
    """Σ |S_i − a_i| for the best non-decreasing S in [floor, ceiling], where a rises (S is a, cut) or falls (its median)."""
    if not rising:
        middle = reached - cumulated[(low + high) >> 1]
        return _stretch_distance(cumulated, prefix, low, high, reached - min(ceiling, max(floor, middle)))
    bottom = _first_above(cumulated, low, high, reached + floor)
    top = _first_above(cumulated, low, high, reached + ceiling)
    under = (reached + floor) * (bottom - low) - (prefix[bottom] - prefix[low])
    return under + (prefix[high] - prefix[top]) - (reached + ceiling) * (high - top)


@inner
def _first_above(cumulated, low, high, value):
    """The first place in [low, high) where the cumulated share is above the value; ``high`` if there is none."""
    while low < high:
        middle = (low + high) >> 1
        if cumulated[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _stretch_distance(cumulated, prefix, low, high, reached):
    """Σ |reached − Q_i| for i in [low, high), Q increasing."""
    if high <= low:
        return 0.0
    cross = _first_above(cumulated, low, high, reached)
    below = reached * (cross - low) - (prefix[cross] - prefix[low])
    above = (prefix[high] - prefix[cross]) - reached * (high - cross)
    return below + above


@inner
def along_tree(tally, found, total, whole):
    """HIERARCHICAL: Σ over the nodes of height/H · min(what flows in, what flows out) between their children (Li et al. 2007)."""
    if found == 0:
        return 0.0
    levels, codes = whole.tree.shape
    here = np.empty(codes)
    for code in range(codes):
        here[code] = tally[code] / total - whole.share[code]
    cost = 0.0
    node = np.arange(codes)
    for level in range(levels):
        above = np.zeros(codes)
        inward, outward = np.zeros(codes), np.zeros(codes)
        seen = np.zeros(codes, np.bool_)
        for code in range(codes):
            child, parent = node[code], whole.tree[level, code]
            if not seen[child]:
                seen[child] = True
                above[parent] += here[child]
                if here[child] > 0.0:
                    inward[parent] += here[child]
                else:
                    outward[parent] -= here[child]
        for parent in range(codes):
            cost += (level + 1) / levels * min(inward[parent], outward[parent])
        for code in range(codes):
            node[code] = whole.tree[level, code]
        here = above
    return cost


@inner
def _largest_gain(kind, tally, present, found, total, share):
    largest = -1.0
    for place in range(found):
        code = present[place]
        gain = (tally[code] / total - share[code]) / share[code]
        if kind == ENHANCED and gain > -np.log(share[code]) + 1e-12:
            return np.inf
        largest = max(largest, gain)
    return largest


@inner
def _largest_log_ratio(extra, tally, present, found, total, share):
    largest = 0.0
    for place in range(found):
        code = present[place]
        largest = max(largest, abs(np.log2(tally[code] / total / share[code])))
    if extra == 1.0:
        everything = 0
        for code in range(share.size):  # ends at the first code too many, mostly after found + 1 of them
            everything += share[code] > 0.0
            if found < everything:
                return np.inf
    return largest


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def sort_numbers(values):
    """Sort numbers in place, none of them NaN; O(n log n) time on average, O(log n) memory."""
    waiting = np.empty((64, 2), np.int64)
    left, right, count = 0, values.size - 1, 0
    while True:
        while right - left >= FEW:
            i, j = left, right
            pivot = _median_of_three(values[left], values[(left + right) >> 1], values[right])
            while i <= j:
                while values[i] < pivot:
                    i += 1
                while values[j] > pivot:
                    j -= 1
                if i <= j:
                    values[i], values[j] = values[j], values[i]
                    i += 1
                    j -= 1
            if j - left < right - i:  # the longer part waits, so that at most log n do
                waiting[count, 0], waiting[count, 1] = i, right
                right = j
            else:
                waiting[count, 0], waiting[count, 1] = left, j
                left = i
            count += 1
        if count == 0:
            break
        count -= 1
        left, right = waiting[count, 0], waiting[count, 1]
    for i in range(1, values.size):
        value, j = values[i], i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@njit(nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _median_of_three(a, b, c):
    if a < b:
        return b if b < c else (c if a < c else a)
    return a if a < c else (c if b < c else b)
