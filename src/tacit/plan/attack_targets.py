"""Which attacks a job or a command makes: by what they are about, with the parameters that were set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ..attack import ALL as ATTACKS
from ..attack.attack import Attack
from ..errors import TacitError, suggest_alternative

ABOUT: Mapping[str, str] = {
    "reidentification": "identity",
    "attribute_inference": "attribute",
    "membership": "membership",
    "worst_records": "membership",
    "copies": "copies",
    "singling_out": "singling out",
    "linkability": "linkability",
}
"""Requirement on attacks → what the attacks behind it are about."""
SHARES = frozenset(ABOUT) - {"membership"}
"""Those of them that hold a share to a bound; that on membership bounds an area under the ROC curve."""


def attacks_about(
    about: str, parameters: Mapping[str, Mapping[str, Any]], *, only: Collection[str] = ()
) -> dict[str, Attack]:
    """Every attack about that, or the named ones among them, with parameters."""
    chosen = {
        name: entry for name, entry in ATTACKS.items() if entry.tags.about == about and (not only or name in only)
    }
    return {name: entry.call(**parameters.get(name, {})) for name, entry in chosen.items()}


def known_attacks(names: Collection[str]) -> None:
    """Refuses a name that is no attack's."""
    unknown = next((name for name in names if name not in ATTACKS), None)
    if unknown is not None:
        raise TacitError(f"the attack {unknown!r} is unknown", fix=suggest_alternative(unknown, list(ATTACKS)))


def has_attack_about(about: str, names: Collection[str]) -> bool:
    """Whether one of the named attacks is about that."""
    return any(ATTACKS[name].tags.about == about for name in names if name in ATTACKS)
