"""The choice among attacks on microdata by plan name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from ..errors import TacitError, format_value, suggest_alternative
from ..release.trace import method_name
from . import ATTACKS
from .attack import Attack

Attacks: TypeAlias = str | Attack | Iterable[str | Attack] | None
"""One attack or several, by plan name or with their parameters; None: all of the sort that is asked for."""


def resolve_attacks(attack: Attacks, *, about: str = "identity") -> dict[str, Attack]:
    """The given attacks, or all about that, by name; two of one kind are numbered."""
    if attack is None:
        return {name: entry.call() for name, entry in ATTACKS.items() if entry.tags.about == about}
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
    if name not in ATTACKS:
        raise TacitError(
            f"the attack {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(ATTACKS))
        )
    made: Attack = ATTACKS[name].call()
    return made
