"""What a column's values are like: counts from one group-by, on the engine that holds them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import narwhals as nw

from ..engines.table import Type, few_rows

if TYPE_CHECKING:
    from ..release import Release


VALUE, RECORDS = "value", "records"
"""The columns of the table of different values: the value, and how many records have it."""
ONCE = nw.col(RECORDS) == 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Counts over one column: what reasons are made of. No value is kept but the extremes, which are never shown.

    ``low`` and ``high`` are the least and greatest number, or the length of the shortest and longest text, ``mean`` that of
    numbers. ``tested`` counts the records that pass a test, ``different`` the different values that do.
    """

    column: str
    type: Type
    records: int
    missing: int
    distinct: int
    once: int
    alike_pairs: int
    low: float | None
    high: float | None
    tested: Mapping[str, int]
    different: Mapping[str, int] = field(default_factory=dict)
    mean: float | None = None

    @property
    def known(self) -> int:
        """Records that have a value."""
        return self.records - self.missing

    @property
    def once_share(self) -> float:
        """The share of the values that no other record has."""
        return self.once / self.known if self.known else 0.0

    @property
    def distinct_share(self) -> float:
        """Different values per record with a value."""
        return self.distinct / self.known if self.known else 0.0

    @property
    def separation(self) -> float:
        """The share of the pairs of records that the column tells apart, missing taken for a value."""
        pairs = self.records * (self.records - 1) // 2
        return 1.0 - self.alike_pairs / pairs if pairs else 0.0

    def share(self, test: str) -> float:
        """The share of the values that passed a test; 0 for one that was not made."""
        return self.tested.get(test, 0) / self.known if self.known else 0.0


def profile_column(
    release: Release, column: str, tests: Mapping[str, nw.Expr], *, different: Collection[str] = ()
) -> Profile:
    """The counts of a column, and how many records pass each test.

    The tests are Boolean expressions over ``VALUE`` and ``RECORDS``, run once per different value; of those named in
    ``different`` the different values that pass are counted, too. One group-by and
    one aggregate, exact on every engine; O(n) time, memory that of the different values.
    """
    type_ = release.types[column]
    value, records = nw.col(VALUE), nw.col(RECORDS)
    counts = (
        release.scan().select(nw.col(column).alias(VALUE)).group_by(VALUE).agg(nw.len().cast(nw.Int64).alias(RECORDS))
    )
    known = ~value.is_null()
    wanted = {
        "missing": _count_passing(~known),
        "distinct": known.cast(nw.Int64).sum(),
        "once": (known & ONCE).cast(nw.Int64).sum(),
        "alike": (records * (records - 1)).cast(nw.Float64).sum(),
        **{f"test {place}": _count_passing(known & test) for place, test in enumerate(tests.values())},
    }
    wanted |= {f"different {name}": (known & tests[name]).cast(nw.Int64).sum() for name in different}
    if type_ in ("integer", "number", "text"):
        size = value.str.len_chars() if type_ == "text" else value
        wanted |= {"low": size.min(), "high": size.max()}
    if type_ in ("integer", "number"):
        wanted["sum"] = (value.cast(nw.Float64) * records).sum()
    named = [expression.alias(name) for name, expression in wanted.items()]
    found = dict(zip(wanted, few_rows(counts.select(*named))[0], strict=True))
    known_records = release.size - int(found["missing"] or 0)
    return Profile(
        column=column,
        type=type_,
        records=release.size,
        missing=int(found["missing"] or 0),
        distinct=int(found["distinct"] or 0),
        once=int(found["once"] or 0),
        alike_pairs=int(found["alike"] or 0) // 2,
        low=None if found.get("low") is None else float(found["low"]),
        high=None if found.get("high") is None else float(found["high"]),
        tested={name: int(found[f"test {place}"] or 0) for place, name in enumerate(tests)},
        different={name: int(found[f"different {name}"] or 0) for name in different},
        mean=None if found.get("sum") is None or not known_records else float(found["sum"]) / known_records,
    )


def _count_passing(test: nw.Expr) -> nw.Expr:
    """How many records pass."""
    return nw.when(test).then(nw.col(RECORDS)).otherwise(nw.lit(0)).cast(nw.Int64).sum()
