"""JSON taken at its word: no NaN, no doubled keys, no endless numbers or nestings."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from ..refusal import Refusal

DIGITS = 40
"""Digits of a number."""


def strict_json(body: bytes) -> dict[str, Any]:
    """The object in a body; decimals as they were typed, everything doubtful refused.

    >>> strict_json(b'{"spend": 0.1}')
    {'spend': Decimal('0.1')}
    """
    try:
        found = json.loads(
            body.decode("utf-8"), parse_float=_decimal, parse_int=_whole, parse_constant=_none, object_pairs_hook=_once
        )
    except (ValueError, RecursionError, InvalidOperation) as problem:
        if isinstance(problem, Refusal):
            raise
        raise _bad(
            "the body is not JSON in UTF-8", 'send e.g. {"sql": "SELECT COUNT(*) FROM patients", "spend": 0.1}'
        ) from None
    if not isinstance(found, dict):
        raise _bad("the body is no JSON object", 'send e.g. {"sql": "SELECT COUNT(*) FROM patients", "spend": 0.1}')
    return found


def _bad(what: str, fix: str) -> Refusal:
    return Refusal("bad_request", what, fix=fix)


def _short(text: str) -> str:
    if len(text) > DIGITS:
        raise _bad(f"a number has more than {DIGITS} digits", "send plain numbers")
    return text


def _decimal(text: str) -> Decimal:
    return Decimal(_short(text))


def _whole(text: str) -> int:
    return int(_short(text))


def _none(text: str) -> NoReturn:
    raise _bad(f"{text} is no number", "send a finite number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _bad("a key stands twice in the body", "give each key once")
    return found
