"""The simplest attacks: who is predicted well was seen before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...claims.claims import MemberClaims
from ...errors import TacitError, typed
from .model import confidence, loss

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from .case import Case

__all__ = ["LossThreshold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossThreshold:
    r"""Take those for members whom the model predicts well (B-06): the baseline of all attacks.

    ``by="loss"`` scores a person by minus the loss, :math:`\log p_y(x)`, one threshold for everybody; people who are easy
    for any model look like members. ``by="right"`` is the gap attack: members are those whose class is predicted rightly,
    all that a model tells that answers with a class only. Its balanced accuracy is (1 + a − b)/2 with a, b the shares that
    are right of members and of others. No model is trained. O(n) time.

    References
    ----------
    Yeom, Giacomelli, Fredrikson and Jha (2018), Privacy risk in machine learning: analyzing the connection to
    overfitting, IEEE CSF, 268–282.
    """

    by: Literal["loss", "right"] = "loss"

    def __post_init__(self) -> None:
        if self.by not in ("loss", "right"):
            raise TacitError(f"by={typed(self.by)} is unknown", fix="by is 'loss' or 'right'")

    def applies(self, case: Case) -> str | None:  # noqa: ARG002 - there is nothing that it needs
        """None: it can always be made."""
        return None

    def claims(
        self,
        case: Case,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,  # noqa: ARG002 - it is done at once
    ) -> MemberClaims:
        """Minus the loss of each person, or whether its class is predicted rightly."""
        own = case.own()
        if self.by == "loss" and case.model.soft:
            return MemberClaims(scores=-loss(confidence(case.answers, own)))
        right = (np.argmax(case.answers, axis=1) == own).astype(float)
        notes = () if self.by == "right" else ("the model tells the class only: right or wrong is all there is",)
        return MemberClaims(scores=right, threshold=0.5, notes=notes)
