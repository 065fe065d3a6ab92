"""Sensitivity: how far one person can move an answer, and the promises under which it is small (H-01).

The sensitivity of q is the largest |q(D) − q(D′)| over all *neighbouring* D and D′ (over all pairs, as it is sometimes
written, it would be infinite for a count). For neighbours by replacement and values from low to high, a mean of n records
has (high − low)/n; without a promise about n it has high − low, because n may be 1.
"""

from __future__ import annotations

from fractions import Fraction

from ..errors import TacitError, whole
from .bounds import Bounds
from .cost import positive

__all__ = ["laplace_noise", "loss_of_shift", "mean_sensitivity", "promised"]


def mean_sensitivity(bounds: Bounds, *, at_least: int | None = None) -> Fraction:
    """Δ of the mean of at least so many values within bounds, one of which is replaced; without a promise high − low.

    >>> mean_sensitivity(Bounds(1000, 100_000), at_least=5), mean_sensitivity(Bounds(1000, 100_000))
    (Fraction(19800, 1), Fraction(99000, 1))
    """
    if at_least is None:
        return bounds.high - bounds.low
    whole("at_least", at_least, least=1)
    return (bounds.high - bounds.low) / at_least


def laplace_noise(sensitivity: object, *, epsilon: object) -> Fraction:
    """The scale b = Δ/ε of the Laplace noise that makes an answer ε-differentially private.

    >>> float(laplace_noise(mean_sensitivity(Bounds(1000, 100_000), at_least=10**6), epsilon=1))
    0.099
    """
    return positive(sensitivity, "sensitivity") / positive(epsilon, "epsilon")


def loss_of_shift(shift: object, *, scale: object) -> Fraction:
    """ε of Laplace noise of a scale when the answers are a shift apart: L(0, 1) about 5 or about 6 is ε = 1.

    >>> loss_of_shift(1, scale=1), loss_of_shift(2, scale=1)
    (Fraction(1, 1), Fraction(2, 1))
    """
    return positive(shift, "shift") / positive(scale, "scale")


def promised(size: int, records: int, *, exactly: bool = False) -> None:
    """Refuse to apply a public promise of the number of records to data that break it.

    Noise of b = 0.099 assumes 10⁶ records (salaries from 1 000 to 100 000, ε = 1); on a file of ten it protects nobody in it. The promise is
    public, so whether it holds is no secret; how far it fails is not told.
    """
    whole("size", size, least=0)
    if records < size or (exactly and records != size):
        kind = f"exactly {size:,}" if exactly else f"at least {size:,}"
        raise TacitError(
            f"the data do not have {kind} records, as was promised: the noise would be too small for them",
            fix="promise what holds, or use neighbours='add_remove', which needs no promise",
        )
