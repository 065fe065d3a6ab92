"""The list of tables [[protect]] of a document, with the comments in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...study.plan_text import import_tomlkit, toml_value


def tables_of(document: Any, under: str = "protect") -> list[Any]:
    """The tables as they stand."""
    found = document.get(under)
    if found is None:
        return []
    return (
        list(found.body) if isinstance(found, import_tomlkit().items.AoT) else [table_of(one) for one in found.unwrap()]
    )


def table_of(step: Mapping[str, Any]) -> Any:
    """A step as a table."""
    table = import_tomlkit().table()
    for name, value in step.items():
        if value is not None:
            table.add(name, toml_value(value))
    return table


def put_tables(document: Any, tables: list[Any], under: str = "protect") -> None:
    """The tables instead of those that stand there; each begins after one empty line."""
    tomlkit = import_tomlkit()
    listed = tomlkit.aot()
    for table in tables:
        body = table.value.body
        while body and body[-1][0] is None and isinstance(body[-1][1], tomlkit.items.Whitespace):
            body.pop()
        listed.append(table)
    if under in document and (not tables or not isinstance(document[under], tomlkit.items.AoT)):
        document.pop(under)
    if tables:
        tables[-1].add(tomlkit.nl())
        document[under] = listed
