"""What is refused before anything is parsed: long texts, deep ones, comments, odd characters, other statements."""

from __future__ import annotations

import unicodedata
from typing import Any

from ..refusal import Refusal
from .unsupported import unsupported

LONGEST = 10_000
"""Characters of a question."""

DEEPEST = 40
"""Open parentheses, NOTs and signs at one place: the parser is recursive."""

_FORM = "write SELECT … FROM a data set [WHERE …] [GROUP BY …]"
_UNREADABLE = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def screened(sql: object) -> list[Any]:
    """The tokens without a closing semicolon, once the text is known to be short, flat and of plain characters. O(length)."""
    if not isinstance(sql, str):
        raise Refusal(
            "bad_request", f"the question is a {type(sql).__name__}, not a text", fix='send "sql": "SELECT …"'
        )
    if len(sql) > LONGEST:
        raise Refusal("too_large", f"the question is longer than {LONGEST} characters", fix="ask in smaller parts")
    _plain_characters(sql)
    tokens = _tokens(sql)
    if tokens and tokens[-1].text == ";":
        tokens = tokens[:-1]
    if not tokens:
        raise unsupported("the question is empty", _FORM)
    _one_select(tokens)
    _flat(tokens)
    return tokens


def _plain_characters(sql: str) -> None:
    for place, letter in enumerate(sql):
        if letter not in "\t\n\r" and unicodedata.category(letter) in _UNREADABLE:
            raise unsupported(
                f"character {place + 1} is U+{ord(letter):04X}, which cannot be seen", "leave out control characters"
            )


def _tokens(sql: str) -> list[Any]:
    from sqlglot import Dialect
    from sqlglot.errors import SqlglotError

    try:
        return list(Dialect.get_or_raise("duckdb").tokenize(sql))
    except (SqlglotError, RecursionError):
        raise unsupported("the text is no SQL: a quote or a comment is not closed", "close it") from None


def _one_select(tokens: list[Any]) -> None:
    first = tokens[0].text.upper()
    if first == "WITH":
        raise unsupported("'WITH' is not offered", "ask one SELECT without common table expressions")
    if first != "SELECT":
        raise unsupported(f"{tokens[0].text[:40]!r} cannot start a question", _FORM)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.comments:
            raise unsupported("the text has a comment", "leave out -- and /* */")
        if token.text == ";" and token.token_type.name == "SEMICOLON":
            raise unsupported("';' ends a first statement and another follows", "ask one SELECT at a time")
        if after and token.token_type.name == "NUMBER" and after.start == token.end + 1 and after.text.isidentifier():
            raise unsupported(
                f"{token.text + after.text!r} is no number", "write decimal digits, e.g. 12 or 0.5 or 1e3"
            )


def _flat(tokens: list[Any]) -> None:
    open_now = run = 0
    for token in tokens:
        open_now += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        run = run + 1 if token.text.upper() in ("NOT", "-", "+", "~", "CASE") else 0
        if open_now + run > DEEPEST:
            raise Refusal("too_complex", f"more than {DEEPEST} levels of nesting", fix="leave out needless parentheses")
