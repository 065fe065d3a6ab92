"""HAVING, ORDER BY and LIMIT: said of the columns of the answer and done after it was protected (attack 21)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..question import After, Aggregate
from .aggregates import aggregate
from .comparison import OPPOSITE
from .keys import key
from .literal import is_literal, number
from .scope import Scope, found_name
from .select import Asked
from .unsupported import only, piece, unsupported
from .where import OPERATORS, conjuncts

__all__ = ["after"]

MOST = 10**9


def after(select: Any, asked: Asked, scope: Scope) -> After:
    """What is done with the noisy answer."""
    aggregates = asked.aggregates
    return After(
        shown=tuple(
            ("aggregate", aggregates.index(one), name)
            if isinstance(one, Aggregate)
            else ("key", asked.by.index(one), name)
            for name, one in asked.shown.items()
        ),
        having=_having(select.args.get("having"), asked, scope),
        order=_order(select.args.get("order"), asked, scope),
        limit=_limit(select.args.get("limit")),
    )


def _meant(node: Any, asked: Asked, scope: Scope) -> str:
    """The column of the answer that an expression names or repeats."""
    if type(node).__name__ == "Column" and not node.args.get("table"):
        name = found_name(node.this, asked.shown)
        if name is not None:
            return name
    meant = aggregate(node, scope) or key(node, scope)
    for name, one in asked.shown.items():
        if one == meant:
            return name
    raise unsupported(f"{piece(node)} is not a column of the answer", "put it into SELECT")


def _having(having: Any, asked: Asked, scope: Scope) -> tuple[tuple[str, Any, Fraction], ...]:
    if having is None:
        return ()
    return tuple(_kept(part, asked, scope) for part in conjuncts(having.this, "And"))


def _kept(node: Any, asked: Asked, scope: Scope) -> tuple[str, str, Fraction]:
    while type(node).__name__ == "Paren":
        node = node.this
    sign = OPERATORS.get(type(node).__name__)
    if sign is None:
        raise unsupported(f"{piece(node)} is not offered in HAVING", "write HAVING figure > number AND …")
    left, right = node.this, node.args["expression"]
    if is_literal(left):
        left, right, sign = right, left, OPPOSITE[sign]
    name = _meant(left, asked, scope)
    if not isinstance(asked.shown[name], Aggregate):
        raise unsupported(f"HAVING speaks of figures, and {name!r} is a key", "put the comparison into WHERE")
    return name, sign, number(right)


def _order(order: Any, asked: Asked, scope: Scope) -> tuple[tuple[str, bool], ...]:
    if order is None:
        return ()
    only(order, "expressions", fix="write ORDER BY column [DESC]")
    found = []
    for one in order.expressions:
        only(one, "this", "desc", fix="leave out NULLS FIRST and the like: what is missing comes last")
        found.append((_meant(one.this, asked, scope), bool(one.args.get("desc"))))
    return tuple(found)


def _limit(limit: Any) -> int | None:
    if limit is None:
        return None
    fix = "write LIMIT and a whole number"
    if type(limit).__name__ != "Limit":
        raise unsupported(f"{piece(limit)} is not offered", fix)
    only(limit, "expression", fix=fix)
    rows = number(limit.args["expression"])
    if rows.denominator != 1 or not 0 <= rows <= MOST:
        raise unsupported(f"{piece(limit)} is no number of rows", fix)
    return int(rows)
