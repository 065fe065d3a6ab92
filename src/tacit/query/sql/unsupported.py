"""The refusal of what is outside the allowed form, with the piece of text that is meant."""

from __future__ import annotations

from typing import Any

from ..refusal import Refusal


def unsupported_error(what: str, fix: str) -> Refusal:
    """A refusal of a piece of SQL."""
    return Refusal("unsupported_sql", what, fix=fix)


def quote_fragment(node: Any) -> str:
    """A part of the text as an error may show it: what the analyst typed, at most 60 characters of it."""
    from sqlglot import ErrorLevel

    try:
        text = str(node.sql(dialect="duckdb", unsupported_level=ErrorLevel.IGNORE))  # else it would log the text
    except Exception:  # a tree that sqlglot read but cannot write
        text = ""
    text = text or type(node).__name__.upper()
    return repr(text if len(text) <= 60 else text[:59] + "…")


def require_only(node: Any, *allowed: str, fix: str) -> None:
    """Refuse a node that has any part besides the allowed ones."""
    for name, value in node.args.items():
        if value and name not in allowed:
            shown = value[0] if isinstance(value, list) else value
            text = quote_fragment(shown) if hasattr(shown, "sql") else repr(f"{name} {shown}".upper())
            raise unsupported_error(f"{text} is not allowed here", fix)
