"""From the texts of a form to the values of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...errors import TacitError, instead, names, typed, unknown_column
from .columns import Columns
from .field import BY_COLUMN
from .parameter import Parameter
from .texts import decimal, loose, toml, whole

__all__ = ["ABSENT", "Form", "read"]

Form = Mapping[str, Sequence[str]]
ABSENT = object()
"""Nothing stands in the field."""


def read(asked: Parameter, form: Form, columns: Columns) -> Any:
    """The value of a parameter, or ABSENT; an error names the parameter in its place."""
    try:
        if asked.control in BY_COLUMN:
            return _by_column(asked, form, columns)
        texts = form.get(asked.name, ())
        if asked.control == "columns":
            return list(names(texts, columns.names)) or ABSENT
        text = texts[-1] if texts else ""
        if asked.control == "text":
            return text.replace("\r\n", "\n") or ABSENT
        return _single(asked, text.strip(), columns) if text.strip() else ABSENT
    except TacitError as problem:
        raise problem.at(asked.name) from None


def _single(asked: Parameter, text: str, columns: Columns) -> Any:
    if asked.control == "column":
        return names(text, columns.names)[0]
    if asked.control == "choice":
        return _chosen(asked, text)
    if asked.control == "flag":
        return _flag(asked, text)
    readers: dict[str, Callable[[str], Any]] = {"number": decimal, "whole": whole, "loose": loose}
    return readers.get(asked.control, toml)(text)


def _chosen(asked: Parameter, text: str) -> Any:
    known = {str(value): value for value in asked.literals}
    if text not in known:
        raise TacitError(f"{typed(text)} is none of the choices", fix=instead(text, list(known)))
    return ABSENT if known[text] == asked.default else known[text]


def _flag(asked: Parameter, text: str) -> Any:
    if text not in ("true", "false"):
        raise TacitError(f"{typed(text)} is neither true nor false", fix="tick the box or leave it empty")
    return ABSENT if (text == "true") == bool(asked.default) else text == "true"


def _by_column(asked: Parameter, form: Form, columns: Columns) -> Any:
    number = decimal if asked.control == "numbers" else whole
    found: dict[str, Any] = {}
    for column, text in _filled(asked.name, form):
        if column not in columns.names:
            raise unknown_column(column, columns.names)
        try:
            found[column] = number(text)
        except TacitError as problem:
            raise TacitError(f"has a wrong number: {problem.what}", column=column, fix=problem.fix) from None
    if asked.control == "levels":
        _check_levels(found, columns)
    return (_in_order(found) if asked.control == "places" else found) or ABSENT


def _filled(name: str, form: Form) -> Iterator[tuple[str, str]]:
    for key, texts in form.items():
        parameter, colon, column = key.partition(":")
        if parameter == name and colon and texts and texts[-1].strip():
            yield column, texts[-1].strip()


def _check_levels(levels: Mapping[str, int], columns: Columns) -> None:
    for column, level in levels.items():
        highest = columns.heights.get(column)
        if highest is None:
            raise TacitError("has no hierarchy", column=column, fix="give it one, or leave its level empty")
        if not 0 <= level <= highest:
            raise TacitError(f"has no level {level}", column=column, fix=f"give a level from 0 to {highest}")


def _in_order(places: Mapping[str, int]) -> list[str]:
    found: dict[int, str] = {}
    for column, place in places.items():
        if place < 1 or place in found:
            what = f"has the place {place}, as {found[place]!r} has" if place in found else f"has the place {place}"
            raise TacitError(what, column=column, fix="number the columns from 1 on, each with its own number")
        found[place] = column
    return [found[place] for place in sorted(found)]
