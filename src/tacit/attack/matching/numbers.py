"""Numbers in another unit: the change that lays one distribution on the other, by quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal, TypeAlias

import numpy as np

SHARES = np.linspace(0.025, 0.975, 39)
BEYOND = 0.15
"""Quantiles that are apart by this part of the usual distance from the median, beyond chance, agree in nothing."""
FACTORS = (
    (10, 100, 1000, 1e6)  # powers of ten: per cent, thousands, grams and kilograms
    + (7, 12, 24, 52, 60, 365.25, 3600)  # time
    + (2.54, 0.3048, 0.9144, 1.609344)  # inch, foot, yard, mile
    + (0.45359237, 28.349523125, 3.785411784, 3.6)  # pound, ounce, gallon, km/h
)
WITHIN = 0.1
"""What differences within chance cost: two columns that are nearly the same are told apart by the least of them."""
DEGREES = ((1.8, 32.0), (1 / 1.8, -32.0 / 1.8), (1.0, 273.15), (1.0, -273.15))
KNOWN = (*((factor, 0.0) for one in FACTORS for factor in (one, 1 / one)), *DEGREES)
"""Changes of unit, as scale and shift."""
How: TypeAlias = Literal["same unit", "known unit", "age and year", "fitted"]
TRUST: dict[How, float] = {"same unit": 1.0, "known unit": 0.8, "age and year": 0.75, "fitted": 0.55}
"""How far a good fit goes as evidence: the more freely it was chosen, the less."""
FEWEST = 5
"""With fewer different values any scale fits: only the same unit counts."""


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles:
    """The quantiles of the known cells at the shares that are compared, and how many cells there are."""

    at: np.ndarray
    known: int


def cell_quantiles(cells: np.ndarray) -> Quantiles | None:
    """The quantiles of the cells that are not NaN; None when there is none, or all are equal. O(n log n)."""
    known = cells[~np.isnan(cells)]
    if not len(known):
        return None
    at = np.quantile(known, SHARES)
    spread = float(np.abs(at - np.median(at)).mean())
    return None if spread <= 1e-12 * float(np.abs(at).max()) else Quantiles(at, len(known))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Ours = scale · theirs + shift; ``score`` in [0, 1] is how well it fits and how little was fitted."""

    scale: float
    shift: float
    how: How
    score: float


def unit_change(theirs: Quantiles, ours: Quantiles) -> Unit | None:
    r"""The change of unit under which two columns have the same distribution, if there is one.

    With quantile functions Q of theirs and R of ours, the distance of a change :math:`x \mapsto sx + t` is

    .. math:: d = \frac{\overline{|s\,Q(p) + t - R(p)|}}{\overline{|R(p) - R(1/2)|}},

    over 39 shares p from 2.5 to 97.5 %, so that a few extreme or masked values do not matter; what chance explains,
    about :math:`\sqrt{1/n + 1/m}`, is taken off. Tried are the same unit, well-known factors and degrees, age against year of
    birth, and the least-squares line, which counts least because it was made to fit. O(1).

    >>> inches = np.random.default_rng(0).normal(67, 4, 2000)
    >>> found = unit_change(cell_quantiles(inches), cell_quantiles(2.54 * inches))
    >>> found.scale, found.shift, found.how
    (2.54, 0.0, 'known unit')
    """
    q, r = theirs.at, ours.at
    tried: list[tuple[float, float, How]] = [(1.0, 0.0, "same unit")]
    if min(len(np.unique(q)), len(np.unique(r))) >= FEWEST:
        tried += [(scale, shift, "known unit") for scale, shift in KNOWN]
        year = round(float(np.median(r + q[::-1])))
        if 1900 <= year <= 2100:
            tried.append((-1.0, float(year), "age and year"))
        scale, shift = np.polyfit(q, r, 1)
        tried.append((float(scale), float(shift), "fitted"))
    scales, shifts = np.array([one[0] for one in tried]), np.array([one[1] for one in tried])
    moved = np.sort(scales[:, None] * q + shifts[:, None], axis=1)
    apart = np.abs(moved - r).mean(axis=1) / np.abs(r - np.median(r)).mean()
    chance = sqrt(1 / theirs.known + 1 / ours.known)
    fit = np.maximum(0.0, 1 - np.maximum(0.0, apart - chance) / BEYOND) * max(0.0, 1 - chance)
    fit *= 1 - WITHIN * np.minimum(1.0, apart / chance)
    scores = fit * np.array([TRUST[how] for *_, how in tried])
    best = int(scores.argmax())
    if scores[best] <= 0:
        return None
    return Unit(scale=tried[best][0], shift=tried[best][1], how=tried[best][2], score=float(scores[best]))
