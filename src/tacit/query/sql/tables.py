"""FROM and JOIN: one declared data set, and tables that it declares to lead to by a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import instead
from ..column import Schema
from ..refusal import Refusal
from .scope import Scope, found_name
from .unsupported import only, piece, unsupported

__all__ = ["scope_of"]

_FROM = "write FROM one declared data set, with an alias if you like"


def scope_of(select: Any, schemas: Mapping[str, Schema]) -> Scope:
    """The data set of a SELECT and its joined tables."""
    source = select.args.get("from_")
    if source is None:
        raise unsupported("the question has no FROM", _FROM)
    only(source, "this", fix=_FROM)
    name, called = _table(source.this)
    found = found_name(name, schemas)
    if found is None:
        raise Refusal(
            "unknown_dataset", f"there is no data set {str(name.this)!r}", fix=instead(str(name.this), list(schemas))
        )
    tables = {called: ""}
    for join in select.args.get("joins") or []:
        alias, table = _joined(join, schemas[found])
        if alias in tables or table in tables.values():
            raise unsupported(f"{alias!r} is in FROM twice", "join every table once")
        tables[alias] = table
    return Scope(schemas[found], tables)


def _table(node: Any) -> tuple[Any, str]:
    if type(node).__name__ != "Table" or type(node.this).__name__ != "Identifier":
        raise unsupported(f"{piece(node)} is no data set", _FROM)
    only(node, "this", "alias", fix=_FROM)
    alias = node.args.get("alias")
    if alias is None:
        return node.this, str(node.this.this)
    only(alias, "this", fix=_FROM)
    return node.this, str(alias.this.this)


def _joined(join: Any, schema: Schema) -> tuple[str, str]:
    written = ", ".join(f"JOIN {table} USING ({key})" for table, key in schema.joins.items())
    fix = f"{schema.name!r} offers {written}" if written else f"{schema.name!r} declares no join"
    if str(join.args.get("kind") or "INNER").upper() != "INNER" or not join.args.get("using"):
        raise unsupported(f"{piece(join)} is not a declared join", fix)
    only(join, "this", "using", "kind", fix=fix)
    name, alias = _table(join.this)
    table = found_name(name, schema.joins)
    if table is None:
        raise Refusal("unknown_dataset", f"{schema.name!r} declares no join with {str(name.this)!r}", fix=fix)
    keys = [found_name(key, [schema.joins[table]]) for key in join.args["using"]]
    if keys != [schema.joins[table]]:
        raise unsupported(f"{table!r} is joined by another key", fix)
    return alias, table
