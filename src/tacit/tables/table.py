"""A table: cells, the sums that bind them, and who stands behind each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from ..errors import TacitError
from .dimension import Dimension
from .equations import Equations

RESPONSE = "response"
"""The column of labels that tells figures of different responses apart in a linked set."""
COUNT = "counts"
"""What stands there for a table of counts."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Contributions:
    """The largest contributions to each cell, largest first, by absolute value; rows shorter than the array end in zeros.

    ``owners`` tells whose each one is (a number per respondent, or per holding), −1 where there is none: one respondent in
    two cells has one number. ``weights`` are the sampling weights: w respondents like this one stand behind the cell.
    """

    values: np.ndarray
    owners: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Table:
    """Cells and additive equations: the one form that every table, linked set and ready-made problem has here.

    ``labels`` has a row per cell and a text column per dimension; cells of linked tables that do not span a dimension have
    its total there, so that a cell that stands in two tables is ONE cell. ``values`` are the figures (sums or counts),
    ``contributors`` how many respondents (or holdings) stand behind each, None when that is not known. ``shadow`` is the sum
    of absolute contributions, by which the rules judge; it equals the values where none is negative. ``more`` holds other
    figures per cell: cost columns, other responses. ``parts`` names the tables of a linked set and their cells. ``unit`` is
    that of the last digit to which the figures had been rounded before they were made to add up, 0 when they are exact.
    """

    labels: pl.DataFrame
    values: np.ndarray
    equations: Equations
    dimensions: tuple[Dimension, ...] = ()
    response: str | None = None
    contributors: np.ndarray | None = None
    contributions: Contributions | None = None
    shadow: np.ndarray | None = None
    more: Mapping[str, np.ndarray] = field(default_factory=dict)
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)
    unit: float = 0.0

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.values)

    @property
    def is_frequency(self) -> bool:
        """Whether the figures are counts of respondents and not sums of a response."""
        return self.response is None

    @property
    def is_count_cell(self) -> np.ndarray:
        """Which cells are counts: all or none, but for a linked set of counts and sums."""
        told = self.labels[RESPONSE] == COUNT if not self.is_frequency and RESPONSE in self.labels.columns else None
        spanned = RESPONSE in (one.name for one in self.dimensions)
        return np.full(self.size, self.is_frequency) if told is None or spanned else told.to_numpy()

    @property
    def is_integer(self) -> bool:
        """Whether the figures are whole numbers, and everybody knows that: counts, unless weights make them decimal."""
        known = self.values[np.isfinite(self.values)]
        return self.is_frequency and bool((known == np.round(known)).all())

    def with_values(self, values: np.ndarray) -> Table:
        """The same cells with other figures; what stood behind the true ones is left out."""
        return replace(
            self,
            values=np.asarray(values, dtype=np.float64),
            contributors=None,
            contributions=None,
            shadow=None,
            more={},
        )

    def cell(self, **codes: str) -> int:
        """The number of the cell with the given codes; dimensions that are not named are at their total."""
        unknown = next((name for name in codes if name not in self.labels.columns), None)
        if unknown is not None:
            raise TacitError(
                "is no dimension of the table",
                code="unknown_column",
                column=unknown,
                fix=f"use {', '.join(self.labels.columns)}",
            )
        totals = {one.name: one.total for one in self.dimensions}
        wanted = {name: codes.get(name, totals.get(name)) for name in self.labels.columns}
        alike = pl.all_horizontal(pl.col(name) == code for name, code in wanted.items() if code is not None)
        found = self.labels.select(alike.arg_true()).to_series()
        if len(found) != 1:
            said = ", ".join(f"{name} = {code!r}" for name, code in wanted.items())
            raise TacitError(
                f"there is no one cell with {said}", code="wrong_type", fix="give one code of each dimension"
            )
        return int(found[0])

    def name(self, cell: int) -> str:
        """The codes of a cell as text."""
        return " × ".join(self.labels.row(int(cell)))

    def __repr__(self) -> str:
        across = " × ".join(f"{one.name} ({len(one.codes)})" for one in self.dimensions)
        what = self.response or "counts"
        return (
            f"<Table of {what}{' by ' + across if across else ''}: {self.size} cells, {len(self.equations)} equations>"
        )
