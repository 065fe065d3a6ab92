"""Who attacks: the attacks that what an intruder knows of links makes possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...attack.runner import AttackResult
from ...errors import TacitError, suggest_alternative
from ...graphs.attack import ALL as ATTACKS
from ...graphs.attack.attack import GraphAttack
from ...registry import build_from_params
from .people import LABELLED

REACH: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "nothing": {"attributes": {"rounds": 0}},
    "degree": {"degree": {}, "attributes": {"rounds": 1}},
    "neighbours": {
        "degree": {},
        "refinement": {"rounds": 2},
        "profile": {"reach": 1},
        "attributes": {"rounds": 2},
    },
    "network": {name: {} for name in ATTACKS},
}
"""What is known of links → the attacks that this much allows, and how far they look."""


def attacks_of(structure: str, given: Sequence[Mapping[str, Any]]) -> dict[str, GraphAttack]:
    """The attacks of an intruder, with the parameters that were set; one that needs more than it knows cannot be set.

    >>> sorted(attacks_of("degree", []))
    ['attributes', 'degree']
    """
    reach = REACH[structure]
    parameters: dict[str, dict[str, Any]] = {name: dict(own) for name, own in reach.items()}
    for one in given:
        name = one.get("method")
        if not isinstance(name, str):
            raise TacitError(
                "an attack has no method", code="missing_parameter", fix=f"method = one of {', '.join(ATTACKS)}"
            )
        if name not in ATTACKS:
            raise TacitError(
                f"the method {name!r} is unknown", code="unknown_name", fix=suggest_alternative(name, list(ATTACKS))
            )
        if name not in reach:
            fix = 'say more under [intruder], e.g. structure = "network", or leave the attack out'
            raise TacitError(f"{name} needs more than structure = {structure!r} tells", code="out_of_range", fix=fix)
        if "seeds" in one and "seeds" not in ATTACKS[name].parameters:
            fix = "write seeds = 0.05, { hubs = 6 }, { random = 6 } or a list of labels under [intruder]"
            raise TacitError(
                f"{name} takes its known links from the intruder, not from [[attack]]", code="out_of_range", fix=fix
            )
        # People are labels here, and numbers once the network is read.
        later = ("method", "targets", *(key for key in LABELLED if key in ATTACKS[name].parameters))
        parameters[name] |= {key: _list_to_tuple(value) for key, value in one.items() if key not in later}
    return {name: build_from_params(name, ATTACKS[name].call, own) for name, own in parameters.items()}


def beyond_reach(structure: str) -> tuple[AttackResult, ...]:
    """The attacks that an intruder of such structure cannot make, each with the reason.

    >>> [one.name for one in beyond_reach("neighbours")]
    ['group', 'coalition', 'propagation', 'alignment']
    """
    why_not = f"needs more than structure = {structure!r} says; see the stronger intruders"
    return tuple(
        AttackResult(name=name, result=None, why_not=why_not) for name in ATTACKS if name not in REACH[structure]
    )


def _list_to_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
