"""Which attacks are meant: by plan name or with their parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from ..errors import TacitError, format_value, suggest_alternative
from ..release.trace import method_name
from .attack import Attack

Attacks: TypeAlias = str | Attack | Iterable[str | Attack] | None
"""One attack or several, by plan name or with their parameters; None: all of the sort that is asked for."""


def resolve_attacks(attack: Attacks, *, about: str = "identity") -> dict[str, Attack]:
    """The given attacks, or all about that, by name; two of one kind are numbered."""
    from . import ALL

    if attack is None:
        return {name: entry.call() for name, entry in ALL.items() if entry.tags.about == about}
    alone = isinstance(attack, str | type) or hasattr(attack, "claims") or not isinstance(attack, Iterable)
    found: dict[str, Attack] = {}
    given: tuple[Any, ...] = (attack,) if alone else tuple(attack)  # type: ignore[arg-type]
    for one in given:
        if isinstance(one, str) and one not in ALL:
            raise TacitError(f"the attack {one!r} is unknown", fix=suggest_alternative(one, list(ALL)))
        name = one if isinstance(one, str) else method_name(one)
        one = ALL[one].call() if isinstance(one, str) else one
        if isinstance(one, type) or not hasattr(one, "claims"):
            raise TacitError(
                f"{format_value(one)} is no attack with its parameters", fix="e.g. attack=tacit.attack.Distance()"
            )
        same = sum(other.split(" ")[0] == name for other in found)
        found[f"{name} {same + 1}" if same else name] = one
    if not found:
        raise TacitError("no attack was named", fix="leave attack= away to make all of them")
    return found
