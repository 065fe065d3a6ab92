"""Which value has a given share of the others below it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from ..bounds import Bounds
from ..cost import Cost, to_fraction
from ..event import Event
from ..mechanisms.choice import PermuteAndFlip
from ..mechanisms.on_grid import in_steps, number_from_steps
from ..neighbours import Neighbours
from .estimate import Estimate

MOST_PARTS = 10_000
"""The share is taken as a fraction with a denominator up to this."""
USUAL = 1000
"""So many intervals between candidates, where none are declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile:
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
    epsilon: Fraction
    neighbours: Neighbours
    candidates: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        share = to_fraction(self.share, "share").limit_denominator(MOST_PARTS)
        if not 0 <= share <= 1:
            raise TacitError(
                f"share {format_value(self.share)} is not from 0 to 1", fix="e.g. share=0.5 for the median"
            )
        object.__setattr__(self, "share", share)
        object.__setattr__(self, "candidates", tuple(self.candidates))
        object.__setattr__(self, "epsilon", self.choice.epsilon)

    @property
    def choice(self) -> PermuteAndFlip:
        """The mechanism; scores are counted in parts of the share's denominator."""
        p, q = self.share.numerator, self.share.denominator
        furthest = q if self.neighbours == "replace" else max(p, q - p)
        return PermuteAndFlip(sensitivity=Fraction(furthest), epsilon=self.epsilon, neighbours=self.neighbours)

    @property
    def events(self) -> tuple[Event, ...]:
        """What an accountant is told."""
        return (self.choice.event,)

    @property
    def cost(self) -> Cost:
        """ε."""
        return self.choice.cost

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
        return Estimate(
            name=f"quantile {float(self.share):g}",
            value=number_from_steps(int(chosen), self.bounds.step),
            accuracy=None,
            cost=self.cost,
            neighbours=self.neighbours,
            sensitivity="one record changes the weighted numbers of values below and above a candidate by at most "
            + ("1" if self.neighbours == "replace" else "max(α, 1 − α)"),
            bounds=self.bounds,
            notes=(
                f"with a chance of 95 % its rank is off by at most {off:.3g} records more than the best candidate's",
            ),
        )
