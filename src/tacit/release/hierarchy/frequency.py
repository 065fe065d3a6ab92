"""Recipes that keep some values and merge the rest: by how frequent they are, or by the order of the user's choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from ...errors import TacitError, suggest_alternative
from ..engines.table import Type
from .base import TOP
from .recipe import check_falling
from .table import TableHierarchy

if TYPE_CHECKING:
    from .recipe import Tally


@dataclass(frozen=True, slots=True)
class Frequency:
    """Rare values merged: with least = (10, 100), values of fewer than 10 records become "other", then those below 100.

    When "other" itself has too few records, the rarest of the kept values join it, so that every group of a level has
    at least its number of records (unless the column has fewer altogether). Values of equal count are taken in the
    order of their names. O(v log v) for v values, after one group-by.

    >>> import polars as pl
    >>> from tacit import Release
    >>> jobs = pl.DataFrame({"job": ["nurse"] * 6 + ["clerk"] * 3 + ["judge", "miner"]})
    >>> Release(jobs, hierarchies={"job": {"frequency": [3]}}).hierarchies["job"].spec()
    {'table': {'nurse': ['nurse', '*'], 'clerk': ['other', '*'], 'judge': ['other', '*'], 'miner': ['other', '*']}}
    """

    least: tuple[int, ...]

    def __post_init__(self) -> None:
        whole = all(isinstance(number, int) and not isinstance(number, bool) for number in self.least)
        if not self.least or not whole or list(self.least) != sorted(set(self.least)) or self.least[0] < 2:
            raise TacitError(
                f"frequency = {list(self.least)} does not rise in whole numbers from 2 or more",
                code="not_whole_number",
                parameter="frequency",
                fix="the least number of records of a group at each level, e.g. frequency = [10, 100]",
            )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.least) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Values that can be listed."""
        check_listable(column, type)

    def grow(self, column: str, tally: Tally) -> TableHierarchy:
        """The values kept at each level, the others merged."""
        counted = tally([column]).sort("count", "0", descending=[True, False])
        values, counts = counted["0"].cast(pl.String).to_list(), counted["count"].to_list()
        kept = []
        for least in self.least:
            number = sum(count >= least for count in counts)
            while number and 0 < sum(counts[number:]) < least:
                number -= 1
            kept.append(number)
        return _merge_rest(column, values, [values[:number] for number in kept])

    def spec(self) -> Mapping[str, Any]:
        """``{"frequency": least}``."""
        return {"frequency": list(self.least)}


@dataclass(frozen=True, slots=True)
class Priority:
    """The first values of an order kept, the last ones merged first.

    With the order (physician, nurse, midwife) and keep = (3, 1) all values but these become "other", then all but
    physician. Values that the order leaves out are never kept; those that do not occur stay in the hierarchy.

    >>> import polars as pl
    >>> from tacit import Release
    >>> jobs = pl.DataFrame({"job": ["nurse", "clerk", "judge"]})
    >>> Release(jobs, hierarchies={"job": {"priority": ["judge", "nurse"], "keep": [2, 1]}}).hierarchies["job"].spec()
    {'table': {'judge': ['judge', 'judge', '*'], 'nurse': ['nurse', 'other 2', '*'], 'clerk': ['other', 'other 2', '*']}}
    """

    order: tuple[str, ...]
    keep: tuple[int, ...]

    def __post_init__(self) -> None:
        texts = [str(value) for value in self.order]
        if not texts or len(set(texts)) < len(texts):
            raise TacitError(
                "the priority names no value, or one of them twice",
                code="conflicting_parameters",
                fix="name each value once, dearest first",
            )
        check_falling("keep", self.keep, least=1)
        if self.keep[0] > len(texts):
            raise TacitError(
                f"keep = {list(self.keep)} is more than the {len(texts)} values of the priority",
                code="out_of_range",
                parameter="keep",
                fix=f"at most keep = [{len(texts)}]",
            )
        object.__setattr__(self, "order", tuple(texts))

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.keep) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Values that can be listed."""
        check_listable(column, type)

    def grow(self, column: str, tally: Tally) -> TableHierarchy:
        """The order's first values at each level, the others merged."""
        present = tally([column])["0"].cast(pl.String).to_list()
        if not set(present) & set(self.order):
            raise TacitError(
                "has none of the values that its priority names",
                code="unsuitable_column",
                column=column,
                fix=suggest_alternative("", self.order[:9]),
            )
        values = [*self.order, *(value for value in present if value not in self.order)]
        return _merge_rest(column, values, [self.order[:number] for number in self.keep])

    def spec(self) -> Mapping[str, Any]:
        """``{"priority": order, "keep": keep}``."""
        return {"priority": list(self.order), "keep": list(self.keep)}


def check_listable(column: str, type: Type) -> None:
    """Raise for measured values and moments, of which nearly every one is different."""
    if type in ("number", "datetime"):
        raise TacitError(
            f"holds {type}, whose values cannot be listed",
            code="wrong_kind",
            column=column,
            fix="use { quantiles = [20, 5] } for numbers; make days of moments first",
        )


def _merge_rest(column: str, values: Sequence[str], kept: Sequence[Sequence[str]]) -> TableHierarchy:
    if not values:
        raise TacitError(
            "has no value to grow a hierarchy from", code="missing_values", column=column, fix="leave its hierarchy out"
        )
    levels = [set(names) for names in kept]
    others: list[str] = []
    for place, level in enumerate(levels):
        if place and level & set(values) == levels[place - 1] & set(values):
            others.append(others[-1])
        else:
            others.append(_other_label(values, place + 1))
    named = list(zip(levels, others, strict=True))
    return TableHierarchy(
        tuple((value, *(value if value in level else other for level, other in named), TOP) for value in values)
    )


def _other_label(values: Sequence[str], level: int) -> str:
    """A name for what is merged at a level: one of its own, because it stands for other values at every level."""
    other = "other" if level == 1 else f"other {level}"
    while other in values:
        other = f"({other})"
    return other
