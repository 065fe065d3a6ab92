"""Shadow models after Shokri: an attack classifier learns how members look from models whose members are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...claims.claims import MemberClaims
from ...errors import TacitError, typed, whole
from ...seed import generator
from .fleet import LARGEST_STATE, halves, no_estimator, trained
from .model import aligned, confidence, logit, loss, quietly

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from .case import Case

__all__ = ["Shadows", "seen_by"]

SORTED = 3
"""So many of the largest chances an attack classifier sees."""
FEW = 200
"""A class with fewer tuples in or out is attacked by the classifier of all classes."""
REFUSED = "the attack classifier could not be used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadows:
    """Learn from models of one's own how a model answers about those whom it has seen (B-06).

    The intruder has data like those of the model, and of other people. ``count`` shadow models of the same algorithm are trained
    on halves of them; each record of that data gives a tuple (answer of the shadow, own class, in or out) for every
    shadow. The attack classifier, one for each class, tells in from out by the chance of the own class, its logit, its
    loss and the three largest chances, and is then asked about the people. Its answer is the score, and from one half
    on somebody is taken for a member.

    ``estimator`` is the algorithm of the shadows (none: that of the model), ``attacker`` the classifier (none: boosted
    trees). All have one threshold for everybody of a class, so who is easy for every model is not told apart; :class:`Lira` does.

    Time that of ``count`` fits, of asking each about the data, and of the attack classifiers on count · n tuples.

    References
    ----------
    Shokri, Stronati, Song and Shmatikov (2017), Membership inference attacks against machine learning models, IEEE
    S&P, 3–18.
    """

    count: int = 16
    estimator: Any = None
    attacker: Any = None

    def __post_init__(self) -> None:
        whole("count", self.count, least=2)

    def applies(self, case: Case) -> str | None:
        """None when the attack can be made, else why not."""
        if case.like is None:
            return "shadow models need data like the model's, of other people (like=)"
        if case.like.size < 4:
            return "shadow models need at least four records, on whose halves they are trained"
        why_not = None if self.attacker is None else _no_attacker(self.attacker)
        return why_not or no_estimator(self.estimator if self.estimator is not None else case.estimator)

    def claims(self, case: Case, *, seed: Seed | None = None, progress: Progress | None = None) -> MemberClaims:
        """What the attack classifier of its class says of each person."""
        why_not = self.applies(case)
        if why_not or case.like is None:
            raise TacitError(
                f"shadow models are not possible: {why_not}",
                fix="give membership() what it needs, or leave the attack out",
            )
        rng = generator(0 if seed is None else seed)
        pool, own = case.like, case.model.own(case.like)
        inside = halves(pool.size, self.count, rng)
        estimator = self.estimator if self.estimator is not None else case.estimator
        tuples = [
            seen_by(aligned(shadow.answers(pool), shadow.classes, case.model.classes), own)
            for shadow in trained(estimator, pool, inside, rng, progress)
        ]
        scores = _told_apart(
            self._attacker(int(rng.integers(LARGEST_STATE))),
            (np.concatenate(tuples), np.tile(own, self.count), inside.reshape(-1)),
            (seen_by(case.answers, case.own()), case.own()),
        )
        facts = {
            "shadows": self.count,
            "records of a shadow": (pool.size + 1) // 2,
            "attacker": "trains on its own data only",
        }
        return MemberClaims(scores=scores, threshold=0.5, facts=facts)

    def _attacker(self, state: int) -> Any:
        if self.attacker is not None:
            return self.attacker
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, early_stopping=False, random_state=state)


def seen_by(answers: np.ndarray, own: np.ndarray) -> np.ndarray:
    """What the attack classifier sees of an answer: own chance, its logit and loss, and the largest chances in order."""
    chance = confidence(answers, own)
    largest = -np.sort(-answers, axis=1)[:, :SORTED]
    return np.column_stack([chance, logit(chance), loss(chance), largest])


def _no_attacker(attacker: Any) -> str | None:
    if no_estimator(attacker) or not hasattr(attacker, "predict_proba"):
        return f"attacker={typed(attacker)} is no scikit-learn classifier with predict_proba"
    return None


def _told_apart(
    attacker: Any, tuples: tuple[np.ndarray, np.ndarray, np.ndarray], people: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """The chance of being in, by the classifier of each class."""
    from sklearn.base import clone
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    seen, own, inside = tuples
    asked, classes = people
    scores = np.empty(len(asked))
    everybody: Any = None
    with threadpool_limits(1):
        for place in np.unique(classes):
            rows, chosen = np.flatnonzero(own == place), classes == place
            few = min(inside[rows].sum(), (~inside[rows]).sum()) < FEW
            if few and everybody is None:
                everybody = quietly(partial(clone(attacker).fit, y=inside), seen, REFUSED)
            fitted = everybody if few else quietly(partial(clone(attacker).fit, y=inside[rows]), seen[rows], REFUSED)
            scores[chosen] = quietly(fitted.predict_proba, asked[chosen], REFUSED)[:, 1]
    return scores
