"""How a CSV file seems to write its numbers, days and missing values, where it was read otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals as nw

from ..files.typing import ISO, ORDERS, THOUSANDS, TypeRule

if TYPE_CHECKING:
    from ..release import Release


ROWS = 5_000
"""Rows that are looked at: enough to see a habit of writing."""
SURELY = ("N/A", "n/a", "#N/A", "NULL", "null", "NaN", "nan", "k.A.", "k. A.")
"""Texts that mean missing wherever they stand."""
PERHAPS = ("NA", "na", "None", "none", "-", "--", ".", "?", "*", "missing", "unknown", "unbekannt", "-9", "-99", "-999")
"""Texts that mean missing in a column of numbers or days; elsewhere NA may be Namibia."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvConventions:
    """What to say when the file is read anew; each with the columns that show it, none where all is well."""

    dates: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing_values: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "dates": self.dates,
            "decimal": self.decimal,
            "thousands": self.thousands,
            "missing_values": list(self.missing_values),
            "columns": {key: list(names) for key, names in self.columns.items()},
        }


def detect_csv_conventions(release: Release) -> CsvConventions:
    """The way of writing under which more columns of text are numbers or days, by the rule that types every CSV file.

    Where two orders of a day fit alike (03/04 is two different days) none is named, and thousands only where no reading
    without them explains as many columns (1,299 alone may have a decimal comma, 1,299,577 cannot). Looks at the first rows, and names
    columns and words of a fixed list, never a cell.

    >>> import polars as pl
    >>> from tacit import Release
    >>> found = detect_csv_conventions(
    ...     Release(pl.DataFrame({"born": ["31.12.1990", "NA"], "pay": ["1,5", "2,5"], "sex": ["f", "m"]}))
    ... )
    >>> found.dates, found.decimal, found.missing_values
    ('DD.MM.YYYY', ',', ('NA',))
    """
    texts = [name for name in release.columns if release.types[name] == "text"]
    if not texts:
        return CsvConventions()
    rows: nw.DataFrame[Any] = nw.from_native(release.scan().head(ROWS).collect("polars").to_native()).select(texts)
    dates, days = _detect_date_order(rows, texts)
    points = _columns_read_as(rows, texts, kinds=("number",))
    pointed = points or any(release.types[name] == "number" for name in release.columns)
    plain = {sign: _columns_read_as(rows, texts, decimal=sign) for sign in ("." if pointed else ".,")}
    decimal, thousands, figures = _detect_number_signs(rows, texts, plain)
    commas = tuple(name for name in figures if name not in plain["."]) if decimal == "," else ()
    grouped = tuple(name for name in figures if name not in plain[decimal])
    typed = {*days, *figures}
    standing = {name: set(rows[name].unique().to_list()) for name in texts}
    words = tuple(
        word
        for word in (*SURELY, *PERHAPS)
        if any(word in found for name, found in standing.items() if word in SURELY or name in typed)
    )
    lacking = tuple(name for name, found in standing.items() if found.intersection(words))
    shown = {
        "dates": days if dates else (),
        "decimal": commas,
        "thousands": grouped,
        "missing_values": lacking,
    }
    return CsvConventions(
        dates=dates,
        decimal="," if commas else None,
        thousands=thousands,
        missing_values=words,
        columns={key: names for key, names in shown.items() if names},
    )


def _detect_number_signs(
    rows: nw.DataFrame[Any], texts: Sequence[str], plain: Mapping[str, tuple[str, ...]]
) -> tuple[str, str | None, tuple[str, ...]]:
    """Decimal sign, sign of thousands and the columns that are numbers so; of several that do as well the plainest."""
    found: list[tuple[str, str | None, tuple[str, ...]]] = [(sign, None, names) for sign, names in plain.items()]
    found += [
        (sign, thousands, _columns_read_as(rows, texts, decimal=sign, thousands=thousands))
        for sign in plain
        for thousands in THOUSANDS
        if thousands != sign
    ]
    return max(found, key=lambda one: len(one[2]))


def _detect_date_order(rows: nw.DataFrame[Any], texts: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    """The order of the days in most columns, and these; no order when none is needed, or when several fit as well."""
    days = {order: _columns_read_as(rows, texts, dates=order, kinds=("date",)) for order in ORDERS}
    most = max(map(len, days.values()))
    fitting = [order for order, found in days.items() if most and len(found) == most]
    if not fitting:
        return None, ()
    return (fitting[0] if len(fitting) == 1 and fitting[0] != ISO else None), days[fitting[0]]


def _columns_read_as(
    rows: nw.DataFrame[Any],
    texts: Sequence[str],
    *,
    kinds: Sequence[str] = ("integer", "number"),
    decimal: str = ".",
    thousands: str | None = None,
    dates: str = ISO,
) -> tuple[str, ...]:
    """The columns of text that are of these kinds, numbers when nothing is said, when written so."""
    rule = TypeRule(missing_values=(*SURELY, *PERHAPS), decimal=decimal, thousands=thousands, dates=dates)
    return tuple(name for name, kind in rule.kinds(rows.lazy(), texts).items() if kind in kinds)
