"""What a published step tells an intruder about columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from ...release.step_effects import flatten_steps, may_change_column
from .._columns import common_columns, compare_column

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace
    from .._columns import ColumnPair


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MaskingKnowledge:
    """Columns as somebody compares them who was told how they were masked.

    ``compared`` takes the place of the generic comparison of ``columns``. Where a law has a density, costs are minus the
    logarithm of the likelihood ratio: of the released value given the intruder's, against that of a random record; so
    the costs of all columns add up. ``certain`` says that the true record is never beyond the bounds of ``compared``
    when the intruder's values are right: only then can one candidate be a sure link. ``notes`` tell what could not be
    used, without a value of the data. ``law`` says that a method's law stands behind it, not only equal values.
    """

    columns: tuple[str, ...]
    compared: tuple[ColumnPair, ...]
    certain: bool
    notes: tuple[str, ...] = ()
    law: bool = False


class MaskingModel(Protocol):
    """What the published step says about those of its columns that both files have and that no other step changed."""

    def __call__(self, step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
        """The columns that the law can explain; those that it leaves out are compared as if nothing had been told."""


def unchanged_columns(release: Release, scenario: Scenario) -> tuple[ColumnPair, ...]:
    """The columns that no step touched: a person's record is equal in them."""
    steps = flatten_steps(scenario.told)
    kept = [
        column
        for column in common_columns(release, scenario.file)
        if same_type(release, scenario.file, column)
        and not any(may_change_column(step, column, release) for step in steps)
    ]
    return tuple(
        one for column in kept for one in exact_windows(compare_column(release, scenario.file, column, units=False))
    )


def exact_windows(pairs: Iterable[ColumnPair]) -> tuple[ColumnPair, ...]:
    """The comparisons with windows that leave no room: equal, or covered by the range of a label."""
    return tuple(
        replace(pair, low=None if pair.kind == "floor" else pair.intruder, high=pair.intruder) for pair in pairs
    )


def same_type(release: Release, file: Release, column: str) -> bool:
    """Whether equal values are written alike."""
    types = {release.types[column], file.types[column]}
    return len(types) == 1 or types <= {"integer", "number"} or types <= {"date", "datetime"}


LARGEST = 1e150
"""Larger numbers have no square."""


def step_parameter(step: Trace, name: str, default: Any = None) -> Any:
    """A parameter of the step; the default where it was not told, or told as none."""
    found = step.parameters.get(name)
    return default if found is None else found


def masked_columns(step: Trace, columns: tuple[str, ...], name: str = "columns") -> tuple[str, ...]:
    """Those of the columns that the step masked itself: a total that was computed anew follows another law."""
    given = step_parameter(step, name, ())
    listed = (given,) if isinstance(given, str) else tuple(given)
    return tuple(column for column in columns if column in listed)


def number_for(value: Any, column: str) -> float | None:
    """A number for all columns or by column: that of the column, None where there is none that is finite.

    >>> number_for({"pay": 0.1}, "pay"), number_for(2, "pay"), number_for("fewer than 10", "pay")
    (0.1, 2.0, None)
    """
    found = value.get(column) if isinstance(value, Mapping) else value
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return float(found) if abs(found) < LARGEST else None
