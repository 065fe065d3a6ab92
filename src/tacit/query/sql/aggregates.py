"""The aggregates of a SELECT: COUNT(*), COUNT(DISTINCT unit), SUM, AVG, VARIANCE, QUANTILE and MEDIAN."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..question import Aggregate, What
from .literal import parse_number
from .scope import Scope
from .unsupported import quote_fragment, require_only, unsupported_error

OFFERED = "COUNT(*), COUNT(DISTINCT unit), SUM, AVG, VARIANCE, QUANTILE(x, 0.9) and MEDIAN are offered"

_OF_A_COLUMN: dict[str, What] = {
    "Sum": "sum",
    "Avg": "mean",
    "Variance": "variance",
    "Quantile": "quantile",
    "Median": "quantile",
}


def parse_aggregate(node: Any, scope: Scope) -> Aggregate | None:
    """The aggregate that a node means; None where it is no function of a group."""
    kind = type(node).__name__
    if kind == "Count":
        return _parse_count(node, scope)
    if kind == "Anonymous" and str(node.this).upper() == "VAR" and len(node.expressions) == 1:
        return _make_statistic("variance", node.expressions[0], Fraction(0), scope)
    if kind == "VariancePop":
        raise unsupported_error(
            f"{quote_fragment(node)} divides by n", "write VARIANCE or VAR_SAMP, which divide by n - 1"
        )
    if kind not in _OF_A_COLUMN:
        return None
    require_only(node, "this", "quantile", fix=OFFERED)
    return _make_statistic(_OF_A_COLUMN[kind], node.this, _parse_share(node, kind), scope)


def default_name(one: Aggregate) -> str:
    """The name of an aggregate that the analyst gave none.

    >>> default_name(Aggregate("quantile", "income", Fraction(9, 10))), default_name(Aggregate("count"))
    ('quantile_0.9_income', 'count')
    """
    share = f"{float(one.share):g}" if one.what == "quantile" else ""
    return "_".join(part for part in (one.what, share, one.column.replace(".", "_")) if part)


def _parse_count(node: Any, scope: Scope) -> Aggregate:
    require_only(node, "this", "big_int", fix="write COUNT(*)")
    inner = node.this
    if type(inner).__name__ == "Star" and not any(inner.args.values()):
        return Aggregate("count")
    if type(inner).__name__ == "Distinct" and [type(one).__name__ for one in inner.expressions] == ["Column"]:
        require_only(inner, "expressions", fix="write COUNT(DISTINCT unit)")
        if scope.is_unit(inner.expressions[0]):
            return Aggregate("units")
    unit = scope.schema.unit
    fix = f"write COUNT(*) or COUNT(DISTINCT {unit})" if unit else "write COUNT(*): every row is another unit"
    raise unsupported_error(
        f"{quote_fragment(node)} is not offered", f"{fix}; values that are there: … WHERE column IS NOT NULL"
    )


def _parse_share(node: Any, kind: str) -> Fraction:
    if kind == "Median":
        return Fraction(1, 2)
    if kind != "Quantile":
        return Fraction(0)
    if node.args.get("quantile") is None:
        raise unsupported_error(f"{quote_fragment(node)} does not say which quantile", "write QUANTILE(x, 0.9)")
    share = parse_number(node.args["quantile"])
    if not 0 <= share <= 1:
        raise unsupported_error(f"{quote_fragment(node)} asks for a share outside 0 to 1", "write QUANTILE(x, 0.9)")
    return share


def _make_statistic(what: What, inner: Any, share: Fraction, scope: Scope) -> Aggregate:
    if type(inner).__name__ != "Column":
        raise unsupported_error(
            f"{quote_fragment(inner)} is no column", f"write the name of a column: {what.upper()}(column)"
        )
    column = scope.column(inner)
    if not column.is_numeric:
        raise unsupported_error(f"{column.name!r} holds no numbers", "aggregate a column that is integer or number")
    column.bounds()
    return Aggregate(what, column.name, share)
