"""How many claimed values are right: attribute disclosure."""

from __future__ import annotations

import numpy as np

from ..interval import wilson
from ..per_record import PerRecord
from ..result import Result
from .claims import ValueClaims, segment_sums


def right_values(claims: ValueClaims, values: np.ndarray, *, within: float = 0.0, together: int = 1) -> Result:
    """The share of records whose true value lies in the claim, the share that a distribution gives to it counting.

    A number counts as right when it is off by at most ``within``; up to so many people as ``together`` are right at once. The baseline is what the same claims get when they are
    dealt out to the people at random, so that wide intervals and common values are no achievement. Records whose true
    value is unknown have nothing to be disclosed: they are left out. Time O(n log n).
    """
    if claims.codes is not None:
        values = np.nan_to_num(values, nan=-1.0).astype(np.int64)
    judged = np.flatnonzero(known_values(values))
    if claims.start is None:
        right, usual = _score_intervals(claims, values, judged, within)
    else:
        right, usual = _score_distributions(claims, values, judged, within)
    per_record = np.zeros(len(values))
    per_record[judged] = right
    facts: dict[str, object] = {"baseline": usual, "records attacked": len(judged)}
    facts |= {"value unknown": len(values) - len(judged)} if len(judged) < len(values) else {}
    facts |= _where_said(claims, judged, float(right.sum()))
    facts |= claims.facts
    facts |= {"notes": list(claims.notes)} if claims.notes else {}
    return Result(
        name="attribute inference",
        column=claims.column,
        value=float(right.mean()) if len(right) else 0.0,
        interval=wilson(float(right.sum()), len(right), together=together),
        worse="high",
        about="attribute",
        facts=facts,
        per_record=PerRecord(array=per_record, rows_of="intruder"),
    )


def _where_said(claims: ValueClaims, judged: np.ndarray, right: float) -> dict[str, object]:
    """How much is right of those of whom something is said, where that is not everybody."""
    if claims.start is None:
        assert claims.low is not None
        said = int((~np.isnan(claims.low[judged])).sum())
    else:
        said = int((np.diff(claims.start)[claims.claim_numbers()[judged]] > 0).sum())
    return {"said of": said, "right where it is said": right / said} if 0 < said < len(judged) else {}


def known_values(values: np.ndarray) -> np.ndarray:
    """Which true values are known: numbers that are not NaN, codes that are not negative."""
    known: np.ndarray = values >= 0 if values.dtype.kind in "iu" else ~np.isnan(values)
    return known


def _score_intervals(
    claims: ValueClaims, values: np.ndarray, judged: np.ndarray, within: float
) -> tuple[np.ndarray, float]:
    assert claims.low is not None and claims.high is not None
    low, high, known = claims.low[judged] - within, claims.high[judged] + within, values[judged]
    right = (low <= known) & (known <= high)
    made = ~np.isnan(low) & ~np.isnan(high)
    ordered = np.sort(known)
    held = np.searchsorted(ordered, high[made], side="right") - np.searchsorted(ordered, low[made], side="left")
    return right.astype(float), float(held.sum() / max(1, len(known)) ** 2)


def _score_distributions(
    claims: ValueClaims, values: np.ndarray, judged: np.ndarray, within: float
) -> tuple[np.ndarray, float]:
    """Each record's share of what is right, and what the claims get on average of a random one.

    The named values of all claims become one sorted list with the claim in front, so that the shares near a true value
    are a difference of two running totals.
    """
    assert claims.start is not None and claims.shares is not None
    named = claims.codes if claims.numbers is None else claims.numbers
    assert named is not None
    claim = np.repeat(np.arange(len(claims.start) - 1), np.diff(claims.start))
    ladder, step = np.unique(named, return_inverse=True)
    order = np.lexsort((step, claim))
    places = (claim * (len(ladder) + 1) + step)[order]
    total = np.append(0.0, np.cumsum(claims.shares[order]))
    known, made = values[judged], claims.claim_numbers()[judged]
    reach = within * (1 + 1e-12)
    first, past = (
        np.searchsorted(ladder, known - reach, side="left"),
        np.searchsorted(ladder, known + reach, side="right"),
    )
    ends = (np.searchsorted(places, made * (len(ladder) + 1) + end, side="left") for end in (first, past))
    right = -np.subtract(*(total[end] for end in ends))
    common = np.sort(known)
    near = np.searchsorted(common, named + reach, side="right") - np.searchsorted(common, named - reach, side="left")
    expected = segment_sums(claims.shares * near / max(1, len(known)), claims.start)
    usual = float(expected[made].mean()) if len(made) else 0.0
    return np.clip(right, 0.0, 1.0), usual
