"""Hierarchies by rule: prefixes of codes, intervals of numbers, units of dates; they cover every value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ..engines.table import Type


@dataclass(frozen=True, slots=True)
class Prefix:
    """The first characters of a code: with lengths 6, 3 the code N1CFFA becomes N1C***, then ``*``.

    The first length is that of the code itself; labels are padded to it, so that they do not tell how long a value was.
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        falling = all(a > b for a, b in zip(self.lengths, self.lengths[1:], strict=False))
        if not self.lengths or not falling or self.lengths[-1] < 1:
            raise TacitError(
                f"prefix lengths {list(self.lengths)} do not fall to 1 or more",
                code="out_of_range",
                fix="e.g. prefix = [5, 3, 1]",
            )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.lengths)

    def check_type(self, column: str, type: Type) -> None:
        """Codes are text, or whole numbers taken as they are written."""
        if type not in ("text", "integer"):
            raise TacitError(
                f"holds {type}, which has no prefix",
                code="wrong_kind",
                column=column,
                fix="use intervals, dates or a file",
            )

    def expression(self, column: str, level: int) -> nw.Expr:
        """The first characters, padded with stars."""
        whole, kept = self.lengths[0], self.lengths[level]
        filled = nw.concat_str([nw.col(column).cast(nw.String), nw.lit("*" * whole)])
        return nw.concat_str([filled.str.slice(0, kept), nw.lit("*" * (whole - kept))])

    def domain(self, present: pl.Series) -> pl.Series:
        """The values present."""
        return present

    def spec(self) -> Mapping[str, Any]:
        """``{"prefix": lengths}``."""
        return {"prefix": list(self.lengths)}


@dataclass(frozen=True, slots=True)
class Intervals:
    """Half-open intervals of whole widths: with widths 5, 10 the age 43 becomes [40, 45), [40, 50), then ``*``."""

    widths: tuple[int, ...]
    origin: int = 0

    def __post_init__(self) -> None:
        whole = all(isinstance(width, int) and width > 0 for width in self.widths)
        nested = whole and all(b > a and b % a == 0 for a, b in zip(self.widths, self.widths[1:], strict=False))
        if not self.widths or not nested:
            raise TacitError(
                f"interval widths {list(self.widths)} are not whole numbers, each a multiple of the one before",
                code="not_whole_number",
                fix="e.g. intervals = [5, 10, 20], so that each level only merges intervals of the one below",
            )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.widths) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Only numbers lie in intervals."""
        if type not in ("integer", "number"):
            raise TacitError(
                f"holds {type}, which has no intervals",
                code="wrong_kind",
                column=column,
                fix="use a prefix, dates or a file",
            )

    def expression(self, column: str, level: int) -> nw.Expr:
        """The interval as text, ``[low, high)``."""
        width = self.widths[level - 1]
        low = ((nw.col(column) - self.origin) / float(width)).floor().cast(nw.Int64) * width + self.origin
        return nw.concat_str(
            [nw.lit("["), low.cast(nw.String), nw.lit(", "), (low + width).cast(nw.String), nw.lit(")")]
        )

    def domain(self, present: pl.Series) -> pl.Series:
        """The values present."""
        return present

    def spec(self) -> Mapping[str, Any]:
        """``{"intervals": widths, "origin": origin}``."""
        return {"intervals": list(self.widths), "origin": self.origin}


KEPT = {"month": 7, "year": 4, "decade": 3, "century": 2}
"""How many characters of YYYY-MM-DD each unit keeps."""


@dataclass(frozen=True, slots=True)
class Dates:
    """Coarser and coarser dates: with units year, decade 1962-01-24 becomes 1962-**-**, 196*-**-**, then ``*``."""

    units: tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = [unit for unit in self.units if unit not in KEPT]
        if unknown:
            raise TacitError(
                f"date unit {unknown[0]!r} is unknown",
                code="unknown_name",
                fix=f"use some of {', '.join(KEPT)}, finest first",
            )
        kept = [KEPT[unit] for unit in self.units]
        if not kept or kept != sorted(set(kept), reverse=True):
            raise TacitError(
                f"date units {list(self.units)} do not grow coarser",
                code="out_of_range",
                fix="e.g. dates = ['month', 'year', 'decade']",
            )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.units) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Only dates have units."""
        if type not in ("date", "datetime"):
            raise TacitError(
                f"holds {type}, not dates",
                code="not_a_date",
                column=column,
                fix="every cell must be a day: say dates='DD.MM.YYYY' when reading a CSV, or parse a frame's column first",
            )

    def expression(self, column: str, level: int) -> nw.Expr:
        """The kept part of YYYY-MM-DD, the rest as stars."""
        kept = KEPT[self.units[level - 1]]
        written = nw.col(column).cast(nw.Date).cast(nw.String)
        return nw.concat_str([written.str.slice(0, kept), nw.lit("****-**-**"[kept:])])

    def domain(self, present: pl.Series) -> pl.Series:
        """The values present."""
        return present

    def spec(self) -> Mapping[str, Any]:
        """``{"dates": units}``."""
        return {"dates": list(self.units)}
