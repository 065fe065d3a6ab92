"""Noisy sums about the middle of the bounds: what means and variances are made of.

Sensitivity: how far one person can move an answer, and the promises under which it is small.

The sensitivity of q is the largest |q(D) − q(D′)| over all *neighbouring* D and D′ (over all pairs, as it is sometimes
written, it would be infinite for a count). For neighbours by replacement and values from low to high, a mean of n records
has (high − low)/n; without a promise about n it has high − low, because n may be 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ...errors import TacitError, check_int
from ..bounds import Bounds, whole_sum
from ..cost import check_positive
from ..mechanisms.laplace import Laplace
from ..neighbours import Neighbours, check_neighbours

if TYPE_CHECKING:
    import numpy as np


FIGURES = 2**31
"""Deviations are cut to so many steps before they are squared, so that squares stay whole and small."""


@dataclass(frozen=True, slots=True)
class NoisyFigure:
    """A figure with noise and how far the noise may reach."""

    value: Fraction
    reach: Fraction = Fraction(0)

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Between what the exact figure lies."""
        return self.value - self.reach, self.value + self.reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    r"""Noisy number, sum and sum of squares, in half steps about the middle of the bounds.

    With :math:`v = 2x - low - high` in steps, a record moves :math:`\sum v` by at most w = high − low when it is added or
    removed and 2w when it is replaced, and :math:`\sum v^2` by w² in both. ε is shared equally by the figures that are noisy:
    the number of records is one of them where it is private. Where it is public (neighbours by replacement), ``size`` is
    the promise of it, and a missing value counts as the middle, v = 0.
    """

    bounds: Bounds
    epsilon: Fraction
    neighbours: Neighbours
    size: int | None
    squares: bool

    @property
    def mechanisms(self) -> tuple[Laplace, ...]:
        """The mechanisms for the sum, the squares if asked for, and the number if it is private."""
        replaced, width = self.neighbours == "replace", self.bounds.width
        sensitivities = [2 * width if replaced else width]
        sensitivities += [self._reduced_square(width)] if self.squares else []
        sensitivities += [] if replaced else [1]
        share = self.epsilon / len(sensitivities)
        return tuple(
            Laplace(sensitivity=Fraction(one), epsilon=share, neighbours=self.neighbours) for one in sensitivities
        )

    @property
    def unit(self) -> Fraction:
        """How much of v² one whole number of the squares stands for."""
        return Fraction(4**self._dropped_bits * 2**self._square_shift)

    @property
    def _dropped_bits(self) -> int:
        return max(0, self.bounds.width.bit_length() - FIGURES.bit_length() + 1)

    @property
    def _square_shift(self) -> int:
        return max(0, 2 * (self.bounds.width >> self._dropped_bits).bit_length() - 32)

    def _reduced_square(self, v: int) -> int:
        return max(1, (v >> self._dropped_bits) ** 2 >> self._square_shift)

    def release(self, data: Iterable[object]) -> tuple[NoisyFigure, NoisyFigure, NoisyFigure]:
        """Number, sum and sum of squares (0 if not asked for); together within reach with a chance of 95 %. O(n)."""
        codes, gaps = self.bounds.codes(data)
        if self.size is not None:
            check_record_count(self.size, len(codes) + gaps, exactly=True)
        v = 2 * codes - (self.bounds.first + self.bounds.last)
        exact = [whole_sum(v), *([self._sum_of_squares(v)] if self.squares else []), len(v)]
        noises = self.mechanisms
        confidence = 1 - 0.05 / len(noises)
        found = [
            NoisyFigure(Fraction(noise.release_steps([figure])[0]), Fraction(noise.half_width(confidence)))
            for noise, figure in zip(noises, exact, strict=False)
        ]
        number = found.pop() if self.size is None else NoisyFigure(Fraction(self.size))
        return number, found[0], found[1] if self.squares else NoisyFigure(Fraction(0))

    def _sum_of_squares(self, v: np.ndarray) -> int:
        import numpy as np

        return whole_sum((np.abs(v) >> self._dropped_bits) ** 2 >> self._square_shift)


def declared_size(neighbours: Neighbours, size: int | None) -> None:
    """Refuse a public number of records where it is private, and the lack of it where it is public."""
    check_neighbours(neighbours)
    if neighbours == "replace":
        if size is None:
            raise TacitError(
                "under replacement the number of records is public", code="invalid_parameter", fix="promise it: size=…"
            )
        check_int("size", size, least=0)
    elif size is not None:
        raise TacitError(
            "a public size has no meaning when records are added and removed",
            code="conflicting_parameters",
            fix="leave size out",
        )


def ratio_bounds(above: NoisyFigure, below: NoisyFigure) -> tuple[Fraction, Fraction]:
    """Between what above/below lies; a number of records is at least 1."""
    ends = [top / max(bottom, Fraction(1)) for top in above.ends for bottom in below.ends]
    return min(ends), max(ends)


def covering_half_width(value: float, low: float, high: float) -> float:
    """The half width of the interval around the value that holds low and high.

    >>> covering_half_width(5.0, 3.0, 6.0)
    2.0
    """
    return max(value - low, high - value, 0.0)


def mean_sensitivity(bounds: Bounds, *, at_least: int | None = None) -> Fraction:
    """Δ of the mean of at least so many values within bounds, one of which is replaced; without a promise high − low.

    >>> mean_sensitivity(Bounds(1000, 100_000), at_least=5), mean_sensitivity(Bounds(1000, 100_000))
    (Fraction(19800, 1), Fraction(99000, 1))
    """
    if at_least is None:
        return bounds.high - bounds.low
    check_int("at_least", at_least, least=1)
    return (bounds.high - bounds.low) / at_least


def laplace_noise(sensitivity: object, *, epsilon: object) -> Fraction:
    """The scale b = Δ/ε of the Laplace noise that makes an answer ε-differentially private.

    >>> float(laplace_noise(mean_sensitivity(Bounds(1000, 100_000), at_least=10**6), epsilon=1))
    0.099
    """
    return check_positive(sensitivity, "sensitivity") / check_positive(epsilon, "epsilon")


def loss_of_shift(shift: object, *, scale: object) -> Fraction:
    """ε of Laplace noise of a scale when the answers are a shift apart: L(0, 1) about 5 or about 6 is ε = 1.

    >>> loss_of_shift(1, scale=1), loss_of_shift(2, scale=1)
    (Fraction(1, 1), Fraction(2, 1))
    """
    return check_positive(shift, "shift") / check_positive(scale, "scale")


def check_record_count(size: int, records: int, *, exactly: bool = False) -> None:
    """Refuse to apply a public promise of the number of records to data that break it.

    Noise of b = 0.099 assumes 10⁶ records (salaries from 1 000 to 100 000, ε = 1); on a file of ten it protects nobody in it. The promise is
    public, so whether it holds is no secret; how far it fails is not told.
    """
    check_int("size", size, least=0)
    if records < size or (exactly and records != size):
        kind = f"exactly {size:,}" if exactly else f"at least {size:,}"
        raise TacitError(
            f"the data do not have {kind} records, as was promised: the noise would be too small for them",
            code="out_of_range",
            fix="promise what holds, or use neighbours='add_remove', which needs no promise",
        )
