"""Intervals between given cut points, at each level fewer of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import narwhals as nw
import polars as pl

from ...errors import TacitError
from ..engines.table import Type
from .base import TOP


@dataclass(frozen=True, slots=True)
class Cuts:
    """Half-open intervals between cut points of any distance.

    With points (18, 40, 65) and (40,) the age 43 becomes [40, 65), then >= 40, then ``*``.

    >>> from tacit.release.hierarchy.nodes import label_values
    >>> label_values(Cuts(((18, 40, 65), (40,))), "age", 1, pl.Series([7, 43, 80])).to_list()
    ['< 18', '[40, 65)', '>= 65']
    """

    points: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        for points in self.points:
            numbers = all(isinstance(p, int | float) and not isinstance(p, bool) and isfinite(p) for p in points)
            if not numbers or list(points) != sorted(set(points)):
                raise TacitError(
                    "the cut points of a level are not rising numbers",
                    code="out_of_range",
                    fix="e.g. cuts = [[18, 40, 65], [40]]",
                )
        pairs = zip(self.points, self.points[1:], strict=False)
        if not self.points or not all(set(coarse) <= set(fine) for fine, coarse in pairs):
            raise TacitError(
                "a level has cut points that the one below lacks",
                code="missing_parameter",
                fix="keep some of the points of the level below, e.g. cuts = [[18, 40, 65], [40]]",
            )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.points) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Only numbers lie between cut points."""
        if type not in ("integer", "number"):
            raise TacitError(
                f"holds {type}, which has no cut points",
                code="wrong_kind",
                column=column,
                fix="use a prefix, dates or a file",
            )

    def expression(self, column: str, level: int) -> nw.Expr:
        """The interval as text: below the first point, between two, or from the last on."""
        points = self.points[level - 1]
        known, none = ~nw.col(column).is_null(), nw.lit(None, nw.String)
        if not points:
            return nw.when(known).then(nw.lit(TOP)).otherwise(none)
        passed = nw.sum_horizontal(*((nw.col(column) >= point).cast(nw.Int64) for point in points))
        label = passed.replace_strict(
            list(range(len(points) + 1)), _interval_labels(points), default=None, return_dtype=nw.String
        )
        return nw.when(known).then(label).otherwise(none)

    def domain(self, present: pl.Series) -> pl.Series:
        """The values present."""
        return present

    def spec(self) -> Mapping[str, Any]:
        """``{"cuts": points of each level}``."""
        return {"cuts": [list(points) for points in self.points]}


def _interval_labels(points: tuple[float, ...]) -> list[str]:
    shown = [str(int(point)) if float(point).is_integer() else repr(float(point)) for point in points]
    between = [f"[{low}, {high})" for low, high in zip(shown, shown[1:], strict=False)]
    return [f"< {shown[0]}", *between, f">= {shown[-1]}"]
