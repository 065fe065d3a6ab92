"""Which value has a given share of the others below it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from ..bounds import Bounds
from ..cost import to_fraction
from ..mechanisms.choice import PermuteAndFlip
from ..mechanisms.on_grid import in_steps, number_from_steps
from .estimate import Estimate, PrivateStatistic

MOST_PARTS = 10_000
"""The share is taken as a fraction with a denominator up to this."""
USUAL = 1000
"""So many intervals between candidates, where none are declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile(PrivateStatistic):
    r"""A public candidate near the quantile, chosen by permute-and-flip.

    Candidate c scores :math:`-|(1 - \alpha)\,\#\{x < c\} - \alpha\,\#\{x > c\}|`, which is 0 at the quantile. A record that
    is added or removed changes a score by at most max(α, 1 − α), a record that is replaced by 1. Candidates are declared,
    or about a thousand places evenly spaced between the bounds. Time O((n + k) log n).

    References
    ----------
    Smith (2011), Privacy-preserving statistical estimation with optimal convergence rates, STOC.
    """

    share: Fraction
    bounds: Bounds
    candidates: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        share = to_fraction(self.share, "share").limit_denominator(MOST_PARTS)
        if not 0 <= share <= 1:
            raise TacitError(
                f"share {format_value(self.share)} is not from 0 to 1",
                code="out_of_range",
                fix="e.g. share=0.5 for the median",
            )
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "candidates", tuple(self.candidates))
        PrivateStatistic.__post_init__(self)

    @property
    def choice(self) -> PermuteAndFlip:
        """The mechanism; scores are counted in parts of the share's denominator."""
        p, q = self.share.numerator, self.share.denominator
        furthest = q if self.neighbours == "replace" else max(p, q - p)
        return PermuteAndFlip(sensitivity=Fraction(furthest), epsilon=self.epsilon, neighbours=self.neighbours)

    @property
    def mechanisms(self) -> tuple[PermuteAndFlip, ...]:
        """The choice alone."""
        return (self.choice,)

    @property
    def candidate_steps(self) -> np.ndarray:
        """The candidates in steps."""
        first, last = self.bounds.first, self.bounds.last
        if not self.candidates:
            count = min(self.bounds.width, USUAL)
            return np.unique([first + i * self.bounds.width // count for i in range(count + 1)])
        steps = {in_steps(one, self.bounds.step) for one in self.candidates}
        return np.array(sorted(max(first, min(last, step)) for step in steps), np.int64)

    def release(self, data: Iterable[object]) -> Estimate:
        """The chosen candidate; under replacement a missing value counts as the middle of the bounds, else as nothing."""
        codes, gaps = self.bounds.codes(data)
        middle = (self.bounds.first + self.bounds.last) // 2
        codes = np.sort(np.append(codes, np.full(gaps if self.neighbours == "replace" else 0, middle)))
        places = self.candidate_steps
        below, above = np.searchsorted(codes, places, "left"), len(codes) - np.searchsorted(codes, places, "right")
        p, q = self.share.numerator, self.share.denominator
        chosen = places[self.choice.release((-np.abs((q - p) * below - p * above)).tolist())]
        off = self.choice.shortfall(len(places)) / q
        return self._estimate(
            f"quantile {float(self.share):g}",
            number_from_steps(int(chosen), self.bounds.step),
            None,
            "one record changes the weighted numbers of values below and above a candidate by at most "
            + ("1" if self.neighbours == "replace" else "max(α, 1 − α)"),
            notes=(
                f"with a chance of 95 % its rank is off by at most {off:.3g} records more than the best candidate's",
            ),
        )
