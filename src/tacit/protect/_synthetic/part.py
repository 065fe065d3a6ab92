"""What a generator is asked for: columns to be made together, the records to learn from, and what is known of the new ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from ...release.files.header import PRIVATE

if TYPE_CHECKING:
    from ...progress import Progress


SIZE = PRIVATE + "household size"
"""How many people live in a household; a column that generators are given where there are households."""
MEMBER = PRIVATE + "place in the household"
"""1 for the first of a household, 2 for the next."""


@dataclass(frozen=True, eq=False)
class Part:
    """The columns ``targets`` of ``count`` records are wanted, given what stands in ``known``; ``learn`` has both.

    ``known`` has the columns ``given`` of the records to be made, none of them in a full synthesis without households.
    ``kinds`` says continuous, date, ordinal, nominal, code or geographic of every column. ``holes`` has, in a partial
    synthesis, which of the new records lack a value and go on lacking it (column → rows); a column that is not in it
    gets its missing values from the generator.
    """

    targets: tuple[str, ...]
    given: tuple[str, ...]
    learn: pl.DataFrame
    known: pl.DataFrame
    count: int
    kinds: Mapping[str, str]
    holes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def is_amount_column(self, column: str) -> bool:
        """Whether the column is counted with: numbers and dates, but not codes."""
        return is_amount(self.kinds[column], self.learn.schema[column])


@dataclass(frozen=True, eq=False)
class SyntheticValues:
    """New values of the targets, each with as many as the part asked for; and what they were fitted to, for the trace."""

    values: Mapping[str, pl.Series]
    captured: Mapping[str, Any]


class Generator(Protocol):
    """Draws new values for a part."""

    def __call__(self, part: Part, rng: np.random.Generator, progress: Progress | None) -> SyntheticValues:
        """The new values."""


def is_amount(kind: str, dtype: pl.DataType) -> bool:
    """Whether a column of this kind and type is counted with: numbers and dates, but not codes."""
    return kind in ("continuous", "date", "ordinal") and (dtype.is_numeric() or dtype.is_temporal())


def readable_name(name: str) -> str:
    """The name of a column as the trace has it, also of those that only generators see."""
    return name.removeprefix(PRIVATE)
