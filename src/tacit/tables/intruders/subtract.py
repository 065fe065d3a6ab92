"""The one step of every insider: take what you know to be your own from the figure, and the rest is the others'."""

from __future__ import annotations

import numpy as np

from ..published import Published
from .claims import CellClaims
from .knowledge import Knowledge


def largest_other(knowledge: Knowledge, cells: np.ndarray, members: np.ndarray) -> np.ndarray:
    """For each claim (a cell and its ``members`` among the kept contributions) the place of the largest who is no member, −1 for nobody."""
    others = (knowledge.owners[cells] >= 0) & ~members
    if not others.shape[1]:
        return np.full(len(others), -1)
    return np.where(others.any(axis=1), others.argmax(axis=1), -1)


def subtract_own_parts(
    published: Published, knowledge: Knowledge, *, cells: np.ndarray, members: np.ndarray, target: np.ndarray
) -> CellClaims:
    r"""What ``members`` of each cell say of the largest respondent beside them, whose place is ``target``.

    Members who add s to a figure in [l, h] know that the others add l − s to h − s. When contributions are 0 or more, the
    largest other one adds no more than h − s, and, c being the number of respondents and m the members', no less than the
    mean of the others:

    .. math:: \frac{l - s}{c - m} \le x \le h - s.

    With c − m = 1 both ends are one where the figure is published: exact disclosure. The estimate is the upper end, as in
    the p %-rule. O(claims × kept contributions).
    """
    own = np.where(members, knowledge.added[cells], 0.0).sum(axis=1)
    count = knowledge.contributors[cells]
    others = np.where(count >= 0, count - members.sum(axis=1), 0)
    low, high = published.low[cells] - own, published.high[cells] - own
    last = others == 1
    if knowledge.positive:
        low = np.where(others > 0, np.maximum(0.0, low) / np.maximum(others, 1), 0.0)
    else:
        low, high = np.where(last, low, -np.inf), np.where(last, high, np.inf)
    return CellClaims(
        cells=cells,
        owners=knowledge.owners[cells, target],
        low=low,
        high=high,
        estimate=high,
    )
