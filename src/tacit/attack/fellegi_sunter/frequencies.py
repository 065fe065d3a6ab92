"""Agreeing on a rare value says more than agreeing on a common one."""

from __future__ import annotations

import numpy as np

from .files import Files
from .model import LEAST, Model

__all__ = ["rarity"]


def rarity(files: Files, model: Model) -> np.ndarray:
    r"""What exact agreement on each of the intruder's values weighs more than on a value of usual frequency.

    Two persons agree on the value x with the chance :math:`f_x`, its share of the release, given that one of them has
    it; the model's u is the mean of that. So exact agreement on x weighs :math:`\log_2(u / f_x)` more: a rare name
    convinces, a common one does not. Values that the release has not got, missing ones, and columns that are compared
    by tolerance alone weigh nothing more. Time O(n log n), memory O(n · columns).

    References
    ----------
    Newcombe, Kennedy, Axford and James (1959), Automatic linkage of vital records, Science 130, 954–959.
    """
    extra = np.zeros((len(files.value), len(files.comparisons)))
    total = max(1, int(files.records.sum()))
    for column, (one, last) in enumerate(zip(files.comparisons, files.columns[1:] - 1, strict=True)):
        if not one.levels[-1].coded:
            continue
        low, value = files.low[:, last], files.value[:, last]
        known = ~np.isnan(low)
        held, place = np.unique(low[known], return_inverse=True)
        count = np.append(np.bincount(place, weights=files.records[known]), 0.0)
        at = np.searchsorted(held, value)
        shared = np.append(held, np.nan)[at] == value
        share = count[at[shared]] / total
        extra[shared, column] = np.log2(max(float(model.u[column][-1]), LEAST) / share)
    return extra
