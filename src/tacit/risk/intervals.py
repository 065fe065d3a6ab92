"""The intervals that a masked value gives for its original one, at any width, from one sort of the column."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias

import numpy as np

from ..errors import TacitError, format_value, suggest_alternative
from ..release.common_level import standard_deviation
from .numeric_pairs import NumericColumnPair

By: TypeAlias = Literal["rank", "deviation"]
ROUNDING = 1 + 1e-12
"""Differences that exceed the width by rounding only do not exceed it."""


class Intervals(Protocol):
    """Intervals around every masked value of a column, of any width."""

    def at(self, percent: float) -> tuple[np.ndarray, float]:
        """Which masked rows have an interval that holds their original value; the share when dealt out at random."""


def checked_by(by: str) -> None:
    """Refuse what is not one of the two forms."""
    if by not in ("rank", "deviation"):
        raise TacitError(
            f"by={format_value(by)} is no form of interval",
            code="wrong_type",
            parameter="by",
            fix=suggest_alternative(str(by), ("rank", "deviation")),
        )


def checked_percent(percent: object) -> None:
    """Refuse what is not a percentage above 0."""
    if isinstance(percent, bool) or not isinstance(percent, int | float) or not 0 < percent <= 100:
        raise TacitError(
            f"percent={format_value(percent)} is no width",
            code="wrong_type",
            parameter="percent",
            fix="give a number above 0 and up to 100, e.g. percent=10",
        )


def make_intervals(numbers: NumericColumnPair, by: By) -> Intervals:
    """Those of one form; O(n log n) time, O(n) memory, and O(n) for each width."""
    return _by_rank(numbers) if by == "rank" else _by_deviation(numbers)


@dataclass(frozen=True, slots=True, eq=False)
class ByRank:
    """The masked values in order with the true ones beside, and how many original values lie below and up to each."""

    size: int
    order: np.ndarray
    ranked: np.ndarray
    truth: np.ndarray
    below: np.ndarray
    upto: np.ndarray
    compared: int

    def at(self, percent: float) -> tuple[np.ndarray, float]:
        """Which masked rows have an interval that holds their original value; the share when dealt out at random.

        Positions are up to w away: the whole part of p·n/200, reckoned as the percentage was typed, not in binary.
        """
        from ..kernels.rank_intervals import within_ranks

        width = int(Fraction(repr(float(percent))) * len(self.ranked) // 200)
        inside, held = within_ranks(self.ranked, self.truth, self.below, self.upto, width)
        disclosed = np.zeros(self.size, dtype=bool)
        disclosed[self.order] = inside
        return disclosed, held / self.compared**2


def _by_rank(numbers: NumericColumnPair) -> ByRank:
    order = np.argsort(numbers.after)[: len(numbers.after) - int(np.isnan(numbers.after).sum())]
    ranked, known = numbers.after[order], np.sort(numbers.before)[: numbers.compared_count]
    return ByRank(
        size=len(numbers.after),
        order=order,
        ranked=ranked,
        truth=numbers.before[order],
        below=_count_below(known, ranked),
        upto=_count_below(known, ranked, ties=True),
        compared=numbers.compared_count,
    )


@dataclass(frozen=True, slots=True, eq=False)
class ByDeviation:
    """Intervals of so many per cent of the original's standard deviation to either side of the masked value."""

    before: np.ndarray
    after: np.ndarray
    spread: float
    known: np.ndarray
    claimed: np.ndarray

    def at(self, percent: float) -> tuple[np.ndarray, float]:
        """Which masked rows have an interval that holds their original value; the share when dealt out at random."""
        reach = percent * self.spread / 100 * ROUNDING
        with np.errstate(over="ignore"):
            near: np.ndarray = np.abs(self.before - self.after) <= reach
        upto, below = (
            _count_below(self.known, self.claimed + reach, ties=True),
            _count_below(self.known, self.claimed - reach),
        )
        return near, float((upto - below).sum()) / len(self.known) ** 2


def _by_deviation(numbers: NumericColumnPair) -> ByDeviation:
    claimed = (
        numbers.after if numbers.compared_count == len(numbers.after) else numbers.after[~np.isnan(numbers.before)]
    )
    return ByDeviation(
        before=numbers.before,
        after=numbers.after,
        spread=standard_deviation(numbers.original),
        known=np.sort(numbers.before)[: numbers.compared_count],
        claimed=np.sort(claimed)[: len(claimed) - int(np.isnan(claimed).sum())],
    )


def _count_below(known: np.ndarray, places: np.ndarray, *, ties: bool = False) -> np.ndarray:
    """How many known values are below each place, or up to it; both sorted."""
    from ..kernels.rank_intervals import counts_before

    found: np.ndarray = counts_before(known, places, ties)
    return found
