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
ANOTHER = Onward("another", "/data#open-another")


def onward(
    page: str, raw: Mapping[str, Any], status: Mapping[str, Any] | None, *, unread: bool = False
) -> Onward | None:
    """The next step after what a page is for; none where the job ends, and none before a file is open.

    ``status`` is what is known of the requirements, or None while they are being checked; ``unread``: the file cannot be.
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
    if not raw.get("require"):
        return {"data": RISK, "hierarchies": RISK, "release": None}.get(page, REQUIRE)
    if _all_hold(status):
        return RELEASE if page != "release" else None
    if page != "protect":
        return PROTECT
    return MORE if raw.get("protect") else FIRST


def _all_hold(status: Mapping[str, Any] | None) -> bool:
    lights = (status or {}).get("lights", [])
    return bool(lights) and all(one["state"] in ("holds", "attack") for one in lights)
