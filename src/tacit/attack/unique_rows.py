"""The different rows of a file in an order that does not depend on that of the file."""

from __future__ import annotations

import numpy as np


def unique_rows_sorted(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the different rows each row is, and those in the order of their values: that of no file. O(n log n)."""
    from ..kernels.nearest import distinct_rows

    if not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64), rows[:1]
    group_of, first = distinct_rows(rows)
    different = rows[first]
    gaps = np.isnan(different)
    order = np.lexsort(np.hstack([gaps, np.where(gaps, 0.0, different)]).T)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return number[group_of], different[order]
