"""What some modes read once, when the service starts: the codes of every unit. Such a source has one row per unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..errors import TacitError
from .column import NULL, Schema
from .tally import Source


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Units:
    """The units in any order: their names (none without a unit column) and codes, one array for each column.

    Codes are as in :mod:`.column`: cut to the declared bounds, NULL where missing.
    """

    size: int
    names: tuple[str, ...]
    codes: Mapping[str, npt.NDArray[np.int64]]


class UnitSource(Source, Protocol):
    """A source that can also be read unit by unit, by the service itself and never by a question."""

    def units(self, columns: tuple[str, ...]) -> Units:
        """The codes of the columns, row by row, in any order."""
        ...


def public_columns(schema: Schema) -> tuple[str, ...]:
    """The columns that conditions and keys may use: not confidential, with a declared list or bounds, not the unit."""
    return tuple(
        name
        for name, column in sorted(schema.columns.items())
        if column.has_public_domain
        and not column.confidential
        and name != schema.unit
        and not _is_joined_column(schema, name)
    )


def confidential_columns(schema: Schema) -> tuple[str, ...]:
    """The numeric columns whose values nobody may learn about a unit."""
    return tuple(
        name
        for name, column in sorted(schema.columns.items())
        if column.confidential and column.is_numeric and not _is_joined_column(schema, name)
    )


def _is_joined_column(schema: Schema, name: str) -> bool:
    return any(name.startswith(f"{table}.") for table in schema.joins)


def read_units(schema: Schema, source: UnitSource, columns: tuple[str, ...]) -> Units:
    """The units, refused when one has several rows or a confidential value is missing.

    Who lacks a value is confidential too, and a mean over those who have one would tell it.
    """
    found = source.units(columns)
    if not found.size:
        raise TacitError(
            f"{schema.name!r} has no rows", code="too_few_records", fix="give data of which something can be told"
        )
    if len(set(found.names)) != len(found.names):
        raise TacitError(
            f"a unit of {schema.name!r} has several rows, which these answers do not allow",
            code="unsuitable_column",
            column=schema.unit,
            fix="add the rows of each unit up first, or answer in the dp mode",
        )
    for name in columns:
        if schema.columns[name].confidential and bool((found.codes[name] == NULL).any()):
            raise TacitError(
                "is confidential and has missing values: who lacks one would show in the answers",
                code="missing_values",
                column=name,
                fix="fill them in or leave those rows out, or answer in the dp mode",
            )
    return found
