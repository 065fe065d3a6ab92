"""Names and texts as SQL writes them, for the engines that hold releases and for those that answer questions."""

from __future__ import annotations


def quote_identifier(name: str) -> str:
    """A name as SQL writes it, whatever letters it has.

    >>> print(quote_identifier('a"b'))
    "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """A text as an SQL literal.

    >>> print(text_literal("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"
