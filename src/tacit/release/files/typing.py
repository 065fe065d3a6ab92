r"""The one rule that decides the types of CSV columns, before any engine does.

Every cell is read as text. A column is then, looking at ALL its rows and leaving missing cells out,

- *integer* iff every cell matches :math:`-?(0|[1-9][0-9]{0,17})`, so that it fits in 64 bits;
- *number* iff every cell is a decimal or exponent form of a finite number without superfluous leading zeros and with
  at most 18 digits before the decimal sign (longer ones are keys, and two keys must not round to the same number);
- *date* iff every cell is a day of the calendar written YYYY-MM-DD, from year 1 on;
- *text* otherwise. ZIP codes with leading zeros therefore stay text.

Missing are '' and the texts that the user lists; in a column of numbers NaN and nan too. A column with no value at
all is text, all missing. The rule is written once in Narwhals, so Polars and DuckDB give the same types and values.

Cost: types that the first rows exclude are not tried on the rest; the others take one pass each, O(n) per column,
constant memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import narwhals as nw

from ...errors import TacitError

__all__ = ["Kind", "TypeRule"]

Kind: TypeAlias = Literal["integer", "number", "date", "text", "nothing"]

FIRST_ROWS = 1000
NOT_A_NUMBER = ("NaN", "nan")
INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"
NUMBER = r"^-?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$"
# The calendar as a pattern: casting an impossible day would stop the engine, and differently on each.
COMMON_DAY = (
    "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)-"
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
LEAP_DAY = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)-02-29"
DATE = f"^(?:{COMMON_DAY}|{LEAP_DAY})$"


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRule:
    """The rule with what the user says about the file: the texts that mean missing, and the decimal sign."""

    missing_values: tuple[str, ...] = ()
    decimal: str = "."

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise TacitError(f"decimal={self.decimal!r} is not a decimal sign", fix="use decimal='.' or decimal=','")

    def kinds(self, strings: nw.LazyFrame[Any], columns: Sequence[str]) -> dict[str, Kind]:
        """The kind of each column, decided over all rows."""
        found: dict[str, Kind] = {}
        open_kinds = self._left(strings.head(FIRST_ROWS), {column: ("integer", "number", "date") for column in columns})
        while open_kinds:
            found |= {column: "text" for column, left in open_kinds.items() if not left}
            tried = {column: left[:1] for column, left in open_kinds.items() if left}
            if not tried:
                break
            fits, some = self._left(strings, tried), self._with_values(strings, tried)
            found |= {column: left[0] if column in some else "nothing" for column, left in fits.items() if left}
            open_kinds = {column: open_kinds[column][1:] for column in tried if column not in found}
        return {column: found[column] for column in columns}

    def typed(self, strings: nw.LazyFrame[Any], kinds: Mapping[str, Kind]) -> nw.LazyFrame[Any]:
        """The columns of text cast to their kinds, missing cells null; lazy."""
        return strings.select(self._cast(column, kind).alias(column) for column, kind in kinds.items())

    def _cast(self, column: str, kind: Kind) -> nw.Expr:
        cell = nw.when(self._present(column, kind)).then(nw.col(column))
        if kind == "integer":
            return cell.cast(nw.Int64)
        if kind == "number":
            return self._pointed(cell).cast(nw.Float64)
        return cell.str.to_date(format="%Y-%m-%d") if kind == "date" else cell

    def _present(self, column: str, kind: Kind) -> nw.Expr:
        absent = ("", *self.missing_values) if kind in ("date", "text") else ("", *NOT_A_NUMBER, *self.missing_values)
        return ~nw.col(column).is_null() & ~nw.col(column).is_in(absent)

    def _pointed(self, cell: nw.Expr) -> nw.Expr:
        return cell if self.decimal == "." else cell.str.replace_all(self.decimal, ".", literal=True)

    def _misfit(self, column: str, kind: Kind) -> nw.Expr:
        """Whether some cell rules the kind out."""
        present, cell = self._present(column, kind), nw.col(column)
        if kind != "number":
            return (present & ~cell.str.contains(INTEGER if kind == "integer" else DATE)).any()
        alike = cell.str.contains(NUMBER if self.decimal == "." else NUMBER.replace(r"\.", self.decimal))
        # Cells of another form are taken out before the cast, which would stop at them; 1e999 is infinite and no number.
        value = self._pointed(nw.when(present & alike).then(cell)).cast(nw.Float64)
        return (present & ~alike).any() | (~value.is_finite()).any()

    def _left(self, strings: nw.LazyFrame[Any], tried: Mapping[str, Sequence[Kind]]) -> dict[str, tuple[Kind, ...]]:
        pairs = [(column, kind) for column, kinds in tried.items() for kind in kinds]
        misfits = _flags(strings, (self._misfit(column, kind) for column, kind in pairs))
        left = {pair for pair, misfit in zip(pairs, misfits, strict=True) if not misfit}
        return {column: tuple(kind for kind in kinds if (column, kind) in left) for column, kinds in tried.items()}

    def _with_values(self, strings: nw.LazyFrame[Any], tried: Mapping[str, Sequence[Kind]]) -> set[str]:
        some = _flags(strings, (self._present(column, kinds[0]).any() for column, kinds in tried.items()))
        return {column for column, has in zip(tried, some, strict=True) if has}


def _flags(strings: nw.LazyFrame[Any], flags: Iterable[nw.Expr]) -> list[bool]:
    """One row of truth values, computed in one pass; no row at all says no."""
    named = [flag.alias(f"flag{place}") for place, flag in enumerate(flags)]
    return [bool(value) for value in strings.select(named).collect(backend="polars").row(0)] if named else []
