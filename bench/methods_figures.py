"""Microaggregation, rank swapping and noise on three reference files, measured and attacked: what the study of methods shows.

DLD is distance linkage, PLD probabilistic linkage; the score is ½ (IL + DR), see the page for its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
import polars as pl
from bars import ROOT

from tacit import Masked, Release
from tacit.attack import Distance, Probabilistic, Transparency
from tacit.attack.attack import Attack
from tacit.claims import Scenario, Truth, judge
from tacit.loss import covariances, headline, il1, moments
from tacit.protect import AddNoise, Mdav, Microaggregate, Pipeline, RankSwap
from tacit.release.masked import Method
from tacit.risk import interval_disclosure

DATA = ROOT.parent / "shared" / "data"
SEEDS = (1, 2, 3)
MOST = 1080
"""So many records of a larger file, drawn once at random: as many as Census has."""
PERCENT = 10
STEP = 2
"""The intruder of the literature knows the first 1, 3, 5, … columns, up to half of them."""
SCORES = {
    "relative": "relative losses; the first columns known",
    "bounded": "bounded losses; the first columns known",
    "all known": "bounded losses; all columns known",
    "informed": "bounded losses; all columns known, and the worst attack instead of the mean of two",
}
PARTS = ("values", "means", "variances", "covariances", "correlations")
VARIANCES = (0.01, 0.05, 0.1, 0.2, 0.5)
NOISE = ("noise", "correlated noise")
SWAP = "rank swapping"


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A reference file: its last so many columns, all numbers; none of it where it is not there (a made-up one)."""

    name: str
    path: str | None
    width: int
    about: str

    def release(self) -> Release:
        frame = _made_up(self.width) if self.path is None else pl.read_csv(DATA / self.path)
        frame = frame[:, -self.width :]
        release = Release(frame, quasi=frame.columns, kinds=dict.fromkeys(frame.columns, "continuous"))
        if release.size <= MOST:
            return release
        return release.take(np.sort(np.random.default_rng(SEEDS[0]).permutation(release.size)[:MOST]))


REFERENCE = (
    File(name="Census", path="census.csv", width=13, about="people and their incomes and taxes"),
    File(name="EIA", path="eia.csv", width=10, about="power companies, their sales and revenues"),
    File(name="Tarragona", path="tarragona.csv", width=13, about="companies and their accounts"),
)
MADE_UP = File(name="Made up", path=None, width=8, about="log-normal amounts that share one factor")


def files() -> tuple[File, ...]:
    """The reference files that are there; else the made-up one."""
    return tuple(file for file in REFERENCE if (DATA / str(file.path)).exists()) or (MADE_UP,)


def _made_up(width: int) -> pl.DataFrame:
    draw = np.random.default_rng(SEEDS[0])
    common = draw.standard_normal((1000, 1))
    amounts = np.exp(8 + 0.8 * common + 0.6 * draw.standard_normal((1000, width)))
    return pl.DataFrame(amounts.round(), schema=[f"amount {place}" for place in range(1, width + 1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A method with its parameter; ``draws`` tells whether chance decides what it makes."""

    method: str
    parameter: str
    make: Method
    draws: bool


def ways(columns: Sequence[str]) -> Iterator[Way]:
    """What is compared, all columns masked."""
    for k in (3, 5, 10, 20, 50):
        yield Way(method="MDAV", parameter=f"k = {k}", make=Mdav(columns=columns, k=k), draws=False)
    for k in (3, 5, 10, 20, 50):
        steps = tuple(Mdav(columns=group, k=k) for group in groups(columns))
        yield Way(method="MDAV by groups", parameter=f"k = {k}", make=Pipeline(steps=steps), draws=False)
    for k in (3, 5, 10, 20):
        alone = Microaggregate(columns=columns, k=k, groups="each")
        yield Way(method="individual ranking", parameter=f"k = {k}", make=alone, draws=False)
    for p in range(2, 21, 2):
        yield Way(method=SWAP, parameter=f"p = {p}", make=RankSwap(columns=columns, percent=p), draws=True)
    for name, form in zip(NOISE, ("uncorrelated", "correlated"), strict=True):
        for variance in VARIANCES:
            noise = AddNoise(columns=columns, variance=variance, form=form)  # type: ignore[arg-type]
            yield Way(method=name, parameter=f"{variance:g} of the variance", make=noise, draws=True)


def groups(columns: Sequence[str]) -> list[Sequence[str]]:
    """Three columns after one another, four or five in the last group."""
    count = len(columns) // 3
    return [columns[3 * at : 3 * at + 3 if at < count - 1 else None] for at in range(count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was measured on one masked file, in per cent."""

    relative_parts: tuple[float, ...]
    bounded_parts: tuple[float, ...]
    interval: float
    distance_part: float
    probabilistic_part: float
    distance: float
    probabilistic: float
    informed: float

    @property
    def relative(self) -> float:
        """IL as published, without a bound."""
        return fmean(self.relative_parts)

    @property
    def bounded(self) -> float:
        """IL, at most 100."""
        return fmean(self.bounded_parts)

    def risk(self, score: str) -> float:
        """DR = ½ ID + ½ of the linkage."""
        if score == "informed":
            return (self.interval + max(self.distance, self.probabilistic, self.informed)) / 2
        if score == "all known":
            return self.interval / 2 + (self.distance + self.probabilistic) / 4
        return self.interval / 2 + (self.distance_part + self.probabilistic_part) / 4

    def score(self, score: str) -> float:
        """½ (IL + DR)."""
        return ((self.relative if score == "relative" else self.bounded) + self.risk(score)) / 2


def found(original: Release, way: Way, seed: int) -> Found:
    """One draw: masked, measured, attacked."""
    masked: Masked = original.protect(way.make, seed=seed)
    columns = original.columns
    truth = Truth.by_lineage(masked.lineage, original.size)

    def linked(attack: Attack, size: int) -> float:
        told = Scenario.worst_case(original, knows=columns[:size], told=masked.trace)
        return 100 * judge(attack.claims(masked.release, told, seed=seed), truth).value

    # The chances of agreement are counted in the true pairs: what the best estimate of them would come to.
    likely = Probabilistic(estimate="known", known=tuple((row, row) for row in range(original.size)))
    some, every = known_sizes(len(columns)), len(columns)
    return Found(
        relative_parts=tuple(100 * part for part in relative_parts(original, masked)),
        bounded_parts=tuple(100 * part for part in bounded_parts(original, masked)),
        interval=100 * fmean(_intervals(original, masked)),
        distance_part=fmean(linked(Distance(), size) for size in some),
        probabilistic_part=fmean(linked(likely, size) for size in some),
        distance=linked(Distance(), every),
        probabilistic=linked(likely, every),
        informed=linked(Transparency(), every),
    )


def known_sizes(width: int) -> range:
    """How many columns the intruder of the literature knows, one case after the other."""
    return range(1, (width + 1) // 2 + 1, STEP)


def _intervals(original: Release, masked: Masked) -> Iterator[float]:
    for by in ("rank", "deviation"):
        yield from (one.value for one in interval_disclosure(masked, original=original, percent=PERCENT, by=by))


def bounded_parts(original: Release, masked: Masked) -> list[float]:
    """Values, means, variances, covariances and correlations: each between 0 and 1."""
    changed = moments(masked, original=original)
    shift, spread, turned = (headline(changed.of(name)) for name in ("mean shift", "variance change", "correlations"))
    moved, together = (headline(of(masked, original=original)) for of in (il1, covariances))
    return [moved, shift, spread, together, turned]


def relative_parts(original: Release, masked: Masked) -> list[float]:
    """The same five as relative changes, as published; what is 0 in the original has none and is left out."""
    before, after = (
        np.column_stack([one.floats(name) for name in original.columns]) for one in (original, masked.release)
    )
    old, new = np.cov(before, rowvar=False), np.cov(after, rowvar=False)
    upper, above = np.triu_indices(len(old)), np.triu_indices(len(old), 1)
    turned = np.abs(np.corrcoef(after, rowvar=False) - np.corrcoef(before, rowvar=False))[above]
    return [
        _relative(before, after),
        _relative(before.mean(axis=0), after.mean(axis=0)),
        _relative(old.diagonal(), new.diagonal()),
        _relative(old[upper], new[upper]),
        float(turned.mean()),
    ]


def _relative(before: np.ndarray, after: np.ndarray) -> float:
    there = before != 0
    return float((np.abs(after - before)[there] / np.abs(before)[there]).mean())


@dataclass(frozen=True, slots=True)
class Row:
    """A way and what its draws gave."""

    way: Way
    draws: tuple[Found, ...]

    def mean(self, field: str) -> float:
        return fmean(getattr(one, field) for one in self.draws)

    def parts(self, form: str) -> list[float]:
        """The five changes behind a loss, relative or bounded."""
        return [fmean(each) for each in zip(*(getattr(one, f"{form}_parts") for one in self.draws), strict=True)]

    def risk(self, name: str) -> float:
        return fmean(one.risk(name) for one in self.draws)

    def score(self, name: str) -> float:
        return fmean(one.score(name) for one in self.draws)

    def half(self, name: str) -> float:
        """Half of the range of the score over the draws."""
        each = [one.score(name) for one in self.draws]
        return (max(each) - min(each)) / 2

    def said(self, name: str) -> str:
        return f"{self.score(name):.1f} ± {self.half(name):.1f}" if self.way.draws else f"{self.score(name):.1f}"
