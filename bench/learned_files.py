"""The six files of the experiments with learned distances, and what distances find in them: study and bars share it.

Each masked record seeks its original. Both sides are standardised by their own means and deviations, and found is
who is nearer to the own original than to every other; a tie finds nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import polars as pl
from bars import ROOT

from tacit import Release
from tacit.attack.learning.pairs import Pairs
from tacit.kernels.nearest import NUMBER, Costs
from tacit.protect import published_setup
from tacit.protect._microaggregation.embedding import standardise_columns
from tacit.protect.grouped_columns import SETUPS
from tacit.release.masked import Method

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"
SIZE = 400
"""Records of each file: all published percentages are multiples of a quarter."""
SAMPLES = 5
FOLDS = 5
FILES = tuple(SETUPS)
HARD = "M5-38"
"""The file on which all solvers took longest."""

PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "AM": (84.00, 68.50, 71.00, 39.75, 78.00, 84.75),
    "MD": (94.00, 90.00, 92.75, 88.25, 98.50, 98.00),
    "WM": (95.50, 93.00, 94.25, 90.50, 99.25, 98.75),
    "CI": (95.75, 93.75, 94.25, 91.25, 99.75, 99.25),
    "CI_m": (95.75, 93.75, 94.25, 90.50, 99.50, 98.75),
    "SB": (96.75, 94.50, 95.25, 92.25, 99.75, 99.50),
    "SB_NC": (96.75, 94.50, 95.25, 92.25, 99.75, 99.50),
}
"""Per cent re-identified in the files of ``FILES``: Torra's lecture, after Abril, Navarro-Arribas and Torra."""
PUBLISHED_SECONDS: Mapping[str, tuple[float, ...]] = {
    "WM": (30, 41, 24, 718, 12, 18),
    "CI": (280, 428, 243, 42731, 24, 87),
    "SB": (13.7, 3479, 140, 169050, 13.9, 13.7),
}
"""Seconds that CPLEX took for them."""

FAMILY: Mapping[str, str] = {
    "AM": "arithmetic",
    "MD": "mahalanobis",
    "OWA": "ordered",
    "WM": "weighted",
    "WM_s": "signed",
    "CI_m": "monotone",
    "CI": "choquet",
    "SB_PD": "definite",
    "SB_NC": "nonnegative",
    "SB": "bilinear",
}
"""Name in the literature (WM_s: weights of any sign) → name in a plan; each after those that it contains."""
WITHIN: Mapping[str, tuple[str, ...]] = {
    "WM": ("AM",),
    "OWA": ("AM",),
    "WM_s": ("WM",),
    "CI_m": ("WM",),
    "CI": ("WM_s", "CI_m", "OWA"),
    "SB_PD": ("WM", "MD"),
    "SB_NC": ("SB_PD",),
    "SB": ("WM_s", "SB_NC"),
}
"""Family → families that it contains, by name in the literature."""


@cache
def census() -> Release:
    """The reference file, 1080 records of 13 amounts, its columns in their own order."""
    return amounts(pl.read_csv(DATA / "census.csv"))


@cache
def eia() -> Release:
    """The reference file, 4092 records, its ten amounts (without the utility, the state and the time)."""
    return amounts(pl.read_csv(DATA / "eia.csv")[:, -10:])


def amounts(frame: pl.DataFrame) -> Release:
    """A file of amounts."""
    return Release(frame, quasi=frame.columns, kinds=dict.fromkeys(frame.columns, "continuous"))


@cache
def sample(name: str, seed: int) -> Pairs:
    """A sample of Census, masked as the file ``name`` is."""
    rows = np.random.default_rng(seed).choice(census().size, SIZE, replace=False)
    columns = census().columns[: sum(size for size, _ in SETUPS[name])]
    original = amounts(census().to_native()[rows].select(columns))
    return pairs_of(original, published_setup(original, name=name))


def pairs_of(original: Release, method: Method, seed: int | None = None) -> Pairs:
    """Masked records that seek their originals; two random records differ by one in each column."""
    masked = original.protect(method, seed=seed).to_native().select(original.columns)
    seekers, places = (standardise_columns(side.to_numpy().astype(float)) for side in (masked, original.to_native()))
    columns = len(original.columns)
    costs = Costs(np.full(columns, NUMBER), np.full(columns, 0.5), np.ones(columns), np.ones(columns))
    return Pairs(seekers, places, np.arange(len(seekers)), costs)


def distinct(pairs: Pairs) -> int:
    """How many different masked records there are: of those that are alike, any distance finds one at most."""
    return len(np.unique(pairs.seekers, axis=0))


def part(pairs: Pairs, rows: np.ndarray) -> Pairs:
    """Some of the seekers, among all places."""
    return Pairs(pairs.seekers[rows], pairs.places, pairs.own[rows], pairs.costs)
