"""How many claimed values are right: attribute disclosure."""

from __future__ import annotations

import numpy as np

from ..per_record import PerRecord
from ..result import Result
from .claims import ValueClaims
from .interval import wilson

__all__ = ["right_values"]


def right_values(claims: ValueClaims, values: np.ndarray) -> Result:
    """The share of records whose true value lies in the claim, the share that a distribution gives to it counting.

    The baseline is what the same claims get when they are dealt out to the people at random, so that wide intervals
    and common values are no achievement. Records whose true value is unknown are left out of the baseline and count as
    wrong. Time O(n log n).
    """
    right, usual = _intervals(claims, values) if claims.start is None else _distributions(claims, values)
    return Result(
        name="attribute inference",
        column=claims.column,
        value=float(right.mean()),
        interval=wilson(float(right.sum()), len(right)),
        worse="high",
        about="attribute",
        facts={"baseline": usual, "records attacked": len(right)},
        per_record=PerRecord(array=right, rows_of="intruder"),
    )


def _intervals(claims: ValueClaims, values: np.ndarray) -> tuple[np.ndarray, float]:
    assert claims.low is not None and claims.high is not None
    right = (claims.low <= values) & (values <= claims.high)
    known = np.sort(values[~np.isnan(values)])
    made = ~np.isnan(claims.low) & ~np.isnan(claims.high)
    low, high = claims.low[made], claims.high[made]
    held = np.searchsorted(known, high, side="right") - np.searchsorted(known, low, side="left")
    return right.astype(float), float(held.sum() / max(1, len(known) * len(values)))


def _distributions(claims: ValueClaims, values: np.ndarray) -> tuple[np.ndarray, float]:
    assert claims.start is not None and claims.codes is not None and claims.shares is not None
    record = np.repeat(np.arange(len(values)), np.diff(claims.start))
    hit = claims.codes == values[record]
    right = np.bincount(record[hit], weights=claims.shares[hit], minlength=len(values))
    known = values[values >= 0].astype(np.int64)
    size = int(max(known.max(initial=-1), claims.codes.max(initial=-1))) + 1
    common = np.bincount(known, minlength=size) / max(1, len(known))
    return np.minimum(right, 1.0), float((claims.shares * common[claims.codes]).sum() / len(values))
