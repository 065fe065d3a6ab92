"""From moments to the noise that a method adds: the factors of its covariance, and what may be said of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...release.trace import FEWEST, Finding
from ...seed import child_seed
from .linear import LinearNoise
from .moments import Moments, covariance_factor, require_varying

Source = Callable[[Sequence[str]], tuple[list[Moments], Moments]]
"""Columns → their moments in each group, and over all records."""

DOMINANT = 0.25
"""A covariance is published where no record contributes more than this share of a sum of squares.

Whoever knows the variance knows an upper bound of the largest deviation; up to here that is off by a factor of 2."""


@dataclass(frozen=True, eq=False)
class NoiseParams:
    """What the user asked for: form, law, and the variance of every column."""

    form: str
    law: str
    variance: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class NoiseSummary:
    """What is known of the noise on some columns: its covariance over all records, and whether one may publish that."""

    columns: tuple[str, ...]
    covariance: np.ndarray
    safe: bool
    complete: int
    """Records on which it rests."""
    borrowed: np.ndarray
    """Which strata use the moments of all records, because a column does not vary in them."""


def noise_findings(said: Sequence[NoiseSummary], strata: bool) -> dict[str, Finding]:
    """The findings for the trace; in strata the covariance differs, and is the given share of the stratum's own."""
    found = {"complete": Finding(min(one.complete for one in said), publishable=True, counts=True)}
    if strata:
        found["strata"] = Finding(max(len(one.borrowed) for one in said), publishable=True)
        found["strata_with_overall_moments"] = Finding(max(int(one.borrowed.sum()) for one in said), publishable=True)
        return found
    covariance = {
        name: dict(zip(one.columns, map(float, row), strict=True))
        for one in said
        for name, row in zip(one.columns, one.covariance, strict=True)
    }
    found["noise_covariance"] = Finding(covariance, publishable=all(one.safe for one in said))
    return found


def plan_noise(
    wanted: NoiseParams, columns: Sequence[str], source: Source, seed: int | bytes, widened: float = 1.0
) -> tuple[LinearNoise, NoiseSummary]:
    """The noise for the moments that ``source`` finds; ``widened`` is the mean square by which outliers get more."""
    together = wanted.form != "uncorrelated"
    parts = [tuple(range(len(columns)))] if together else [(place,) for place in range(len(columns))]
    found = []
    for part in parts:
        chosen = [columns[place] for place in part]
        each, all_ = source(chosen)
        whole = require_varying(chosen, all_)
        found.append(
            (part, [one if one.all_vary else whole for one in each], whole, [not one.all_vary for one in each])
        )
    groups = len(found[0][1])
    factors, centre = np.zeros((groups, len(columns), len(columns))), np.zeros((groups, len(columns)))
    covariance = np.zeros((len(columns), len(columns)))
    scale = np.sqrt(np.array(wanted.variance))
    for part, each, whole, _ in found:
        inside = np.ix_(part, part)
        factor_of = np.outer(scale[list(part)], scale[list(part)])
        covariance[inside] = widened * factor_of * whole.covariance
        for group, one in enumerate(each):
            roots = covariance_factor(factor_of * one.covariance)
            factors[group][np.ix_(part, part[: roots.shape[1]])] = roots
            centre[group, list(part)] = one.mean
    used = int(np.flatnonzero(factors.any(axis=(0, 1))).max()) + 1
    streams = [
        child_seed(seed, "factor", place) if together else child_seed(seed, columns[place]) for place in range(used)
    ]
    shrink = 1.0 / np.sqrt(1.0 + np.outer(np.full(groups, widened), wanted.variance))
    moved = wanted.form == "transformed"
    noise = LinearNoise(
        wanted.law,
        tuple(streams),
        factors[:, :, :used],
        centre if moved else None,
        shrink if moved else None,
    )
    said = NoiseSummary(
        tuple(columns),
        covariance,
        all(whole.count >= FEWEST and whole.dominance <= DOMINANT for _, _, whole, _ in found),
        min(whole.count for _, _, whole, _ in found),
        np.logical_or.reduce([np.array(borrowed) for _, _, _, borrowed in found]),
    )
    return noise, said
