"""What differentially private methods are told: ε, and bounds with both ends; nothing of it is read off the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dp.cost import to_fraction
from ...errors import TacitError, format_value
from ...frozen import FrozenDict
from ...release.trace import Finding
from .._bounds import checked_bounds
from .._numbers import bound_as_number
from ..parameters import is_number
from .values import parse_declared, within_bounds

if TYPE_CHECKING:
    import polars as pl

    from ...dp.neighbours import Neighbours
    from ...release.release import Release


FIRST = 5
"""How many categories an error repeats."""
LARGEST = 1e6


def checked_epsilon(given: object) -> None:
    """Refuse what is no privacy loss."""
    if not is_number(given) or not 0 < given <= LARGEST:  # type: ignore[operator]
        raise TacitError(
            f"epsilon={format_value(given)} is no privacy loss",
            code="out_of_range",
            parameter="epsilon",
            fix="give a number above 0, e.g. epsilon=1",
        )


def loss_of(epsilon: float, parts: int) -> Fraction:
    """What each of so many answers about the same people may lose, exactly, when all may lose ``epsilon``."""
    return to_fraction(epsilon, "epsilon") / parts


def both_ends(given: object, columns: Sequence[str]) -> FrozenDict[str, tuple[Any, Any]]:
    """Declared bounds of every column; one without a lowest and a highest value has no finite sensitivity."""
    found = checked_bounds(given, columns)
    for column in columns:
        if None in found.get(column, (None, None)):
            raise TacitError(
                "has no lowest and highest value: without them one person can change anything",
                code="missing_parameter",
                column=column,
                fix=f"declare what the values can be, not what they are: bounds={{{column!r}: [0, 100]}}",
            )
    return found


def checked_categories(given: object) -> FrozenDict[str, tuple[str | int | bool, ...]]:
    """Declared categories by column: two or more of one type, each once."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"categories={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="categories",
            fix="e.g. categories={'sex': ['F', 'M']}",
        )
    for column, listed in given.items():
        fits = isinstance(listed, list | tuple) and all(isinstance(one, str | int) for one in listed)
        if not fits or len({type(one) for one in listed}) != 1 or len(set(listed)) != len(listed) or len(listed) < 2:
            raise TacitError(
                f"has the categories {_format_categories(listed)}",
                code="unsuitable_column",
                column=str(column),
                fix="list two or more different ones of one type",
            )
    return FrozenDict({str(column): tuple(listed) for column, listed in given.items()})


def _format_categories(listed: object) -> str:
    """Categories as the user typed them; of many the first."""
    if not isinstance(listed, list | tuple) or not listed:
        return format_value(listed)
    return ", ".join(map(format_value, listed[:FIRST])) + (", …" if len(listed) > FIRST else "")


@dataclass(frozen=True, slots=True, eq=False)
class BoundedValues:
    """A column between its declared bounds, on the scale of the numbers; ``absent`` values stand in the middle, and nobody is told."""

    values: np.ndarray
    low: float
    high: float
    absent: int


def bounded_values(release: Release, column: str, ends: tuple[Any, Any], dtype: pl.DataType) -> BoundedValues:
    """A column as numbers between its bounds, each by a rule about that value alone; none makes it fail."""
    low, high = (bound_as_number(end, column, dtype) for end in ends)
    assert low is not None and high is not None
    values, absent = within_bounds(parse_declared(release.series(column), dtype), low, high)
    return BoundedValues(values, low, high, absent)


def guarantee_findings(
    release: Release, columns: Sequence[str], epsilon: float, *, delta: float = 0, neighbours: Neighbours = "replace"
) -> dict[str, Finding]:
    """What is promised of which columns, for the trace."""
    rest = [name for name in release.columns if name not in columns]
    said = {
        "epsilon": epsilon,
        "delta": delta,
        "neighbours": "one record replaced" if neighbours == "replace" else "one record added or removed",
        "size": "public" if neighbours == "replace" else "private",
        "columns": [*columns],
    }
    return {"guarantee": Finding(said, publishable=True), "not_covered": Finding(rest, publishable=True)}
