"""Synthetic records without a guarantee: sequential trees beside the published method, exact moments, speed."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from bars import ROOT, Bars, child_cpu, spent

from tacit import Release
from tacit.examples import clinic
from tacit.loss import contingency, propensity
from tacit.protect import SynthMoments, SynthTrees
from tacit.release.read import read

DATA = ROOT.parent / "shared" / "data"
PUBLISHED = ROOT / "bench" / "synthetic_published.R"
LEAF = 5
"""The published default, on both sides."""
FILES, SAMPLES = 24, 3
"""Synthetic files a side, and samples of each that are compared: the ratio of one differs from the next by some 15 %."""
MORE = 1.1
"""Nowhere more than a tenth behind."""
LARGE = 1_000_000


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if not DATA.exists():
        bars.skipped("trees and exact moments", "the reference data are not beside the project")
        return
    adult = _adult()
    seconds, _ = spent(lambda: adult.protect(SynthTrees(leaf=LEAF), seed=0))
    bars.at_most("trees on Adult: CPU s", seconds, 20, at_scale=True, rows=adult.size, columns=len(adult.columns))
    _moments(bars)
    if bars.quick:
        bars.skipped("trees on 10⁶ × 10, and beside the published method", "they take some minutes")
        return
    _large(bars)
    _beside(bars, adult)


def _adult() -> Release:
    """The nine columns, that with 41 categories last, as the published method needs it to end at all."""
    table = read(DATA / "adult" / "adult.csv", missing="own").to_native()
    country = "native-country"
    return Release(table.select(pl.exclude(country), country), missing="own")


def _moments(bars: Bars) -> None:
    """Means, covariances and regressions before and after, recomputed from the files."""
    census = read(DATA / "census.csv").to_native().cast(pl.Float64)
    made = Release(census).protect(SynthMoments(columns=census.columns[4:]), seed=0).to_native()
    fresh = Release(census).protect(SynthMoments(rows=5000), seed=0).to_native()
    for name, file in (("nine columns given four", made), ("5000 new records", fresh)):
        bars.at_most(f"exact moments, {name}: largest deviation", _deviation(census, file), 1e-9)


def _deviation(before: pl.DataFrame, after: pl.DataFrame) -> float:
    """Of a mean in standard deviations, or of a covariance in products of them."""
    one, other = before.to_numpy(), after.to_numpy()
    unit = one.std(axis=0, ddof=1)
    means = np.abs(other.mean(axis=0) - one.mean(axis=0)) / unit
    spreads = np.abs(np.cov(other.T) - np.cov(one.T)) / np.outer(unit, unit)
    return float(max(means.max(), spreads.max()))


def _large(bars: Bars) -> None:
    example = clinic(LARGE, seed=0)
    table = example.frame.drop("name", "phone", "household")
    release = Release(table, kinds={name: kind for name, kind in example.kinds.items() if name in table.columns})
    seconds, made = spent(lambda: release.protect(SynthTrees(leaf=LEAF), seed=0))
    bars.at_most("trees on 10⁶ × 10: CPU s", seconds, 300, at_scale=True, columns=len(table.columns))
    found = propensity(made, original=release, permutations=0)[0].facts["ratio to a draw from the original"]
    bars.stated("trees on 10⁶ × 10: pMSE ratio, of 10 000 records", float(str(found)))


def _beside(bars: Bars, adult: Release) -> None:
    """Both methods on the same columns, as many files each, by the same measures."""
    why = _no_peer()
    if why:
        bars.skipped("trees beside the published method", why)
        return
    ours = np.array([_losses(adult, adult.protect(SynthTrees(leaf=LEAF), seed=seed).release) for seed in range(FILES)])
    theirs = np.array([_losses(adult, file) for file in _published(adult)])
    drawn = np.random.default_rng(0)
    afresh = [adult.take(drawn.integers(0, adult.size, adult.size)) for _ in range(FILES)]
    ideal = np.array([_losses(adult, file) for file in afresh])
    for place, name in enumerate(("pMSE ratio", "error of two-column tables")):
        mine, other = float(ours[:, place].mean()), float(theirs[:, place].mean())
        error = float(np.hypot(*(side[:, place].std(ddof=1) / np.sqrt(FILES) for side in (ours, theirs))) / other)
        bars.stated(f"published method on Adult: {name}", other, files=FILES)
        bars.stated(f"a draw from the original: {name}", float(ideal[:, place].mean()), files=FILES)
        bars.at_most(f"trees on Adult: {name}", mine, MORE * other, of_published=mine / other, standard_error=error)


def _losses(original: Release, made: Release) -> tuple[float, float]:
    """The pMSE ratio, mean over samples of the file, and the error of tables."""
    found = [propensity(made, original=original, permutations=0, seed=seed)[0] for seed in range(SAMPLES)]
    ratio = np.mean([float(str(one.facts["ratio to a draw from the original"])) for one in found])
    return float(ratio), float(contingency(made, original=original, order=2)["two columns"].value)


def _no_peer() -> str | None:
    """Why the published method cannot be run here, if it cannot."""
    if shutil.which("Rscript") is None:
        return "there is no Rscript"
    done = child_cpu(["Rscript", "-e", "library(rpart)"])[1]
    return None if done.returncode == 0 else "R has no rpart"


def _published(original: Release) -> Iterator[Release]:
    """Files by the published method."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "given.csv", Path(folder) / "made.csv"
        table = original.to_native()
        table.write_csv(given)
        for seed in range(FILES):
            _, done = child_cpu(["Rscript", str(PUBLISHED), str(given), str(made), str(seed)])
            if done.returncode:
                raise RuntimeError(done.stderr)
            yield Release(pl.read_csv(made, schema=table.schema), missing="own")
