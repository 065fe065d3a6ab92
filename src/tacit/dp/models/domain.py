"""What a column of a model can hold, as declared: categories, or numbers in bins between bounds."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import TacitError, check_columns, check_int, format_value, unknown_column


@dataclass(frozen=True, slots=True)
class Bins:
    """``count`` bins of equal width from ``low`` to ``high``; what lies beyond counts in the first or the last one.

    >>> Bins(0, 100, 4).middles.tolist()
    [12.5, 37.5, 62.5, 87.5]
    """

    low: float
    high: float
    count: int

    def __post_init__(self) -> None:
        check_int("count", self.count, least=1)
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise TacitError(
                f"bins from {format_value(self.low)} to {format_value(self.high)} cannot be",
                code="invalid_parameter",
                fix="declare what values can be, the lower bound first: Bins(0, 100, 10)",
            )

    @property
    def middles(self) -> np.ndarray:
        """The middle of every bin."""
        width = (self.high - self.low) / self.count
        return self.low + width * (np.arange(self.count) + 0.5)


Domain = Bins | tuple[Hashable, ...]
"""Bins of numbers, or the categories."""


def checked_domains(given: object, columns: Sequence[str]) -> dict[str, Domain]:
    """The declared domain of each of the columns."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"domains={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="domains",
            fix="e.g. domains={'sex': ('F', 'M')}",
        )
    found: dict[str, Domain] = {}
    for column in columns:
        said = given.get(column)
        if isinstance(said, list | tuple) and len(set(said)) == len(said) > 1:
            found[column] = tuple(said)
        elif isinstance(said, Bins):
            found[column] = said
        else:
            raise TacitError(
                "has no declared domain",
                code="missing_parameter",
                column=column,
                fix="give its categories, ('F', 'M'), or Bins(0, 100, 10)",
            )
    return found


def domain_size(domain: Domain) -> int:
    """How many places a domain has."""
    return domain.count if isinstance(domain, Bins) else len(domain)


def domain_codes(values: Sequence[Any], domain: Domain) -> np.ndarray:
    """The place of every value in its domain, −1 for what has none (unknown, missing, NaN): a rule about one record. O(n).

    >>> domain_codes(["M", "?", "F"], ("F", "M")).tolist(), domain_codes([-5, 30.0, 1e9, None], Bins(0, 100, 4)).tolist()
    ([1, -1, 0], [0, 1, 3, -1])
    """
    if not isinstance(domain, Bins):
        place = {value: number for number, value in enumerate(domain)}
        return np.array([_category_code(place, value) for value in values], dtype=np.int64)
    numbers = np.array([as_number(value) for value in values], dtype=float)
    known = ~np.isnan(numbers)
    share = (np.clip(numbers[known], domain.low, domain.high) - domain.low) / (domain.high - domain.low)
    found = np.full(len(numbers), -1, dtype=np.int64)
    found[known] = np.minimum((share * domain.count).astype(np.int64), domain.count - 1)
    return found


def _category_code(place: Mapping[Hashable, int], value: Any) -> int:
    try:
        return place.get(value, -1)
    except Exception:  # what cannot be hashed or compared is no declared category, and an error would be an answer
        return -1


def as_number(value: object) -> float:
    """A record's value as a floating-point number: NaN where it is none, infinite where it is too large; never an error.

    >>> as_number(10**400), as_number(-(10**400)), as_number("x"), as_number(True)
    (inf, -inf, nan, nan)
    """
    if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def column_of(data: Any, name: str) -> list[Any]:
    """A column of a mapping or of a data frame, as a list."""
    try:
        return list(data[name])
    except Exception:  # every kind of frame has an error of its own for this
        known = list(getattr(data, "columns", None) or getattr(data, "keys", list)())
        raise unknown_column(name, [str(one) for one in known]) from None


def chosen_features(features: object, target: str) -> tuple[str, ...]:
    """The names of the features, which the target is not among."""
    found = check_columns(features)  # type: ignore[arg-type]
    if not found or target in found:
        raise TacitError(
            "a model needs features other than its target",
            code="unsuitable_column",
            column=target,
            fix="e.g. target='pay', features=['age']",
        )
    return found
