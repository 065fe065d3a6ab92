"""The one adapter that fits an estimator on one file and asks it about another.

Losses and attacks code the columns of both files alike (:class:`Features`), name an estimator or give one of
scikit-learn's, and get what it predicts (:func:`fit_predict`). Folds are of people (:func:`draw_folds`): the rows that
teach are those of another file than the rows asked about, so that scikit-learn's own cross-validation does not fit.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative
from ...seed import child_seed, make_generator, seed_or_default

Estimator: TypeAlias = Any
"""A name of ``NAMES``, or an object of scikit-learn's with ``fit`` and ``predict``."""
NAMES = ("boosting", "linear", "neighbours", "tree")
TREES = 150
"""So many trees are grown at most, however many categories there are to tell apart."""
CLASSES = 30
"""With more categories than these boosting would grow a tree for each in every round: one tree tells all apart instead."""
NATIVE = 250
"""So many categories of a column are told apart by estimators that take codes; rarer ones are one category."""
SPREAD = 30
"""So many get a column of their own where categories are spread out."""
CELLS = 4_000_000
"""So many chances are held at once."""
TIE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class FeatureColumn:
    """One column of both files: numbers, or codes from 0 on in the order of their frequency; NaN where nothing is known."""

    release: np.ndarray
    people: np.ndarray
    codes: bool


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What is known of the records of a release (to learn from) and of some people (to be asked about).

    ``notes`` say what of the people's values could not be used.
    """

    sides: tuple[FeatureColumn, ...]
    release_size: int
    people_size: int
    notes: tuple[str, ...] = ()

    def native_matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Both matrices with codes as they are and NaN for gaps, and which of the columns are codes."""
        cut = [_merge_rare(side, NATIVE) if side.codes else (side.release, side.people) for side in self.sides]
        flags = np.array([side.codes for side in self.sides] or [False])
        return self._stack_columns([one[0] for one in cut], self.release_size), self._people_matrix(cut), flags

    def dense_matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Both matrices without gaps: numbers standardised by the release, a column for each frequent category.

        A missing number is the mean of the release and is marked in a column of its own; a missing category is none of
        the categories, and so is one that the release does not have. What is constant in the release is left out.
        """
        pairs = [
            pair
            for side in self.sides
            for pair in (_indicator_columns(side) if side.codes else _standardised_columns(side))
        ]
        return self._stack_columns([one[0] for one in pairs], self.release_size), self._people_matrix(pairs)

    def _people_matrix(self, pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        return self._stack_columns([one[1] for one in pairs], self.people_size)

    @staticmethod
    def _stack_columns(columns: list[np.ndarray], size: int) -> np.ndarray:
        return np.column_stack(columns) if columns else np.zeros((size, 1))


def side_of(release: np.ndarray, people: np.ndarray, *, codes: bool) -> tuple[FeatureColumn, int]:
    """Ends of ranges that hold nothing are unknown; codes are numbered by frequency, those not released are unknown."""
    if not codes:
        ends = [np.where(np.isfinite(values), values, np.nan) for values in (release, people)]
        return FeatureColumn(ends[0], ends[1], codes=False), 0
    present, counts = np.unique(release[~np.isnan(release)], return_counts=True)
    rank = np.empty(len(present))
    rank[np.lexsort((present, -counts))] = np.arange(len(present))
    numbered = [_frequency_codes(values, present, rank) for values in (release, people)]
    unseen = int((np.isnan(numbered[1]) & ~np.isnan(people)).sum())
    return FeatureColumn(numbered[0], numbered[1], codes=True), unseen


def _frequency_codes(values: np.ndarray, present: np.ndarray, rank: np.ndarray) -> np.ndarray:
    if not len(present):
        return np.full(len(values), np.nan)
    place = np.minimum(np.searchsorted(present, values), len(present) - 1)
    found: np.ndarray = np.where(present[place] == values, rank[place], np.nan)
    return found


def _merge_rare(side: FeatureColumn, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The rarest categories as one."""
    return np.minimum(side.release, most), np.minimum(side.people, most)  # NaN stays NaN


def _indicator_columns(side: FeatureColumn) -> list[tuple[np.ndarray, np.ndarray]]:
    release, people = _merge_rare(side, SPREAD)
    pairs = ((release == code, people == code) for code in np.unique(release[~np.isnan(release)]))
    return [(one.astype(float), other.astype(float)) for one, other in pairs if not one.all()]


def _standardised_columns(side: FeatureColumn) -> list[tuple[np.ndarray, np.ndarray]]:
    gaps = np.isnan(side.release)
    known = np.sort(side.release[~gaps])  # summed in the order of the values, not of the file
    middle, spread = float(known.mean()), float(known.std())
    found = []
    if spread > 0:
        found.append(tuple(np.where(np.isnan(x), 0.0, (x - middle) / spread) for x in (side.release, side.people)))
    if gaps.any():
        found.append((gaps.astype(float), np.isnan(side.people).astype(float)))
    return found  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class LearningTask:
    """What is to be learnt: from how many records, how many categories (0: numbers), which columns hold codes."""

    records: int
    classes: int
    categorical: np.ndarray | None = None


def checked_estimator(estimator: Estimator) -> None:
    """Refuse what is neither a name nor an object with ``fit`` and ``predict``."""
    if isinstance(estimator, str):
        if estimator not in NAMES:
            raise TacitError(
                f"estimator={estimator!r} is unknown",
                code="unknown_name",
                parameter="estimator",
                fix=suggest_alternative(estimator, NAMES),
            )
        return
    lacking = [one for one in ("fit", "predict") if not callable(getattr(estimator, one, None))]
    if isinstance(estimator, type) or lacking:
        what = "is a class" if isinstance(estimator, type) else f"has no {' and no '.join(lacking)}"
        raise TacitError(
            f"the estimator {what} ({format_value(estimator)})",
            code="not_applicable",
            fix=f"give one of {', '.join(NAMES)}, or an object such as sklearn.ensemble.RandomForestClassifier()",
        )


def takes_codes(estimator: Estimator) -> bool:
    """Whether it learns from codes and gaps as they are; all others get numbers without gaps."""
    return isinstance(estimator, str) and estimator in ("boosting", "tree")


def make_estimator(estimator: Estimator, task: LearningTask, rng: np.random.Generator) -> Any:
    """A fresh estimator for the task; what it draws is drawn from ``rng``, unless its own state was set.

    ============== ============================================= ======================================
    name           categories                                    numbers
    ============== ============================================= ======================================
    ``boosting``   histogram gradient boosting, at most 150 trees the same
    ``linear``     logistic regression                           ridge regression
    ``neighbours`` the 5 nearest                                 their mean
    ``tree``       one tree                                      one tree
    ============== ============================================= ======================================

    With more than 30 categories ``boosting`` is one tree.
    """
    state = int(rng.integers(2**31))
    if not isinstance(estimator, str):
        return _clone_estimator(estimator, task, state)
    kind = "tree" if estimator == "boosting" and task.classes > CLASSES else estimator
    leaf = int(np.clip(task.records // (25 * max(2, task.classes)), 1, 20))
    if kind == "boosting":
        return _gradient_boosting(task, leaf, state)
    if kind == "tree":
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        tree = DecisionTreeClassifier if task.classes else DecisionTreeRegressor
        return tree(min_samples_leaf=leaf, random_state=state)
    if kind == "neighbours":
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

        return (KNeighborsClassifier if task.classes else KNeighborsRegressor)(n_neighbors=min(5, task.records))
    from sklearn.linear_model import LogisticRegression, Ridge

    return LogisticRegression(max_iter=200) if task.classes else Ridge()


def _gradient_boosting(task: LearningTask, leaf: int, state: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    each = task.classes if task.classes > 2 else 1
    options = {
        "max_iter": int(np.clip(TREES // each, 10, 100)),
        "min_samples_leaf": leaf,
        "early_stopping": False,
        "categorical_features": task.categorical,
        "random_state": state,
    }
    return (HistGradientBoostingClassifier if task.classes else HistGradientBoostingRegressor)(**options)


def _clone_estimator(estimator: Any, task: LearningTask, state: int) -> Any:
    from sklearn.base import clone, is_classifier, is_regressor

    told = hasattr(estimator, "__sklearn_tags__")
    if told and (is_regressor if task.classes else is_classifier)(estimator):
        says, needs = ("numbers", "categories") if task.classes else ("categories", "numbers")
        raise TacitError(
            f"the estimator predicts {says} ({format_value(estimator)}) where {needs} are to be learnt",
            code="not_applicable",
            fix="give a classifier for categories and a regressor for amounts and dates, or change the column's kind",
        )
    fresh = clone(estimator, safe=False)
    if hasattr(fresh, "get_params"):
        open_states = {
            name: state
            for name, value in fresh.get_params(deep=True).items()
            if value is None and name.split("__")[-1] == "random_state"
        }
        fresh.set_params(**open_states)
    return fresh


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """What an estimator says of each person: the likeliest ``values`` from ``start[i]`` to ``start[i+1]``, with equal shares.

    Mostly it is one; none, where the estimator said nothing that is a number.
    """

    start: np.ndarray
    values: np.ndarray
    notes: tuple[str, ...] = ()

    def shares(self) -> np.ndarray:
        """1/m for each of the m likeliest values of a person."""
        named = np.diff(self.start)
        found: np.ndarray = 1.0 / np.repeat(named, named)
        return found

    def single(self) -> np.ndarray:
        """One value for each person, the lowest of the likeliest; NaN where there is none."""
        found = np.full(len(self.start) - 1, np.nan)
        some = np.flatnonzero(np.diff(self.start))
        found[some] = self.values[self.start[some]]
        return found


def fit_predict(
    estimator: Estimator,
    features: Features,
    values: np.ndarray,
    *,
    learnt: np.ndarray | None = None,
    asked: np.ndarray | None = None,
    rng: np.random.Generator,
) -> Predictions:
    """What the estimator says of the people ``asked`` when it has learnt ``values`` from the released rows ``learnt``.

    ``values`` are whole numbers for categories and floats for numbers, one for each released row, each of them known in
    the rows learnt from; both sets of rows are all when absent. The rows are put into an order that does not depend on the
    file, and then shuffled, so that no tie is decided by where a record stands. Time that of the estimator.
    """
    learnt = np.arange(features.release_size) if learnt is None else learnt
    asked = np.arange(features.people_size) if asked is None else asked
    known = values[learnt]
    if not len(asked):
        return Predictions(np.zeros(1, dtype=np.int64), known[:0])
    categorical = None
    if takes_codes(estimator):
        taught, people, categorical = features.native_matrices()
    else:
        taught, people = features.dense_matrices()
    taught, people = taught[learnt], people[asked]
    order = np.lexsort((known, *taught.T))
    order = order[rng.permutation(len(order))]
    whole = known.dtype.kind in "iu"
    task = LearningTask(len(known), len(np.unique(known)) if whole else 0, categorical)
    model = make_estimator(estimator, task, rng)
    with run_quietly(estimator):
        if not whole:
            return _predict_numbers(model, taught[order], known[order], people)
        model.fit(taught[order], known[order])
        found = _predict_categories(model, people)
    if estimator == "boosting" and task.classes > CLASSES:
        found = Predictions(
            found.start, found.values, (f"{task.classes} values to tell apart: one tree, not boosting",)
        )
    return found


def _predict_numbers(model: Any, taught: np.ndarray, known: np.ndarray, people: np.ndarray) -> Predictions:
    """Scaled by a power of two, which is exact, so that no square overflows."""
    exponent = int(np.frexp(float(np.abs(known).max()))[1])
    model.fit(taught, np.ldexp(known, -exponent))
    with np.errstate(over="ignore"):
        said = np.ldexp(np.asarray(model.predict(people), dtype=float).reshape(len(people)), exponent)
    some = np.isfinite(said)
    return Predictions(np.append(0, np.cumsum(some)), said[some])


def _predict_categories(model: Any, people: np.ndarray) -> Predictions:
    """By the chances where the estimator gives any, else by what it predicts."""
    if not hasattr(model, "predict_proba") or not hasattr(model, "classes_"):
        said = np.asarray(model.predict(people)).reshape(len(people)).astype(np.int64)
        return Predictions(np.arange(len(people) + 1), said)
    classes = np.asarray(model.classes_).astype(np.int64)
    named, values = [], []
    step = max(1, CELLS // len(classes))
    for begin in range(0, len(people), step):
        chances = np.asarray(model.predict_proba(people[begin : begin + step]))
        best = chances >= chances.max(axis=1, keepdims=True) - TIE
        named.append(best.sum(axis=1))
        values.append(classes[np.nonzero(best)[1]])
    return Predictions(np.append(0, np.cumsum(np.concatenate(named))), np.concatenate(values))


@contextmanager
def run_quietly(estimator: Estimator) -> Iterator[None]:
    """One thread, no warnings, and no message of an estimator, which may quote cells."""
    try:
        with warnings.catch_warnings(), _thread_pools().limit(limits=1):
            warnings.simplefilter("ignore")
            yield
    except TacitError:
        raise
    except Exception as problem:
        raise TacitError(
            f"the estimator {format_value(estimator)} fails on these columns ({type(problem).__name__})",
            code="not_applicable",
            fix="it gets numbers without gaps, and whole numbers for categories; try estimator='boosting'",
        ) from None


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    """The pools of threads of the loaded libraries; kept, because looking for them takes longer than many a fit."""
    import sklearn.ensemble  # noqa: F401 - so that its pool is among them
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def draw_folds(size: int, folds: int, seed: int | bytes | None) -> np.ndarray:
    """The fold of each of ``size`` people, drawn at random; folds differ by at most one in size.

    >>> np.bincount(draw_folds(10, 3, 7)).tolist()
    [4, 3, 3]
    """
    found: np.ndarray = make_generator(child_seed(seed_or_default(seed), "folds")).permutation(size) % folds
    return found
