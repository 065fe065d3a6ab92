"""Noise on whole numbers from OpenDP's exact samplers: the only place where noise is drawn.

The samplers are those of Canonne, Kamath and Steinke (2020), exact on integers with a rational scale and fed by the
operating system's source; there is no floating-point noise, whose low bits give the value away (Mironov 2012). A scale
is rounded up to the next floating-point number, so that the loss is never above the one that was asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..errors import TacitError

LARGEST = 2**63 - 1
"""Sums are cut to this before the noise: cutting changes no sensitivity, wrapping around would."""


def laplace_scale(sensitivity: int | Fraction, epsilon: Fraction) -> float:
    """The smallest scale b ≥ Δ/ε in floating point.

    >>> laplace_scale(10, Fraction(1, 2))
    20.0
    """
    return _float_rounded_up(_check_positive(sensitivity, "sensitivity") / _check_positive(epsilon, "epsilon"))


def gaussian_scale(sensitivity: int | Fraction, rho: Fraction) -> float:
    """The smallest scale σ ≥ Δ/√(2ρ) in floating point: ρ = Δ²/(2σ²) (Bun and Steinke 2016).

    >>> gaussian_scale(1, Fraction(1, 8))
    2.0
    """
    return gaussian_scale_of_square(_check_positive(sensitivity, "sensitivity") ** 2, rho)


def gaussian_scale_of_square(square: int | Fraction, rho: Fraction) -> float:
    """The same from Δ², which is rational where Δ is not: √m for m counts that move by 1 each.

    >>> gaussian_scale_of_square(4, Fraction(1, 2))
    2.0
    """
    wanted = _check_positive(square, "sensitivity") / (2 * _check_positive(rho, "rho"))
    scale = math.sqrt(wanted)
    while Fraction(scale) ** 2 < wanted:
        scale = math.nextafter(scale, math.inf)
    return scale


def with_laplace(values: Sequence[int], scale: float) -> list[int]:
    """Each value plus discrete Laplace noise, P(z) ∝ exp(−|z|/scale). O(n)."""
    return list(_laplace_mechanism(scale)(_clip_values(values)))


def with_gaussian(values: Sequence[int], scale: float) -> list[int]:
    """Each value plus discrete Gaussian noise, P(z) ∝ exp(−z²/(2·scale²)). O(n)."""
    return list(_gaussian_mechanism(scale)(_clip_values(values)))


def _clip_values(values: Sequence[int]) -> list[int]:
    return [max(-LARGEST, min(LARGEST, int(value))) for value in values]


def _check_positive(value: int | Fraction, name: str) -> Fraction:
    if value <= 0:
        raise TacitError(f"{name} {float(value):g} is not above 0", code="out_of_range", fix=f"give a {name} above 0")
    return Fraction(value)


def _float_rounded_up(wanted: Fraction) -> float:
    scale = float(wanted)
    return scale if Fraction(scale) >= wanted else math.nextafter(scale, math.inf)


@lru_cache(maxsize=256)
def _laplace_mechanism(scale: float) -> Any:
    from .opendp import domains, measurements, metrics

    whole = domains.vector_domain(domains.atom_domain(T="i64"))
    return measurements.make_laplace(whole, metrics.l1_distance(T="i64"), scale=scale)


@lru_cache(maxsize=256)
def _gaussian_mechanism(scale: float) -> Any:
    from .opendp import domains, measurements, metrics

    whole = domains.vector_domain(domains.atom_domain(T="i64"))
    return measurements.make_gaussian(whole, metrics.l2_distance(T="f64"), scale=scale)
