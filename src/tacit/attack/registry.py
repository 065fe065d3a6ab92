"""The registry of attacks on microdata, and the choice among them by plan name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from ..errors import TacitError, format_value, suggest_alternative
from ..registry import Entry, Tags
from ..release.trace import method_name
from ._link_attacks import LINK_ATTACKS
from .attack import Attack
from .bridge import Bridge
from .composition import Composition
from .copies import Copies
from .file_membership import Membership
from .inference import Inference
from .lookup import Lookup
from .minimality import Minimality
from .shadow_generators import ShadowGenerators
from .singling_out import SinglingOut
from .tcap import Tcap

ATTACKS: tuple[type[Any], ...] = (
    *LINK_ATTACKS,
    Inference,
    Lookup,
    Tcap,
    Minimality,
    Composition,
    Bridge,
    Membership,
    ShadowGenerators,
    Copies,
    SinglingOut,
)
"""Every attack. All that is said of one stands in its class."""

Attacks: TypeAlias = str | Attack | Iterable[str | Attack] | None
"""One attack or several, by plan name or with their parameters; None: all of the sort that is asked for."""


def _describe_attack(attack: type[Any]) -> Entry:
    return Entry(
        call=attack,
        tags=Tags(about=attack.makes.about, kind="attack", linkage=attack.linkage),
        example=getattr(attack, "example", {}),
        upto=getattr(attack, "upto", None),
    )


ALL = {method_name(attack): _describe_attack(attack) for attack in ATTACKS}
"""Plan name → attack."""


def resolve_attacks(attack: Attacks, *, about: str = "identity") -> dict[str, Attack]:
    """The given attacks, or all about that, by name; two of one kind are numbered."""
    if attack is None:
        return {name: entry.call() for name, entry in ALL.items() if entry.tags.about == about}
    alone = isinstance(attack, str | type) or hasattr(attack, "claims") or not isinstance(attack, Iterable)
    chosen: dict[str, Attack] = {}
    given: tuple[Any, ...] = (attack,) if alone else tuple(attack)  # type: ignore[arg-type]
    for one in given:
        name = one if isinstance(one, str) else method_name(one)
        made = _attack_named(one) if isinstance(one, str) else one
        if isinstance(made, type) or not hasattr(made, "makes"):
            raise TacitError(
                f"{format_value(made)} is no attack with its parameters",
                code="wrong_type",
                fix="e.g. attack=tacit.attack.Distance()",
            )
        if made.makes.about != about:
            raise TacitError(
                f"the attack {name} is about {made.makes.about}, not about {about}",
                code="attack_impossible",
                fix=f"take one of {', '.join(resolve_attacks(None, about=about))}",
            )
        same = sum(other.split(" ")[0] == name for other in chosen)
        chosen[f"{name} {same + 1}" if same else name] = made
    if not chosen:
        raise TacitError("no attack was named", code="missing_parameter", fix="leave attack= away to make all of them")
    return chosen


def _attack_named(name: str) -> Attack:
    if name not in ALL:
        raise TacitError(
            f"the attack {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(ALL))
        )
    made: Attack = ALL[name].call()
    return made
