"""One text that was typed, as a number, a word or a value of a plan; an error says what was typed and what is needed."""

from __future__ import annotations

import math
import re
from typing import Any

from ...errors import TacitError, format_value
from ...toml_text import from_inline_toml

DIGITS = re.compile(r"[+-]?[0-9]+")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
"""A decimal comma, as most of Europe writes it."""
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:[,.'][0-9]{3})+")
"""What could be thousands with a sign between them; a point in a number with decimals is none."""
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def parse_decimal(text: str) -> int | float:
    """A finite number; without a point it is a whole one. A comma is one before decimals, where it can be nothing else.

    >>> parse_decimal("5"), parse_decimal("0.5"), parse_decimal("1e-6"), parse_decimal("7,5")
    (5, 0.5, 1e-06, 7.5)
    """
    if "," in text and THOUSANDS.fullmatch(text):
        raise _ambiguous_number_error(text)
    pointed = text.replace(",", ".") if COMMA.fullmatch(text) else text
    try:
        found = (
            int(pointed) if DIGITS.fullmatch(pointed) else float(pointed) if DECIMAL.fullmatch(pointed) else math.nan
        )
    except ValueError:  # thousands of digits
        found = math.nan
    if not math.isfinite(found):
        raise TacitError(
            f"{format_value(text)} is not a number",
            code="wrong_kind",
            fix="write digits, with a point before decimals, e.g. 0.05",
        )
    return found


def parse_whole(text: str) -> int:
    """A whole number; who copies one may write it as 1e3."""
    wrong = TacitError(
        f"{format_value(text)} is not a whole number", code="not_whole_number", fix="write digits alone, e.g. 5"
    )
    if THOUSANDS.fullmatch(text):
        digits = text.translate(dict.fromkeys(map(ord, ",.'")))
        raise wrong.restate(fix=f"write digits alone: {digits}")
    try:
        found = parse_decimal(text)
    except TacitError:
        raise wrong from None
    if isinstance(found, float) and not found.is_integer():
        raise wrong
    return int(found)


def parse_toml(text: str) -> Any:
    """A value as it stands in a plan; a number may have a decimal comma."""
    if COMMA.fullmatch(text):
        return parse_decimal(text)
    try:
        return from_inline_toml(text)
    except ValueError:
        raise _no_toml(text) from None


def parse_loose(text: str) -> Any:
    """A number, list or table as in a plan, and any other text as it is; one that looks like these is quoted.

    >>> parse_loose("1000"), parse_loose("month"), parse_loose("2001-01-31"), parse_loose('"7"'), parse_loose("{ income = 5 }")
    (1000, 'month', '2001-01-31', '7', {'income': 5})
    """
    if COMMA.fullmatch(text):
        return parse_decimal(text)
    try:
        found = from_inline_toml(text)
    except ValueError:
        if text[:1] in "[{\"'":
            raise _no_toml(text) from None
        return text
    return found if isinstance(found, bool | int | float | str | list | dict) else text


def _ambiguous_number_error(text: str) -> TacitError:
    digits = text.replace(",", "")
    point = f"{text.replace(',', '.')} for one with decimals, or " if text.count(",") == 1 else ""
    return TacitError(
        f"{format_value(text)} can be read in two ways" if point else f"{format_value(text)} is not a number",
        code="wrong_kind",
        fix=f"write {point}{digits} without a sign between thousands",
    )


def _no_toml(text: str) -> TacitError:
    fix = "write one value, e.g. 5, a list, e.g. [1, 2], or one by column, e.g. { income = 5 }; texts need quotes"
    return TacitError(f"{format_value(text)} cannot be read as a value of a plan", code="cannot_read", fix=fix)
