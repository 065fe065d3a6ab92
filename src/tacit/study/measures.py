"""Which measures a study weighs: those that its plan names, or the usual ones that mean something for the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ..errors import Cancelled, TacitError
from ..loss.score import WeightedMeasure, parse_weights
from ..registry import Entry
from .data_kind import StudyPlan


def weighed_measures(
    plan: StudyPlan,
    axis: Literal["risk", "loss"],
    known: Mapping[str, Entry | None],
    *,
    usual: Callable[[], Mapping[str, Any]],
) -> tuple[WeightedMeasure, ...]:
    """What the section [study] weighs on an axis; an error points at its key."""
    try:
        return parse_weights(getattr(plan.plan.study, axis) or usual(), known, axis)
    except TacitError as problem:
        raise plan.locate_error(problem, "study", axis) from None


def can_measure(loss: Entry, same: object, original: object) -> bool:
    """Whether a loss can be measured between the original and ``same``, the original as a release."""
    try:
        loss.call(same, original=original)
    except Cancelled:
        raise
    except TacitError:
        return False
    return True
