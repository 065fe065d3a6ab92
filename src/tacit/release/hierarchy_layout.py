"""A hierarchy laid out over the values of a column: each with its records and its label at every level."""

from __future__ import annotations

from dataclasses import dataclass

import narwhals as nw
import polars as pl

from ..errors import check_columns
from .description import Missing
from .hierarchy import GrownHierarchy, Hierarchy
from .hierarchy.base import label_expression
from .hierarchy.nodes import label_values
from .hierarchy.recipe import make_tally
from .masked import Masked, release_of
from .release import Release

SHOWN = 3
"""So many labels of a level are shown."""
MOST = 5
"""So many of the parts that a group merges are shown."""


@dataclass(frozen=True, slots=True)
class Group:
    """A label with its records, how many labels of the level below it merges, and the largest of these."""

    label: str
    records: int
    parts: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """One level: how many groups, records of the smallest and the largest, and some labels.

    ``k`` is what k-anonymity the column alone has at this level: the smallest group, under the policy for missing
    values; None while there are such and nobody has said what they mean, or when values have no label here.
    """

    level: int
    groups: int
    smallest: int
    largest: int
    labels: tuple[str, ...]
    k: int | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HierarchyLayout:
    """``table`` has a row for each different value, in order: the value as text, level by level its label, and its records.

    Columns are called ``0`` (the value) to the number of the top level, and ``records``. A value that the hierarchy
    lacks has no label from level 1 on. Internal: labels and counts are those of the data.
    """

    column: str
    table: pl.DataFrame
    height: int
    missing: int
    policy: Missing | None
    grown: bool

    @property
    def uncovered_count(self) -> int:
        """How many different values the hierarchy lacks."""
        return int(self.table["1"].null_count()) if self.height > 1 else 0

    def level(self, level: int) -> Level:
        """The numbers of a level; O(values)."""
        sizes = self._group_sizes(level)
        smallest, largest = (
            int(end) if isinstance(end, int) else 0 for end in (sizes["records"].min(), sizes["records"].max())
        )
        shown = tuple(sizes["label"].head(SHOWN).to_list())
        known = self.table[str(level)].null_count() == 0
        return Level(level, sizes.height, smallest, largest, shown, self._smallest_class(smallest) if known else None)

    def groups(self, level: int, most: int, *, rare: bool = False) -> tuple[Group, ...]:
        """Up to ``most`` groups, the largest or the smallest first; those of equal size in the order of their values."""
        chosen = self._group_sizes(level).sort("records", descending=not rare, maintain_order=True).head(most)
        within = self.table.filter(pl.col(str(level)).is_in(chosen["label"].implode()))
        within = within.drop_nulls(str(max(0, level - 1)))  # what has no label below is part of the top alone
        below = (
            within.group_by(label=pl.col(str(level)), part=pl.col(str(max(0, level - 1))), maintain_order=True)
            .agg(pl.col("records").sum())
            .sort("records", descending=True, maintain_order=True)
            .group_by("label")
            .agg(parts=pl.len(), examples=pl.col("part").head(MOST))
        )
        found = chosen.join(below, on="label", maintain_order="left")
        return tuple(
            Group(label, records, parts, tuple(examples))
            for label, records, parts, examples in found.select("label", "records", "parts", "examples").rows()
        )

    def _group_sizes(self, level: int) -> pl.DataFrame:
        known = self.table.select(label=pl.col(str(level)), records=pl.col("records")).drop_nulls("label")
        return known if level == 0 else known.group_by("label", maintain_order=True).agg(pl.col("records").sum())

    def _smallest_class(self, smallest: int) -> int | None:
        if not self.missing:
            return smallest
        if self.policy == "any":  # a missing value matches every record, and every record matches it
            return smallest + self.missing
        return min(smallest or self.missing, self.missing) if self.policy == "own" else None


def laid_out(release: Release | Masked, column: str, hierarchy: Hierarchy | None = None) -> HierarchyLayout:
    """Lay a hierarchy out over a column; without one only its values, and ``*`` above them.

    One group-by on any engine, then O(height · values).

    >>> ages = Release(pl.DataFrame({"age": [3, 7, 12, 12]}))
    >>> from tacit.release.hierarchy import Cuts
    >>> laid_out(ages, "age", Cuts(((10,),))).groups(1, 5)[0]
    Group(label='< 10', records=2, parts=2, examples=('3', '7'))
    """
    plain = release_of(release)
    check_columns(column, plain.columns)
    counted = make_tally(plain.scan())([column])
    height = 1 if hierarchy is None else hierarchy.height
    frame = nw.from_native(counted.select(pl.col("0").alias(column)), eager_only=True)
    rungs = (
        []
        if hierarchy is None
        else [label_expression(hierarchy, column, level).alias(str(level)) for level in range(1, height)]
    )
    between = frame.select(*rungs).to_native().get_columns() if rungs else []
    table = pl.DataFrame([counted["0"].cast(pl.String), *between])
    table = table.with_columns(pl.lit("*").alias(str(height)), counted["count"].alias("records"))
    missing = plain.size - int(counted["count"].sum())
    return HierarchyLayout(column, table, height, missing, plain.missing, isinstance(hierarchy, GrownHierarchy))


def rows_of(found: HierarchyLayout, hierarchy: Hierarchy | None) -> list[tuple[str, ...]]:
    """The rows of a table that says the same: each value with its labels, to be changed by hand or written to a file.

    A value that the hierarchy lacks stands for itself; those that it lists beside the ones that occur come last.
    O(height · values).
    """
    places = [str(level) for level in range(found.height + 1)]
    filled = [pl.col(place).fill_null(pl.col("0")) for place in places]
    rows: list[tuple[str, ...]] = found.table.select(filled).rows()
    if hierarchy is None:
        return rows
    listed = hierarchy.domain(found.table["0"])
    absent = listed.filter(~listed.is_in(found.table["0"].implode())).rename("0")
    if absent.is_empty():  # a rule lists nothing beside, and its labels need values of the column's own type
        return rows
    above = [label_values(hierarchy, found.column, level, absent) for level in range(1, found.height + 1)]
    return rows + list(zip(absent, *above, strict=True))
