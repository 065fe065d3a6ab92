"""Centres drawn by lot: how likely each of them is for a known record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..compared import Compared

if TYPE_CHECKING:
    from .microaggregation_columns import Averaged

__all__ = ["by_lot"]

NEAREST = 8
"""Fuzzy microaggregation draws one of so many nearest centres."""
CELLS = 1 << 22
"""Up to so many pairs of record and centre have a table of chances."""


def by_lot(columns: Sequence[Averaged], *, weights: Sequence[float], fuzzifier: float, exact: bool) -> Compared | None:
    r"""The chances of the centres for each known record, where centres were drawn (fuzzy microaggregation, E-08).

    A record x draws one of the eight nearest centres with the chance :math:`u_c \propto d(x, c)^{-2/(m-1)}`, d being the
    distance on columns divided by their standard deviations, times weights. Centres that too few drew are given up, and
    their records draw again among those left. So the centre of a record is one of the eight nearest of those that are left
    in the end: of all that are nearer, at most seven were there when it was drawn. With ``exact``, when the intruder knows
    the standard deviations, others are impossible; else only as unlikely as they are far. Costs are
    :math:`-\log (u_c / q_c)`, with the share q of the records that show c.

    None when nothing is told apart, or for more than four million pairs of record and centre: that is what a table
    takes, in time and memory.

    References
    ----------
    Torra (2017), Fuzzy microaggregation for the transparency principle, Journal of Applied Logic 23, 70–80.
    """
    released, mine = (np.column_stack([getattr(one, side) for one in columns]) for side in ("release", "intruder"))
    there, has = (~np.isnan(side).any(axis=1) for side in (released, mine))
    centres, shown, count = np.unique(released[there], axis=0, return_inverse=True, return_counts=True)
    values, at = np.unique(mine[has], axis=0, return_inverse=True)
    if len(centres) < 2 or not 0 < len(values) * len(centres) <= CELLS:
        return None
    spread = mine[has].std(axis=0) if exact else released[there].std(axis=0)
    scale = np.where(spread > 0, spread, 1.0) / np.sqrt(weights)
    blurred = float(np.sqrt(np.square([one.rounding for one in columns] / scale).sum()))
    chance = _chances(_apart(values / scale, centres / scale), fuzzifier, blurred=blurred, exact=exact)
    table = np.log(count / count.sum()) - chance
    theirs, own = np.full(len(released), np.nan), np.full(len(mine), np.nan)
    theirs[there], own[has] = shown.ravel(), at.ravel()
    # A missing cell tells nothing: it is as likely for everybody, and costs 0.
    return Compared(theirs, own, kind="table", usual=1.0, share=0.0, weight=1.0, table=table)


def _apart(values: np.ndarray, centres: np.ndarray) -> np.ndarray:
    squares = np.zeros((len(values), len(centres)))
    for own, theirs in zip(values.T, centres.T, strict=True):
        squares += np.square(own[:, None] - theirs)
    found: np.ndarray = np.sqrt(squares)
    return found


def _chances(apart: np.ndarray, fuzzifier: float, *, blurred: float, exact: bool) -> np.ndarray:
    """The logarithms of the memberships; distances are known up to ``blurred``, by rounding."""
    power = -2.0 / (fuzzifier - 1) * np.log(np.maximum(apart, max(blurred, 1e-150)))
    if exact and apart.shape[1] > NEAREST:
        eighth = np.partition(apart, NEAREST - 1, axis=1)[:, NEAREST - 1]
        power[apart > eighth[:, None] + 2 * blurred] = -np.inf
    power -= power.max(axis=1, keepdims=True)
    found: np.ndarray = power - np.log(np.exp(power).sum(axis=1, keepdims=True))
    return found
