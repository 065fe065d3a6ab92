"""The keys of a GROUP BY: declared columns, and bins of a number or a date."""

from __future__ import annotations

from typing import Any

from ..question import Key
from ..refusal import Refusal
from .literal import number
from .scope import Scope
from .unsupported import piece, unsupported

__all__ = ["key"]

_FIX = "group by a column or by BIN(column, width), whose bins start at the lower bound"


def key(node: Any, scope: Scope) -> Key:
    """The key that an expression means."""
    kind = type(node).__name__
    if kind == "Column":
        return Key(scope.column(node).name)
    if kind == "Anonymous" and str(node.this).upper() == "BIN" and len(node.expressions) == 2:
        return _bin(node, scope)
    raise unsupported(f"{piece(node)} is no key that is offered", _FIX)


def _bin(node: Any, scope: Scope) -> Key:
    inner, given = node.expressions
    if type(inner).__name__ != "Column":
        raise unsupported(f"{piece(inner)} is no column", _FIX)
    column = scope.column(inner)
    if column.kind not in ("integer", "number", "date"):
        raise unsupported(f"{column.name!r} is neither number nor date", "group by the column itself")
    low, high = column.bounds()
    width = number(given) / column.step
    if width <= 0 or width.denominator != 1:
        raise Refusal(
            "unknown_value",
            f"cannot be cut into bins of {piece(given)}",
            column=column.name,
            fix="give a width above 0 in whole days" if column.kind == "date" else f"give a multiple of {column.step}",
        )
    return Key(column.name, min(int(width), high - low + 1))
