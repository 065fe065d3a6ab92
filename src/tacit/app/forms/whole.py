"""A whole form: the fields of a method, model, attack, rule or measure, and the values that were typed into them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...errors import TacitError
from ...report.words import readable
from ..everyday import everyday
from .columns import Column, Columns
from .field import BY_COLUMN, Field, Value
from .mistakes import Mistakes
from .parameter import Parameter, parameters_of
from .read import ABSENT, Form, read
from .shown import in_words, shown

__all__ = ["fields_of", "parsed"]


def fields_of(
    call: Callable[..., Any],
    *,
    columns: Columns,
    say: Mapping[str, str],
    given: Mapping[str, Any] | None = None,
    example: Mapping[str, Any] | None = None,
) -> tuple[Field, ...]:
    """The fields for the parameters of a dataclass, of a section of a plan, or for the options of a measure.

    ``given`` are the values that stand in them, ``example`` those that the hints show, ``say`` the words of the form.
    """
    return tuple(_field(one, columns, say, given or {}, example or {}) for one in parameters_of(call))


def parsed(call: Callable[..., Any], form: Form, *, columns: Columns) -> dict[str, Any]:
    """The values of a plan that a form stands for; what is empty or as without it is left out.

    All mistakes come in one error, that of each parameter in its ``problems``. Keys of the form that are no parameters
    are not looked at.
    """
    found: dict[str, Any] = {}
    problems: dict[str, TacitError] = {}
    for one in parameters_of(call):
        try:
            value = read(one, form, columns)
            if value is ABSENT and one.required:
                raise TacitError("nothing is given", fix=f"fill in {readable(one.name)!r}", where=one.name)
        except TacitError as problem:
            problems[one.name] = problem
        else:
            found |= {} if value is ABSENT else {one.name: value}
    if problems:
        raise Mistakes.of(problems)
    return found


def _field(
    one: Parameter, columns: Columns, say: Mapping[str, str], given: Mapping[str, Any], example: Mapping[str, Any]
) -> Field:
    said = given.get(one.name)
    control = "toml" if one.control == "models" and said is not None else one.control
    value = shown(control, one.default if said is None and control in ("choice", "flag") else said)
    return Field(
        name=one.name,
        label=readable(one.name),
        control=control,
        required=one.required,
        value=value,
        default=in_words(one.default) if control != "flag" else "",
        choices=_choices(one, value, columns, say),
        highest=columns.heights if control == "levels" else {},
        help=everyday(one.help),
        hint=say["no_hierarchy"] if control == "levels" and not columns.heights else _hint(one, say, example),
    )


def _hint(one: Parameter, say: Mapping[str, str], example: Mapping[str, Any]) -> str:
    """Whether it is needed, an example of what is, what holds without it, and how it is written."""
    default = "" if one.control in ("choice", "flag") else in_words(one.default)
    chosen = one.control in ("choice", "flag", "columns", "column")  # nothing is typed there
    shown_example = in_words(example.get(one.name)) if not default and not chosen else ""
    words = [
        say["required"] if one.required else "",
        say["example"].format(example=shown_example) if shown_example and one.control != "models" else "",
        say["default"].format(default=default) if default else "",
        say.get(f"control_{one.control}", ""),
    ]
    return say["between"].join(word for word in words if word)


def _choices(one: Parameter, value: Value, columns: Columns, say: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    empty = ((("", say["choose"]) if one.required else ("", say["unset"])),)
    if one.control == "choice":
        listed = tuple((str(word), readable(str(word))) for word in one.literals)
        return listed if one.default is not None else empty + listed
    if one.control in ("column", "columns", *BY_COLUMN):
        offered = _offered(one, value, columns)
        named = tuple((column.name, _named(column, say)) for column in offered)
        return empty + named if one.control == "column" else named
    return ()


def _offered(one: Parameter, value: Value, columns: Columns) -> list[Column]:
    """The columns; those that are ticked first in their order, also one that the table has no more."""
    chosen = [value] if isinstance(value, str) and value else list(value) if isinstance(value, tuple | Mapping) else []
    known = {
        column.name: column for column in columns.every if one.control != "levels" or column.name in columns.heights
    }
    listed = [*chosen, *known] if one.control == "columns" else [*known, *chosen]
    return [known.get(name, Column(name=name)) for name in dict.fromkeys(listed)]


def _named(column: Column, say: Mapping[str, str]) -> str:
    words = [say.get(f"kind_{column.kind}", column.kind), say.get(f"role_{column.role}", column.role)]
    about = ", ".join(word for word in words if word)
    return f"{column.name} ({about})" if about else column.name
