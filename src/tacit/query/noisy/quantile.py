"""Noisy quantiles: a value of the declared grid, picked by the exponential mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..column import Column
from ..refusal import Refusal
from .figure import Drawn, Laws
from .pick import Pick, pick

__all__ = ["Quantile"]

FINEST = 1_000
"""The largest denominator of a share: finer ones would only make the scores larger."""


@dataclass(frozen=True, slots=True)
class Quantile:
    """The value below which a share of the known values lies, e.g. the median for 1/2; it is always within the bounds."""

    column: Column
    part: Pick

    @classmethod
    def of(cls, column: Column, share: Fraction) -> Quantile:
        """The noisy quantile of a column with declared bounds."""
        if not 0 <= share <= 1 or share.denominator > FINEST:
            raise Refusal(
                "bad_request",
                "has no quantile of that order",
                column=column.name,
                fix="ask for one from 0 to 1 with at most three decimals, e.g. 0.5",
            )
        return cls(column, pick(column, share))

    @property
    def parts(self) -> tuple[Pick, ...]:
        """The choice alone."""
        return (self.part,)

    def figure(self, drawn: Drawn) -> Any:
        """The picked value."""
        return self.column.shown(drawn[self.part])

    def width(self, laws: Laws) -> None:  # noqa: ARG002
        """Not known: how far a few ranks are depends on how dense the values are."""
        return

    def width_after(self, drawn: Drawn, laws: Laws) -> None:  # noqa: ARG002
        """Not known either; the note gives the error in ranks."""
        return

    def note(self, laws: Laws) -> str:
        """P(score > t) ≤ bins·exp(−t/scale), for permute-and-flip too (McKenna and Sheldon 2020)."""
        share = self.part.share
        ranks = math.ceil(laws[self.part].scale * math.log(self.part.bins / 0.05) / share.denominator)
        return (
            f"quantile {float(share):g} of {self.column.name!r}: the value picked among {self.part.bins} is at most "
            f"{ranks} rows from the one asked for in 95 of 100 answers"
        )
