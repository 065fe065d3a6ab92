r"""The one rule that decides the types of CSV columns, before any engine does.

Every cell is read as text. A column is then, looking at ALL its rows and leaving missing cells out,

- *integer* iff every cell matches :math:`-?(0|[1-9][0-9]{0,17})`, so that it fits in 64 bits;
- *number* iff every cell is a decimal or exponent form of a finite number without superfluous leading zeros and with
  at most 18 digits before the decimal sign (longer ones are keys, and two keys must not round to the same number);
- *date* iff every cell is a day of the calendar, from year 1 on, written YYYY-MM-DD or as the user says;
- *text* otherwise. ZIP codes with leading zeros therefore stay text.

Where the user says how thousands are separated, whole numbers and decimals may be written so (1,299,577), in some cells or
in all. Columns that the user wants as they are written are text: 10.20 is then a code, and no 10.2.

Missing are '' and the texts that the user lists; in a column of numbers NaN and nan too. A column with no value at
all is text, all missing. The rule is written once, in the names that Narwhals and Polars share, so that Polars and
DuckDB give the same types and values; a frame of Polars takes its own expressions, which are made in a tenth of the time.

Cost: types that the first rows exclude are not tried on the rest; the others take one pass each, O(n) per column,
constant memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import narwhals as nw
import polars as pl

from ...errors import TacitError

Kind: TypeAlias = Literal["integer", "number", "date", "text", "nothing"]
Verdict: TypeAlias = Literal["fits", "misfit", "empty"]

FIRST_ROWS = 1000
ISO = "YYYY-MM-DD"
ORDERS = (ISO, "DD.MM.YYYY", "DD/MM/YYYY", "DD-MM-YYYY", "MM/DD/YYYY", "YYYYMMDD")
"""The ways of writing a day; only one per file, because 03/04 is two different days."""
THOUSANDS = {",": ",", ".": r"\.", "'": "['\u2019]", " ": "[ \u00a0\u202f]"}
"""Signs between groups of three digits, with the pattern of what is written for each: a blank may be one of several."""
NOT_A_NUMBER = ("NaN", "nan")
INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"


def _at_most(digits: str) -> str:
    """Digits after the point that do not exceed these."""
    first, rest = int(digits[0]), digits[1:]
    return f"(?:[0-{first - 1}][0-9]*|{first}{_at_most(rest) if rest else ''})?"


# Exponents are bounded so that every number is finite, up to the largest double, 1.7976931348623157e308.
PLAIN = r"(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)"
EXPONENT = r"[eE](?:-[0-9]{1,3}|\+?(?:[0-9]{1,2}|1[0-9]{2}|2[0-8][0-9]))"
HUGE = rf"(?:[1-9](?:\.[0-9]*)?[eE]\+?(?:29[0-9]|30[0-7])|1(?:\.{_at_most('7976931348623157')})?[eE]\+?308)"
NUMBER = f"^-?(?:{PLAIN}(?:{EXPONENT})?|{HUGE})$"
# The calendar as a pattern: casting an impossible day would stop the engine, and differently on each.
COMMON_DAY = (
    "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-"
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
LEAP_DAY = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29"
DATE = f"^(?:{COMMON_DAY}|{LEAP_DAY})$"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRule:
    """The rule with what the user says about the file: texts that mean missing, signs of numbers, how days are written."""

    missing_values: tuple[str, ...] = ()
    decimal: str = "."
    thousands: str | None = None
    dates: str = ISO
    as_written: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise TacitError(
                f"decimal={self.decimal!r} is not a decimal sign",
                code="bad_decimal_sign",
                parameter="decimal",
                fix="use decimal='.' or decimal=','",
            )
        if self.thousands is not None and (self.thousands not in THOUSANDS or self.thousands == self.decimal):
            raise TacitError(
                f"thousands={self.thousands!r} cannot separate thousands beside decimal={self.decimal!r}",
                code="bad_thousands_sign",
                parameter="thousands",
                fix="use one of , . ' and a blank, and not the decimal sign",
            )
        if self.dates not in ORDERS:
            raise TacitError(
                f"dates={self.dates!r} is no known way to write a day",
                code="bad_date_format",
                parameter="dates",
                fix=f"use one of {', '.join(ORDERS)}",
            )

    def kinds(self, strings: nw.LazyFrame[Any], columns: Sequence[str]) -> dict[str, Kind]:
        """The kind of each column, decided over all rows."""
        found: dict[str, Kind] = {}
        order: Sequence[Kind] = (
            ("date", "integer", "number") if self.dates == "YYYYMMDD" else ("integer", "number", "date")
        )
        every: dict[str, Sequence[Kind]] = {column: () if column in self.as_written else order for column in columns}
        library, frame = _unwrap_frame(strings)
        first = self._judge_kinds(library, frame.head(FIRST_ROWS), every)
        left = {column: [kind for kind, verdict in first[column].items() if verdict != "misfit"] for column in columns}
        while any(left.values()):
            verdicts = self._judge_kinds(library, frame, {column: kinds[:1] for column, kinds in left.items() if kinds})
            for column, verdict in verdicts.items():
                kind = left[column].pop(0)
                if verdict[kind] != "misfit":
                    found[column] = kind if verdict[kind] == "fits" else "nothing"
                    left[column] = []
        return {column: found.get(column, "text") for column in columns}

    def cast_columns(self, strings: nw.LazyFrame[Any], kinds: Mapping[str, Kind]) -> nw.LazyFrame[Any]:
        """The columns of text cast to their kinds, missing cells null; lazy."""
        library, frame = _unwrap_frame(strings)
        cast = frame.select(
            self._cast_expression(library, column, kind).alias(column) for column, kind in kinds.items()
        )
        typed: nw.LazyFrame[Any] = cast if library is nw else nw.from_native(cast)
        return typed

    def _cast_expression(self, library: Any, column: str, kind: Kind) -> Any:
        cell = library.when(self._is_present(library, column, kind)).then(library.col(column))
        if kind in ("integer", "number") and self.thousands is not None:
            cell = cell.str.replace_all(THOUSANDS[self.thousands], "")
        if kind == "integer":
            return cell.cast(library.Int64)
        if kind == "number":
            pointed = cell if self.decimal == "." else cell.str.replace_all(self.decimal, ".", literal=True)
            return pointed.cast(library.Float64)
        return self._iso_date(library, cell).str.to_date(format="%Y-%m-%d") if kind == "date" else cell

    def _iso_date(self, library: Any, cell: Any) -> Any:
        """A day written as the user says, written YYYY-MM-DD."""
        if self.dates == ISO:
            return cell
        parts = [cell.str.slice(self.dates.index(part), len(part)) for part in ("YYYY", "MM", "DD")]
        return library.concat_str(parts, separator="-")

    def _is_present(self, library: Any, column: str, kind: Kind) -> Any:
        absent = ("", *self.missing_values) if kind in ("date", "text") else ("", *NOT_A_NUMBER, *self.missing_values)
        return ~library.col(column).is_null() & ~library.col(column).is_in(absent)

    def _has_misfit(self, library: Any, column: str, kind: Kind) -> Any:
        """Whether some cell rules the kind out."""
        pattern = {"integer": INTEGER, "number": NUMBER, "date": DATE}[kind]
        cell = library.col(column)
        if kind == "date" and self.dates != ISO:
            form = "".join("[0-9]" if letter.isalpha() else f"[{letter}]" for letter in self.dates)
            fits = cell.str.contains(f"^{form}$") & self._iso_date(library, cell).str.contains(pattern)
            return (self._is_present(library, column, kind) & ~fits).any()
        if self.decimal != ".":
            pattern = pattern.replace(r"\.", self.decimal)
        if kind != "date" and self.thousands is not None:
            point = f"(?:[{self.decimal}][0-9]*)?" if kind == "number" else ""
            pattern += f"|^-?[1-9][0-9]{{0,2}}(?:{THOUSANDS[self.thousands]}[0-9]{{3}}){{1,5}}{point}$"
        return (self._is_present(library, column, kind) & ~cell.str.contains(pattern)).any()

    def _judge_kinds(
        self, library: Any, frame: Any, tried: Mapping[str, Sequence[Kind]]
    ) -> dict[str, dict[Kind, Verdict]]:
        """Which kinds fit which columns, in one pass over the rows."""
        pairs = [(column, kind) for column, kinds in tried.items() for kind in kinds]
        flags = [
            flag
            for column, kind in pairs
            for flag in (self._has_misfit(library, column, kind), self._is_present(library, column, kind).any())
        ]
        named = [flag.alias(f"flag{place}") for place, flag in enumerate(flags)]
        asked = frame.select(named)
        row = (asked.collect(backend="polars") if library is nw else asked.collect()).row(0) if named else ()
        verdicts: dict[str, dict[Kind, Verdict]] = {column: {} for column in tried}
        for (column, kind), misfit, some in zip(pairs, row[::2], row[1::2], strict=True):
            verdicts[column][kind] = "misfit" if misfit else "fits" if some else "empty"
        return verdicts


def _unwrap_frame(strings: nw.LazyFrame[Any]) -> tuple[Any, Any]:
    """The library whose expressions the frame takes, and the frame of that library."""
    native = strings.to_native()
    return (pl, native) if isinstance(native, pl.LazyFrame) else (nw, strings)
