"""Numbers for lists of whole numbers, equal if and only if the lists are: names, not hashes, so that none collide."""

from __future__ import annotations

import numpy as np


def number_multisets(start: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, int]:
    """A number for each list ``values[start[i]:start[i+1]]``, equal iff two lists hold the same values as often.

    The values are whole numbers from 0 on. Each list is sorted, then named (:func:`number_sequences`). O(m log m) for m
    values.

    >>> number_multisets(np.array([0, 2, 4, 5, 5]), np.array([7, 3, 3, 7, 7]))[0].tolist()
    [0, 0, 1, 2]
    """
    span = int(values.max(initial=0)) + 1
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    return number_sequences(start, np.sort(owner * span + values) - owner * span)


def number_sequences(start: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, int]:
    """A number for each list, equal iff the lists are equal, and how many numbers there are.

    Neighbouring values are replaced by the number of their pair until one is left: after t steps a number stands for a
    stretch of 2ᵗ values, the last of a list of odd length for itself alone. Equal lengths need equally many steps, so
    the length and the last number name a list. O(m) time and memory for m values, by exact tables.

    >>> number_sequences(np.array([0, 3, 6, 8]), np.array([1, 2, 3, 1, 2, 3, 1, 2]))[0].tolist()
    [0, 0, 1]
    """
    from ...kernels.groups import group_rows

    lengths = np.diff(start)
    named = np.zeros(len(lengths), dtype=np.int64)
    left, size, first = np.arange(len(lengths)), lengths, start[:-1]
    span, most = int(values.max(initial=0)) + 1, int(lengths.max(initial=0)) + 1
    while True:
        done = size == 1
        named[left[done]] = values[first[done]]
        more = size > 1
        left, size, first = left[more], size[more], first[more]
        if not len(left):
            break
        values, span = _number_pairs(first, size, values, span)
        size = (size + 1) // 2
        first = np.cumsum(size) - size
    return group_rows([lengths, named], [most, int(named.max(initial=0)) + 1])


def _number_pairs(first: np.ndarray, size: np.ndarray, values: np.ndarray, span: int) -> tuple[np.ndarray, int]:
    """The numbers of the pairs of neighbouring values of each list, one list after the other."""
    from ...kernels.groups import group_rows

    half = (size + 1) // 2
    within = 2 * (np.arange(int(half.sum())) - np.repeat(np.cumsum(half) - half, half))
    place = np.repeat(first, half) + within
    alone = within + 1 == np.repeat(size, half)
    second = np.where(alone, 0, values[np.minimum(place + 1, len(values) - 1)] + 1)
    return group_rows([values[place], second], [span, span + 1])
