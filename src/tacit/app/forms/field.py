"""One field of a form, as the template lays it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Control: TypeAlias = Literal[
    "column",  # one column, from a list
    "columns",  # several columns, ticked
    "places",  # several columns whose order counts, numbered from 1
    "levels",  # a level of its hierarchy for each column
    "numbers",  # a number for each column
    "wholes",  # a whole number for each column
    "number",
    "whole",
    "text",
    "choice",
    "flag",
    "loose",  # a word, a number, or a list or table as in a plan
    "toml",  # a value as it stands in a plan
    "models",  # nothing to fill in: the models of the requirements
]
Value: TypeAlias = str | bool | tuple[str, ...] | Mapping[str, str]

BY_COLUMN: tuple[Control, ...] = ("places", "levels", "numbers", "wholes")
"""Controls with an input for each column, whose HTML name is ``parameter:column``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A parameter as a form asks for it.

    ``value`` stands in it now: a text, for a flag whether it is set, for ``columns`` their names, for the controls by
    column a text for each column that has one. ``default`` is what holds when it is left empty, ``hint`` says this or
    gives an example in words, ``help`` is a sentence of the method's own, ``highest`` the top level of each column.
    """

    name: str
    label: str
    control: Control
    required: bool
    value: Value
    default: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    highest: Mapping[str, int] = field(default_factory=dict)
    help: str = ""
    hint: str = ""
