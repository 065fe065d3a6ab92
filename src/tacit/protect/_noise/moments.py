"""Means and covariances that come out the same to the last bit on every engine and in every order of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import TacitError
from .._numbers import LARGEST
from .draws import read_only

LEAST = 1e-100
"""Squares of smaller differences vanish."""
PRECISE = 1e-12
"""Sums of squares lose what is smaller than this share of the squared distance between a group and the centre of all."""
SINGULAR = 1e-9
"""Directions with less than this share of the largest variance (of standardised columns) are exact linear relations."""


@dataclass(frozen=True, eq=False)
class Moments:
    """Of the records that have all the columns: how many, their means, their covariances."""

    count: int
    mean: np.ndarray
    covariance: np.ndarray
    flat: np.ndarray
    """Which columns have one value only."""
    dominance: float = 1.0
    """The largest share that one record has in the sum of squares of a column."""
    precise: bool = True
    """Whether the variances stand out from the rounding of the sums."""

    @property
    def all_vary(self) -> bool:
        """Whether every column varies."""
        return self.count >= 2 and not self.flat.any()


@dataclass(frozen=True, eq=False)
class Frame:
    r"""Where sums are taken: y = (x − centre) · scale lies in [−1, 1], and every term is cut into two exact parts.

    A double has 53 bits. With :math:`n < 2^L` rows, a term rounded to a multiple of :math:`2^{L - 52}` can be added n
    times without any rounding, and so can its remainder, rounded to a multiple of :math:`2^{2L - 105}`: the sums do not
    depend on the order in which an engine adds. Adding and subtracting ``steps`` rounds to these multiples.
    """

    centre: np.ndarray
    scale: np.ndarray
    reach: np.ndarray
    steps: tuple[float, float]


def frame_of(columns: Sequence[str], rows: int, low: np.ndarray, high: np.ndarray) -> Frame:
    """The frame of columns between their least and their largest values; refuses what would overflow."""
    for column, least, most in zip(columns, low, high, strict=True):
        if not (least >= -LARGEST and most <= LARGEST):
            raise overflow_error(column)
        if 0 < most - least < LEAST:
            raise TacitError(
                f"has values that differ by less than {LEAST:g}",
                code="out_of_range",
                column=column,
                fix="give it in a smaller unit, or leave it out of the columns",
            )
    centre = (low + high) / 2
    reach = np.maximum(high - centre, centre - low)
    scale = np.ldexp(1.0, -np.frexp(reach)[1])
    bits = max(rows, 1).bit_length()
    return Frame(centre, scale, reach, (1.5 * 2.0**bits, 1.5 * 2.0 ** (2 * bits - 53)))


def overflow_error(column: str) -> TacitError:
    """A number that would overflow."""
    return TacitError(
        f"has a number beyond ±{LARGEST:g}",
        code="out_of_range",
        column=column,
        fix="correct it, remove the record, or leave the column out",
    )


def of_sums(frame: Frame, count: int, sums: np.ndarray, flat: np.ndarray) -> Moments:
    """The moments from the sums of the pairs (i, j), i ≤ j, with the constant 1 as the last column."""
    width = len(frame.centre)
    square = np.zeros((width + 1, width + 1))
    square[np.triu_indices(width + 1)] = [*sums.sum(axis=1), 0.0]
    first = square[:width, width] / max(count, 1)
    upper = (square[:width, :width] - count * np.outer(first, first)) / max(count - 1, 1)
    spread = np.triu(upper) + np.triu(upper, 1).T
    spread[flat, :] = spread[:, flat] = 0.0
    farthest = np.abs(first) + frame.reach * frame.scale
    squares = (count - 1) * np.diag(spread)
    dominance = float((farthest**2 / squares).max()) if count > 1 and (squares > 0).all() else 1.0
    covariance = spread / frame.scale[:, None] / frame.scale[None, :]
    precise = bool((flat | (np.diag(spread) >= PRECISE * first**2)).all()) or count < 2
    return Moments(count, frame.centre + first / frame.scale, covariance, flat, dominance, precise)


def group_moments(
    columns: Sequence[str], values: Sequence[np.ndarray], group: np.ndarray | None = None, groups: int = 1
) -> tuple[list[Moments], Moments]:
    """The moments of each group of rows, and of all, from columns in memory; rows with a missing value do not count.

    O(n · columns²) time, no memory where nothing is missing.
    """
    from ...kernels.exact_sums import exact_sums, min_max_nan

    found = [min_max_nan(read_only(part)) for part in values]
    if any(missing for _, _, missing in found):
        kept = ~np.logical_or.reduce([np.isnan(part) for part in values])
        values = [part[kept] for part in values]
        group = None if group is None else group[kept]
        found = [min_max_nan(read_only(part)) for part in values]
    rows = len(values[0])
    if not rows:
        raise none_known(columns)
    low, high = np.array([(least, most) for least, most, _ in found]).T
    frame = frame_of(columns, rows, low, high)
    sums = np.zeros((groups, (len(columns) + 1) * (len(columns) + 2) // 2 - 1, 2))
    table = values[0].reshape(1, -1) if len(values) == 1 else np.stack(values)
    groups_of = np.zeros(0, np.int64) if group is None else group.astype(np.int64)
    exact_sums(read_only(table), frame.centre, frame.scale, groups_of, sums, frame.steps)
    whole = of_sums(frame, rows, sums.sum(axis=0), frame.reach == 0)
    if group is None:
        return [whole], whole
    counts = np.bincount(group, minlength=groups)
    low, high = np.full((groups, len(columns)), np.inf), np.full((groups, len(columns)), -np.inf)
    for place, part in enumerate(values):
        np.minimum.at(low[:, place], group, part)
        np.maximum.at(high[:, place], group, part)
    each = [of_sums(frame, int(counts[one]), sums[one], low[one] >= high[one]) for one in range(groups)]
    return _refine_moments(columns, values, group, each), whole


def _refine_moments(
    columns: Sequence[str], values: Sequence[np.ndarray], group: np.ndarray, each: list[Moments]
) -> list[Moments]:
    """The moments of the groups, those that lie far from the centre for how little they vary by sums of their own."""
    far = [place for place, one in enumerate(each) if not one.precise]
    if far:
        order = np.argsort(group, kind="stable")
        ends = np.searchsorted(group[order], np.arange(len(each) + 1))
        for place in far:
            rows = order[ends[place] : ends[place + 1]]
            each[place] = group_moments(columns, [part[rows] for part in values])[1]
    return each


def none_known(columns: Sequence[str]) -> TacitError:
    """No record has all the columns."""
    if len(columns) == 1:
        return TacitError("has no values", code="missing_values", column=columns[0], fix="leave it out of the columns")
    return TacitError(
        f"no record has values in all of {', '.join(columns)}",
        code="too_few_records",
        fix="mask them in several steps, or use form='uncorrelated'",
    )


def require_varying(columns: Sequence[str], found: Moments) -> Moments:
    """The moments of all records, refused where a column does not vary."""
    if found.count < 2 and len(columns) > 1:
        raise none_known(columns)
    for column, flat in zip(columns, found.flat, strict=True):
        if flat or found.count < 2:
            raise TacitError(
                "has one value only, and noise in proportion to its variance would be none",
                code="no_variation",
                column=column,
                fix="leave it out of the columns; a constant tells nothing about anybody",
            )
    return found


def covariance_factor(covariance: np.ndarray) -> np.ndarray:
    """L with L·L' = covariance, of as many columns as there are independent directions; never fails on singular ones.

    By eigenvectors of the correlations: what lies below ``SINGULAR`` is an exact relation between the columns, which the
    noise then obeys.
    """
    spread = np.sqrt(np.diag(covariance))
    unit = np.where(spread > 0, spread, 1.0)
    values, vectors = np.linalg.eigh(covariance / unit[:, None] / unit[None, :])
    kept = values > SINGULAR * len(spread) * max(values.max(), 0.0)
    found: np.ndarray = unit[:, None] * vectors[:, kept] * np.sqrt(values[kept])
    return found
