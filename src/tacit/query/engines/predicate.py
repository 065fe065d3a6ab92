"""A condition as SQL over codes: comparisons with whole numbers and with texts given as parameters, AND, OR."""

from __future__ import annotations

from ..condition import Condition
from ..value_set import Codes, Texts, Values
from .layout import Layout

__all__ = ["predicate"]


def predicate(condition: Condition, layout: Layout, texts: list[str]) -> str:
    """SQL that is true for the rows of the condition and false or unknown for the others.

    Texts are added to ``texts`` and stand as $1, $2, …; nothing else of the condition comes from an analyst but whole
    numbers. NOT does not occur, so unknown never turns into true. O(size).
    """
    if condition.constant:
        return "TRUE" if condition.met else "FALSE"
    paths = []
    for values, then in condition.branches:
        if then == Condition.nothing():
            continue
        here = _among(layout.code(condition.column), values, texts)
        paths.append(here if then == Condition.everything() else f"({here} AND {predicate(then, layout, texts)})")
    return f"({' OR '.join(paths)})"


def _among(name: str, values: Values, texts: list[str]) -> str:
    parts = _codes(name, values) if isinstance(values, Codes) else _texts(name, values, texts)
    if values.null:
        parts.append(f"{name} IS NULL")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _codes(name: str, values: Codes) -> list[str]:
    known = values.known.intervals
    alone = ", ".join(str(first) for first, last in known if first == last)
    ranges = [f"{name} BETWEEN {first} AND {last}" for first, last in known if first < last]
    return ([f"{name} IN ({alone})"] if alone else []) + ranges


def _texts(name: str, values: Texts, texts: list[str]) -> list[str]:
    places = []
    for text in values.listed:
        if text is not None:
            texts.append(text)
            places.append(f"${len(texts)}")
    if not places:
        return [f"{name} IS NOT NULL"] if values.others else []
    return [f"{name} {'NOT IN' if values.others else 'IN'} ({', '.join(places)})"]
