"""Normal variables drawn so that they lie where the values of some columns say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .latent import Latent

__all__ = ["behind"]

SWEEPS = 20
"""Rounds of Gibbs sampling; the variables behind a handful of columns mix within a few."""


def behind(columns: Sequence[Latent], correlation: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A draw of the variables behind the columns, given their values: records × columns.

    A variable that is not cut is known; the others are drawn in turn, each from its normal law given all others, cut
    to the stretch that its value holds (Gibbs sampling; Geweke 1991). Of a missing value all is possible.
    O(sweeps · n · columns²).
    """
    made = np.column_stack([_start(one, rng) for one in columns])
    open_ = [place for place, one in enumerate(columns) if not (one.smooth and one.known.all())]
    if not open_:
        return made
    precision = np.linalg.inv(correlation)
    for _ in range(SWEEPS if len(columns) > 1 else 1):
        for place in open_:
            width = 1 / np.sqrt(precision[place, place])
            mean = made[:, place] - made @ precision[:, place] / precision[place, place]
            low, high = _stretch(columns[place])
            drawn = mean + width * _cut_normal((low - mean) / width, (high - mean) / width, rng)
            fixed = columns[place].known & columns[place].smooth
            made[:, place] = np.where(fixed, made[:, place], drawn)
    return made


def _start(one: Latent, rng: np.random.Generator) -> np.ndarray:
    if one.smooth:
        return np.where(one.known, one.scores, rng.standard_normal(len(one.codes)))
    return _cut_normal(*_stretch(one), rng)


def _stretch(one: Latent) -> tuple[np.ndarray, np.ndarray]:
    known, place = one.known, np.maximum(one.codes, 0)
    return np.where(known, one.cuts[place], -np.inf), np.where(known, one.cuts[place + 1], np.inf)


def _cut_normal(low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws of a standard normal variable between the ends, by its distribution function, on the side with less mass."""
    from scipy.special import ndtr, ndtri

    turned = low > 0  # far out on the right ndtr is 1, so it is done on the left
    first, last = np.where(turned, -high, low), np.where(turned, -low, high)
    share = ndtr(first) + rng.random(len(low)) * (ndtr(last) - ndtr(first))
    found = np.clip(ndtri(np.clip(share, 1e-300, 1 - 1e-16)), first, last)
    drawn: np.ndarray = np.where(turned, -found, found)
    return drawn
