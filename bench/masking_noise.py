"""Noise: what it costs beside a copy of the column, and what it leaves of the correlations of the Census file.

References: sdcMicro's addNoise on Census (13 columns, seed 1): additive(150) loses 226.9 % and moves a correlation by .69,
correlated(150) 160.0 % and .049, restr 5424 % and 1.06, outdect stops on the singular covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

from tacit import Release
from tacit.kernels.warm import CALLS
from tacit.protect import AddNoise, MultiplyNoise, Rotate
from tacit.protect._noise.draws import add_draws

DATA = ROOT.parent / "shared" / "data"
BLOCK = 1 << 16
FORMS: dict[str, dict[str, Any]] = {
    "uncorrelated": {"form": "uncorrelated"},
    "correlated": {},
    "transformed": {"form": "transformed"},
    "transformed, exact": {"form": "transformed", "exact": True},
    "nonlinear": {"form": "nonlinear"},
    "outliers up to 3 times": {"outliers": 3},
}


def bars(bars: Bars) -> None:
    """Measure every bar of this part."""
    for kernel in ("exact_sums", "normals"):
        CALLS[kernel]()
    _copies(bars, 10_000_000)
    _rotation(bars)
    if DATA.is_dir():
        _census(bars, DATA)
    else:
        bars.skipped("noise on Census", "the reference data are not beside the project")


def _best(work: Callable[[], Any], times: int = 3) -> float:
    return min(spent(work)[0] for _ in range(times))


def _copies(bars: Bars, rows: int) -> None:
    values = np.random.default_rng(1).standard_normal(rows)
    release = Release(pl.DataFrame({"x": values}))
    copy = _best(values.copy)

    def kernel() -> None:
        out = np.empty(rows)
        for start in range(0, rows, BLOCK):
            add_draws(
                "normal", b"bench", start, values[start : start + BLOCK], scale=0.3, out=out[start : start + BLOCK]
            )

    bars.stated(f"draws and sum alone, {rows:,} values: times a copy", _best(kernel) / copy, copy=copy)
    method = AddNoise(columns="x", variance=0.1)
    noise = _best(lambda: method.apply(release, seed=1))
    bars.at_most(
        f"AddNoise, one column of {rows:,} values: times a copy",
        noise / copy,
        4,
        at_scale=True,
        seconds=noise,
        copy=copy,
    )
    rng = np.random.Generator(np.random.Philox(1))
    plain = _best(lambda: values + 0.3 * rng.standard_normal(rows))
    bars.at_most(
        "  the same beside NumPy's normal numbers (Philox) and sum alone", noise / plain, 1, at_scale=True, numpy=plain
    )
    if bars.quick:
        return
    for name, other in (
        ("AddNoise, uniform", AddNoise(columns="x", variance=0.1, distribution="uniform")),
        ("MultiplyNoise, log-normal", MultiplyNoise(columns="x", spread=0.1)),
        ("MultiplyNoise, bounded", MultiplyNoise(columns="x", distribution="bounded", least=0.05, most=0.1)),
    ):
        seconds = _best(lambda other=other: other.apply(release, seed=1))
        bars.stated(f"{name}, one column of {rows:,} values: times a copy", seconds / copy, seconds=seconds)


def _rotation(bars: Bars) -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((100_000, 5)) @ rng.standard_normal((5, 5))
    frame = pl.DataFrame(values, schema=list("abcde"))
    seconds, masked = spent(lambda: Rotate(columns=list("abcde"), strength=0.5).apply(Release(frame), seed=1))
    bars.at_most("Rotate, 100,000 records of 5 columns: CPU s", seconds, 10, at_scale=True)
    new = masked.release.to_native().to_numpy()
    off = np.abs(np.cov(new.T) / np.cov(values.T) - 1).max()
    bars.at_most("Rotate: largest relative change of a covariance", float(off), 1e-9)


def _census(bars: Bars, data: Path) -> None:
    census = pl.read_csv(data / "census.csv")
    old = census.to_numpy().astype(float)
    before, squares = np.corrcoef(old.T), ((old - old.mean(axis=0)) ** 2).sum(axis=0)
    limits = {"uncorrelated": None, "nonlinear": None, "transformed, exact": 0.001}
    for name, options in FORMS.items():
        method = AddNoise(columns=census.columns, variance=2.25, **options)
        new = method.apply(Release(census), seed=1).release.to_native().to_numpy().astype(float)
        change = float(np.abs(np.corrcoef(new.T) - before).max())
        loss = 100 * float((((new - old) ** 2).sum(axis=0) / squares).mean())
        limit = limits.get(name, 0.1)
        if limit is None:
            bars.stated(f"Census, noise 150 %, {name}: largest change of a correlation", change, loss=loss)
        else:
            bars.at_most(f"Census, noise 150 %, {name}: largest change of a correlation", change, limit, loss=loss)
        bars.stated(f"Census, noise 150 %, {name}: IL in %", loss)
        gap = np.abs(new[:, 4] - new[:, 7] - new[:, 9]).max()
        if name not in ("uncorrelated", "nonlinear"):
            bars.at_most(f"Census, {name}: PTOTVAL from its parts, in units", float(gap), 1)
