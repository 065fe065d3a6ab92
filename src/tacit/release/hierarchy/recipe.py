"""Recipes: hierarchies that are grown from the data at hand, and the mark that one was."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import narwhals as nw
import polars as pl

from ...errors import TacitError, check_columns
from ..engines.table import Type
from .base import Hierarchy

Tally: TypeAlias = Callable[[Sequence[str]], pl.DataFrame]
"""Columns → their combinations, as columns ``0``, ``1``, …, and the ``count`` of each; the first is never missing."""


@runtime_checkable
class Recipe(Protocol):
    """What makes a hierarchy when the values and their counts are known."""

    @property
    def height(self) -> int:
        """The number of the top level of what it makes."""

    def check_type(self, column: str, type: Type) -> None:
        """Raise when the column's values are not of the sort that the recipe is for."""

    def grow(self, column: str, tally: Tally) -> Hierarchy:
        """The hierarchy over the values that occur."""

    def spec(self) -> Mapping[str, Any]:
        """The plain description from which :func:`hierarchy` builds it again."""


@dataclass(frozen=True, slots=True)
class GrownHierarchy:
    """A hierarchy grown from data, marked with its recipe.

    Its labels and cut points tell something about the data they came from: which values are frequent, where the
    quantiles lie. That is little, but it is not nothing: a hierarchy fixed before anybody saw the data tells nothing.
    """

    built: Hierarchy
    recipe: Recipe

    @property
    def height(self) -> int:
        """The number of the top level."""
        return self.built.height

    def check_type(self, column: str, type: Type) -> None:
        """As what was built."""
        self.built.check_type(column, type)

    def expression(self, column: str, level: int) -> nw.Expr:
        """The label from what was built."""
        return self.built.expression(column, level)

    def domain(self, present: pl.Series) -> pl.Series:
        """As what was built."""
        return self.built.domain(present)

    def spec(self) -> Mapping[str, Any]:
        """That of what was built, so that it can be used again where the data are not at hand."""
        return self.built.spec()


def resolve_hierarchy(given: Hierarchy | Recipe, column: str, tally: Tally) -> Hierarchy:
    """A hierarchy as it is, a recipe grown from the data."""
    return GrownHierarchy(given.grow(column, tally), given) if isinstance(given, Recipe) else given


def make_tally(frame: nw.LazyFrame[Any]) -> Tally:
    """How often combinations of columns occur in a table: one group-by on any engine, O(combinations) in memory."""

    def tally(columns: Sequence[str]) -> pl.DataFrame:
        check_columns(columns, frame.collect_schema().names())
        places = [str(place) for place in range(len(columns))]
        named = {place: nw.col(column) for place, column in zip(places, columns, strict=True)}
        known = frame.select(**named).filter(~nw.col("0").is_null())
        counted = known.group_by(*places).agg(nw.len().alias("count"))
        found: pl.DataFrame = counted.collect(backend="polars").to_native()
        return found.with_columns(pl.col("count").cast(pl.Int64)).sort(places)

    return tally


def check_falling(word: str, given: Sequence[Any], *, least: int) -> tuple[int, ...]:
    """Numbers of groups, finest first: whole numbers that fall to ``least`` or more."""
    numbers = tuple(given)
    whole = all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
    if not numbers or not whole or list(numbers) != sorted(set(numbers), reverse=True) or numbers[-1] < least:
        raise TacitError(
            f"{word} = {list(numbers)} does not fall in whole numbers to {least} or more",
            code="not_whole_number",
            parameter=word,
            fix=f"number of groups at each level, finest first, e.g. {word} = [{max(20, least)}, {max(5, least)}]",
        )
    return numbers
