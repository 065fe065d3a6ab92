"""What all hierarchies offer: a label for every value at every level, as an expression for any engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ..engines.table import Type

TOP = "*"
"""The label of the top level, under which all values are alike."""


class Hierarchy(Protocol):
    """Level 0 is the value itself; level ``height`` is ``*``; each level only merges what the one below keeps apart."""

    @property
    def height(self) -> int:
        """The number of the top level."""

    def check_type(self, column: str, type: Type) -> None:
        """Raise when the column's values are not of the sort that the hierarchy is for."""

    def expression(self, column: str, level: int) -> nw.Expr:
        """The label of the column's value at a level from 1 to ``height − 1``; missing stays missing."""

    def domain(self, present: pl.Series) -> pl.Series:
        """The values over which losses are counted: those of the hierarchy's file, else those present."""

    def spec(self) -> Mapping[str, Any]:
        """The plain description from which :func:`hierarchy` builds it again."""


def label_expression(hierarchy: Hierarchy, column: str, level: int) -> nw.Expr:
    """The label of a column's value at any level from 1 on; the top level is ``*`` for all that is not missing."""
    if not 1 <= level <= hierarchy.height:
        raise TacitError(
            f"has no level {level}",
            code="unsuitable_column",
            column=column,
            fix=f"its hierarchy has levels 0 (as is) to {hierarchy.height} (*)",
        )
    if level == hierarchy.height:
        return nw.when(~nw.col(column).is_null()).then(nw.lit(TOP)).otherwise(nw.lit(None, nw.String))
    return hierarchy.expression(column, level)
