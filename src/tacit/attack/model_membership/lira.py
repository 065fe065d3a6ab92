"""LiRA: how likely the model's answer is when the person was in the training data, and when not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...claims.claims import MemberClaims
from ...errors import TacitError, check_int, format_value
from ...seed import make_generator, seed_or_default
from .model import align_classes, clipped_logit, edge_of, true_class_confidence
from .shadow_models import no_estimator, random_halves, train_shadows

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed
    from .case import Case


LEAST_SPREAD = 1e-3
"""Standard deviations of logits are taken to be at least this: below it they are rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lira:
    r"""The likelihood-ratio attack: each person has its own threshold.

    ``count`` shadow models show how the logit :math:`\varphi = \log\frac{p_y}{1 - p_y}` of a person's own class comes out with
    the person in the training data and without it (chances of 0 and 1 are moved inwards, see :func:`.model.edge_of`); both are taken for normal, and the score is

    .. math:: \log \frac{N(\varphi; \mu_{in}, \sigma^2_{in})}{N(\varphi; \mu_{out}, \sigma^2_{out})}.

    So nobody is taken for a member because any model predicts them well. ``online``: the shadows are trained on random
    halves of the very people asked about (their records and classes, not who is a member): the STRONGER attacker, who can
    train models after it has chosen whom to look for. Offline they are trained on halves of the intruder's own data
    and never saw these people, so that only :math:`\mu_{out}, \sigma_{out}` are known, and the score is one-sided,
    :math:`(\varphi - \mu_{out})/\sigma_{out}`.

    ``variance="own"`` estimates the variances of each person from its own few answers, which pays from some 64 shadows
    on; ``"global"`` pools them over the people. Shadows should be trained on as many records as the model was: half
    of the people online, half of ``like`` offline.

    Time that of ``count`` fits and of asking each about everybody; memory O(count · n).

    References
    ----------
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """

    count: int = 16
    online: bool = True
    variance: Literal["own", "global"] = "global"
    estimator: Any = None

    def __post_init__(self) -> None:
        check_int("count", self.count, least=4)
        if not isinstance(self.online, bool):
            raise TacitError(
                f"online={format_value(self.online)} is neither true nor false",
                code="not_boolean",
                parameter="online",
                fix="e.g. online=False",
            )
        if self.variance not in ("own", "global"):
            raise TacitError(
                f"variance={format_value(self.variance)} is unknown",
                code="unknown_name",
                parameter="variance",
                fix="variance is 'own' or 'global'",
            )

    def applies(self, case: Case) -> str | None:
        """None when the attack can be made, else why not."""
        if not self.online and case.like is None:
            return "offline it needs data like the model's (like=)"
        if self.online and case.people.size < 4:
            return "online it needs at least four people, on whose halves the shadows are trained"
        return no_estimator(self.estimator if self.estimator is not None else case.estimator)

    def claims(self, case: Case, *, seed: Seed | None = None, progress: Progress | None = None) -> MemberClaims:
        """The logarithm of the likelihood ratio of each person, or how far above an outsider's its answer is."""
        why_not = self.applies(case)
        if why_not:
            raise TacitError(
                f"LiRA is not possible: {why_not}",
                code="wrong_type",
                fix="give membership() what it needs, or leave the attack out",
            )
        rng = make_generator(seed_or_default(seed))
        own = case.class_positions()
        pool = case.people if self.online or case.like is None else case.like
        inside = random_halves(pool.size, self.count, rng)
        estimator = self.estimator if self.estimator is not None else case.estimator
        chances = np.empty((self.count, case.people.size))
        for number, shadow in enumerate(train_shadows(estimator, pool, inside, rng, progress)):
            told = align_classes(shadow.answers(case.people), shadow.classes, case.model.classes)
            chances[number] = true_class_confidence(told, own)
        seen = inside if self.online else np.zeros(chances.shape, dtype=bool)
        edge = edge_of(chances)
        phi = clipped_logit(true_class_confidence(case.answers, own), edge)
        return MemberClaims(
            scores=log_likelihood_ratio(phi, clipped_logit(chances, edge), seen, variance=self.variance),
            threshold=0.0 if self.online else None,
            facts={
                "shadows": self.count,
                "records of a shadow": (pool.size + 1) // 2,
                "attacker": "trains on the very people asked about" if self.online else "trains on its own data only",
            },
        )


def log_likelihood_ratio(
    phi: np.ndarray, shadows: np.ndarray, inside: np.ndarray, *, variance: Literal["own", "global"] = "global"
) -> np.ndarray:
    """The log likelihood ratio of each answer ``phi`` from those of the shadows (count × people) in and out of training.

    With nobody in, the one-sided form: standard deviations above the mean of those who are out.

    >>> shadows, inside = np.array([[2.0], [4.0], [-1.0], [1.0]]), np.array([[True], [True], [False], [False]])
    >>> log_likelihood_ratio(np.array([2.0]), shadows, inside).round(6).tolist()
    [0.75]
    """
    away, spread_out = _fit_normal(shadows, ~inside, variance)
    if not inside.any():
        found: np.ndarray = (phi - away) / spread_out
        return found
    near, spread_in = _fit_normal(shadows, inside, variance)
    both: np.ndarray = _log_density(phi, near, spread_in) - _log_density(phi, away, spread_out)
    return both


def _fit_normal(shadows: np.ndarray, chosen: np.ndarray, variance: str) -> tuple[np.ndarray, np.ndarray]:
    count = chosen.sum(axis=0)
    middle = np.where(chosen, shadows, 0.0).sum(axis=0) / count
    squares = np.where(chosen, np.square(shadows - middle), 0.0).sum(axis=0)
    if variance == "global":
        pooled = squares.sum() / max(1, int((count - 1).sum()))
        return middle, np.full(len(middle), max(LEAST_SPREAD, float(np.sqrt(pooled))))
    return middle, np.maximum(LEAST_SPREAD, np.sqrt(squares / np.maximum(count - 1, 1)))


def _log_density(phi: np.ndarray, middle: np.ndarray, spread: np.ndarray) -> np.ndarray:
    found: np.ndarray = -0.5 * np.square((phi - middle) / spread) - np.log(spread)
    return found
