"""Regression: whether amounts learnt from the masked file hold for people of the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_columns
from ...interval import paired_means
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


NAME = "regression"


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def regression(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,
    target: str | Iterable[str] | None = None,
    estimator: Estimator = "boosting",
    folds: int = 5,
    seed: int | bytes = DEFAULT_SEED,
) -> Results:
    r"""How much of an amount that a model taught by the original explains is no longer explained.

    .. math:: \frac{R^2_X - R^2_{X'}}{R^2_X} \quad \text{between 0 and 1}, \qquad
              R^2 = 1 - \frac{\sum_i (y_i - \hat y_i)^2}{\sum_i (y_i - \bar y)^2}

    Both :math:`R^2` are over **original** records of people in the fold that was left out: once predicted by a
    model taught by the original, once by one taught by the masked file, as :func:`tacit.loss.classification` does
    it. 1 means that the masked file's model is no better than the mean. Predicted is each ``target``, else every
    confidential amount, else every amount of the original; one of which the masked file has labels only is lost
    whole. The first result is the mean over the targets of which the original teaches something: the interval of
    what its model explains lies above 0. Where it does not, nothing can be lost (0, told in ``facts``).

    Few extreme amounts decide a sum of squares. ``facts`` have both :math:`R^2` and a 95 % interval of their
    difference, which pairs the two models person by person and takes the spread of the target as given.

    Utility, measured. 2 · ``folds`` fits per target. Of more than 20,000 records so many are drawn, by the
    seed.

    >>> import polars as pl
    >>> from tacit import Release
    >>> frame = pl.DataFrame({"age": [float(i % 50) for i in range(100)], "pay": [3.0 * (i % 50) for i in range(100)]})
    >>> r = Release(frame, confidential="pay")
    >>> m = r.with_columns({"age": np.full(100, 7.0)})
    >>> regression(r, original=r, estimator="linear")[0].value, regression(m, original=r, estimator="linear")[0].value
    (0.0, 1.0)

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    """
    course = CvConfig(estimator, folds, seed)
    files = two_files(release, original, lineage, seed=seed)
    parts = [_target_loss(files, column, course) for column in _choose_targets(files, target)]
    return over_targets(parts, files)


def _choose_targets(files: TwoFiles, target: str | Iterable[str] | None) -> tuple[str, ...]:
    amounts = files.amounts()
    if target is None:  # by the original alone, so that every masked file of it is measured by the same columns
        own = files.original_only().amounts()
        varied = [column for column in own if column in files.columns() and files.original.distinct(column) > 1]
        if not varied:
            raise no_column("amounts that vary")
        return tuple([column for column in varied if column in files.original.confidential] or varied)
    named = check_columns(target, files.original.columns)
    for column in named:
        if column not in amounts:
            raise TacitError(
                "holds no amounts in one of the files",
                code="wrong_kind",
                column=column,
                fix=f"name a target among {', '.join(amounts)}" if amounts else "measure tacit.loss.classification",
            )
        if files.original.distinct(column) < 2:
            raise TacitError(
                "does not vary in the original", code="no_variation", column=column, fix="name another target"
            )
    return named


def _target_loss(files: TwoFiles, column: str, course: CvConfig) -> Result:
    if column in files.amounts():
        return part_of(column, cross_validate(files, column, course, numbers=True))
    alone = part_of(column, cross_validate(files.original_only(), column, course, numbers=True))
    facts = {**alone.facts, "R², taught by the masked file": 0.0, "amounts in the masked file": False}
    del facts["difference of R²"]
    lost = 1.0 if facts["the original teaches it"] else 0.0
    return Result(name=NAME, column=column, value=lost, worse="high", about="utility", facts=facts)


def part_of(column: str, found: CvPredictions) -> Result:
    """The loss of one target, from what the two models say of the same people."""
    scale = float(np.abs(found.true).max()) or 1.0
    true = found.true / scale
    spread = (true - true.mean()) ** 2
    unit = float(spread.mean()) or 1.0
    errors = [_squared_errors(said / scale, true, spread) / unit for said in (found.by_original, found.by_masked)]
    explained = [1.0 - float(one.mean()) for one in errors]
    teaches = paired_means(spread / unit, errors[0])[0] > 0
    lost = np.clip((explained[0] - explained[1]) / explained[0], 0.0, 1.0) if teaches else 0.0
    facts: dict[str, object] = {
        "R², taught by the original": explained[0],
        "R², taught by the masked file": explained[1],
        "difference of R²": paired_means(errors[1], errors[0]),
        "the original teaches it": bool(teaches),
        "records": len(true),
    }
    return Result(name=NAME, column=column, value=float(lost), worse="high", about="utility", facts=facts)


def _squared_errors(said: np.ndarray, true: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Squared errors; where a model says nothing, those of the mean."""
    with np.errstate(over="ignore"):
        squared = np.minimum((said - true) ** 2, 1e100)
    found: np.ndarray = np.where(np.isnan(said), spread, squared)
    return found
