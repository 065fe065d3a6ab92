"""The common case in one call: how well an intruder tells whom a model was trained on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from ...claims.claims import MemberClaims
from ...claims.judge import judge
from ...claims.truth import Truth
from ...errors import TacitError, check_int, format_value, suggest_alternative
from ...progress import report_progress, sub_progress
from ...result import Result, Results
from ...seed import child_seed, make_generator, seed_or_default
from .case import Case, ModelAttack
from .data import concat_labelled, parse_labelled, shared_records
from .lira import Lira
from .model import align_classes, call_quietly, clipped_logit, cross_entropy, true_class_confidence, wrap_model
from .shadow_models import LARGEST_STATE, no_estimator, random_halves, train_shadows

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


SORTED = 3
"""So many of the largest chances an attack classifier sees."""

FEW = 200
"""A class with fewer tuples in or out is attacked by the classifier of all classes."""

REFUSED = "the attack classifier could not be used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadows:
    """Learn from models of one's own how a model answers about those whom it has seen.

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
        check_int("count", self.count, least=2)

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
                code="wrong_type",
                fix="give membership() what it needs, or leave the attack out",
            )
        rng = make_generator(seed_or_default(seed))
        pool, own = case.like, case.model.class_positions(case.like)
        inside = random_halves(pool.size, self.count, rng)
        estimator = self.estimator if self.estimator is not None else case.estimator
        tuples = [
            seen_by(align_classes(shadow.answers(pool), shadow.classes, case.model.classes), own)
            for shadow in train_shadows(estimator, pool, inside, rng, progress)
        ]
        scores = _told_apart(
            self._attack_classifier(int(rng.integers(LARGEST_STATE))),
            (np.concatenate(tuples), np.tile(own, self.count), inside.reshape(-1)),
            (seen_by(case.answers, case.class_positions()), case.class_positions()),
        )
        facts = {
            "shadows": self.count,
            "records of a shadow": (pool.size + 1) // 2,
            "attacker": "trains on its own data only",
        }
        return MemberClaims(scores=scores, threshold=0.5, facts=facts)

    def _attack_classifier(self, state: int) -> Any:
        if self.attacker is not None:
            return self.attacker
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=15, early_stopping=False, random_state=state)


def seen_by(answers: np.ndarray, own: np.ndarray) -> np.ndarray:
    """What the attack classifier sees of an answer: own chance, its logit and loss, and the largest chances in order."""
    chance = true_class_confidence(answers, own)
    largest = -np.sort(-answers, axis=1)[:, :SORTED]
    return np.column_stack([chance, clipped_logit(chance), cross_entropy(chance), largest])


def _no_attacker(attacker: Any) -> str | None:
    if no_estimator(attacker) or not hasattr(attacker, "predict_proba"):
        return f"attacker={format_value(attacker)} is no scikit-learn classifier with predict_proba"
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
                everybody = call_quietly(partial(clone(attacker).fit, y=inside), seen, REFUSED)
            fitted = (
                everybody if few else call_quietly(partial(clone(attacker).fit, y=inside[rows]), seen[rows], REFUSED)
            )
            scores[chosen] = call_quietly(fitted.predict_proba, asked[chosen], REFUSED)[:, 1]
    return scores


@dataclass(frozen=True, slots=True, kw_only=True)
class LossThreshold:
    r"""Take those for members whom the model predicts well: the baseline of all attacks.

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
            raise TacitError(
                f"by={format_value(self.by)} is unknown",
                code="unknown_name",
                parameter="by",
                fix="by is 'loss' or 'right'",
            )

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
        own = case.class_positions()
        if self.by == "loss" and case.model.soft:
            return MemberClaims(scores=-cross_entropy(true_class_confidence(case.answers, own)))
        right = (np.argmax(case.answers, axis=1) == own).astype(float)
        notes = () if self.by == "right" else ("the model tells the class only: right or wrong is all there is",)
        return MemberClaims(scores=right, threshold=0.5, notes=notes)


MODEL_ATTACKS: dict[str, ModelAttack] = {
    "gap": LossThreshold(by="right"),
    "threshold": LossThreshold(),
    "shadows": Shadows(),
    "lira": Lira(),
}
"""Name → attack on a model, with its usual parameters."""

Named: TypeAlias = str | ModelAttack | Iterable[str | ModelAttack] | None


def membership(
    model: Any,
    *,
    members: Any,
    others: Any,
    like: Any = None,
    estimator: Any = None,
    attack: Named = None,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> Results:
    """How well an intruder who may ask a model tells whom it was trained on: one result for each attack.

    ``model`` is a fitted scikit-learn classifier, or a function from records to the chances of the classes. ``members``
    and ``others`` are pairs (X, y): people whom it was trained on, and people like them whom it was not. ``like`` is the
    data that the intruder itself has, like the model's but of other people: shadow models are trained on it. Rows that
    stand both there and among members or others are refused, equal by chance or not, because the shadows would have
    seen whom they are to tell apart (:func:`.data.without_shared` drops them); online LiRA alone trains on
    the people asked about, which is what it assumes. ``estimator`` is the algorithm of the model, itself when absent.

    ``attack`` names one or several of ``gap``, ``threshold``, ``shadows``, ``lira``, or gives them with their parameters;
    none: all that can be made. ``results["lira"]`` is that of an attack: the area under the ROC curve, and in its facts the
    members found at 1 % and 0.1 % false alarms (:func:`tacit.claims.judge`); its per-record values, members first, list
    those who are found most surely. ``others who equal a member`` counts rows that nobody can tell apart. Judge by the strongest attack; ``results.worst`` has the largest area.

    A model is run, and a model from a file can run anything: load none that you do not trust.

    The cost is that of the attacks, see :class:`Shadows` and :class:`Lira`.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 2 % 2
    >>> model = KNeighborsClassifier(1).fit(X[1::2], y[1::2])
    >>> found = membership(model, members=(X[1::2], y[1::2]), others=(X[::2] - 0.1, y[::2]), attack="threshold")
    >>> found["threshold"].value
    0.975

    References
    ----------
    Shokri, Stronati, Song and Shmatikov (2017), Membership inference attacks against machine learning models, IEEE
    S&P, 3–18.
    Carlini et al. (2022), Membership inference attacks from first principles, IEEE S&P, 1897–1914.
    """
    case, truth = model_case(model, members=members, others=others, like=like, estimator=estimator)
    attacks = _resolve_attacks(attack)
    reasons = {name: one.applies(case) for name, one in attacks.items()}
    if attack is not None:
        for name, why_not in reasons.items():
            if why_not:
                raise TacitError(
                    f"the attack {name!r} cannot be made: {why_not}",
                    code="cannot_write",
                    fix="give what it needs, or leave it out",
                )
    made = {name: one for name, one in attacks.items() if not reasons[name]}
    not_made = [f"{name}: {why_not}" for name, why_not in reasons.items() if why_not]
    beside: dict[str, object] = {"not made": not_made} if not_made else {}
    twins = int(shared_records(parse_labelled(others, "others"), parse_labelled(members, "members")).sum())
    beside |= {"others who equal a member": twins} if twins else {}
    parts: list[Result] = []
    for place, (name, one) in enumerate(made.items()):
        report_progress(progress, f"attacking the model: {name}", place / len(made))
        share = sub_progress(progress, place / len(made), (place + 1) / len(made))
        claims = one.claims(case, seed=child_seed(seed_or_default(seed), "membership", name), progress=share)
        parts.append(replace(judge(claims, truth), name=name).with_facts(**beside))
    return Results(tuple(parts))


def model_case(model: Any, *, members: Any, others: Any, like: Any = None, estimator: Any = None) -> tuple[Case, Truth]:
    """What an intruder has, and, for the judge alone, who is a member: the first of the people are the members.

    For curves of one's own: ``roc(attack.claims(case), truth.present())``.
    """
    sides = parse_labelled(members, "members"), parse_labelled(others, "others")
    own = None if like is None else parse_labelled(like, "like")
    everybody = concat_labelled(sides if own is None else (*sides, own))
    people = concat_labelled(sides)
    asked = wrap_model(model, everybody.labels)
    asked.class_positions(everybody)
    if own is not None:
        for name, side in zip(("members", "others"), sides, strict=True):
            doubled = int(shared_records(own, side).sum())
            if doubled:
                raise TacitError(
                    f"{doubled:,} rows of like are equal to rows of {name}, class included",
                    code="attack_impossible",
                    fix="drop them from like (without_shared(like, members, others)), also those that are equal by chance",
                )
    case = Case(
        model=asked,
        people=people,
        answers=asked.answers(people),
        like=own,
        estimator=estimator if estimator is not None else (model if hasattr(model, "fit") else None),
    )
    return case, Truth(released=np.arange(sides[0].size), intruder=np.arange(people.size))


def _resolve_attacks(attack: Named) -> dict[str, ModelAttack]:
    if attack is None:
        return dict(MODEL_ATTACKS)
    alone = isinstance(attack, str | type) or hasattr(attack, "claims") or not isinstance(attack, Iterable)
    given: tuple[Any, ...] = (attack,) if alone else tuple(attack)  # type: ignore[arg-type]
    found: dict[str, ModelAttack] = {}
    for one in given:
        if isinstance(one, str) and one not in MODEL_ATTACKS:
            raise TacitError(
                f"the attack {one!r} is unknown", code="unknown_name", fix=suggest_alternative(one, list(MODEL_ATTACKS))
            )
        if not isinstance(one, str) and (isinstance(one, type) or not hasattr(one, "claims")):
            raise TacitError(
                f"{format_value(one)} is no attack on a model",
                code="wrong_type",
                fix="e.g. attack='lira' or attack=Lira(count=64)",
            )
        name = one if isinstance(one, str) else _attack_name(one)
        same = sum(other.split(" ")[0] == name for other in found)
        found[f"{name} {same + 1}" if same else name] = MODEL_ATTACKS[one] if isinstance(one, str) else one
    if not found:
        raise TacitError(
            "no attack was named", code="missing_parameter", fix="leave attack= away to make all that can be made"
        )
    return found


def _attack_name(attack: ModelAttack) -> str:
    if isinstance(attack, LossThreshold):
        return "gap" if attack.by == "right" else "threshold"
    return type(attack).__name__.lower()
