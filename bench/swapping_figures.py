"""Rank-swapped Census and EIA, and how many records three attacks find in them: what the study and the bars share.

RSLD is linkage made for rank swapping (the nearest record among those within reach in every known column), DLD plain
distance linkage, PLD probabilistic linkage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import polars as pl
from bars import ROOT

from tacit import Release
from tacit.attack import Distance, Transparency
from tacit.attack.attack import Attack
from tacit.attack.probabilistic import Probabilistic
from tacit.claims import Scenario, Truth, judge
from tacit.protect import RankSwap
from tacit.release.trace import Trace

DATA = ROOT.parent / "shared" / "data"
FILES = {"Census": "census.csv", "EIA": "eia.csv"}
PERCENTS = tuple(range(2, 21, 2))
NEAR = 0.03
"""Share of the ranks within which numbers agree in probabilistic linkage; chosen after trying others (see the study)."""

PUBLISHED = {
    "Census": {
        "RSLD": (77.73, 66.65, 54.65, 41.28, 29.21, 19.87, 16.14, 13.81, 12.21, 10.88),
        "DLD": (73.52, 58.40, 43.76, 32.13, 23.64, 18.96, 15.63, 13.59, 11.50, 10.87),
        "PLD": (71.28, 42.92, 22.49, 11.74, 6.03, 3.46, 2.06, 1.29, 0.83, 0.59),
    },
    "EIA": {
        "RSLD": (43.27, 12.54, 7.69, 6.12, 5.60, 5.39, 5.28, 5.19, 5.20, 5.15),
        "DLD": (21.71, 10.61, 7.40, 5.98, 5.19, 4.87, 4.55, 4.54, 4.54, 4.36),
        "PLD": (16.85, 4.79, 2.03, 1.12, 0.69, 0.51, 0.32, 0.23, 0.22, 0.18),
    },
}
"""Per cent re-identified at p = 2, 4, … 20 per cent of the ranks: Torra's lecture, after Nin, Herranz and Torra
(2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering 64, 346–364."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """One reading of the experiment: how partners are found, in which order columns get known, and how many.

    ``order`` is "file", "alphabet", or a number that draws one. The figure is the mean over the first 1, …, ``most``
    columns known, and over ``files`` masked files.
    """

    swap: str
    order: str | int
    most: int
    files: int = 1

    def columns(self, release: Release) -> tuple[str, ...]:
        """The columns in the order in which the intruder gets to know them."""
        if isinstance(self.order, int):
            return tuple(np.random.default_rng(self.order).permutation(release.columns))
        return tuple(sorted(release.columns)) if self.order == "alphabet" else release.columns


@cache
def original(name: str) -> Release:
    """The file, its numeric columns alone (EIA: without the utility, the state and the time)."""
    frame = pl.read_csv(DATA / FILES[name])
    frame = frame[:, -10:] if name == "EIA" else frame
    return Release(frame, quasi=frame.columns, kinds=dict.fromkeys(frame.columns, "continuous"))


@cache
def masked(name: str, swap: str, percent: int, seed: int) -> Release:
    """The file, each column rank-swapped over ``percent`` of its ranks."""
    release = original(name)
    if swap == "found":
        return release.protect(RankSwap(columns=release.columns, percent=percent), seed=seed).release
    reach = percent * release.size // 100
    rng = np.random.default_rng((seed, percent))
    return release.with_columns({column: _swapped(release, column, reach, swap, rng) for column in release.columns})


def _swapped(release: Release, column: str, reach: int, swap: str, rng: np.random.Generator) -> np.ndarray:
    """One column by a rule that :class:`tacit.protect.RankSwap` does not have; ``swap`` says which.

    Every rank whose value is in place draws another, up to ``reach`` above it. When that is taken, "skipped" leaves both
    as they are, "again" exchanges them all the same; "literal" marks nothing, so that every rank has its turn; "both
    sides" draws below, too, and leaves both as they are when it is taken.
    """
    values = release.series(column).to_numpy()
    order = np.lexsort((rng.random(len(values)), values))
    ranked, last, draws = values[order], len(values) - 1, rng.random(len(values))
    done = np.zeros(len(values), dtype=bool)
    for i in range(last):
        first = max(0, i - reach) if swap == "both sides" else i + 1
        j = first + int(draws[i] * (min(last, i + reach) + 1 - first))
        if (done[i] and swap != "literal") or (done[j] and swap in ("skipped", "both sides")) or i == j:
            continue
        ranked[i], ranked[j] = ranked[j], ranked[i]
        done[i] = done[j] = True
    values = values.copy()
    values[order] = ranked
    return values


def left_in_place(name: str, setup: SetUp) -> float:
    """The share of values that are what they were, in the columns that the intruder gets to know."""
    release = original(name)
    columns = setup.columns(release)[: setup.most]
    files = [masked(name, setup.swap, percent, seed) for percent in PERCENTS for seed in range(setup.files)]
    same = [(one.series(column) == release.series(column)).mean() for one in files for column in columns]
    return float(np.mean(same))  # type: ignore[arg-type]


def scenario(name: str, percent: int, knows: Iterable[str], *, covers: bool = False, equal: bool = True) -> Scenario:
    """Somebody who has all records, knows these columns of them, and is told the method and its parameter.

    As published, nothing is made of having everybody (``covers``): a record that is possible for one person only.
    Without ``equal``, each value is a quarter more than in the release, where all are whole: near, and never equal.
    """
    release, columns = original(name), tuple(knows)
    told = Trace.of(RankSwap(columns=release.columns, percent=percent))
    if not equal:
        release = release.with_columns({column: release.series(column).to_numpy() + 0.25 for column in columns})
    return Scenario(file=release, knows=columns, told=(told,), inside=True, covers=covers)


def attack_of(kind: str, size: int) -> Attack:
    """RSLD, DLD or PLD; the probabilistic one counts its chances in the true pairs of ``size`` records, the worst case."""
    if kind in ("RSLD", "DLD"):
        return Transparency(within="distance") if kind == "RSLD" else Distance()
    return Probabilistic(estimate="known", known=tuple((row, row) for row in range(size)), near=(NEAR,))


def found(name: str, release: Release, attack: Attack, told: Scenario) -> float:
    """Per cent of the records that are linked rightly, a tie of m counting 1/m."""
    truth = Truth.by_lineage(None, original(name).size)
    return 100 * judge(attack.claims(release, told, seed=1), truth).value


def by_size(name: str, setup: SetUp, kinds: Sequence[str]) -> dict[str, np.ndarray]:
    """Of each attack, per cent found by p (rows) and number of known columns 1, …, most, the mean over masked files.

    "PLD" knows near and far alone, "PLD with equality" a third level for values that are exactly equal.
    """
    columns = setup.columns(original(name))
    figures = {kind: np.zeros((len(PERCENTS), setup.most)) for kind in kinds}
    for kind, (row, percent), size in product(kinds, enumerate(PERCENTS), range(1, setup.most + 1)):
        told, attack = (
            scenario(name, percent, columns[:size], equal=kind != "PLD"),
            attack_of(kind, original(name).size),
        )
        releases = [masked(name, setup.swap, percent, seed) for seed in range(setup.files)]
        figures[kind][row, size - 1] = np.mean([found(name, release, attack, told) for release in releases])
    return figures


def missed_by(name: str, kind: str, figures: np.ndarray) -> float:
    """Mean absolute difference from the published figures, in points; ``figures`` by p and number of columns."""
    return float(np.abs(figures.mean(axis=1) - np.array(PUBLISHED[name][kind])).mean())
