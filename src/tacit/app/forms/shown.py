"""From the values of a plan to what stands in a field."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError
from ...release.trace import plain
from .field import Control, Value
from .inline import inline
from .texts import loose

__all__ = ["in_words", "shown"]


def shown(control: Control, given: Any) -> Value:
    """What stands in a control for a value; empty for None.

    >>> shown("columns", "income"), shown("toml", {"income": 5}), shown("places", ["zip", "town"])
    (('income',), '{ income = 5 }', {'zip': '1', 'town': '2'})
    """
    value = plain(given)
    if control == "flag":
        return bool(value)
    if control == "columns":
        return tuple(_listed(value))
    if control == "places":
        return {column: str(place) for place, column in enumerate(_listed(value), start=1)}
    if control in ("levels", "numbers", "wholes"):
        return {str(column): inline(one) for column, one in (value or {}).items() if one is not None}
    if value is None:
        return ""
    return _as_typed(control, value)


def in_words(value: Any) -> str:
    """A default or an example in a hint, as one would type it; empty for None and for what is empty.

    >>> in_words(5), in_words(["income", "rent"]), in_words({"zip": 1}), in_words(())
    ('5', 'income, rent', '{ zip = 1 }', '')
    """
    found = plain(value)
    if found is None or (isinstance(found, list | dict | str) and not found):
        return ""
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return ", ".join(found)
    return found if isinstance(found, str) else inline(found)


def _listed(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(map(str, value))


def _as_typed(control: Control, value: Any) -> str:
    if not isinstance(value, str) or control in ("toml", "models"):
        return str(value) if control == "choice" else inline(value)
    return inline(value) if control == "loose" and not _bare(value) else value


def _bare(text: str) -> bool:
    """Whether a text that is typed without quotes is read as this text."""
    try:
        return text == text.strip() and "\n" not in text and loose(text) == text
    except TacitError:
        return False
