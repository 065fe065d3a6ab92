"""Which control asks for a parameter: by its type, and where that leaves it open by its name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from .field import Control
from .hints import literals, parts

__all__ = ["control_of"]

ONE_COLUMN = frozenset(
    "column target person latitude longitude density order outcome weight holding response value contributors".split()
)
"""Texts that name a column."""
COLUMNS = frozenset("columns block by top more".split())
"""Lists of texts that name columns; a text or a list of texts always does."""
IN_ORDER = frozenset({"geography", "order", "top"})
"""Columns whose order has a meaning."""
LEVELS = frozenset({"levels", "lowest", "highest"})
"""Whole numbers by column that are levels of its hierarchy."""


def control_of(name: str, hint: Any) -> Control:
    """The control for a parameter of this name and type; what no other control can hold is a value as in a plan.

    >>> control_of("k", int), control_of("columns", str | Sequence[str]), control_of("form", Literal["a", "b"])
    ('whole', 'columns', 'choice')
    >>> control_of("levels", Mapping[str, int]), control_of("percent", float | Mapping[str, float])
    ('levels', 'toml')
    """
    members = parts(hint)
    if name == "models":
        return "models"
    if literals(hint):
        return "choice"
    if members == (bool,) and NoneType not in get_args(hint):
        return "flag"
    if members and set(members) <= {int, float}:
        return "number" if float in members else "whole"
    return _of_texts(name, members) or _by_column(name, members) or ("loose" if _wordy(members) else "toml")


def _of_texts(name: str, members: Collection[Any]) -> Control | None:
    lists = [one for one in members if _list_of_texts(one)]
    if members and all(one is str for one in members):
        return "column" if name in ONE_COLUMN else "text"
    if not lists or len(lists) + (str in members) < len(members):
        return None
    if str not in members and name not in COLUMNS:
        return None
    return "places" if name in IN_ORDER else "columns"


def _list_of_texts(hint: Any) -> bool:
    origin = get_origin(hint)
    listed = isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping)
    return listed and set(get_args(hint)) - {Ellipsis} == {str}


def _by_column(name: str, members: Sequence[Any]) -> Control | None:
    if len(members) != 1 or not _mapping(members[0]):
        return None
    of = get_args(members[0])[1:]
    if of == (float,):
        return "numbers"
    return ("levels" if name in LEVELS else "wholes") if of == (int,) else None


def _mapping(hint: Any) -> bool:
    origin = get_origin(hint)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _wordy(members: Sequence[Any]) -> bool:
    """Whether a word without quotes may be meant."""
    return any(one in (str, Any) or get_origin(one) is Literal for one in members)
