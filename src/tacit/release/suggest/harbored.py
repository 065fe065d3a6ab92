"""What the Safe Harbor check found, taken into the suggestions, so that a plan that starts from them removes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .role import Suggestion

if TYPE_CHECKING:
    from .safe_harbor import HarborFinding, SafeHarbor

__all__ = ["apply_safe_harbor", "top_coded"]

OLDEST = 90
"""Ages of 90 and older are put together."""
AREA = 3
"""So many signs of a ZIP code may stay."""


def apply_safe_harbor(columns: Sequence[Suggestion], harbor: SafeHarbor | None) -> list[Suggestion]:
    """The suggestions under which nothing that was found is released.

    Ages and births of the oldest stay, because they are top-coded, days that were read as such, because their hierarchy
    starts above years, and postal codes whose hierarchy has a level of three signs. Whatever else was found is dropped.
    """
    if harbor is None:
        return list(columns)
    found = {one.column: [finding for finding in harbor.findings if finding.column == one.column] for one in columns}
    return [_harbored(one, found[one.column]) if found[one.column] else one for one in columns]


def top_coded(columns: Sequence[Suggestion], harbor: SafeHarbor | None) -> list[tuple[str, str, int | str]]:
    """Column, bound and its value for ages over 89, and for births that tell them: as a step top_bottom_code takes it."""
    found: list[tuple[str, str, int | str]] = []
    if harbor is None:
        return found
    for one in columns:
        codes = {code for finding in harbor.findings if finding.column == one.column for code in finding.codes}
        if one.role != "quasi" or not codes & {"old_age", "old_birth"}:
            continue
        year = harbor.oldest_birth_year
        birth: int | str = f"{year}-01-01" if "dates" in (one.hierarchy or {}) else year
        found.append((one.column, "top", OLDEST) if "old_age" in codes else (one.column, "bottom", birth))
    return found


def _harbored(one: Suggestion, findings: Sequence[HarborFinding]) -> Suggestion:
    reasons = tuple(f"Safe Harbor {finding.identifier}" for finding in findings)
    if one.role == "quasi" and _coarsened(one, findings):
        return replace(one, reasons=(*one.reasons, *reasons))
    return replace(one, role="identifier", confidence="likely", reasons=(*one.reasons, *reasons), kind=None)


def _coarsened(one: Suggestion, findings: Sequence[HarborFinding]) -> bool:
    """Whether the steps of a starter plan take out all that was found, so that the column need not be dropped."""
    hierarchy, letters = one.hierarchy or {}, {finding.letter for finding in findings}
    codes = {code for finding in findings for code in finding.codes}
    if letters == {"C"}:
        return "dates" in hierarchy or ("intervals" in hierarchy and codes <= {"old_age", "old_birth"})
    return letters == {"B"} and codes == {"fine_zip"} and AREA in hierarchy.get("prefix", ())
