"""Whether the models can be met at all: they are measured on all records as one class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import narwhals as nw

from ..errors import TacitError
from ..models.demand import Model
from ..release.hierarchy.base import TOP
from ..result import format_fact

if TYPE_CHECKING:
    from ..models.verdict import Verdict
    from ..release.release import Release


def check_feasible(release: Release, models: Sequence[Model]) -> None:
    """Raise when a model fails even on all records as one class, with the nearest value that holds there.

    What the whole file does not meet, no union of its classes does: more records in a class than the file has, more
    values than a column has, a share below that of the commonest value. One grouping.
    """
    whole = release.with_columns({column: nw.lit(TOP) for column in release.quasi})
    for model in models:
        verdict = model.holds(whole)
        if not verdict.holds:
            raise TacitError(
                f"{verdict.model} = {format_fact(verdict.required)} cannot be met: all {release.size} records in one class "
                f"reach {format_fact(verdict.found)}",
                code="cannot_be_met",
                parameter=verdict.model,
                column=verdict.column,
                fix=f"ask for {nearest_met(verdict)}, the nearest that can be met, or leave the requirement out"
                if asks_something(verdict)
                else "leave the requirement out: what can be met asks for nothing",
            )


def asks_something(verdict: Verdict) -> bool:
    """Whether the value found, asked for instead, would ask for anything: one record or value alike, or all of it, is none."""
    return verdict.found > 1 if verdict.found < verdict.required else verdict.found < 1 or verdict.required >= 1


def nearest_met(verdict: Verdict) -> str:
    """The value found, rounded to the side on which it holds."""
    if float(verdict.found).is_integer():
        return format_fact(verdict.found)
    scaled = verdict.found * 1e4
    return f"{(math.ceil(scaled) if verdict.found > verdict.required else math.floor(scaled)) / 1e4:g}"
