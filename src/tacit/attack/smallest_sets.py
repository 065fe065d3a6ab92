"""The smallest sets of columns from which a confidential value is inferred: good inference from few of them is the problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from ..claims.interval import wilson
from ..errors import TacitError, instead, typed, whole
from ..loss.learning.estimators import NAMES, Estimator, checked_estimator
from ..progress import Progress, report
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Shown, shown
from ..risk.intervals import checked_percent
from .columns import common
from .inference import Inference
from .predicting.by_class import BY_CLASS
from .predicting.subsets import Subsets
from .setting import scenario_of, truth_of
from .values.target import valued

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSet:
    """Some columns, the share of people of whom they tell the value, and how much that is above the best single guess.

    ``interval`` is Wilson's of 95 % for the share alone; ``gain_interval`` is corrected for all sets looked at.
    """

    columns: tuple[str, ...]
    right: float
    interval: tuple[float, float]
    gain: float
    gain_interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SmallestSets(Shown):
    """The sets that suffice, the smallest and best first; no set holds another.

    ``best`` is the best of all sets looked at, whether it suffices or not; ``guess`` how often the best single guess for
    everybody is right, ``looked_at`` how many sets were tried of the ``possible`` ones up to the largest size.
    """

    column: str
    sets: tuple[ColumnSet, ...]
    best: ColumnSet
    guess: float
    records: int
    looked_at: int
    possible: int

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield f"smallest sets for {self.column}", str(len(self.sets))
        for one in self.sets:
            yield ", ".join(one.columns), _told(one)
        if not self.sets:
            yield "best set, does not suffice", f"{', '.join(self.best.columns)}: {_told(self.best)}"
        yield "best single guess", shown(self.guess)
        yield "sets looked at", f"{shown(self.looked_at)} of {shown(self.possible)}"
        yield "intervals of the gain", f"95 % for all {shown(self.possible)} sets together"

    def frame(self) -> pl.DataFrame:
        """A row for each set."""
        return pl.DataFrame(
            [_plain(one) for one in self.sets],
            schema={
                "columns": pl.List(pl.String),
                **dict.fromkeys(("right", "low", "high", "gain", "gain_low", "gain_high"), pl.Float64),
            },
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values, for a report."""
        return {
            "column": self.column,
            "sets": [_plain(one) for one in self.sets],
            "best": _plain(self.best),
            "guess": self.guess,
            "records": self.records,
            "looked at": self.looked_at,
            "possible": self.possible,
        }


def smallest_sets(
    masked: Masked | Release,
    *,
    original: Release,
    column: str,
    knows: str | Iterable[str] | None = None,
    largest: int = 3,
    gain: float = 0.0,
    estimator: Estimator = BY_CLASS,
    percent: float = 10,
    folds: int = 5,
    lineage: np.ndarray | None = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> SmallestSets:
    r"""The smallest sets of known columns from which ``column`` is inferred better than by the best single guess (B-08).

    An estimate that takes many columns may be harmless, because nobody knows them all; one from two or three is within
    everybody's reach. A set S suffices when what it hits is surely more than ``gain`` above the best single guess,

    .. math:: \bar d_S - z_{1 - \alpha/2M} \sqrt{\tfrac{s_d^2 + 1/n}{n}} > gain, \qquad d_i = hit_i(S) - guess_i.

    Many sets are looked at, so that some would seem good by luck: the interval is Bonferroni's, corrected for all
    :math:`M = \sum_{s \le largest} \binom{c}{s}` sets of up to ``largest`` columns, and the statement about all of them together
    is wrong in 5 of 100 cases at most (the people taken as drawn at random). The sets are searched by size, and those that
    hold a sufficient one are left out: every set named is minimal.

    The guess is the most frequent true value, or the number that most people are near to: no guess that is the same for
    everybody hits more (:func:`.single_guess.single_guess`). Hits are those of people whose own records were not learnt from
    (``folds``): what is found is knowledge that the release spreads about everybody, see :func:`.adr.adr`. The default ``estimator="classes"`` says what most released records with the
    same values have (of a number: what most of them are near to), a small class being drawn towards the whole, with known
    numbers cut into 20 classes by their quantiles; all those of
    :class:`Inference` may be given, and cost a fit for each set and fold. ``percent`` is for a column of numbers (a hit is within so
    many % of the standard deviation). Time O(M · folds · n log n) with classes.

    >>> frame = pl.DataFrame({"zip": ["N1", "N2"] * 60, "sex": ["f"] * 60 + ["m"] * 60, "ill": ["flu", "gout"] * 60})
    >>> r = Release(frame, quasi=["zip", "sex"], confidential="ill")
    >>> found = smallest_sets(r, original=r, column="ill", lineage=np.arange(120), seed=1)
    >>> [(one.columns, one.right) for one in found.sets]
    [(('zip',), 1.0)]

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    Dunn (1961), Multiple comparisons among means, JASA 56, 52–64.
    """
    _checked(estimator, largest, gain, folds)
    checked_percent(percent)
    release, people = release_of(masked), release_of(original)
    scenario = scenario_of(masked, original, knows=knows)
    why_not = Inference(column=column).applies(release, scenario)
    if why_not:
        raise TacitError(f"cannot be inferred: {why_not}", column=column, fix="name other columns, column= and knows=")
    truth = valued(truth_of(masked, people, lineage), release, people, column, percent=percent)
    subsets = Subsets.of(release, scenario, truth, column=column, estimator=estimator, folds=folds, seed=seed)
    return _searched(subsets, common(release, scenario.file), largest, gain, progress)


def _searched(
    subsets: Subsets, columns: tuple[str, ...], largest: int, gain: float, progress: Progress | None
) -> SmallestSets:
    sizes = range(1, min(largest, len(columns)) + 1)
    possible = sum(comb(len(columns), size) for size in sizes)
    quantile = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * possible))
    guess = subsets.guess()
    sufficient: list[ColumnSet] = []
    tried: list[ColumnSet] = []
    for size in sizes:
        smaller = [set(one.columns) for one in sufficient]
        for chosen in combinations(columns, size):
            if any(one <= set(chosen) for one in smaller):
                continue
            report(progress, "looking at sets of columns", len(tried) / possible)
            found = _judged(chosen, subsets.hits(chosen), guess, quantile)
            tried.append(found)
            sufficient += [found] if found.gain_interval[0] > gain else []
    sufficient.sort(key=lambda one: (len(one.columns), -one.right))
    return SmallestSets(
        column=subsets.column,
        sets=tuple(sufficient),
        best=max(tried, key=lambda one: one.right),
        guess=float(guess.mean()),
        records=len(guess),
        looked_at=len(tried),
        possible=possible,
    )


def _judged(columns: tuple[str, ...], hits: np.ndarray, guess: np.ndarray, quantile: float) -> ColumnSet:
    difference = hits - guess
    count = len(difference)
    middle = float(difference.mean())
    reach = quantile * sqrt((float(difference.var()) + 1 / count) / count)
    return ColumnSet(
        columns=columns,
        right=float(hits.mean()),
        interval=wilson(float(hits.sum()), count),
        gain=middle,
        gain_interval=(max(-1.0, middle - reach), min(1.0, middle + reach)),
    )


def _checked(estimator: Estimator, largest: int, gain: float, folds: int) -> None:
    if isinstance(estimator, str) and estimator not in (BY_CLASS, *NAMES):
        raise TacitError(f"estimator={estimator!r} is unknown", fix=instead(estimator, (BY_CLASS, *NAMES)))
    if not isinstance(estimator, str):
        checked_estimator(estimator)
    whole("largest", largest, least=1)
    whole("folds", folds, least=2)
    if isinstance(gain, bool) or not isinstance(gain, int | float) or not 0 <= gain < 1:
        raise TacitError(f"gain={typed(gain)} is not a share from 0 to below 1", fix="e.g. gain=0.05")


def _told(one: ColumnSet) -> str:
    gain = f"{shown(one.gain)} above the best guess ({shown(one.gain_interval)})"
    return f"{shown(one.right)} right, {gain}"


def _plain(one: ColumnSet) -> dict[str, Any]:
    low, high = one.interval
    gain_low, gain_high = one.gain_interval
    found: dict[str, Any] = {"columns": list(one.columns), "right": one.right, "low": low, "high": high}
    return found | {"gain": one.gain, "gain_low": gain_low, "gain_high": gain_high}
