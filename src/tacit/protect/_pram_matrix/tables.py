"""Matrices as tables that the kernel looks its answers up in."""

from __future__ import annotations

import numpy as np

BITS = 32
"""Of a draw: a probability holds to half of 2⁻³²."""
CELLS = 1 << 13
"""So many cells the guide of a column should have: it stays in the cache."""


def cumulative_rows(matrices: np.ndarray) -> np.ndarray:
    """The cumulated rows of the matrices of all strata as whole numbers up to 2³²; an entry of 0 stays impossible.

    Every stratum has one row more, of zeros, for what is no category.
    """
    strata, count, _ = matrices.shape
    found = np.zeros((strata, count + 1, count), dtype=np.uint64)
    found[:, :count] = np.minimum(np.rint(np.cumsum(matrices, axis=2) * 2.0**BITS), 2.0**BITS).astype(np.uint64)
    # What rounding left over goes to the last category that is possible.
    last = count - 1 - np.argmax(matrices[:, :, ::-1] > 0, axis=2)
    found[:, :count][np.arange(count) >= last[:, :, None]] = np.uint64(1 << BITS)
    return found.reshape(-1, count)


def build_guide(upto: np.ndarray, into: np.ndarray) -> tuple[np.ndarray, int]:
    """For each source and the first bits of a draw what it becomes, −1 where they do not tell; and how many bits."""
    bits = max(2, min(12, int(np.log2(CELLS / len(upto)))))
    first = np.arange(1 << bits, dtype=np.uint64) << np.uint64(BITS - bits)
    guide = np.full((len(upto), len(first)), -1, dtype=np.int32)
    for source in np.flatnonzero(upto[:, -1]):
        low = np.searchsorted(upto[source], first, side="right")
        high = np.searchsorted(upto[source], first + np.uint64((1 << (BITS - bits)) - 1), side="right")
        guide[source] = np.where(low == high, into[low], -1)
    return guide.ravel(), bits
