"""From an aggregate of the question to its noisy form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...dp.mechanisms.noise_distribution import NoiseDistribution
from ..column import Column, Schema
from ..question import Aggregate
from ..refusal import Refusal
from .part import Part, column_sum, known_count, row_count, sum_of_squares, unit_count
from .quantile_choice import QuantileChoice, choose_quantile
from .sensitivity import PrivacyDefinition

Laws = Mapping[Part | QuantileChoice, NoiseDistribution]
"""The noise of every part."""

Drawn = Mapping[Part | QuantileChoice, int]
"""The noisy parts of one group: all that a figure may be made of."""


class NoisyAggregate:
    """One aggregate. Everything but ``parts`` is post-processing: it never sees a true number."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[Part | QuantileChoice, ...]:
        """What is drawn for it."""
        raise NotImplementedError

    def figure(self, drawn: Drawn) -> Any:
        """The figure of a group, in the analyst's units."""
        raise NotImplementedError

    def width(self, laws: Laws) -> float | None:  # noqa: ARG002
        """The half-width of a 95 % interval; None where it depends on what is drawn, or is not known at all."""
        return None

    def width_after(self, drawn: Drawn, laws: Laws) -> float | None:  # noqa: ARG002
        """The half-width, estimated from the noisy parts of a group."""
        return self.width(laws)

    def note(self, laws: Laws) -> str:
        """What an analyst should know of its accuracy beforehand; may be empty."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Mean(NoisyAggregate):
    """c + S̃/Ñ cut to the bounds, with S = Σ(v − c) and c the middle of the bounds.

    Any number of rows will do, none included: the answer is then the middle, or near it. With a public ``size`` nothing
    is spent on the number, and a missing value counts as the middle.
    """

    column: Column
    size: int | None
    total: Part
    known: Part

    @classmethod
    def of(cls, column: Column, size: int | None) -> Mean:
        """The noisy mean of a column with declared bounds."""
        return cls(column, size, column_sum(column, centred=True), known_count(column))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The centred sum, and the number of known values unless it is public."""
        return (self.total,) if self.size is not None else (self.total, self.known)

    @property
    def max_offset(self) -> int:
        """How far from the middle a mean can be."""
        return max(abs(self.total.low), self.total.high) * self.total.grain

    def offset(self, drawn: Drawn) -> Fraction:
        """The noisy mean about the middle, cut to the bounds."""
        low, high = self.column.bounds()
        raw = safe_ratio(drawn[self.total] * self.total.grain, self.number(drawn))
        return max(Fraction(low - self.total.centre), min(Fraction(high - self.total.centre), raw))

    def number(self, drawn: Drawn) -> int:
        """The public number of rows, or the noisy one."""
        return self.size if self.size is not None else drawn[self.known]

    def figure(self, drawn: Drawn) -> int | float:
        """The noisy mean."""
        return self.column.to_number(self.total.centre + self.offset(drawn))

    def width(self, laws: Laws) -> float | None:
        """Known beforehand where the number is public."""
        if self.size is None:
            return None
        return float(Fraction(self._total_error(laws, 0.05), self.size) * self.column.step)

    def width_after(self, drawn: Drawn, laws: Laws) -> float:
        """From the noisy sum and number of the group; half of the 5 % for each."""
        return float(self.error(drawn, laws, miss=0.025) * self.column.step)

    def error(self, drawn: Drawn, laws: Laws, *, miss: float) -> Fraction:
        """The half-width in steps, each part missing its own with a chance of ``miss``."""
        of_total, of_number = self._total_error(laws, miss), self.number_error(laws, miss)
        return ratio_error(
            self.offset(drawn), self.number(drawn), of_total=of_total, of_number=of_number, most=self.max_offset
        )

    def number_error(self, laws: Laws, miss: float) -> int:
        """The half-width of the number of rows; 0 where it is public."""
        return 0 if self.size is not None else laws[self.known].half_width(miss)

    def note(self, laws: Laws) -> str:
        """The error of a group of n rows at the worst."""
        if self.size is not None:
            return f"the mean of {self.column.name!r} is over {self.size} rows; a missing value counts as the middle"
        worst = self._total_error(laws, 0.025) + self.max_offset * self.number_error(laws, 0.025)
        shown = float(worst * self.column.step)
        return (
            f"the mean of {self.column.name!r} over n rows is off by at most about {shown:.4g}/n in 95 of 100 answers"
        )

    def _total_error(self, laws: Laws, miss: float) -> int:
        return laws[self.total].half_width(miss) * self.total.grain + self.total.grain - 1


FINEST = 1_000
"""The largest denominator of a share: finer ones would only make the scores larger."""


def make_noisy(aggregate: Aggregate, schema: Schema, *, promise: PrivacyDefinition, size: int | None) -> NoisyAggregate:
    """The noisy form; ``size`` is the number of rows asked about where that is public."""
    if aggregate.what == "units":
        return Count(unit_count(promise))
    if aggregate.what == "count":
        return Count(known_count(_require_numeric(aggregate, schema)) if aggregate.column else row_count())
    if aggregate.what == "quantile":
        return Quantile.of(_require_numeric(aggregate, schema), aggregate.share)
    column = _require_numeric(aggregate, schema)
    if aggregate.what == "sum":
        return Total.of(column)
    return Mean.of(column, size) if aggregate.what == "mean" else Variance.of(column, size)


def _require_numeric(aggregate: Aggregate, schema: Schema) -> Column:
    column = schema.column(aggregate.column)
    if not column.is_numeric:
        raise Refusal(
            "unsupported_sql",
            f"is of kind {column.kind}: it has no {aggregate.what}",
            column=column.name,
            fix="take a column of kind integer or number, or count",
        )
    return column


@dataclass(frozen=True, slots=True)
class Count(NoisyAggregate):
    """A number plus noise. It may be negative: cutting at 0 would bias sums of small groups."""

    part: Part

    @property
    def parts(self) -> tuple[Part, ...]:
        """The number itself."""
        return (self.part,)

    def figure(self, drawn: Drawn) -> int:
        """The noisy number."""
        return drawn[self.part]

    def width(self, laws: Laws) -> float:
        """The noise's own quantile."""
        return float(laws[self.part].half_width())

    def note(self, laws: Laws) -> str:  # noqa: ARG002
        """Counts may be negative."""
        return "counts carry noise and may be negative"


@dataclass(frozen=True, slots=True)
class Total(NoisyAggregate):
    """The sum of the values, each cut to the declared bounds, plus noise; missing values bring nothing."""

    column: Column
    part: Part

    @classmethod
    def of(cls, column: Column) -> Total:
        """The noisy sum of a column with declared bounds."""
        return cls(column, column_sum(column, centred=False))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The sum alone."""
        return (self.part,)

    def figure(self, drawn: Drawn) -> int | float:
        """The noisy sum, a whole number of steps of the declared grid."""
        return self.column.to_number(drawn[self.part] * self.part.grain)

    def width(self, laws: Laws) -> float:
        """The noise's own quantile, and the rounding to grains where there is one."""
        grain = self.part.grain
        return float(self.column.to_number(laws[self.part].half_width() * grain + (grain - 1)))

    def note(self, laws: Laws) -> str:  # noqa: ARG002
        """Bounds are part of the question."""
        low, high = (self.column.decode(end) for end in self.column.bounds())
        return f"values of {self.column.name!r} count as {low} to {high}"


@dataclass(frozen=True, slots=True)
class Quantile(NoisyAggregate):
    """The value below which a share of the known values lies, e.g. the median for 1/2; it is always within the bounds.

    No half-width is known: how far a few ranks are depends on how dense the values are. The note gives the error in ranks.
    """

    column: Column
    part: QuantileChoice

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
        return cls(column, choose_quantile(column, share))

    @property
    def parts(self) -> tuple[QuantileChoice, ...]:
        """The choice alone."""
        return (self.part,)

    def figure(self, drawn: Drawn) -> Any:
        """The picked value."""
        return self.column.decode(drawn[self.part])

    def note(self, laws: Laws) -> str:
        """P(score > t) ≤ bins·exp(−t/scale), for permute-and-flip too (McKenna and Sheldon 2020)."""
        share = self.part.share
        ranks = math.ceil(laws[self.part].scale * math.log(self.part.bins / 0.05) / share.denominator)
        return (
            f"quantile {float(share):g} of {self.column.name!r}: the value picked among {self.part.bins} is at most "
            f"{ranks} rows from the one asked for in 95 of 100 answers"
        )


@dataclass(frozen=True, slots=True)
class Variance(NoisyAggregate):
    """The sample variance Ñ/(Ñ − 1)·(m + Q̃/Ñ − (S̃/Ñ)²), with Q = Σ((v − c)² − m) and S = Σ(v − c).

    The part before the factor is cut to 0 … (high − low)²/4, the most that values within the bounds can have.
    """

    mean: Mean
    square: Part

    @classmethod
    def of(cls, column: Column, size: int | None) -> Variance:
        """The noisy variance of a column with declared bounds; it shares the parts of the mean."""
        return cls(Mean.of(column, size), sum_of_squares(column))

    @property
    def column(self) -> Column:
        """The column."""
        return self.mean.column

    @property
    def parts(self) -> tuple[Part, ...]:
        """Squares, sum, and the number unless it is public."""
        return (self.square, *self.mean.parts)

    def figure(self, drawn: Drawn) -> int | float:
        """The noisy variance, in squared units."""
        low, high = self.column.bounds()
        number = max(self.mean.number(drawn), 2)
        raw = self.square.middle + self._mean_square(drawn) - self.mean.offset(drawn) ** 2
        cut = max(Fraction(0), min(Fraction((high - low) ** 2, 4), raw))
        return self.column.to_number(cut * Fraction(number, number - 1) * self.column.step)

    def width_after(self, drawn: Drawn, laws: Laws) -> float:
        """|Ṽ − V| ≤ e_Q + e_S·(2|S̃/Ñ| + e_S), a third of the 5 % for each part; of the factor, its share of it."""
        miss = 0.05 / 3
        number, offset = self.mean.number(drawn), self.mean.offset(drawn)
        of_mean = self.mean.error(drawn, laws, miss=miss)
        square = self.square
        of_squares = ratio_error(
            self._mean_square(drawn),
            number,
            of_total=(laws[square].half_width(miss) + 1) * square.grain,
            of_number=self.mean.number_error(laws, miss),
            most=square.high * square.grain,
        )
        factor = Fraction(max(number, 2), max(number, 2) - 1)
        return float((of_squares + of_mean * (2 * abs(offset) + of_mean)) * factor * self.column.step**2)

    def note(self, laws: Laws) -> str:  # noqa: ARG002
        """Variances need many rows."""
        return f"the variance of {self.column.name!r} is known better the larger the group; of small groups it is noise"

    def _mean_square(self, drawn: Drawn) -> Fraction:
        return safe_ratio(drawn[self.square] * self.square.grain, self.mean.number(drawn))


def safe_ratio(total: int, number: int) -> Fraction:
    """S/N, and 0 where the noisy number is below one: there is nothing to divide by, and nothing may fail."""
    return Fraction(total, number) if number >= 1 else Fraction(0)


def ratio_error(found: Fraction, number: int, *, of_total: int, of_number: int, most: int) -> Fraction:
    """A bound e on |S̃/Ñ − S/N| when |S̃ − S| ≤ ``of_total``, |Ñ − N| ≤ ``of_number`` and |S/N| ≤ ``most``.

    S̃/Ñ − S/N = (S̃ − S − (S/N)(Ñ − N))/Ñ, so e ≤ (s + |S/N|·n)/Ñ. Either |S/N| is taken at its most, or from
    |S/N| ≤ |S̃/Ñ| + e, which gives e ≤ (s + |S̃/Ñ|·n)/(Ñ − n). The smaller of the two, and never more than the whole range.
    """
    whole = Fraction(2 * most)
    if number < 1:
        return whole
    found_error = Fraction(of_total + most * of_number, number)
    if number > of_number:
        found_error = min(found_error, (of_total + abs(found) * of_number) / (number - of_number))
    return min(found_error, whole)
