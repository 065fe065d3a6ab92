"""The domain of a private synthesis: all of it is declared, nothing is read off the records.

The type of a column follows from its declaration, not from its values (:mod:`tacit.protect.private.values`). A record's value
becomes a place by a rule about that value alone: a category that was declared, the bin of a number cut off at the bounds. What
has no place (another category, a missing value, a text where a number was declared) is missing where the column was declared to
have gaps; where not, the record is left out. No value is ever refused: whether a release fails would tell about the person who
makes it fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from ....dp.accounting.zcdp import zcdp_rho
from ....dp.cost import to_fraction
from ....errors import TacitError, check_columns, check_int, format_value, suggest_alternative
from ....frozen import FrozenDict
from ..._bounds import Bounds
from ..._numbers import bound_as_number
from ...parameters import is_number
from ...private.params import both_ends, checked_categories, checked_epsilon
from ...private.values import declared_types, parse_declared
from ..discrete.axes import Axis, CategoricalAxis, equal_bins
from ..discrete.coded_records import CodedRecords

if TYPE_CHECKING:
    from ....release.release import Release


Categories = Mapping[str, Sequence[str | int | bool]]


class PrivateSynthesis(Protocol):
    """A method with the shared parameters."""

    @property
    def epsilon(self) -> float:
        """The privacy loss."""
        ...

    @property
    def delta(self) -> float:
        """The chance that it is more."""
        ...

    @property
    def categories(self) -> Categories:
        """Column → its categories."""
        ...

    @property
    def bounds(self) -> Bounds:
        """Column → its lowest and highest value."""
        ...

    @property
    def bins(self) -> int | Mapping[str, int]:
        """How many bins the columns with bounds have."""
        ...

    @property
    def missing(self) -> str | Sequence[str]:
        """The columns in which values may be missing."""
        ...

    @property
    def rows(self) -> int | None:
        """How many records are made."""
        ...


def settle_params(method: PrivateSynthesis) -> None:
    """Check the shared parameters as typed, and keep them as values; for ``__post_init__``."""
    checked_epsilon(method.epsilon)
    if not is_number(method.delta) or not 0 < method.delta < 1:
        raise TacitError(
            f"delta={format_value(method.delta)} is not between 0 and 1",
            code="out_of_range",
            parameter="delta",
            fix="give a chance far below one in the number of records, e.g. delta=1e-9",
        )
    categories = checked_categories(method.categories)
    bounds = both_ends(method.bounds, tuple(method.bounds) if isinstance(method.bounds, Mapping) else ())
    columns = [*categories, *bounds]
    if not columns:
        raise TacitError(
            "no column is declared",
            code="no_usable_column",
            fix="e.g. categories={'sex': ['F', 'M']}, bounds={'age': [0, 120]}: the rest is left out",
        )
    twice = next((column for column in categories if column in bounds), None)
    if twice is not None:
        raise TacitError(
            "has categories and bounds", code="unsuitable_column", column=twice, fix="declare one of the two"
        )
    gaps = check_columns(method.missing)
    for column in gaps:
        if column not in columns:
            raise TacitError(
                "may be missing and is not declared",
                code="column_not_chosen",
                column=column,
                fix=suggest_alternative(column, columns),
            )
    if method.rows is not None:
        check_int("rows", method.rows, least=1)
    made = {"categories": categories, "bounds": bounds, "missing": gaps, "bins": _checked_bins(method.bins, bounds)}
    for name, value in made.items():
        object.__setattr__(method, name, value)


def _checked_bins(given: object, bounds: Mapping[str, Any]) -> Any:
    if not isinstance(given, Mapping):
        check_int("bins", given, least=2)
        return given
    for column, count in given.items():
        if column not in bounds:
            raise TacitError(
                "has bins and no bounds",
                code="out_of_range",
                column=str(column),
                fix=suggest_alternative(str(column), [*bounds]),
            )
        check_int(f"bins of {column!r}", count, least=2)
    for column in bounds:
        if column not in given:
            raise TacitError(
                "has no number of bins",
                code="missing_parameter",
                column=column,
                fix="name every bounded column, or give one number",
            )
    return FrozenDict(given)


def axes_of(method: PrivateSynthesis, release: Release) -> list[Axis]:
    """The declared columns in the order of the table; of the table only the names of its columns are looked at."""
    columns = check_columns([*method.categories, *method.bounds], release.columns)
    types = declared_types(method.categories, method.bounds)
    found: list[Axis] = []
    for column in (name for name in release.columns if name in columns):
        gaps = column in method.missing
        if column in method.categories:
            values = pl.Series(column, list(method.categories[column]), dtype=types[column])
            found.append(CategoricalAxis(column, values, gaps))
            continue
        low, high = (bound_as_number(end, column, types[column]) for end in method.bounds[column])
        assert low is not None and high is not None
        bins = method.bins[column] if isinstance(method.bins, Mapping) else method.bins
        found.append(equal_bins(column, low, high, bins, types[column], missing=gaps))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class DomainRecords:
    """The records whose values all have a place, and how many have not: which nobody may know."""

    counted: CodedRecords
    left_out: int


def counted_on(axes: Sequence[Axis], release: Release) -> DomainRecords:
    """The places of the records. O(n · axes)."""
    places = np.column_stack(
        [axis.encode_values(parse_declared(release.series(axis.column), _type_of(axis))) for axis in axes]
    )
    inside = (places >= 0).all(axis=1)
    return DomainRecords(CodedRecords(places[inside], tuple(axis.size for axis in axes)), int((~inside).sum()))


def _type_of(axis: Axis) -> pl.DataType:
    return axis.values.dtype if isinstance(axis, CategoricalAxis) else axis.dtype


def affordable_rho(method: PrivateSynthesis) -> Fraction:
    """ρ that the declared ε and δ buy."""
    return zcdp_rho(to_fraction(method.epsilon, "epsilon"), delta=to_fraction(method.delta, "delta"))
