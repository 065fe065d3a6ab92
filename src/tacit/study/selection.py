"""Which candidate to take: by the user's preference among those that will do, or the one that misses least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TacitError, format_value
from .results import Point

AXES = ("risk", "loss")


def rank_candidates(
    points: Sequence[Point], *, prefer: Mapping[str, float], at_most: Mapping[str, float]
) -> list[Point]:
    """The acceptable candidates, the best first, by the weights of risk and loss; equal ones by risk, then by loss.

    With ``prefer = {"loss": 1}`` the first has the least loss among those that meet the requirements, as for a Boolean
    model; with equal weights it has the best score ½ (IL + DR) of the literature.
    """
    will_do = [point for point in points if is_acceptable(point, at_most)]
    return sorted(will_do, key=lambda point: (_weighted_score(point, prefer), point.risk, point.loss, point.number))


def is_acceptable(point: Point, at_most: Mapping[str, float]) -> bool:
    """Whether a candidate was evaluated to the end, meets every requirement and exceeds no bound."""
    return point.holds and all(_axis_value(point, axis) <= bound for axis, bound in at_most.items())


def nearest_candidate(points: Sequence[Point], *, at_most: Mapping[str, float]) -> int | None:
    """The number of the candidate that misses the requirements and bounds by least, in all, relative to what is asked.

    One that misses nothing is none of these as long as others do: it holds by the few attacks of a study, and where no candidate was
    chosen that is because it was not judged by all.
    """
    done = [point for point in points if point.done]
    known = [point for point in done if missed_requirements(point, at_most)] or done
    if not known:
        return None
    return min(
        known, key=lambda point: (sum(missed_requirements(point, at_most).values()), point.loss, point.number)
    ).number


def missed_requirements(point: Point, at_most: Mapping[str, float]) -> dict[str, float]:
    """Requirement or bound → by how much it is missed, as a share of what is asked; only those that are missed."""
    found = {
        _requirement_name(verdict): abs(verdict["margin"]) / (abs(verdict["required"]) or 1.0)
        for verdict in point.evaluation.verdicts
        if not verdict["holds"]
    }
    over = {axis: (_axis_value(point, axis) - bound) / (bound or 1.0) for axis, bound in at_most.items()}
    return found | {axis: excess for axis, excess in over.items() if excess > 0}


def checked_axes(given: Mapping[str, Any], what: str) -> dict[str, float]:
    """Numbers for risk and loss, each from 0 on."""
    for axis, value in given.items():
        if axis not in AXES:
            raise TacitError(
                f"{what} has {axis!r}, which is neither risk nor loss",
                code="invalid_plan",
                fix=f"e.g. {what} = {{ risk = 1 }}",
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise TacitError(
                f"{what}: {axis} = {format_value(value)} is no number from 0 on",
                code="wrong_kind",
                fix=f"e.g. {axis} = 0.1",
            )
    return {axis: float(value) for axis, value in given.items()}


def _requirement_name(verdict: Mapping[str, Any]) -> str:
    return f"{verdict['model']} of {verdict['column']}" if verdict.get("column") else str(verdict["model"])


def _axis_value(point: Point, axis: str) -> float:
    found = point.risk if axis == "risk" else point.loss
    assert found is not None
    return found


def _weighted_score(point: Point, prefer: Mapping[str, float]) -> float:
    return sum(weight * _axis_value(point, axis) for axis, weight in prefer.items())
