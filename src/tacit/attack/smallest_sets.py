"""The smallest sets of columns from which a confidential value is inferred: good inference from few of them is the problem."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from ..claims.scenario import Scenario
from ..claims.truth import Truth
from ..errors import TacitError, check_int, format_value, suggest_alternative
from ..interval import wilson
from ..loss.learning.estimators import NAMES, Estimator, Features, checked_estimator, draw_folds, fit_predict
from ..progress import Progress, report_progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import DisplayMixin, format_fact
from ..risk.intervals import checked_percent
from ..seed import child_seed, make_generator, seed_or_default
from ._columns import common_columns, features_of
from ._scenarios import scenario_of, truth_of
from ._target import single_guess, target_of, with_values
from .inference import Inference

BY_CLASS = "classes"
"""Its name."""

BINS = 20
"""Numbers are cut into so many classes of about equal size."""

PRIOR = 1.0
"""The whole release counts as so many further records of every class."""

TIE = 1e-9


def by_class(keys: np.ndarray, values: np.ndarray, asked: np.ndarray, *, within: float = 0.0) -> np.ndarray:
    r"""For each key asked about, the value that leads in its class; what leads everywhere for keys that do not occur.

    .. math:: \hat v(C) = \arg\max_v\ n_C(v) + m\, p(v)

    with :math:`n_C(v)` the records of the class that v hits, p(v) the share of all records that it hits, and m = 1: a small
    class is drawn towards the whole. Categories are whole numbers, and v hits what equals it; a number hits those that are
    ``within`` so much of it. (The mean of a class, between its heaps, may hit nobody.) A tie goes to the value that is more
    frequent in the whole, then to the lower one. O(n log n).

    >>> by_class(np.array([0, 0, 0, 1]), np.array([5, 5, 7, 7]), np.array([0, 1, 2]))
    array([5, 7, 5])
    >>> by_class(np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 9.0, 9.0]), np.array([0, 1, 2]), within=0.5)
    array([1.5, 9. , 1.5])
    """
    if values.dtype.kind == "f":
        return _modal_windows(keys, values, asked, within)
    present, rank = _by_frequency(values)
    prior = PRIOR * np.bincount(rank, minlength=len(present)) / len(values)
    pairs, counts = np.unique(keys * len(present) + rank, return_counts=True)
    key, value = np.divmod(pairs, len(present))
    begins = np.flatnonzero(np.diff(key, prepend=-1))
    scores = counts + prior[value]
    best = np.maximum.reduceat(scores, begins)
    leads = np.flatnonzero(scores == np.repeat(best, np.diff(np.append(begins, len(key)))))
    first = leads[np.searchsorted(leads, begins)]
    leader = np.zeros(int(max(keys.max(), asked.max(initial=0))) + 1, dtype=np.int64)
    leader[key[begins]] = np.where(best >= prior[0], value[first], 0)
    found: np.ndarray = present[leader[asked]]
    return found


def joined_keys(keys: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Keys of one more column: the same number where both are the same."""
    found: np.ndarray = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return found


def bin_by_quantiles(release: np.ndarray, people: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of both files as classes by the quantiles of the release; a gap is a class of its own."""
    known = release[~np.isnan(release)]
    edges = np.unique(np.quantile(known, np.arange(1, BINS) / BINS, method="lower")) if len(known) else known
    sides = (np.where(np.isnan(x), len(edges) + 1, np.searchsorted(edges, x, side="left")) for x in (release, people))
    first, second = sides
    return first, second


def _by_frequency(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different values, the most frequent first, and the place of each record's."""
    present, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    order = np.lexsort((present, -counts))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return present[order], rank[place]


def _modal_windows(keys: np.ndarray, values: np.ndarray, asked: np.ndarray, within: float) -> np.ndarray:
    """The middle of the window, twice ``within`` wide, that holds most of a class; each begins at a value of it."""
    ladder, rank = np.unique(values, return_inverse=True)
    last = np.searchsorted(ladder, ladder + 2 * within, side="right") - 1
    upto = np.append(0, np.cumsum(np.bincount(rank)))
    share = PRIOR * (upto[last + 1] - upto[:-1]) / len(values)
    best = int(np.argmax(share))
    size = int(max(keys.max(), asked.max(initial=0))) + 1
    pairs, counts = np.unique(keys * len(ladder) + rank, return_counts=True)
    key, step = np.divmod(pairs, len(ladder))
    total = np.append(0, np.cumsum(counts))

    def held(of: np.ndarray, begin: np.ndarray) -> np.ndarray:
        ends = (np.searchsorted(pairs, of * len(ladder) + at) for at in (begin, last[begin] + 1))
        first, past = ends
        found: np.ndarray = total[past] - total[first] + share[begin]
        return found

    scores = held(key, step)
    order = np.lexsort((step, -share[step], -scores.round(9), key))
    leads = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
    usual = held(key[leads], np.full(len(leads), best))
    leader = np.full(size, best)
    leader[key[leads]] = np.where(scores[leads] > usual + TIE, step[leads], best)
    middle = ladder + (ladder[last] - ladder) / 2
    found: np.ndarray = middle[leader[asked]]
    return found


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
class SmallestSets(DisplayMixin):
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
            yield ", ".join(one.columns), _format_set(one)
        if not self.sets:
            yield "best set, does not suffice", f"{', '.join(self.best.columns)}: {_format_set(self.best)}"
        yield "best single guess", format_fact(self.guess)
        yield "sets looked at", f"{format_fact(self.looked_at)} of {format_fact(self.possible)}"
        yield "intervals of the gain", f"95 % for all {format_fact(self.possible)} sets together"

    def frame(self) -> pl.DataFrame:
        """A row for each set."""
        return pl.DataFrame(
            [_set_json(one) for one in self.sets],
            schema={
                "columns": pl.List(pl.String),
                **dict.fromkeys(("right", "low", "high", "gain", "gain_low", "gain_high"), pl.Float64),
            },
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values, for a report."""
        return {
            "column": self.column,
            "sets": [_set_json(one) for one in self.sets],
            "best": _set_json(self.best),
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
    r"""The smallest sets of known columns from which ``column`` is inferred better than by the best single guess.

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
    _check_options(estimator, largest, gain, folds)
    checked_percent(percent)
    release, people = release_of(masked), release_of(original)
    scenario = scenario_of(masked, original, knows=knows)
    why_not = Inference(column=column).applies(release, scenario)
    if why_not:
        raise TacitError(
            f"cannot be inferred: {why_not}",
            code="not_applicable",
            column=column,
            fix="name other columns, column= and knows=",
        )
    truth = with_values(truth_of(masked, people, lineage), release, people, column, percent=percent)
    subsets = Subsets.of(release, scenario, truth, column=column, estimator=estimator, folds=folds, seed=seed)
    return _search_subsets(subsets, common_columns(release, scenario.file), largest, gain, progress)


def _search_subsets(
    subsets: Subsets, columns: tuple[str, ...], largest: int, gain: float, progress: Progress | None
) -> SmallestSets:
    sizes = range(1, min(largest, len(columns)) + 1)
    possible = sum(comb(len(columns), size) for size in sizes)
    quantile = NormalDist().inv_cdf(1 - (1 - CONFIDENCE) / (2 * possible))
    guess = subsets.guess_hits()
    sufficient: list[ColumnSet] = []
    tried: list[ColumnSet] = []
    for size in sizes:
        smaller = [set(one.columns) for one in sufficient]
        for chosen in combinations(columns, size):
            if any(one <= set(chosen) for one in smaller):
                continue
            report_progress(progress, "looking at sets of columns", len(tried) / possible)
            found = _score_subset(chosen, subsets.hits(chosen), guess, quantile)
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


def _score_subset(columns: tuple[str, ...], hits: np.ndarray, guess: np.ndarray, quantile: float) -> ColumnSet:
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


def _check_options(estimator: Estimator, largest: int, gain: float, folds: int) -> None:
    if isinstance(estimator, str) and estimator not in (BY_CLASS, *NAMES):
        raise TacitError(
            f"estimator={estimator!r} is unknown",
            code="unknown_name",
            parameter="estimator",
            fix=suggest_alternative(estimator, (BY_CLASS, *NAMES)),
        )
    if not isinstance(estimator, str):
        checked_estimator(estimator)
    check_int("largest", largest, least=1)
    check_int("folds", folds, least=2)
    if isinstance(gain, bool) or not isinstance(gain, int | float) or not 0 <= gain < 1:
        raise TacitError(
            f"gain={format_value(gain)} is not a share from 0 to below 1",
            code="out_of_range",
            parameter="gain",
            fix="e.g. gain=0.05",
        )


def _format_set(one: ColumnSet) -> str:
    gain = f"{format_fact(one.gain)} above the best guess ({format_fact(one.gain_interval)})"
    return f"{format_fact(one.right)} right, {gain}"


def _set_json(one: ColumnSet) -> dict[str, Any]:
    low, high = one.interval
    gain_low, gain_high = one.gain_interval
    found: dict[str, Any] = {"columns": list(one.columns), "right": one.right, "low": low, "high": high}
    return found | {"gain": one.gain, "gain_low": gain_low, "gain_high": gain_high}


@dataclass(frozen=True, slots=True, eq=False)
class Subsets:
    """Everything that does not depend on which columns are taken, prepared once."""

    column: str
    estimator: Estimator
    features: Mapping[str, Features]
    keys: Mapping[str, np.ndarray]
    values: np.ndarray
    known: np.ndarray
    true: np.ndarray
    within: float
    last: float
    fold_of_release: np.ndarray
    fold_of_people: np.ndarray
    seed: bytes

    @staticmethod
    def of(
        release: Release,
        scenario: Scenario,
        truth: Truth,
        *,
        column: str,
        estimator: Estimator,
        folds: int,
        seed: int | bytes | None,
    ) -> Subsets:
        """For the people of the scenario whose true value is known; invented records are learnt from in every fold."""
        assert truth.values is not None
        numbers = truth.values.dtype.kind == "f"
        asked = ~np.isnan(truth.values) if numbers else truth.values >= 0
        if not asked.any():
            raise TacitError(
                "is missing for everybody attacked",
                code="missing_values",
                column=column,
                fix="give a file that has its values",
            )
        own = child_seed(seed_or_default(seed), "folds")
        fold = draw_folds(len(truth.intruder), folds, seed)
        target = target_of(release, column)
        values = target.codes if target.codes is not None else target.numbers
        assert values is not None
        people = scenario.file.take(np.flatnonzero(asked))
        features = {name: features_of(release, people, (name,)) for name in common_columns(release, scenario.file)}
        return Subsets(
            column=column,
            estimator=estimator,
            features=features,
            keys={name: _class_keys(one) for name, one in features.items()} if estimator == BY_CLASS else {},
            values=values,
            known=target.known_rows(),
            true=truth.values[asked].astype(float),
            within=truth.within * (1 + 1e-12),
            last=target.count - 1 if target.codes is not None else np.inf,  # a code beyond is no value of the release
            fold_of_release=np.append(fold, -1)[truth.released],
            fold_of_people=fold[asked],
            seed=own,
        )

    def guess_hits(self) -> np.ndarray:
        """1 for each person of whom the best single guess is true: the value that hits most of the people.

        It is that of the true values, not of the release: of two values that are about as frequent, the release may have the
        wrong one in front, and a guess that is wrong more often than it need be would make every set look good.
        """
        named = np.where(self.true <= self.last, self.true, np.nan)
        return single_guess(named, within=self.within)

    def hits(self, columns: tuple[str, ...]) -> np.ndarray:
        """1 for each person of whom the columns tell the true value."""
        said = np.full(len(self.true), np.nan)
        keys = self._joint_keys(columns)
        for number in np.unique(self.fold_of_people):
            learnt = np.flatnonzero(self.known & (self.fold_of_release != number))
            asked = np.flatnonzero(self.fold_of_people == number)
            if len(learnt):
                said[asked] = self._predict_values(columns, keys, learnt, asked)
        return self._score_predictions(said)

    def _score_predictions(self, said: np.ndarray) -> np.ndarray:
        right: np.ndarray = np.abs(said - self.true) <= self.within
        return right.astype(float)

    def _predict_values(
        self, columns: tuple[str, ...], keys: np.ndarray, learnt: np.ndarray, asked: np.ndarray
    ) -> np.ndarray:
        if self.estimator != BY_CLASS and len(np.unique(self.values[learnt])) > 1:
            parts = [self.features[name] for name in columns]
            together = replace(parts[0], sides=tuple(side for part in parts for side in part.sides))
            rng = make_generator(child_seed(self.seed, "estimator"))
            return fit_predict(self.estimator, together, self.values, learnt=learnt, asked=asked, rng=rng).single()
        return by_class(keys[learnt], self.values[learnt], keys[len(self.values) + asked], within=self.within)

    def _joint_keys(self, columns: tuple[str, ...]) -> np.ndarray:
        keys = np.zeros(len(self.values) + len(self.true), dtype=np.int64)
        for name in columns if self.estimator == BY_CLASS else ():
            keys = joined_keys(keys, self.keys[name])
        return keys


def _class_keys(features: Features) -> np.ndarray:
    """One column as the numbers of its classes, in the release and then in the people's file."""
    keys = np.zeros(features.release_size + features.people_size, dtype=np.int64)
    for side in features.sides:
        pair = side.release, side.people
        if side.codes:
            gap = np.nanmax(side.release) + 1
            pair = np.where(np.isnan(pair[0]), gap, pair[0]), np.where(np.isnan(pair[1]), gap, pair[1])
        else:
            pair = bin_by_quantiles(*pair)
        keys = joined_keys(keys, np.concatenate(pair).astype(np.int64))
    return keys
