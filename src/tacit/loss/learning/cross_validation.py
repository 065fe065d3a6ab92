"""What a model says of people it has not seen: once it is taught by their original file, once by the masked one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import TacitError, check_int
from ...release.common_level import as_numbers
from ...result import Result, Results
from ...seed import child_seed, make_generator
from .estimators import Estimator, Features, checked_estimator, draw_folds, fit_predict
from .two_files import TwoFiles, at_masked_level, coded_alike


@dataclass(frozen=True, slots=True)
class CvConfig:
    """How it is learnt: by which estimator, in how many folds, with which seed."""

    estimator: Estimator
    folds: int
    seed: int | bytes

    def __post_init__(self) -> None:
        checked_estimator(self.estimator)
        check_int("folds", self.folds, least=2)


@dataclass(frozen=True, slots=True, eq=False)
class CvPredictions:
    """For every original record whose value is known: the true one and what the two models say; NaN, nothing.

    ``emptied`` says that the masked file has at most one value left of the several that the original has.
    """

    true: np.ndarray
    by_original: np.ndarray
    by_masked: np.ndarray
    emptied: bool


def cross_validate(files: TwoFiles, target: str, course: CvConfig, *, numbers: bool) -> CvPredictions:
    """Both models asked about every original record, taught by the records of the people in the other folds.

    A person is in one fold, whatever rows were made from it, so that nobody asked about was learnt from. Invented rows
    are learnt from always. The target is that of the masked file's level in both. Costs 2 · folds fits.
    """
    features, shown, true, asked = _prediction_task(files, target, numbers=numbers)
    fold = draw_folds(files.original.size, course.folds, course.seed)
    # The original's own model learns from its own detail; only what it has to say is at the masked level.
    own = _TrainingSet(files.original_only().features(features), true, fold)
    other = _TrainingSet(files.features(features), shown, np.append(fold, -1)[files.made_from])
    said = [lesson.predict(fold, asked, course) for lesson in (own, other)]
    emptied = len(np.unique(shown[_known_values(shown)])) < 2 <= files.original.distinct(target)
    return CvPredictions(true[asked].astype(float), said[0], said[1], emptied)


def said_of_others(
    files: TwoFiles, target: str, course: CvConfig, *, numbers: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    """What a model says that is taught by the masked file alone, of original records none of which is in it.

    The true values, what is said of each, and how many values there were to learn. Costs one fit.
    """
    features, shown, true, asked = _prediction_task(files, target, numbers=numbers)
    apart = np.zeros(files.original.size, dtype=np.int64)
    lesson = _TrainingSet(files.features(features), shown, np.full(files.masked.size, -1))
    return true[asked].astype(float), lesson.predict(apart, asked, course), len(np.unique(shown[_known_values(shown)]))


def _prediction_task(
    files: TwoFiles, target: str, *, numbers: bool
) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The columns to predict from, the target in both files, and the original records whose value is known."""
    features = [column for column in files.columns() if column != target]
    if not features:
        raise TacitError(
            "nothing is left to predict it from",
            code="too_few_records",
            column=target,
            fix="give files with other common columns",
        )
    theirs, mine = at_masked_level(files, target)
    shown, true = (as_numbers(theirs, target), as_numbers(mine, target)) if numbers else coded_alike(theirs, mine)
    asked = np.flatnonzero(_known_values(true))
    if len(asked) < 2:
        raise TacitError(
            "has fewer than two known values", code="no_variation", column=target, fix="name another target"
        )
    return features, shown, true, asked


@dataclass(frozen=True, slots=True, eq=False)
class _TrainingSet:
    """One file to learn from: what is known of its records, the values, and the fold of each."""

    features: Features
    values: np.ndarray
    fold: np.ndarray

    def predict(self, fold: np.ndarray, asked: np.ndarray, course: CvConfig) -> np.ndarray:
        """What is said of the original records ``asked``, each by a model of the other folds."""
        said = np.full(len(asked), np.nan)
        known = _known_values(self.values)
        for number in range(course.folds):
            learnt, now = np.flatnonzero(known & (self.fold != number)), fold[asked] == number
            if not len(learnt) or not now.any():
                continue
            if (self.values[learnt] == self.values[learnt[0]]).all():
                said[now] = self.values[learnt[0]]
                continue
            rng = make_generator(child_seed(course.seed, "estimator", number))
            of = asked[now]
            found = fit_predict(course.estimator, self.features, self.values, learnt=learnt, asked=of, rng=rng)
            said[now] = found.single()
        return said


def _known_values(values: np.ndarray) -> np.ndarray:
    known: np.ndarray = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0
    return known


def over_targets(parts: Sequence[Result], files: TwoFiles) -> Results:
    """The results of all targets, and before them their mean over those of which the original teaches something."""
    learnt = [part for part in parts if part.facts["the original teaches it"]]
    mean = sum(part.value for part in learnt) / max(1, len(learnt))
    facts: dict[str, object] = {"columns": len(parts), "columns that the original teaches": len(learnt)}
    facts |= {"records drawn": files.original.size} if files.of > files.original.size else {}
    return Results((Result(name=parts[0].name, value=mean, worse="high", about="utility", facts=facts), *parts))
