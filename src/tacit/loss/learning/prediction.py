"""Learning from a release and asking about people: the one place where an estimator is fitted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from .estimators import CLASSES, Estimator, LearningTask, make_estimator, takes_codes
from .features import Features

CELLS = 4_000_000
"""So many chances are held at once."""
TIE = 1e-12


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
            fix="it gets numbers without gaps, and whole numbers for categories; try estimator='boosting'",
        ) from None


@lru_cache(maxsize=1)
def _thread_pools() -> Any:
    """The pools of threads of the loaded libraries; kept, because looking for them takes longer than many a fit."""
    import sklearn.ensemble  # noqa: F401 - so that its pool is among them
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()
