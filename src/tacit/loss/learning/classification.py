"""Classification: whether categories learnt from the masked file hold for people of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_columns
from ...interval import paired_shares
from ...registry import Tags, describe
from ...result import Result, Results
from ...seed import DEFAULT_SEED
from .cross_validation import CvConfig, CvPredictions, cross_validate, over_targets
from .estimators import Estimator
from .two_files import TwoFiles, no_column, two_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...release.masked import Masked
    from ...release.release import Release


NAME = "classification"
MANY = 100
"""Columns with more categories than these are targets only when they are named."""


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def classification(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,
    target: str | Iterable[str] | None = None,
    estimator: Estimator = "boosting",
    folds: int = 5,
    seed: int | bytes = DEFAULT_SEED,
) -> Results:
    r"""How much of what a classifier learns from the original it no longer learns from the masked file.

    .. math:: \frac{A_X - A_{X'}}{A_X - A_0} \quad \text{between 0 and 1}

    :math:`A_X` is the share of original records whose ``target`` is predicted right by a model taught by the
    original, :math:`A_{X'}` by a model taught by the masked file, and :math:`A_0` the share that the best constant
    guess has right: 0, the masked file teaches as well; 1, no better than the guess. Both models are asked about
    **original** records, those of people in the fold that was left out, so that nobody was learnt from who is asked
    about; invented rows are learnt from always. What the estimator draws is the same for both. ``estimator`` is
    ``"boosting"``, ``"linear"``, ``"neighbours"``, ``"tree"`` or a classifier of scikit-learn's. Predicted is each
    ``target``, else every categorical confidential column, else every categorical column (of at most 100
    categories), from all other columns that both files have, less identifiers, household and weight. The first
    result is the mean over the targets of which the original teaches something: the interval of its advantage over
    the guess lies above 0. Where it does not, nothing can be lost (0, told in ``facts``).

    The original's values are brought to the level of a generalised column, feature or target; where no hierarchy
    leads there, labels that the model has not seen are unknown to it. A target of which the masked file has one
    value left is lost whole. Records without a known target are not asked about. ``facts`` have the accuracies,
    balanced ones (the mean over the categories), and a 95 % interval of the difference, which pairs the two models
    person by person.

    Utility, measured. 2 · ``folds`` fits per target. Of more than 20,000 records so many are drawn, by the
    seed.

    >>> import polars as pl
    >>> from tacit import Release
    >>> frame = pl.DataFrame({"dose": list(range(100)), "ill": ["no"] * 50 + ["yes"] * 50})
    >>> r = Release(frame, confidential="ill")
    >>> m = r.with_columns({"dose": np.full(100, 7)})
    >>> classification(r, original=r, estimator="tree")[0].value, classification(m, original=r, estimator="tree")[0].value
    (0.0, 1.0)

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    """
    course = CvConfig(estimator, folds, seed)
    files = two_files(release, original, lineage, seed=seed)
    parts = [
        part_of(column, cross_validate(files, column, course, numbers=False))
        for column in _choose_targets(files, target)
    ]
    return over_targets(parts, files)


def _choose_targets(files: TwoFiles, target: str | Iterable[str] | None) -> tuple[str, ...]:
    if target is not None:
        named = check_columns(target, files.original.columns)
        for column in named:
            _check_target(files, column)
        return named
    known = [column for column in files.categories() if 2 <= files.original.distinct(column) <= MANY]
    confidential = [column for column in known if column in files.original.confidential]
    if not known:
        raise no_column(f"from 2 to {MANY} categories")
    return tuple(confidential or known)


def _check_target(files: TwoFiles, column: str) -> None:
    if column not in files.columns():
        raise TacitError(
            "names a person, a household or a weight, or is in one of the files only",
            code="unsuitable_column",
            column=column,
            fix=f"name a target among {', '.join(files.columns())}",
        )
    if column in files.amounts() and files.original.kinds.get(column) == "continuous":
        raise TacitError(
            "holds amounts",
            code="wrong_kind",
            column=column,
            fix="measure tacit.loss.regression instead, or declare its kind",
        )


def part_of(column: str, found: CvPredictions) -> Result:
    """The loss of one target, from what the two models say of the same people."""
    values, counts = np.unique(found.true, return_counts=True)
    right = [said == found.true for said in (found.by_original, found.by_masked)]
    shares = [float(one.mean()) for one in right]
    guessed = found.true == values[counts.argmax()]
    guess = float(guessed.mean())
    teaches = paired_shares(right[0], guessed)[0] > 0
    lost = np.clip((shares[0] - shares[1]) / (shares[0] - guess), 0.0, 1.0) if teaches else 0.0
    facts: dict[str, object] = {
        "accuracy, taught by the original": shares[0],
        "accuracy, taught by the masked file": shares[1],
        "accuracy of the best guess": guess,
        "balanced accuracy, taught by the original": _balanced_accuracy(right[0], found.true),
        "balanced accuracy, taught by the masked file": _balanced_accuracy(right[1], found.true),
        "difference of the accuracies": paired_shares(*right),
        "the original teaches it": bool(teaches) or found.emptied,
        "records": len(found.true),
    }
    value = 1.0 if found.emptied else float(lost)
    return Result(name=NAME, column=column, value=value, worse="high", about="utility", facts=facts)


def _balanced_accuracy(right: np.ndarray, true: np.ndarray) -> float:
    _, place = np.unique(true, return_inverse=True)
    return float((np.bincount(place, weights=right) / np.bincount(place)).mean())
