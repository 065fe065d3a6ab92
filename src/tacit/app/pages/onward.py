"""What to do next: one step for each page, by how far the plan is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Onward", "onward"]


@dataclass(frozen=True, slots=True)
class Onward:
    """The key of the words, and where the step is taken."""

    key: str
    href: str


ROLES, MISSING = Onward("roles", "/data#columns"), Onward("missing", "/data#missing-values")
RISK, REQUIRE, RELEASE = Onward("risk", "/risk"), Onward("require", "/release"), Onward("release", "/release#go-title")
PROTECT, FIRST, MORE = Onward("protect", "/protect"), Onward("first", "/protect#add"), Onward("more", "/protect#add")
ANOTHER, ATTACK = Onward("another", "/data#open-another"), Onward("attack", "/risk#attacks-made")


def onward(
    page: str,
    raw: Mapping[str, Any],
    status: Mapping[str, Any] | None,
    attacks: Mapping[str, Any] | None = None,
    *,
    unread: bool = False,
    broken: bool = False,
) -> Onward | None:
    """The next step after what a page is for; none where the job ends, and none before a file is open.

    ``status`` is what is known of the requirements, or None while they are being checked, ``attacks`` the same of those
    that attacks decide on. ``unread``: the file cannot be read; ``broken``: nothing can be checked, and it is told why.
    """
    if not raw:
        return None
    if unread:
        return ANOTHER
    if page == "tables":
        return None
    if not raw.get("roles", {}).get("quasi"):
        return ROLES
    if status and status.get("asks"):
        return MISSING
    if broken:
        return None
    if not raw.get("require"):
        return {"data": RISK, "hierarchies": RISK, "release": None}.get(page, REQUIRE)
    states = _states(status, attacks)
    if states == {"holds"}:
        return RELEASE if page != "release" else None
    if states == {"holds", "attack"} or states == {"attack"}:
        return ATTACK
    if page != "protect":
        return PROTECT
    return MORE if raw.get("protect") else FIRST


def _states(status: Mapping[str, Any] | None, attacks: Mapping[str, Any] | None) -> set[str]:
    """The states of all requirements; "attack" is that of one on attacks which were not made yet."""
    judged = {one["name"]: one["state"] for one in (attacks or {}).get("verdicts", [])}
    lights = (status or {}).get("lights", [])
    return {judged.get(one["name"], "attack") if one["state"] == "attack" else one["state"] for one in lights}
