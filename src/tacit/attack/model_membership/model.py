"""How a model answers: the chance of each class, and what an intruder reads from it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from .data import LabelledData

EDGE = 1e-6
"""Chances are kept this far from 0 and 1, where logarithms end."""
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """What is asked: records in, one chance for each of ``classes`` out; ``soft`` is False when it tells the class only."""

    ask: Callable[[Any], Any]
    classes: np.ndarray
    soft: bool
    width: int | None = None

    def answers(self, given: LabelledData) -> np.ndarray:
        """The chance of every class for every record: an n × classes matrix. One call of the model."""
        if self.width is not None and given.width != self.width:
            raise TacitError(
                f"the model was fitted on {self.width} columns, the records have {given.width}",
                code="attack_impossible",
                fix="give the records as the model takes them",
            )
        found = call_quietly(self.ask, given.records, "the model could not answer")
        if not self.soft:
            told = np.asarray(found).reshape(-1)
            picked: np.ndarray = (told[:, None] == self.classes).astype(float)
            return picked
        chances = np.asarray(found, dtype=float)
        if chances.ndim == 1:
            chances = np.column_stack([1 - chances, chances])
        if chances.shape != (given.size, len(self.classes)):
            raise TacitError(
                f"the model answers {given.size} records and {len(self.classes)} classes with a matrix {chances.shape}",
                code="attack_impossible",
                fix="it has to give one chance for each record and class",
            )
        if not ((chances >= -ROUNDING) & (chances <= 1 + ROUNDING)).all():
            raise TacitError(
                "the model answers with numbers that are no chances",
                code="wrong_type",
                fix="each must lie between 0 and 1, none be missing",
            )
        kept: np.ndarray = np.clip(chances, 0.0, 1.0)
        return kept

    def class_positions(self, given: LabelledData) -> np.ndarray:
        """The place of each record's class among those of the model."""
        places = {label: place for place, label in enumerate(self.classes.tolist())}
        own = np.array([places.get(label, -1) for label in given.labels.tolist()])
        if (own < 0).any():
            raise TacitError(
                f"the class of {int((own < 0).sum())} records, the first of them row {int((own < 0).argmax()) + 1}, is none that the model knows",
                code="wrong_type",
                fix="give y as the model was fitted with, and leave classes out that it never saw",
            )
        return own


def wrap_model(model: Any, labels: np.ndarray) -> Model:
    """A fitted scikit-learn classifier, or a callable from records to chances, ready to be asked.

    ``predict_proba`` comes first; a ``decision_function`` is brought to chances by the logistic function (softmax for
    more than two classes), which keeps its order; with ``predict`` alone the model tells right or wrong. The classes
    of a callable are its ``classes_``, else the column numbers, else the sorted ``labels``.

    >>> wrap_model(lambda X: np.tile([0.25, 0.75], (len(X), 1)), np.array(["a", "b"])).classes.tolist()
    ['a', 'b']
    """
    if isinstance(model, type):
        raise TacitError(
            f"{model.__name__} is a class, no model that can be asked",
            code="wrong_type",
            fix="give a fitted model of it",
        )
    _check_fitted(model)
    width = getattr(model, "n_features_in_", None)
    known = getattr(model, "classes_", None)
    classes = np.unique(labels) if known is None else np.asarray(known)
    if hasattr(model, "predict_proba"):
        return Model(model.predict_proba, classes, soft=True, width=width)
    if hasattr(model, "decision_function"):
        return Model(lambda records: _softmax_scores(model.decision_function(records)), classes, soft=True, width=width)
    if hasattr(model, "predict"):
        return Model(model.predict, classes, soft=False, width=width)
    if not callable(model):
        raise TacitError(
            f"{format_value(model)} is no model that can be asked",
            code="malformed_file",
            fix="give a fitted scikit-learn classifier, or a function from records to the chances of the classes",
        )
    return Model(model, classes, soft=True)


def align_classes(chances: np.ndarray, has: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The columns of another model in the order of the wanted classes; one that it never saw has no chance."""
    places = {label: place for place, label in enumerate(has.tolist())}
    found = np.zeros((len(chances), len(wanted)))
    for place, label in enumerate(wanted.tolist()):
        if label in places:
            found[:, place] = chances[:, places[label]]
    return found


def true_class_confidence(answers: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The chance that the model gives to the class that a record has."""
    found: np.ndarray = answers[np.arange(len(own)), own]
    return found


def clipped_logit(chances: np.ndarray, edge: float = EDGE) -> np.ndarray:
    r""":math:`\varphi = \log \frac{p}{1-p}`, closer to normal than p or its logarithm; p is kept ``edge`` off 0 and 1.

    >>> clipped_logit(np.array([0.5, 0.75, 1.0])).round(2).tolist()
    [0.0, 1.1, 13.82]
    """
    kept = np.clip(chances, edge, 1 - edge)
    found: np.ndarray = np.log(kept) - np.log1p(-kept)
    return found


def edge_of(chances: np.ndarray) -> float:
    """How far off 0 and 1 chances are kept: half the least that these are off, where they are.

    The votes of a hundred trees come in hundredths, and a 1 among them is no more than a good 0.99; as a logit that is far
    beyond it, it would spoil every mean and variance.

    >>> edge_of(np.array([0.0, 0.98, 1.0])), edge_of(np.ones(2))
    (0.01, 1e-06)
    """
    off = np.minimum(chances, 1 - chances)
    off = off[off > EDGE]
    return max(EDGE, round(float(off.min()) / 2, 12)) if len(off) else EDGE


def cross_entropy(chances: np.ndarray) -> np.ndarray:
    """The cross-entropy of each record, −log p of its own class."""
    found: np.ndarray = -np.log(np.maximum(chances, EDGE))
    return found


def call_quietly(call: Callable[[Any], Any], records: Any, what: str) -> Any:
    """The call without its warnings; its errors in our words, because they may quote cells."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(records)
    except TacitError:
        raise
    except Exception as problem:
        gaps = "; some cells of the records are missing" if _has_missing(records) else ""
        raise TacitError(
            f"{what} ({type(problem).__name__}{gaps})",
            code="attack_impossible",
            fix="give records that the model takes, as it was fitted on them",
        ) from None


def _has_missing(records: Any) -> bool:
    import narwhals as nw

    seen = nw.from_native(records, eager_only=True, pass_through=True)
    if isinstance(seen, nw.DataFrame):
        return any(
            bool(seen[name].is_null().any()) or (seen[name].dtype.is_float() and bool(seen[name].is_nan().any()))
            for name in seen.columns
        )
    return bool(np.isnan(np.asarray(records, dtype=float)).any())


def _check_fitted(model: Any) -> None:
    from sklearn.base import BaseEstimator, is_regressor
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(model, BaseEstimator):
        return
    if is_regressor(model):
        raise TacitError(
            f"{type(model).__name__} predicts numbers, and the attack reads the chances of classes",
            code="attack_impossible",
            fix="give a classifier",
        )
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        raise TacitError(
            f"{type(model).__name__} is not fitted: it has no members yet",
            code="wrong_type",
            fix="fit it on the members first",
        ) from None


def _softmax_scores(scores: Any) -> np.ndarray:
    scores = np.asarray(scores, dtype=float)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim == 1:
        second = 1 / (1 + np.exp(-np.clip(scores, -700, 700)))
        return np.column_stack([1 - second, second])
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: np.ndarray = raised / raised.sum(axis=1, keepdims=True)
    return found
