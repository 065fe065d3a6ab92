"""WHERE as a condition: NOT is carried down to the comparisons, as SQL's three-valued logic wants it."""

from __future__ import annotations

import operator
from typing import Any

from ..condition import Condition
from ..value_set import Values, domain
from .comparison import OPPOSITE, compared, one_of
from .literal import Literal, is_literal, literal
from .scope import Scope
from .unsupported import only, piece, unsupported

OPERATORS = {"EQ": "=", "NEQ": "<>", "GT": ">", "GTE": ">=", "LT": "<", "LTE": "<="}

_HOLDS = {
    "=": operator.eq,
    "<>": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_FORM = "compare a column with a constant; AND, OR, NOT, BETWEEN, IN and IS NULL are offered"


def condition(node: Any, scope: Scope, wanted: bool = True) -> Condition:
    """The rows for which an expression is TRUE (or, not ``wanted``, FALSE); for the others it is that or unknown.

    Kleene: NOT (a AND b) is FALSE or TRUE where one of a, b is; the negation of a comparison leaves NULL out as well.
    """
    kind = type(node).__name__
    if kind in ("And", "Or"):
        parts = [condition(part, scope, wanted) for part in conjuncts(node, kind)]
        return _together(parts, both=(kind == "And") is wanted)
    if kind in ("Paren", "Not"):
        return condition(node.this, scope, wanted if kind == "Paren" else not wanted)
    if kind == "Boolean":
        return _constant(bool(node.this) is wanted)
    return _comparison(node, kind, scope, wanted)


def conjuncts(node: Any, kind: str) -> list[Any]:
    """The parts of a chain of ANDs (or ORs), left to right, without recursion: chains may be long."""
    found: list[Any] = []
    left = [node]
    while left:
        one = left.pop()
        if type(one).__name__ == kind:
            left += [one.args["expression"], one.this]
        else:
            found.append(one)
    return found


def _together(parts: list[Condition], *, both: bool) -> Condition:
    """In pairs, so that no long chain is carried through every step."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [a & b if both else a | b for a, b in pairs] + parts[len(parts) & ~1 :]
    return parts[0]


def _constant(met: bool) -> Condition:
    return Condition.everything() if met else Condition.nothing()


def _comparison(node: Any, kind: str, scope: Scope, wanted: bool) -> Condition:
    if kind in OPERATORS:
        return _two_sided(node, OPERATORS[kind], scope, wanted)
    subject = node if kind == "Column" else node.args.get("this")
    if kind not in ("Column", "Between", "In", "Is") or type(_bare(subject)).__name__ != "Column":
        raise unsupported(f"{piece(node)} is no condition that is offered", _FORM)
    column = scope.column(_bare(subject))
    if kind == "Is":
        return _missing(node, scope, wanted)
    if kind == "Column":
        if column.kind != "boolean":
            raise unsupported(f"{column.name!r} alone is no condition", _FORM)
        values = one_of(column, [True])
    elif kind == "Between":
        only(node, "this", "low", "high", fix="write x BETWEEN 1 AND 2")
        ends = compared(column, ">=", literal(node.args["low"])), compared(column, "<=", literal(node.args["high"]))
        values = ends[0] & ends[1]  # type: ignore[operator]
    else:
        only(node, "this", "expressions", fix="write x IN (1, 2, 3) with constants")
        if not node.expressions:
            raise unsupported(f"{piece(node)} has no list", "write x IN (1, 2, 3) with constants")
        values = one_of(column, [literal(one) for one in node.expressions])
    return _leaf(scope, subject, values, wanted)


def _bare(node: Any) -> Any:
    while type(node).__name__ == "Paren":
        node = node.this
    return node


def _leaf(scope: Scope, subject: Any, values: Values, wanted: bool) -> Condition:
    column = scope.column(_bare(subject))
    known = domain(column).known
    return Condition.of(column, values if wanted else known - values)  # type: ignore[operator]


def _missing(node: Any, scope: Scope, wanted: bool) -> Condition:
    if type(node.args["expression"]).__name__ != "Null":
        raise unsupported(f"{piece(node)} is not offered", "write IS NULL, or = TRUE")
    column = scope.column(_bare(node.this))
    whole = domain(column)
    return Condition.of(column, whole - whole.known if wanted else whole.known)  # type: ignore[operator]


def _two_sided(node: Any, sign: str, scope: Scope, wanted: bool) -> Condition:
    left, right = _bare(node.this), _bare(node.args["expression"])
    if is_literal(left) and is_literal(right):
        return _constant(_holds(literal(left), sign, literal(right), node) is wanted)
    if is_literal(left):
        left, right, sign = right, left, OPPOSITE[sign]
    if type(left).__name__ != "Column" or not is_literal(right):
        raise unsupported(f"{piece(node)} does not compare a column with a constant", _FORM)
    return _leaf(scope, left, compared(scope.column(left), sign, literal(right)), wanted)


def _holds(left: Literal, sign: str, right: Literal, node: Any) -> bool:
    if type(left) is not type(right):
        raise unsupported(f"{piece(node)} compares constants of two kinds", "compare a column with a constant")
    return bool(_HOLDS[sign](left, right))
