"""Which names a question may use: those of its data set, of the tables it joins, and their aliases."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import suggest_alternative
from ..column import Column, Schema
from ..refusal import Refusal
from .unsupported import quote_fragment, require_only, unsupported_error


def found_name(identifier: Any, known: Collection[str]) -> str | None:
    """The known name that an identifier means: itself or, without quotes and only in ASCII, in another case."""
    name = str(identifier.this)
    if name in known or identifier.args.get("quoted") or not name.isascii():
        return name if name in known else None
    alike = [one for one in known if one.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


@dataclass(frozen=True, slots=True)
class Scope:
    """A data set as one question sees it; ``tables`` maps the names used in the text to joined tables ("": itself)."""

    schema: Schema
    tables: Mapping[str, str] = field(default_factory=dict)

    @property
    def joined(self) -> tuple[str, ...]:
        """The joined tables."""
        return tuple(sorted({table for table in self.tables.values() if table}))

    def column(self, node: Any) -> Column:
        """The declared column that a node names, with or without its table."""
        require_only(node, "this", "table", fix="write column, or table.column")
        identifier, table = node.this, node.args.get("table")
        if type(identifier).__name__ != "Identifier":
            raise unsupported_error(f"{quote_fragment(node)} is no column", "name the columns one by one")
        prefixes = self._table_prefixes(table)
        visible = {name[len(prefix) :]: name for prefix in prefixes for name in self._names_with_prefix(prefix)}
        doubled = [one for one in prefixes if found_name(identifier, self._unprefixed_names(one)) is not None]
        if len(doubled) > 1:
            raise unsupported_error(f"{quote_fragment(node)} is in several tables", "write table.column")
        short = found_name(identifier, visible)
        if short is None:
            raise self._unknown_column_error(str(identifier.this), list(visible))
        return self.schema.columns[visible[short]]

    def is_unit(self, node: Any) -> bool:
        """Whether a node names the column that tells whose row it is."""
        table, unit = node.args.get("table"), self.schema.unit
        return unit is not None and "" in self._table_prefixes(table) and found_name(node.this, [unit]) is not None

    def _table_prefixes(self, table: Any) -> list[str]:
        if table is None:
            return ["", *(f"{name}." for name in self.joined)]
        name = found_name(table, self.tables)
        if name is None:
            raise Refusal(
                "unknown_dataset",
                f"{str(table.this)!r} is not in FROM",
                fix=suggest_alternative(str(table.this), list(self.tables)),
            )
        return [f"{self.tables[name]}." if self.tables[name] else ""]

    def _unprefixed_names(self, prefix: str) -> list[str]:
        return [name[len(prefix) :] for name in self._names_with_prefix(prefix)]

    def _names_with_prefix(self, prefix: str) -> list[str]:
        if prefix:
            return [name for name in self.schema.columns if name.startswith(prefix)]
        return [
            name for name in self.schema.columns if not any(name.startswith(f"{one}.") for one in self.schema.joins)
        ]

    def _unknown_column_error(self, name: str, visible: list[str]) -> Refusal:
        for table, key in self.schema.joins.items():
            if f"{table}.{name}" in self.schema.columns and table not in self.joined:
                return Refusal(
                    "unknown_column", f"is in {table!r}", column=name, fix=f"add JOIN {table} USING ({key}) after FROM"
                )
        return Refusal(
            "unknown_column", f"is not in {self.schema.name!r}", column=name, fix=suggest_alternative(name, visible)
        )
