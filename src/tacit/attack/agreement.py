"""Do a model of the original and a model of the release say the same? Also of what stands in no column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from ..claims.truth import Truth
from ..errors import TacitError, check_int, unknown_column
from ..interval import wilson
from ..loss.learning.estimators import Estimator, Features, checked_estimator, draw_folds, fit_predict
from ..per_record import PerRecord
from ..release.codes import encode_column
from ..release.common_level import as_numbers, standard_deviation
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..result import Result
from ..risk.intervals import checked_percent
from ..seed import child_seed, make_generator, seed_or_default
from ._columns import common_columns, features_of, why_incomparable
from ._scenarios import truth_of
from ._target import single_guess, target_of, true_values


def agreement(
    masked: Masked | Release,
    *,
    original: Release,
    column: str | None = None,
    labels: Any = None,
    estimator: Estimator = "boosting",
    percent: float = 10,
    folds: int | None = 5,
    lineage: np.ndarray | None = None,
    seed: int | bytes | None = None,
) -> Result:
    r"""The share of records of which a model of the original and a model of the release say the same: DDMBAR.

    .. math:: DDMBAR_A = \frac{|\{x : V(x) = V'(x')\}|}{|X|}

    V is learnt from the original X, V′ from the release X′, and x′ is the protected version of x. What is predicted is
    ``column``, from all other columns that both files have (identifiers, weight and household apart), or an attribute that
    stands in no column of the release: ``labels``, one for each row of the original, None where unknown (religion,
    politics, as somebody from outside knows them), or a ``column`` that the original alone has. Then V′ learns from the
    masked columns and the label of the person from whom each record was made. Numbers agree within ``percent`` % of
    the standard deviation.

    With ``folds`` both models predict people whom they have not seen. ``folds=None`` is the lecture's plain form, in which
    each model is asked about the records that it was learnt from, and one that recites agrees wherever the column itself
    was not changed.

    Agreement is as much a loss that did not happen as a risk: a release in which the models agree teaches what the original
    taught. ``facts`` say how right each model is (of V, the true value), how often the two would agree by chance,
    :math:`\sum_v \Pr[V = v] \Pr[V' = v]`, and how right the best single guess is: models that always say it agree always,
    and disclose nothing. Records without a protected version are left out. ``per_record`` is the share of
    the protected versions of each original record that agree. Costs 2 · ``folds`` fits.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"zip": ["N1", "N2", "N3"] * 40, "age": list(range(120))})
    >>> r = Release(frame, quasi=["zip", "age"], kinds={"age": "continuous"})
    >>> votes = ["left", "right", "left"] * 40
    >>> agreement(r, original=r, labels=votes, lineage=np.arange(120), seed=1).value
    1.0

    References
    ----------
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    """
    checked_estimator(estimator)
    checked_percent(percent)
    if folds is not None:
        check_int("folds", folds, least=2)
    release, people = release_of(masked), release_of(original)
    truth = truth_of(masked, people, lineage)
    task = prediction_target(release, people, column, labels, truth.released)
    predictors = _predictor_columns(release, people, column)
    sides = (
        _Learner(features_of(people, people, predictors), task.true, estimator),
        _Learner(features_of(release, release, predictors), task.masked, estimator),
    )
    said = [np.full(len(side.values), np.nan) for side in sides]
    for number, fold in enumerate(_fold_rows(people.size, folds, seed)):
        inside = fold, np.append(fold, False)[truth.released]  # invented records are in no fold
        for side, found, rows in zip(sides, said, inside, strict=True):
            own = child_seed(seed_or_default(seed), "agreement", number)
            found[rows] = side.of(np.flatnonzero(rows), spared=folds is not None, seed=own, column=task.name)
    within = 0.0
    if task.is_numeric:
        within = percent * standard_deviation(task.true[task.known_rows()]) / 100
    return _agreement_result(task, said, truth, within, column=task.name)


@dataclass(frozen=True, slots=True, eq=False)
class _Learner:
    """One file: what is learnt from it, and by what."""

    features: Features
    values: np.ndarray
    estimator: Estimator

    def of(self, rows: np.ndarray, *, spared: bool, seed: bytes, column: str | None) -> np.ndarray:
        """What is said of these rows, learnt from all others when they are ``spared``, else from all."""
        known = ~np.isnan(self.values) if self.values.dtype.kind == "f" else self.values >= 0
        if spared:
            known = known.copy()
            known[rows] = False
        learnt = np.flatnonzero(known)
        if len(np.unique(self.values[learnt])) < 2:
            raise TacitError(
                "has fewer than two values to learn from" if column else "the labels have fewer than two values",
                code="no_variation",
                column=column,
                fix="name a column, or labels, with two values at least in either file",
            )
        found = fit_predict(
            self.estimator, self.features, self.values, learnt=learnt, asked=rows, rng=make_generator(seed)
        )
        return found.single()


def _predictor_columns(release: Release, people: Release, column: str | None) -> tuple[str, ...]:
    apart = {*people.identifiers, *release.identifiers, people.weight, people.household, column}
    rest = tuple(name for name in common_columns(release, people) if name not in apart)
    why_not = why_incomparable(release, people)
    if why_not or not rest:
        raise TacitError(
            f"nothing can be predicted: {why_not or 'the files have no other column in common'}",
            code="no_usable_column",
            fix="give two files with common columns beside the one that is predicted",
        )
    return rest


def _fold_rows(size: int, folds: int | None, seed: int | bytes | None) -> list[np.ndarray]:
    """The people of each fold; everybody at once in the plain form."""
    if folds is None:
        return [np.ones(size, dtype=bool)]
    if size < 2:
        raise TacitError(
            "one record teaches nothing about another",
            code="too_few_records",
            fix="give a file of two records at least",
        )
    fold = draw_folds(size, folds, seed)
    return [fold == number for number in range(min(folds, size))]


def _agreement_result(
    task: PredictionTarget, said: list[np.ndarray], truth: Truth, within: float, *, column: str | None
) -> Result:
    rows = np.flatnonzero(truth.released >= 0)
    person = truth.released[rows]
    first, second = said[0][person], said[1][rows]
    same = np.abs(first - second) <= within * (1 + 1e-12)
    versions = np.bincount(person, minlength=len(truth.intruder))
    share = np.bincount(person, weights=same, minlength=len(truth.intruder)) / np.maximum(versions, 1)
    have = versions > 0
    if not have.any():
        raise TacitError(
            "no released record was made from one of the original", code="attack_impossible", fix="check the lineage"
        )
    true = task.true.astype(float)
    true[~task.known_rows()] = np.nan
    guess = single_guess(true[~np.isnan(true)], within=within)
    facts: dict[str, object] = {
        "model of the original right": _accuracy(first, true[person], within),
        "model of the release right": _accuracy(second, true[person], within),
        "agreement by chance": _by_chance(first, second, within),
        "best single guess": float(guess.mean()) if len(guess) else 0.0,
        "records": int(have.sum()),
    }
    facts |= {"records without a protected version": int((~have).sum())} if not have.all() else {}
    return Result(
        name="agreement of models (DDMBAR)",
        column=column,
        value=float(share[have].mean()),
        interval=wilson(float(share[have].sum()), int(have.sum())),
        worse="high",
        about="attribute",
        facts=facts,
        per_record=PerRecord(array=share, rows_of="original"),
    )


def _accuracy(said: np.ndarray, true: np.ndarray, within: float) -> float:
    known = ~np.isnan(true)
    return float((np.abs(said - true) <= within * (1 + 1e-12))[known].mean()) if known.any() else 0.0


def _by_chance(first: np.ndarray, second: np.ndarray, within: float) -> float:
    """How often the saying of one about a random record agrees with that of the other about another."""
    ordered = np.sort(second[~np.isnan(second)])
    reach = within * (1 + 1e-12)
    low = np.searchsorted(ordered, first - reach, side="left")
    high = np.searchsorted(ordered, first + reach, side="right")
    return float((high - low)[~np.isnan(first)].sum() / (len(first) * len(second)))


@dataclass(frozen=True, slots=True, eq=False)
class PredictionTarget:
    """What is to be learnt, in both files, in one coding: numbers with NaN, or codes with −1, where unknown."""

    name: str | None
    true: np.ndarray
    masked: np.ndarray

    @property
    def is_numeric(self) -> bool:
        """Whether it is a number."""
        return self.true.dtype.kind == "f"

    def known_rows(self) -> np.ndarray:
        """Which original records have a value."""
        return ~np.isnan(self.true) if self.is_numeric else self.true >= 0


def prediction_target(
    release: Release, people: Release, column: str | None, labels: Any, made_from: np.ndarray
) -> PredictionTarget:
    """A column of both files, a column of the original alone, or labels from outside; ``made_from`` is the lineage."""
    if (column is None) == (labels is None):
        raise TacitError(
            "name one thing to predict",
            code="attack_impossible",
            fix="column='diagnosis', or labels=[…] for what is in no column",
        )
    if column is not None and column not in people.columns:
        raise unknown_column(column, people.columns)
    if column is not None and column in release.columns:
        target = target_of(release, column)
        masked = target.codes if target.codes is not None else target.numbers
        assert masked is not None
        return PredictionTarget(column, true_values(release, people, column), masked)
    given = people.series(column) if column is not None else _check_labels(labels, people.size)
    if given.dtype.is_float() or given.dtype.is_temporal() or (column and people.kinds.get(column) == "continuous"):
        true = as_numbers(given, column or "labels")
        return PredictionTarget(column, true, np.append(true, np.nan)[made_from])
    coded = encode_column(given)
    codes = np.where(coded.codes == len(coded.dictionary), -1, coded.codes).astype(np.int64)
    return PredictionTarget(column, codes, np.append(codes, -1)[made_from])


def _check_labels(labels: Any, size: int) -> pl.Series:
    try:
        found = pl.Series(labels, nan_to_null=True)
    except Exception as problem:
        raise TacitError(
            f"the labels are no column ({type(problem).__name__})",
            code="wrong_type",
            fix="give one value of one type for each row",
        ) from None
    if len(found) != size:
        raise TacitError(
            f"there are {len(found):,} labels for the {size:,} records of the original",
            code="attack_impossible",
            fix="give one for each of its rows, None where it is unknown",
        )
    return found
