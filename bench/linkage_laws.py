"""What published laws of noise, PRAM, factors and shifts give away, beside an intruder who was told nothing.

Reference: Bayes' rule over all pairs, computed here with NumPy, for noise; distance-based linkage for all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

from tacit import Release
from tacit.attack import Distance, Transparency
from tacit.claims import Scenario, Truth, judge
from tacit.kernels.warm import CALLS
from tacit.protect import AddNoise, MultiplyNoise, Pram, Rotate, ShiftDates
from tacit.release.read import read

DATA = ROOT.parent / "shared" / "data"
SEEDS = (1, 2, 3)


def bars(bars: Bars) -> None:
    """Measure every bar of this part."""
    for kernel in ("nearest", "range_search", "normals", "exact_sums", "transitions"):
        CALLS[kernel]()
    if bars.quick:
        bars.skipped("laws on Census", "it takes longer")
    elif DATA.is_dir():
        _census(bars)
    else:
        bars.skipped("laws on Census", "the reference data are not beside the project")
    _dates(bars)
    _large(bars, bars.size(100_000, quick=20_000, smoke=2000))


def _found(original: Release, method: Any, attack: Any) -> float:
    """The mean share found over the seeds."""
    shares = []
    for seed in SEEDS:
        masked = original.protect(method, seed=seed)
        claims = attack.claims(masked.release, Scenario.worst_case(original, told=masked.trace))
        shares.append(judge(claims, Truth.by_lineage(masked.rows(), original.size)).value)
    return float(np.mean(shares))


def _beside(bars: Bars, name: str, original: Release, method: Any, bar: float) -> float:
    """How many times as many people who was told finds."""
    told, plain = _found(original, method, Transparency()), _found(original, method, Distance())
    bars.at_least(f"{name}: found by who was told, times distance", told / plain, bar, told=told, distance=plain)
    return told


def _census(bars: Bars) -> None:
    census = read(DATA / "census.csv")
    names = census.columns
    census = census.with_metadata(roles=dict.fromkeys(names, "quasi"), kinds=dict.fromkeys(names, "continuous"))
    unequal = {name: 0.02 if place < 4 else 3.0 for place, name in enumerate(names)}
    method = AddNoise(columns=names, variance=unequal, form="uncorrelated")
    told = _beside(bars, "Census, unequal noise", census, method, 5.0)
    bars.at_most(
        "Census, unequal noise: away from Bayes' rule over all pairs", abs(told - _bayes(census, method)), 0.01
    )
    _beside(bars, "Census, correlated noise 0.5", census, AddNoise(columns=names, variance=0.5), 2.5)
    _beside(
        bars, "Census, transformed noise 0.3", census, AddNoise(columns=names, variance=0.3, form="transformed"), 2.0
    )
    _beside(bars, "Census, nonlinear noise 0.3", census, AddNoise(columns=names, variance=0.3, form="nonlinear"), 2.0)
    _beside(bars, "Census, factors 0.2", census, MultiplyNoise(columns=names, spread=0.2), 1.8)
    _beside(bars, "Census, rotation 0.4", census, Rotate(columns=names, strength=0.4), 1.5)
    codes = census.to_native().select(pl.col(name).qcut(6, labels=list("abcdef")).cast(pl.String) for name in names)
    coded = Release(codes, quasi=list(names))
    stay = {name: 0.95 if place < 4 else 0.4 for place, name in enumerate(names)}
    _beside(bars, "Census in sixths, PRAM", coded, Pram(columns=list(names), stay=stay), 1.5)


def _bayes(original: Release, method: AddNoise) -> float:
    """The posterior of every pair, by the covariance of the trace."""
    shares = []
    for seed in SEEDS:
        masked = original.protect(method, seed=seed)
        told = masked.trace[0].outcome["noise_covariance"].value
        spread = np.sqrt([told[name][name] + (original.types[name] == "integer") / 12 for name in original.columns])
        old, new = (side.to_native().to_numpy().astype(float) / spread for side in (original, masked.release))
        costs = 0.5 * ((old[:, None, :] - new[None, :, :]) ** 2).sum(axis=2)
        least = costs.min(axis=0)
        ratio = costs + np.log(np.exp(least - costs).sum(axis=0)) - least
        shares.append(float((ratio.argmin(axis=1) == np.arange(original.size)).mean()))
    return float(np.mean(shares))


def _dates(bars: Bars) -> None:
    """Two dates of a person, moved together by up to five years: the interval stays."""
    rng = np.random.default_rng(1)
    born = rng.integers(-20_000, 10_000, 5000)
    frame = pl.DataFrame({"born": born, "came": born + rng.integers(0, 25_000, 5000)}).cast(pl.Int32).cast(pl.Date)
    original = Release(frame, quasi=["born", "came"])
    _beside(bars, "two dates moved by up to 5 years", original, ShiftDates(columns=["born", "came"], days=1826), 10.0)


def _large(bars: Bars, rows: int) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"x{place}": rng.standard_normal(rows) for place in range(5)})
    original = Release(frame, quasi=frame.columns, kinds=dict.fromkeys(frame.columns, "continuous"))
    masked = original.protect(AddNoise(columns=frame.columns, variance=0.01, form="uncorrelated"), seed=1)
    scenario = Scenario.worst_case(original, told=masked.trace)
    seconds, claims = spent(lambda: Transparency().claims(masked.release, scenario))
    found = judge(claims, Truth.by_lineage(masked.rows(), rows)).value
    bars.at_most(
        f"noise attack, {rows:,} records of 5 columns: CPU s",
        seconds,
        rows / 100_000 * 60.0,
        at_scale=True,
        found=found,
    )
