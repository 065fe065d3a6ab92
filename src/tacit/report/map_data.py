"""A study as the plain values that its map is drawn from: the axes to choose from, the points, and the bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..result import format_fact
from ..study.results import Point, Study
from ..study.selection import is_acceptable
from .statement import name_with_column
from .words import format_percent, to_prose


def left_open(point: Point) -> str:
    """What the strategy of a point had left open, as a reader says it: k-anonymity 50, percent 12."""
    return ", ".join(f"{to_prose(name)} {format_fact(value)}" for name, value in point.candidate.values.items())


UPPER = "at the upper end of its 95 % interval"
"""What a requirement on attacks is judged by, while the map shows estimates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapData:
    """What may stand on each axis (the whole first, then its ``kinds``, then attacks), a row per point, and the bounds.

    A row has its shares in lists in the order of the axes, None for what is not known: a name from a plan never becomes
    a part of an expression.
    """

    risk: tuple[str, ...]
    kinds: int
    loss: tuple[str, ...]
    strategies: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    bounds: tuple[dict[str, Any], ...]

    @staticmethod
    def of(study: Study) -> MapData:
        """O(points × axes) time and memory."""
        kinds, losses = [one.name for one in study.risk], [one.name for one in study.loss]
        attacks = list(dict.fromkeys(name for point in study.points for name in point.evaluation.attacks))
        front = frozenset(study.front)
        return MapData(
            risk=("whole risk", *map(to_prose, kinds), *(f"attack: {to_prose(name)}" for name in attacks)),
            kinds=len(kinds),
            loss=("whole loss", *map(to_prose, losses)),
            strategies=tuple(dict.fromkeys(point.strategy for point in study.points if point.loss is not None)),
            rows=tuple(
                _point_row(point, study, (kinds, attacks, losses), point.number in front) for point in study.points
            ),
            bounds=tuple(_axis_bounds(study, kinds)),
        )


def met_requirements(point: Point, study: Study) -> tuple[str, ...]:
    """Each requirement that a point meets, in words."""
    held = (verdict for verdict in point.evaluation.verdicts if verdict["holds"])
    return tuple("{} ({} required, {})".format(*_describe_verdict(verdict, study)) for verdict in held)


def missed_requirements(point: Point, study: Study) -> tuple[str, ...]:
    """Each requirement or bound that a point does not meet, in words; none when nobody knows."""
    if not point.done:
        return ()
    found = [_missed_requirement(verdict, study) for verdict in point.evaluation.verdicts if not verdict["holds"]]
    for axis, most in study.at_most.items():
        value = point.risk if axis == "risk" else point.loss
        if value is not None and value > most:
            found.append(f"{axis}: at most {format_percent(most)} asked, {format_percent(value, up=True)} found")
    return tuple(found)


def _missed_requirement(verdict: Any, study: Study) -> str:
    name, asked, got = _describe_verdict(verdict, study)
    way = "at most" if verdict["found"] > verdict["required"] else "at least"
    return f"{name}: {way} {asked} required, {got}"


def _describe_verdict(verdict: Any, study: Study) -> tuple[str, str, str]:
    """A requirement by name, what it asks for, and what was found in words."""
    required, found = float(verdict["required"]), float(verdict["found"])
    # Only bounds on attacks are shares of people; a model may ask for 0.2 of something else.
    share = required in study.required.values() and 0 <= found <= 1
    asked, got = (
        (format_percent(required), format_percent(found, up=True))
        if share
        else (format_fact(required), format_fact(found))
    )
    return (
        name_with_column(str(verdict["model"]), verdict.get("column")),
        asked,
        f"{got} found {UPPER}" if share else f"{got} found",
    )


def _point_row(
    point: Point, study: Study, names: tuple[list[str], list[str], list[str]], front: bool
) -> dict[str, Any]:
    kinds, attacks, losses = names
    found = point.evaluation
    risks, made, lost = found.risks, found.attacks, found.losses
    missed = missed_requirements(point, study)
    return {
        "number": point.number,
        "strategy": point.strategy,
        "parameters": left_open(point),
        "state": found.state,
        "why": found.why,
        "holds": is_acceptable(point, study.at_most) if point.done else None,
        "missed": list(missed),
        "attacked": [[to_prose(name), share] for name, share in point.attacked.items()],
        "front": front,
        "label": _point_label(point, study),
        "risk": _round_values(point.risk, *map(risks.get, kinds), *map(made.get, attacks)),
        "loss": _round_values(point.loss, *map(lost.get, losses)),
    }


def _point_label(point: Point, study: Study) -> str | None:
    if point.number == study.chosen:
        return "chosen"
    if study.chosen is None and point.number == study.nearest:
        return "nearest"
    return "as it is" if point.number == 0 else None


def _round_values(*shares: float | None) -> list[float | None]:
    """Five digits are more than a pixel, and half the size of the file."""
    return [None if share is None else float(f"{share:.5g}") for share in shares]


def _axis_bounds(study: Study, kinds: list[str]) -> Iterator[dict[str, Any]]:
    """Where each bound is drawn: on the axis of its kind, and on the whole where that is the same thing."""
    for axis, most in study.at_most.items():
        yield {"axis": axis, "at": 0, "value": most, "label": f"{axis} at most {format_percent(most)}"}
    for kind, most in study.required.items():
        if kind in kinds:
            label = f"{to_prose(kind)} at most {format_percent(most)} at its upper end"
            places = (0, 1) if len(kinds) == 1 else (1 + kinds.index(kind),)
            yield from ({"axis": "risk", "at": place, "value": most, "label": label} for place in places)
