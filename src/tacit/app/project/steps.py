"""The steps of a plan as a person reads them: in words, and in their order with those that are switched off."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...report.words import summarise_value, to_prose
from .project import Project

OFF = "off"
"""The document of steps that are switched off; it is kept with every state and is no part of the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedStep:
    """A step where it stands: ``place`` among those that are done, or among those that are off."""

    place: int
    step: Mapping[str, Any]
    off: bool = False


def off_of(project: Project) -> list[dict[str, Any]]:
    """The steps that are switched off; ``place`` of each counts the steps that are done before it."""
    found: list[dict[str, Any]] = tomllib.loads(project.documents.get(OFF, "")).get("step", [])
    return found


def steps_in_order(project: Project, raw: Mapping[str, Any]) -> list[PlacedStep]:
    """All steps in their order."""
    done = [PlacedStep(place=place, step=step) for place, step in enumerate(raw.get("protect", []))]
    off = [
        (given["place"], PlacedStep(place=place, step={k: v for k, v in given.items() if k != "place"}, off=True))
        for place, given in enumerate(off_of(project))
    ]
    keyed = [*off, *((one.place + 0.5, one) for one in done)]
    return [one for _, one in sorted(keyed, key=lambda pair: pair[0])]


def step_title(step: Mapping[str, Any]) -> str:
    """The method of a step, as a heading.

    >>> step_title({"method": "rank_swap"})
    'Rank swap'
    """
    words = to_prose(str(step.get("method", "")))
    return words[:1].upper() + words[1:]


def said_of(step: Mapping[str, Any]) -> str:
    """The parameters of a step in one line, columns first.

    >>> said_of({"method": "rank_swap", "percent": 5, "columns": ["income", "rent"]})
    'income, rent, 5 %'
    >>> said_of({"method": "generalise", "levels": {"zip": 2, "birth": 3}})
    'levels zip 2, birth 3'
    """
    given = {name: value for name, value in step.items() if name != "method" and value not in (None, {}, [], "")}
    columns = [summarise_value(given.pop(name)) for name in ("columns", "column") if name in given]
    return ", ".join([*columns, *(_format_parameter(name, value) for name, value in given.items())])


def _format_parameter(name: str, value: Any) -> str:
    if name == "percent" and isinstance(value, int | float):
        return f"{summarise_value(value)} %"
    if isinstance(value, bool):
        return to_prose(name) if value else f"not {to_prose(name)}"
    return f"{to_prose(name)} {summarise_value(value)}"
