"""How to start where there is no step yet: steps that follow from what the plan says, with nothing made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...plan.load import LoadedPlan
from ...release.roles import QUASI
from ...release.suggest.starter import first_levels
from .page import role_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """Steps to begin with, under a name."""

    name: str
    steps: tuple[dict[str, Any], ...]


def starting_steps(plan: LoadedPlan | None, raw: Mapping[str, Any], heights: Mapping[str, int]) -> tuple[Start, ...]:
    """Steps that provide what is required, and those of the suggested plan as far as the plan gives their parameters."""
    found = []
    if plan is not None and plan.requirements.of_classes:
        found.append(Start(name="anonymise", steps=({"method": "anonymise"},)))
    levels = _starting_levels(raw, heights)
    coarser = ({"method": "generalise", "levels": levels},) if levels else ()
    k = raw.get("require", {}).get("k_anonymity")
    if isinstance(k, int):
        blank = {"method": "suppress_cells", "k": k}
        found.append(Start(name="suggested" if coarser else "blank", steps=(*coarser, blank)))
    elif coarser:
        found.append(Start(name="coarser", steps=coarser))
    return tuple(found)


def _starting_levels(raw: Mapping[str, Any], heights: Mapping[str, int]) -> dict[str, int]:
    known = {column: given for column, given in raw.get("hierarchies", {}).items() if role_of(raw, column) in QUASI}
    first = first_levels(known)
    return {column: min(level, heights[column]) for column, level in first.items() if heights.get(column, 0) > 0}
