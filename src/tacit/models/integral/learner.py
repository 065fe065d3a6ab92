"""What every kind of model here can do: learn a key from records, answer by the key alone, and say what it holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from .design import Design

if TYPE_CHECKING:
    from ...release.release import Release


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

    def build_design(self, release: Release) -> Design:
        """What it reads of a release."""

    def matrix(self, design: Design, release: Release) -> np.ndarray:
        """The features as numbers, a row for each record."""

    def fit_key(self, features: np.ndarray, target: np.ndarray) -> Key | None:
        """The key of the model of some records, which come in canonical order; None where they give no model."""

    def predict_targets(self, key: Key, features: np.ndarray) -> np.ndarray:
        """What the model says of each record, as the target is coded."""

    def score(self, key: Key, features: np.ndarray, target: np.ndarray) -> float:
        """How good the model is on some records; higher is better."""

    def positions(self, keys: Sequence[Key], features: np.ndarray) -> np.ndarray:
        """A row of numbers for each model, between which :meth:`apart` measures."""

    def distances_to(self, position: np.ndarray, positions: np.ndarray) -> np.ndarray:
        """How far models are from one of them."""

    def trim_design(self, key: Key, design: Design) -> tuple[Key, Design]:
        """The same model with what it needs of the design: a label that no question asks about stays in the house."""

    def describe_lines(self, key: Key, design: Design) -> Iterator[tuple[str, str]]:
        """The model in words, line by line."""

    def estimator(self, key: Key, design: Design) -> Any:
        """The model as a fitted estimator of scikit-learn's, over :meth:`matrix`."""
