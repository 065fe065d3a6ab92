"""What every kind of model here can do: learn a key from records, answer by the key alone, and say what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from ...errors import TacitError, names
from .design import Amount, Design, Labels, feature_columns, is_amount, side_of
from .grid import Grid

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = [
    "Key",
    "Learner",
    "Parameters",
    "amount_of",
    "class_labels",
    "checked_on",
    "labels_of",
    "numbers_only",
]

Key: TypeAlias = Any
"""A model as nested tuples of whole numbers: two models are the same if and only if their keys are."""


class Learner(Protocol):
    """A deterministic algorithm A from databases to models; a frozen dataclass of its parameters.

    The key is the model: nothing else of the records it was learnt from is kept, so that equal keys are equal to
    whoever sees the model. ``MEASURED`` names the score, ``COUNTED`` says whether it is a share of records, ``HELD_OUT``
    whether it is measured on records that no database has.
    """

    NAME: ClassVar[str]
    MEASURED: ClassVar[str]
    COUNTED: ClassVar[bool]
    HELD_OUT: ClassVar[bool]

    def designed(self, release: Release) -> Design:
        """What it reads of a release."""

    def matrix(self, design: Design, release: Release) -> np.ndarray:
        """The features as numbers, a row for each record."""

    def learnt(self, features: np.ndarray, target: np.ndarray) -> Key | None:
        """The key of the model of some records, which come in canonical order; None where they give no model."""

    def answers(self, key: Key, features: np.ndarray) -> np.ndarray:
        """What the model says of each record, as the target is coded."""

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:
        """How good the model is on some records; higher is better."""

    def positions(self, keys: Sequence[Key], features: np.ndarray) -> np.ndarray:
        """A row of numbers for each model, between which :meth:`apart` measures."""

    def apart(self, position: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """How far models are from one of them."""

    def trimmed(self, key: Key, design: Design) -> tuple[Key, Design]:
        """The same model with what it needs of the design: a label that no question asks about stays in the house."""

    def told(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The model in words, line by line."""

    def estimator(self, key: Key, design: Design) -> Any:
        """The model as a fitted estimator of scikit-learn's, over :meth:`matrix`."""


def checked_on(on: object) -> tuple[str, ...] | None:
    """The features as a tuple of names, or None for all."""
    return None if on is None else names(on)  # type: ignore[arg-type]


def labels_of(release: Release, column: str) -> Labels:
    """A target of at least two labels; a missing one is no label."""
    names(column, release.columns)
    if is_amount(release, column) and column not in release.declared_kinds and release.types[column] != "integer":
        raise TacitError(
            "holds amounts, not labels", column=column, fix="use Linear, or declare its kind, e.g. kinds={…: 'nominal'}"
        )
    found = side_of(release.described(kinds={**release.declared_kinds, column: "nominal"}), column, {})
    known = tuple(label for label in found.labels if label is not None)  # type: ignore[union-attr]
    if len(known) < 2:
        raise TacitError("has one value only: there is nothing to predict", column=column, fix="name another target")
    return Labels(column=column, labels=known)


def amount_of(release: Release, column: str, grid: Grid) -> Amount:
    """A target of numbers."""
    names(column, release.columns)
    if not is_amount(release, column) or release.types[column] in ("date", "datetime"):
        raise TacitError(
            "holds no amounts", column=column, fix="use Tree or Logistic for labels, or name another column"
        )
    found = side_of(release, column, grid)
    numbers = release.series(column).drop_nulls()
    if numbers.n_unique() < 2:
        raise TacitError("has one value only: there is nothing to predict", column=column, fix="name another target")
    return found  # type: ignore[return-value]


def numbers_only(release: Release, on: tuple[str, ...] | None) -> tuple[str, ...]:
    """The named columns, which must hold amounts, or all that do."""
    if on is None:
        every = feature_columns(release, None)
        on = tuple(column for column in every if is_amount(release, column) and release.valid(column).any())
    wrong = next((column for column in names(on, release.columns) if not is_amount(release, column)), None)
    if wrong is not None:
        raise TacitError("holds no amounts", column=wrong, fix="name columns of numbers or dates with on=…")
    return feature_columns(release, on)


def class_labels(design: Design) -> tuple[str, ...]:
    """The labels of the target."""
    assert isinstance(design.target, Labels)
    return tuple(str(label) for label in design.target.labels)


class Parameters:
    """Models that are rows of parameters on a grid: their distance is the largest difference of one, in steps of rounding."""

    __slots__ = ()

    def trimmed(self, key: Key, design: Design) -> tuple[Key, Design]:
        """All of it is needed: every feature has its parameter."""
        return key, design

    def positions(self, keys: Sequence[Key], features: np.ndarray) -> np.ndarray:  # noqa: ARG002 - trees need them
        """The parameters themselves, those of several centres one after the other."""
        return np.array(keys, dtype=float).reshape(len(keys), -1)

    def apart(self, position: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """The largest difference of a parameter (Chebyshev)."""
        found: np.ndarray = np.abs(positions - position).max(axis=1)
        return found
