"""One text that was typed, as a number, a word or a value of a plan; an error says what was typed and what is needed."""

from __future__ import annotations

import math
import re
from typing import Any

from ...errors import TacitError, typed
from .inline import uninlined

__all__ = ["decimal", "loose", "toml", "whole"]

DIGITS = re.compile(r"[+-]?[0-9]+")
COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def decimal(text: str) -> int | float:
    """A finite number; without a point it is a whole one.

    >>> decimal("5"), decimal("0.5"), decimal("1e-6")
    (5, 0.5, 1e-06)
    """
    try:
        found = int(text) if DIGITS.fullmatch(text) else float(text) if DECIMAL.fullmatch(text) else math.nan
    except ValueError:  # thousands of digits
        found = math.nan
    if not math.isfinite(found):
        raise TacitError(f"{typed(text)} is not a number", fix="write digits, with a point before decimals, e.g. 0.05")
    return found


def whole(text: str) -> int:
    """A whole number; browsers may write one as 1e3."""
    wrong = TacitError(f"{typed(text)} is not a whole number", fix="write digits alone, e.g. 5")
    try:
        found = decimal(text)
    except TacitError:
        raise wrong from None
    if isinstance(found, float) and not found.is_integer():
        raise wrong
    return int(found)


def toml(text: str) -> Any:
    """A value as it stands in a plan."""
    try:
        return uninlined(text)
    except ValueError:
        raise _no_toml(text) from None


def loose(text: str) -> Any:
    """A number, list or table as in a plan, and any other text as it is; one that looks like these is quoted.

    >>> loose("1000"), loose("month"), loose("2001-01-31"), loose('"7"'), loose("{ income = 5 }")
    (1000, 'month', '2001-01-31', '7', {'income': 5})
    """
    try:
        found = uninlined(text)
    except ValueError:
        if text[:1] in "[{\"'":
            raise _no_toml(text) from None
        return text
    return found if isinstance(found, bool | int | float | str | list | dict) else text


def _no_toml(text: str) -> TacitError:
    fix = "write one value, e.g. 5, a list, e.g. [1, 2], or one by column, e.g. { income = 5 }; texts need quotes"
    if COMMA.fullmatch(text):
        fix = f"write a point before decimals: {text.replace(',', '.')}"
    return TacitError(f"{typed(text)} cannot be read as a value of a plan", fix=fix)
