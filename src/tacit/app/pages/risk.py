"""The page Risk: what the data disclose, and what an intruder can do who knows this or that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from ...attack import ATTACKS
from ...plan.attack_run import ABOUT
from ...plan.schema import Intruder
from ...release.roles import QUASI
from ...report.words import to_prose
from ..forms import Column, fields_of
from ..texts import texts
from .page import View

TOLD = get_args(Intruder.model_fields["told"].annotation)


def risk_context(view: View) -> Mapping[str, Any]:
    """Which data are looked at, what the intruder has, and which attacks are made."""
    steps = len(view.raw.get("protect", []))
    original = not steps or view.query.get("of") == "original"
    intruder = view.raw.get("intruder", {})
    quasi = view.raw.get("roles", {}).get("quasi", [])
    made = _attack_targets(view)
    return {
        "steps": steps,
        "original": original,
        "asked": {"of": "original"} if steps and original else {},
        "intruder": intruder,
        "known": intruder.get("knows") or quasi,
        "worst": not intruder.get("knows") and intruder.get("told", TOLD[-1]) == TOLD[-1],
        "tellings": TOLD,
        "knowable": _knowable_columns(view),
        "sorts": made,
        "settings": _attack_forms(view, [one["about"] for one in made if one["state"] != "off"]),
    }


def _knowable_columns(view: View) -> list[Column]:
    """What an intruder may know: not what is dropped; quasi-identifiers first."""
    offered = [one for one in view.columns.every if one.role not in ("identifier", "household", "weight")]
    return sorted(offered, key=lambda one: one.role not in QUASI)


def _attack_targets(view: View) -> list[dict[str, str]]:
    """What is attacked beside identities, and why: required, named in the plan, or not at all."""
    required = {ABOUT[name] for name in view.raw.get("require", {}) if name in ABOUT}
    named = {ATTACKS[one["method"]].tags.about for one in view.raw.get("attack", [])}
    named |= {"linkability"} if view.raw.get("intruder", {}).get("second") else set()
    return [
        {"about": about, "state": "required" if about in required else "named" if about in named else "off"}
        for about in dict.fromkeys(ABOUT.values())
        if about != "identity"
    ]


def _attack_forms(view: View, made: list[str]) -> list[dict[str, Any]]:
    """A form for each attack that is made and has parameters."""
    given = {one["method"]: one for one in view.raw.get("attack", [])}
    say = texts().forms.mapping
    return [
        {
            "method": name,
            "summary": to_prose(entry.summary),
            "set": len(given.get(name, {})) > 1,
            "fields": fields_of(
                entry.call, columns=view.columns, say=say, given=given.get(name, {}), example=entry.example
            ),
        }
        for name, entry in ATTACKS.items()
        if entry.tags.about in ("identity", *made) and entry.parameters
    ]
