"""Literals: numbers exactly as written, texts, dates, TRUE and FALSE."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..refusal import Refusal
from .unsupported import quote_fragment, unsupported_error

Literal = Fraction | str | date | bool

_NUMBER = re.compile(r"[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_REACH = 100  # digits before or after the point; beyond it a number is a way to fill memory


def is_literal(node: Any) -> bool:
    """Whether a node is a constant and no column."""
    kind = type(node).__name__
    if kind in ("Neg", "Paren"):
        return is_literal(node.this)
    return kind in ("Literal", "Boolean", "Null") or (kind == "Cast" and type(node.this).__name__ == "Literal")


def parse_literal(node: Any) -> Literal:
    """The value of a constant; a refusal for everything else, a missing value included."""
    kind = type(node).__name__
    if kind == "Paren":
        return parse_literal(node.this)
    if kind == "Boolean":
        return bool(node.this)
    if kind == "Literal" and node.is_string:
        return str(node.this)
    if kind == "Cast" and type(node.this).__name__ == "Literal":
        return _parse_date(node)
    if kind == "Null":
        raise unsupported_error("nothing is equal to NULL or unequal to it", "write IS NULL or IS NOT NULL")
    return parse_number(node)


def parse_number(node: Any) -> Fraction:
    """A number exactly as written, with an optional sign."""
    if type(node).__name__ == "Neg":
        return -parse_number(node.this)
    if type(node).__name__ != "Literal" or node.is_string:
        raise unsupported_error(f"{quote_fragment(node)} is not a plain number", "write a constant, e.g. 12 or -0.5")
    text = str(node.this)
    if not _NUMBER.fullmatch(text) or not any(letter.isdigit() for letter in text):
        raise unsupported_error(f"{text[:40]!r} is no number", "write decimal digits, e.g. 12 or 0.5 or 1e3")
    if len(text) > 3 * _REACH or abs(int(text.lower().partition("e")[2][:9] or 0)) > _REACH:
        raise Refusal("unknown_value", f"{text[:40]!r} is beyond 1e±{_REACH}", fix="write a smaller number")
    value = Decimal(text)
    return Fraction(value)


def _parse_date(node: Any) -> date:
    to, inner = node.args.get("to"), node.this
    extra = {name for name, value in node.args.items() if value and name not in ("this", "to")}
    if extra or str(to).upper() != "DATE" or not inner.is_string:
        raise unsupported_error(
            f"{quote_fragment(node)} is not offered", "compare with a plain literal; a date is DATE '2026-01-31'"
        )
    return day_of(str(inner.this))


def day_of(text: str) -> date:
    """The day of a text YYYY-MM-DD."""
    try:
        if not _DAY.fullmatch(text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise Refusal("unknown_value", f"{text[:40]!r} is no date", fix="write DATE '2026-01-31'") from None
