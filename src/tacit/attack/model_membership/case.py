"""What an intruder has who asks a model about people: all that an attack may read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from .data import LabelledData
from .model import Model

if TYPE_CHECKING:
    from ...claims.claims import MemberClaims
    from ...progress import Progress
    from ...seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """The model, the people asked about with its ``answers`` to them, and data ``like`` those that it was trained on.

    Who of the people is a member is not in here. ``estimator`` is the algorithm by which the model was fitted, for models
    of the intruder's own.
    """

    model: Model
    people: LabelledData
    answers: np.ndarray
    like: LabelledData | None = None
    estimator: Any = None

    def class_positions(self) -> np.ndarray:
        """The place of each person's class among those of the model."""
        return self.model.class_positions(self.people)


class ModelAttack(Protocol):
    """A frozen dataclass of parameters; it reads the case, and never who is a member."""

    def applies(self, case: Case) -> str | None:
        """None when the attack can be made, else why not."""

    def claims(self, case: Case, *, seed: Seed | None = None, progress: Progress | None = None) -> MemberClaims:
        """How strongly each person is said to be a member."""
