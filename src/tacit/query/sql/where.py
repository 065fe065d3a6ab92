"""WHERE as a condition: NOT is carried down to the comparisons, as SQL's three-valued logic wants it."""

from __future__ import annotations

import operator
from typing import Any

from ..condition import Condition
from ..value_set import Values, column_domain
from .comparison import OPPOSITE, matching_values, one_of
from .literal import Literal, is_literal, parse_literal
from .scope import Scope
from .unsupported import quote_fragment, require_only, unsupported_error

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


def parse_condition(node: Any, scope: Scope, wanted: bool = True) -> Condition:
    """The rows for which an expression is TRUE (or, not ``wanted``, FALSE); for the others it is that or unknown.

    Kleene: NOT (a AND b) is FALSE or TRUE where one of a, b is; the negation of a comparison leaves NULL out as well.
    """
    kind = type(node).__name__
    if kind in ("And", "Or"):
        parts = [parse_condition(part, scope, wanted) for part in split_chain(node, kind)]
        return _combine_pairwise(parts, both=(kind == "And") is wanted)
    if kind in ("Paren", "Not"):
        return parse_condition(node.this, scope, wanted if kind == "Paren" else not wanted)
    if kind == "Boolean":
        return _constant_condition(bool(node.this) is wanted)
    return _parse_comparison(node, kind, scope, wanted)


def split_chain(node: Any, kind: str) -> list[Any]:
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


def _combine_pairwise(parts: list[Condition], *, both: bool) -> Condition:
    """In pairs, so that no long chain is carried through every step."""
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [a & b if both else a | b for a, b in pairs] + parts[len(parts) & ~1 :]
    return parts[0]


def _constant_condition(met: bool) -> Condition:
    return Condition.everything() if met else Condition.nothing()


def _parse_comparison(node: Any, kind: str, scope: Scope, wanted: bool) -> Condition:
    if kind in OPERATORS:
        return _two_sided(node, OPERATORS[kind], scope, wanted)
    subject = node if kind == "Column" else node.args.get("this")
    if kind not in ("Column", "Between", "In", "Is") or type(_strip_parentheses(subject)).__name__ != "Column":
        raise unsupported_error(f"{quote_fragment(node)} is no condition that is offered", _FORM)
    column = scope.column(_strip_parentheses(subject))
    if kind == "Is":
        return _null_condition(node, scope, wanted)
    if kind == "Column":
        if column.kind != "boolean":
            raise unsupported_error(f"{column.name!r} alone is no condition", _FORM)
        values = one_of(column, [True])
    elif kind == "Between":
        require_only(node, "this", "low", "high", fix="write x BETWEEN 1 AND 2")
        ends = (
            matching_values(column, ">=", parse_literal(node.args["low"])),
            matching_values(column, "<=", parse_literal(node.args["high"])),
        )
        values = ends[0] & ends[1]  # type: ignore[operator]
    else:
        require_only(node, "this", "expressions", fix="write x IN (1, 2, 3) with constants")
        if not node.expressions:
            raise unsupported_error(f"{quote_fragment(node)} has no list", "write x IN (1, 2, 3) with constants")
        values = one_of(column, [parse_literal(one) for one in node.expressions])
    return _column_condition(scope, subject, values, wanted)


def _strip_parentheses(node: Any) -> Any:
    while type(node).__name__ == "Paren":
        node = node.this
    return node


def _column_condition(scope: Scope, subject: Any, values: Values, wanted: bool) -> Condition:
    column = scope.column(_strip_parentheses(subject))
    known = column_domain(column).without_null
    return Condition.of(column, values if wanted else known - values)  # type: ignore[operator]


def _null_condition(node: Any, scope: Scope, wanted: bool) -> Condition:
    if type(node.args["expression"]).__name__ != "Null":
        raise unsupported_error(f"{quote_fragment(node)} is not offered", "write IS NULL, or = TRUE")
    column = scope.column(_strip_parentheses(node.this))
    whole = column_domain(column)
    return Condition.of(column, whole - whole.without_null if wanted else whole.without_null)  # type: ignore[operator]


def _two_sided(node: Any, sign: str, scope: Scope, wanted: bool) -> Condition:
    left, right = _strip_parentheses(node.this), _strip_parentheses(node.args["expression"])
    if is_literal(left) and is_literal(right):
        return _constant_condition(_compare_constants(parse_literal(left), sign, parse_literal(right), node) is wanted)
    if is_literal(left):
        left, right, sign = right, left, OPPOSITE[sign]
    if type(left).__name__ != "Column" or not is_literal(right):
        raise unsupported_error(f"{quote_fragment(node)} does not compare a column with a constant", _FORM)
    return _column_condition(scope, left, matching_values(scope.column(left), sign, parse_literal(right)), wanted)


def _compare_constants(left: Literal, sign: str, right: Literal, node: Any) -> bool:
    if type(left) is not type(right):
        raise unsupported_error(
            f"{quote_fragment(node)} compares constants of two kinds", "compare a column with a constant"
        )
    return bool(_HOLDS[sign](left, right))
