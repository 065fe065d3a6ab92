"""What the owner declares of a column. Everything that analysts, parsers and refusals see of the data is this.

Inside the service a value is a whole number: a category is its place in the declared list, a number counts steps of the
declared grid, a date days since 1970-01-01. Sums of whole numbers are exact and do not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, Literal

from ..errors import suggest_alternative
from .refusal import Refusal

Kind = Literal["category", "text", "integer", "number", "date", "boolean"]
"""A category has a declared list; a text has none, and can only be compared with and grouped above a threshold."""

NULL = -(2**63)
"""The code of a missing value."""

EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A declared column: kind, public list or bounds (in grid units), and whether it is confidential.

    ``low`` and ``high`` are whole numbers of grid units: a value v lies at v/step (a date at its day). Values outside are
    cut to the bounds, whatever they are; what is no number is missing. Without bounds a column cannot be summed.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    step: Fraction = Fraction(1)
    confidential: bool = False

    @property
    def has_public_domain(self) -> bool:
        """Whether all its values are public: a list, or bounds."""
        return self.kind in ("category", "boolean") or (self.low is not None and self.high is not None)

    @property
    def is_numeric(self) -> bool:
        """Whether it can be summed."""
        return self.kind in ("integer", "number")

    def bounds(self) -> tuple[int, int]:
        """The first and last code."""
        if self.kind == "category":
            return 0, len(self.values) - 1
        if self.kind == "boolean":
            return 0, 1
        if self.low is None or self.high is None:
            raise Refusal(
                "undeclared_bounds",
                "has no declared bounds, so the share of one person in a sum is not known",
                column=self.name,
                fix="the owner of the data declares low and high; count instead",
            )
        return self.low, self.high

    def decode(self, code: int | str | None) -> Any:
        """A code as an analyst reads it: the category, the number, the ISO date; missing is None."""
        if code is None or code == NULL:
            return None
        if isinstance(code, str):
            return code
        if self.kind in ("category", "boolean"):
            return self.values[code] if self.kind == "category" else bool(code)
        if self.kind == "date":
            return (EPOCH + timedelta(days=code)).isoformat()
        return self.to_number(code)

    def to_number(self, units: int | Fraction) -> int | float:
        """Grid units as a number."""
        value = units * self.step
        return int(value) if Fraction(value).denominator == 1 else float(value)

    def as_json(self) -> dict[str, Any]:
        """What everybody may read of the column."""
        plain: dict[str, Any] = {"name": self.name, "kind": self.kind, "confidential": self.confidential}
        if self.kind == "category":
            plain["values"] = list(self.values)
        elif self.low is not None and self.high is not None:
            plain |= {"low": self.decode(self.low), "high": self.decode(self.high)}
            plain |= {"step": str(self.step)} if self.kind == "number" else {}
        return plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The declared part of a data set: its name, version, columns, and how often one unit occurs.

    ``unit`` is the column that tells whose row it is (None: every row is somebody else's), ``rows`` how many rows of a
    unit count at the most. ``joins`` maps another declared table to the column that leads to it; the columns of that
    table are among ``columns`` under its name and theirs, e.g. ``"wards.beds"``.
    """

    name: str
    version: str
    columns: Mapping[str, Column]
    unit: str | None = None
    rows: int = 1
    joins: Mapping[str, str]

    def column(self, name: str) -> Column:
        """A declared column, or a refusal that names the nearest."""
        found = self.columns.get(name)
        if found is None:
            raise Refusal(
                "unknown_column",
                f"is not in {self.name!r}",
                column=name,
                fix=suggest_alternative(name, list(self.columns)),
            )
        return found
