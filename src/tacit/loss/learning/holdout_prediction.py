"""Train on synthetic, test on real: models taught by a made-up file, asked about people from whom it was not made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_columns
from ...release.masked import Masked, release_of
from ...result import Result, Results
from ...seed import DEFAULT_SEED
from .classification import MANY
from .classification import part_of as of_category
from .cross_validation import CvConfig, CvPredictions, over_targets, said_of_others
from .estimators import Estimator
from .regression import part_of as of_amount
from .two_files import TwoFiles, no_column, two_files

if TYPE_CHECKING:
    from ...release.release import Release


FOLDS = 2
"""Nobody who is asked about was learnt from: the people need not be dealt into folds, of which a course has two at least."""


def holdout_prediction(
    release: Release | Masked,
    *,
    original: Release,
    holdout: Release,
    target: str | Iterable[str] | None = None,
    estimator: Estimator = "boosting",
    seed: int | bytes = DEFAULT_SEED,
) -> Results:
    r"""How much of what the original teaches about other people its release no longer teaches (TSTR).

    ``holdout`` are people like those of the original from whom nothing was made. A model of each ``target`` is taught by
    the original and one by the release, and both are asked about the holdout. Of a category the loss is

    .. math:: \frac{A_X - A_{X'}}{A_X - A_0} \quad \text{between 0 and 1},

    with the shares that each and the best constant guess have right, of an amount the same with :math:`R^2` and 0, as
    :func:`tacit.loss.classification` and :func:`tacit.loss.regression` have it: 0, the release teaches as well as the
    original, 1, nothing. Those deal the original's own people into folds, for files of which rows can be paired; of a
    synthetic file no row is anybody's, so that a model taught by all of it would be asked about people whom the file may
    have learnt by heart, and copying would look like quality. Without a name the targets are all confidential columns, else all
    columns, that hold categories (at most 100) or amounts. The first result is the mean over the targets of which the
    original teaches something. ``facts`` have both figures and the interval of their difference.

    Utility, measured. Two fits per target, of at most 20,000 records each.

    >>> import polars as pl
    >>> from tacit import Release
    >>> frame = pl.DataFrame({"dose": list(range(100)), "ill": ["no"] * 50 + ["yes"] * 50})
    >>> r = Release(frame, confidential="ill")
    >>> m = r.with_columns({"dose": np.full(100, 7)})
    >>> [holdout_prediction(one, original=r, holdout=r, estimator="tree")["ill"].value for one in (r, m)]
    [0.0, 1.0]

    References
    ----------
    Esteban, Hyland and Rätsch (2017), Real-valued (medical) time series generation with recurrent conditional GANs,
    arXiv:1706.02633.
    """
    masked, original, holdout = release_of(release), release_of(original), release_of(holdout)
    if not holdout.size:
        raise TacitError(
            "the holdout has no rows", code="too_few_records", fix="keep people back before the release is made"
        )
    course = CvConfig(estimator, FOLDS, seed)
    lessons = [_pair_with_holdout(one, holdout, seed) for one in (original, masked)]
    parts = [_target_loss(column, lessons, course) for column in _choose_targets(lessons, target)]
    return over_targets(parts, lessons[0])


def _pair_with_holdout(lesson: Release, holdout: Release, seed: int | bytes) -> TwoFiles:
    """A file to learn from and the people to ask about, none of whom is in it."""
    return two_files(lesson, holdout, np.full(lesson.size, -1), seed=seed)


def _choose_targets(lessons: list[TwoFiles], target: str | Iterable[str] | None) -> tuple[str, ...]:
    by_original, by_release = lessons
    both = [column for column in by_original.columns() if column in by_release.columns()]
    if target is not None:
        chosen = check_columns(target, by_original.masked.columns)
        apart = next((column for column in chosen if column not in both), None)
        if apart is not None:
            fix = f"name a target among {', '.join(both)}" if both else "give files with the same columns"
            raise TacitError(
                "is not in all three files, or names a person or a weight", code="unknown_column", column=apart, fix=fix
            )
        return chosen
    taught_by = by_original.masked
    amounts, known = by_original.amounts(), by_original.categories()
    varied = [column for column in both if taught_by.distinct(column) > 1]
    fit = [column for column in varied if column in amounts or (column in known and taught_by.distinct(column) <= MANY)]
    if not fit:
        raise no_column(f"amounts, or from 2 to {MANY} categories")
    return tuple([column for column in fit if column in taught_by.confidential] or fit)


def _target_loss(column: str, lessons: list[TwoFiles], course: CvConfig) -> Result:
    """The loss of one target, by the rule of its kind."""
    numbers = all(column in files.amounts() for files in lessons)
    true, by_original, _ = said_of_others(lessons[0], column, course, numbers=numbers)
    again, by_release, values = said_of_others(lessons[1], column, course, numbers=numbers)
    if not numbers:  # the codes of two comparisons differ, whether they are right does not
        by_release = np.where(by_release == again, true, np.nan)
    emptied = not numbers and values < 2 <= lessons[0].masked.distinct(column)
    found = CvPredictions(true, by_original, by_release, emptied)
    made = (of_amount if numbers else of_category)(column, found)
    return Result(
        name="prediction of people held back",
        column=made.column,
        value=made.value,
        worse="high",
        about="utility",
        facts=made.facts,
    )
