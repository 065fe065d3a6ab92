"""The common case in one call: how well an intruder tells whom a model was trained on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...claims.judge import judge
from ...claims.truth import Truth
from ...errors import TacitError, instead, typed
from ...progress import part, report
from ...result import Result, Results
from ...seed import child
from .case import Case, ModelAttack
from .data import joined, labelled, shared
from .lira import Lira
from .model import opened
from .shadows import Shadows
from .threshold import LossThreshold

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["MODEL_ATTACKS", "membership", "model_case"]

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
    """How well an intruder who may ask a model tells whom it was trained on: one result for each attack (B-06).

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
    attacks = _attacks(attack)
    reasons = {name: one.applies(case) for name, one in attacks.items()}
    if attack is not None:
        for name, why_not in reasons.items():
            if why_not:
                raise TacitError(
                    f"the attack {name!r} cannot be made: {why_not}", fix="give what it needs, or leave it out"
                )
    made = {name: one for name, one in attacks.items() if not reasons[name]}
    not_made = [f"{name}: {why_not}" for name, why_not in reasons.items() if why_not]
    beside: dict[str, object] = {"not made": not_made} if not_made else {}
    twins = int(shared(labelled(others, "others"), labelled(members, "members")).sum())
    beside |= {"others who equal a member": twins} if twins else {}
    parts: list[Result] = []
    for place, (name, one) in enumerate(made.items()):
        report(progress, f"attacking the model: {name}", place / len(made))
        share = part(progress, place / len(made), (place + 1) / len(made))
        claims = one.claims(case, seed=child(0 if seed is None else seed, "membership", name), progress=share)
        parts.append(replace(judge(claims, truth), name=name).with_facts(**beside))
    return Results(tuple(parts))


def model_case(model: Any, *, members: Any, others: Any, like: Any = None, estimator: Any = None) -> tuple[Case, Truth]:
    """What an intruder has, and, for the judge alone, who is a member: the first of the people are the members.

    For curves of one's own: ``roc(attack.claims(case), truth.present())``.
    """
    sides = labelled(members, "members"), labelled(others, "others")
    own = None if like is None else labelled(like, "like")
    everybody = joined(sides if own is None else (*sides, own))
    people = joined(sides)
    asked = opened(model, everybody.labels)
    asked.own(everybody)
    if own is not None:
        for name, side in zip(("members", "others"), sides, strict=True):
            doubled = int(shared(own, side).sum())
            if doubled:
                raise TacitError(
                    f"{doubled:,} rows of like are equal to rows of {name}, class included",
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


def _attacks(attack: Named) -> dict[str, ModelAttack]:
    if attack is None:
        return dict(MODEL_ATTACKS)
    alone = isinstance(attack, str | type) or hasattr(attack, "claims") or not isinstance(attack, Iterable)
    given: tuple[Any, ...] = (attack,) if alone else tuple(attack)  # type: ignore[arg-type]
    found: dict[str, ModelAttack] = {}
    for one in given:
        if isinstance(one, str) and one not in MODEL_ATTACKS:
            raise TacitError(f"the attack {one!r} is unknown", fix=instead(one, list(MODEL_ATTACKS)))
        if not isinstance(one, str) and (isinstance(one, type) or not hasattr(one, "claims")):
            raise TacitError(f"{typed(one)} is no attack on a model", fix="e.g. attack='lira' or attack=Lira(count=64)")
        name = one if isinstance(one, str) else _name(one)
        same = sum(other.split(" ")[0] == name for other in found)
        found[f"{name} {same + 1}" if same else name] = MODEL_ATTACKS[one] if isinstance(one, str) else one
    if not found:
        raise TacitError("no attack was named", fix="leave attack= away to make all that can be made")
    return found


def _name(attack: ModelAttack) -> str:
    if isinstance(attack, LossThreshold):
        return "gap" if attack.by == "right" else "threshold"
    return type(attack).__name__.lower()
