"""The kind and the hierarchy that a plan may start from."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, log10
from typing import Any

from ..kinds import FEW, Kind
from .profile import Profile
from .reading import Reading
from .shapes import CODE
from .words import EMPLOYER, ZIP

__all__ = ["code_read_as_number", "proposed_hierarchy", "proposed_kind"]

STEPS = 20
"""A number is first cut into about so many intervals."""


def proposed_kind(reading: Reading) -> Kind | None:
    """The kind where the type does not tell: codes, postal codes, whole numbers with few values."""
    profile = reading.profile
    if reading.notion is ZIP:
        return "geographic"
    if code_read_as_number(reading):
        return "code"
    if profile.type == "integer" and 0 < profile.distinct <= FEW:
        return "nominal" if profile.distinct <= 2 else "ordinal"
    if profile.share("dates") == 1.0:
        return None
    return "code" if profile.type == "text" and profile.known and profile.share(CODE) == 1.0 else None


def code_read_as_number(reading: Reading) -> bool:
    """Whether the name says occupation or industry and the values have decimals: 13.10 is a code of NACE, not 13.1."""
    return reading.notion is EMPLOYER and reading.profile.type == "number"


def proposed_hierarchy(profile: Profile, kind: Kind | None) -> Mapping[str, Any] | None:
    """Prefixes for codes of one length, intervals for numbers, units for dates."""
    if profile.type in ("date", "datetime"):
        return {"dates": ["month", "year", "decade"]}
    if profile.low is None or profile.high is None or profile.share("dates") == 1.0:
        return None  # the first characters of a day such as 24.12.1962 are what tells most
    if profile.type == "text":
        coded = kind in ("code", "geographic") and profile.low == profile.high >= 2 and profile.share(CODE) == 1.0
        return {"prefix": _lengths(int(profile.high))} if coded else None
    if kind == "geographic":
        return {"prefix": _lengths(len(str(int(profile.high))))}
    return None if kind in ("nominal", "code") else _intervals(profile.high - profile.low)


def _lengths(length: int) -> list[int]:
    """The whole code, its first half, its first sign.

    >>> _lengths(5), _lengths(2)
    ([5, 3, 1], [2, 1])
    """
    return sorted({length, (length + 1) // 2, 1}, reverse=True)


def _intervals(reach: float) -> Mapping[str, Any] | None:
    """Round widths, each twice the one before, the first about a twentieth of the reach.

    >>> _intervals(97), _intervals(8), _intervals(1)
    ({'intervals': [5, 10, 20]}, {'intervals': [2, 4, 8]}, None)
    """
    if not 2 <= reach < 1e15:
        return None
    rough = max(2.0, reach / STEPS)
    unit = 10 ** floor(log10(rough))
    width = next(int(step * unit) for step in (1, 2, 5, 10) if step * unit >= rough)
    return {"intervals": [width, 2 * width, 4 * width]}
