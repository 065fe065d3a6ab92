"""What the columns of a data set are called inside an engine: names that no owner and no analyst chose."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import TacitError
from ..column import Column, Schema
from ..value_set import FURTHEST


@dataclass(frozen=True, slots=True)
class Layout:
    """Codes are c0, c1, …; whether a row finds a partner in a joined table is j0, j1, …; the unit is ``unit``."""

    schema: Schema

    def __post_init__(self) -> None:
        for column in self.schema.columns.values():
            if column.kind != "text" and max(map(abs, self.code_range(column))) > FURTHEST:
                raise TacitError(
                    "has bounds of more than 2^62 steps",
                    code="out_of_range",
                    column=column.name,
                    fix="declare nearer bounds or a larger step",
                )

    def code(self, name: str) -> str:
        """The column of codes."""
        return f"c{list(self.schema.columns).index(name)}"

    def join_flag(self, table: str) -> str:
        """Whether the row has a partner in a joined table."""
        return f"j{list(self.schema.joins).index(table)}"

    @property
    def own_columns(self) -> dict[str, Column]:
        """The columns of the data set itself."""
        return {
            n: c for n, c in self.schema.columns.items() if not any(n.startswith(f"{t}.") for t in self.schema.joins)
        }

    def of_join(self, table: str) -> dict[str, Column]:
        """The columns of a joined table, by their names in it."""
        start = f"{table}."
        return {n[len(start) :]: c for n, c in self.schema.columns.items() if n.startswith(start)}

    @staticmethod
    def code_range(column: Column) -> tuple[int, int]:
        """The codes to which a column is cut: its bounds, or far out."""
        return column.bounds() if column.has_public_domain else (-FURTHEST, FURTHEST)

    def row_text(self) -> str:
        """All codes of a row as one text, in SQL: what decides which rows of a unit come first.

        Different rows have different texts: which of two alike counts would depend on the rows of others. So a text
        stands behind its length, whatever commas it holds.
        """
        return " || ',' || ".join(self._fingerprint_part(name) for name in self.schema.columns)

    def _fingerprint_part(self, name: str) -> str:
        code = self.code(name)
        length = f"CAST(length({code}) AS VARCHAR) || ':' || " if self.schema.columns[name].kind == "text" else ""
        return f"coalesce('+' || {length}CAST({code} AS VARCHAR), '-')"
