"""A line of [require] as a form: a model with its fields, a measure with its bound and options, the share of an attack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import TacitError, check_columns, format_value, suggest_alternative, unknown_column
from ...models import MODELS, Threshold
from ...plan.attack_run import ABOUT
from ...plan.parse import error_key
from ...plan.require import CHANCE, Requirements
from ...release.trace import to_plain_data
from ...report.words import to_prose
from ...risk import MEASURES
from ...toml_text import to_inline_toml
from ..plain_language import to_plain_language
from .field import BY_COLUMN, Control, Field, Value
from .parameter import Parameter, parameters_of
from .parse_text import parse_decimal, parse_loose, parse_toml, parse_whole

if TYPE_CHECKING:
    from ...release.release import Release

Form = Mapping[str, Sequence[str]]

ABSENT = object()
"""Nothing stands in the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a requirement on attacks holds: the share that they may reach at most."""

    at_most: float


def requirement_fields(name: str, given: Any = None, *, columns: Columns, say: Mapping[str, str]) -> tuple[Field, ...]:
    """The fields of a requirement by its plan name; ``given`` is what stands in the plan, a scalar or a table."""
    calls, first = _requirement_calls(name)
    content = given if isinstance(given, Mapping) else {} if given is None else {first: given}
    return tuple(
        one
        for call, example in calls
        for one in fields_of(call, columns=columns, say=say, given=content, example=example)
    )


def parsed_requirement(name: str, form: Form, *, columns: Columns) -> Any:
    """What stands in the plan for a requirement: a scalar where that says it all, else a table; checked by itself."""
    calls, first = _requirement_calls(name)
    found: dict[str, Any] = {}
    problems: dict[str, TacitError] = {}
    for call, _ in calls:
        try:
            found |= parse_form(call, form, columns=columns)
        except FormErrors as mistakes:
            problems |= mistakes.problems
    if problems:
        raise FormErrors.of(problems)
    content = found[first] if set(found) == {first} else found
    try:
        Requirements.of({name: content})
    except TacitError as problem:
        place = next(iter(error_key(problem, found)), first)
        raise FormErrors.of({place: problem.with_location(to_prose(name))}) from None
    return content


def _requirement_calls(name: str) -> tuple[tuple[tuple[Any, Mapping[str, Any]], ...], str]:
    """What has the fields of a requirement, each with an example, and the field that a scalar stands for."""
    if name in ABOUT:
        return ((Share, {"at_most": 0.6 if name in CHANCE else 0.05}),), "at_most"
    if name in MODELS:
        return ((MODELS[name].call, MODELS[name].example),), MODELS[name].parameters[0]
    if name in MEASURES:
        return ((Threshold, {}), (MEASURES[name].call, MEASURES[name].example)), "at_most"
    raise TacitError(
        f"the requirement {name!r} is unknown",
        code="unknown_name",
        fix=suggest_alternative(name, [*MODELS, *ABOUT, *MEASURES]),
    )


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
    return tuple(_make_field(one, columns, say, given or {}, example or {}) for one in parameters_of(call))


def parse_form(call: Callable[..., Any], form: Form, *, columns: Columns) -> dict[str, Any]:
    """The values of a plan that a form stands for; what is empty or as without it is left out.

    All mistakes come in one error, that of each parameter in its ``problems``. Keys of the form that are no parameters
    are not looked at.
    """
    found: dict[str, Any] = {}
    problems: dict[str, TacitError] = {}
    for one in parameters_of(call):
        try:
            value = read_parameter(one, form, columns)
            if value is ABSENT and one.required:
                raise TacitError(
                    "nothing is given", code="missing_parameter", fix=f"fill in {to_prose(one.name)!r}", where=one.name
                )
        except TacitError as problem:
            problems[one.name] = problem
        else:
            found |= {} if value is ABSENT else {one.name: value}
    if problems:
        raise FormErrors.of(problems)
    return found


def _make_field(
    one: Parameter, columns: Columns, say: Mapping[str, str], given: Mapping[str, Any], example: Mapping[str, Any]
) -> Field:
    said = given.get(one.name)
    control = "toml" if one.control == "models" and said is not None else one.control
    value = control_value(control, one.default if said is None and control in ("choice", "flag") else said)
    return Field(
        name=one.name,
        label=to_prose(one.name),
        control=control,
        required=one.required,
        value=value,
        default=in_words(one.default) if control != "flag" else "",
        choices=_field_choices(one, value, columns, say),
        highest=columns.heights if control == "levels" else {},
        help=to_plain_language(one.help),
        hint=say["no_hierarchy"] if control == "levels" and not columns.heights else _field_hint(one, say, example),
    )


def _field_hint(one: Parameter, say: Mapping[str, str], example: Mapping[str, Any]) -> str:
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


def _field_choices(
    one: Parameter, value: Value, columns: Columns, say: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    empty = ((("", say["choose"]) if one.required else ("", say["unset"])),)
    if one.control == "choice":
        listed = tuple((str(word), to_prose(str(word))) for word in one.literals)
        return listed if one.default is not None else empty + listed
    if one.control in ("column", "columns", *BY_COLUMN):
        offered = _offered_columns(one, value, columns)
        named = tuple((column.name, _column_label(column, say)) for column in offered)
        return empty + named if one.control == "column" else named
    return ()


def _offered_columns(one: Parameter, value: Value, columns: Columns) -> list[Column]:
    """The columns; those that are ticked first in their order, also one that the table has no more."""
    chosen = [value] if isinstance(value, str) and value else list(value) if isinstance(value, tuple | Mapping) else []
    known = {
        column.name: column for column in columns.every if one.control != "levels" or column.name in columns.heights
    }
    listed = [*chosen, *known] if one.control == "columns" else [*known, *chosen]
    return [known.get(name, Column(name=name)) for name in dict.fromkeys(listed)]


def _column_label(column: Column, say: Mapping[str, str]) -> str:
    words = [say.get(f"kind_{column.kind}", column.kind), say.get(f"role_{column.role}", column.role)]
    about = ", ".join(word for word in words if word)
    return f"{column.name} ({about})" if about else column.name


def control_value(control: Control, given: Any) -> Value:
    """What stands in a control for a value; empty for None.

    >>> control_value("columns", "income"), control_value("toml", {"income": 5}), control_value("places", ["zip", "town"])
    (('income',), '{ income = 5 }', {'zip': '1', 'town': '2'})
    """
    value = to_plain_data(given)
    if control == "flag":
        return bool(value)
    if control == "columns":
        return tuple(_as_list(value))
    if control == "places":
        return {column: str(place) for place, column in enumerate(_as_list(value), start=1)}
    if control in ("levels", "numbers", "wholes"):
        return {str(column): to_inline_toml(one) for column, one in (value or {}).items() if one is not None}
    if value is None:
        return ""
    return _as_typed(control, value)


def in_words(value: Any) -> str:
    """A default or an example in a hint, as one would type it; empty for None and for what is empty.

    >>> in_words(5), in_words(["income", "rent"]), in_words({"zip": 1}), in_words(())
    ('5', 'income, rent', '{ zip = 1 }', '')
    """
    found = to_plain_data(value)
    if found is None or (isinstance(found, list | dict | str) and not found):
        return ""
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return ", ".join(found)
    return found if isinstance(found, str) else to_inline_toml(found)


def _as_list(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else list(map(str, value))


def _as_typed(control: Control, value: Any) -> str:
    if not isinstance(value, str) or control in ("toml", "models"):
        return str(value) if control == "choice" else to_inline_toml(value)
    return to_inline_toml(value) if control == "loose" and not _is_bare_text(value) else value


def _is_bare_text(text: str) -> bool:
    """Whether a text that is typed without quotes is read as this text."""
    try:
        return text == text.strip() and "\n" not in text and parse_loose(text) == text
    except TacitError:
        return False


def read_parameter(asked: Parameter, form: Form, columns: Columns) -> Any:
    """The value of a parameter, or ABSENT; an error names the parameter in its place."""
    try:
        if asked.control in BY_COLUMN:
            return _by_column(asked, form, columns)
        texts = form.get(asked.name, ())
        if asked.control == "columns":
            return list(check_columns(texts, columns.names)) or ABSENT
        text = texts[-1] if texts else ""
        if asked.control == "text":
            return text.replace("\r\n", "\n") or ABSENT
        return _parse_single(asked, text.strip(), columns) if text.strip() else ABSENT
    except TacitError as problem:
        raise problem.with_location(asked.name) from None


def _parse_single(asked: Parameter, text: str, columns: Columns) -> Any:
    if asked.control == "column":
        return check_columns(text, columns.names)[0]
    if asked.control == "choice":
        return _parse_choice(asked, text)
    if asked.control == "flag":
        return _parse_flag(asked, text)
    readers: dict[str, Callable[[str], Any]] = {"number": parse_decimal, "whole": parse_whole, "loose": parse_loose}
    return readers.get(asked.control, parse_toml)(text)


def _parse_choice(asked: Parameter, text: str) -> Any:
    known = {str(value): value for value in asked.literals}
    if text not in known:
        raise TacitError(
            f"{format_value(text)} is none of the choices",
            code="unknown_name",
            fix=suggest_alternative(text, list(known)),
        )
    return ABSENT if known[text] == asked.default else known[text]


def _parse_flag(asked: Parameter, text: str) -> Any:
    if text not in ("true", "false"):
        raise TacitError(
            f"{format_value(text)} is neither true nor false", code="not_boolean", fix="tick the box or leave it empty"
        )
    return ABSENT if (text == "true") == bool(asked.default) else text == "true"


def _by_column(asked: Parameter, form: Form, columns: Columns) -> Any:
    number = parse_decimal if asked.control == "numbers" else parse_whole
    found: dict[str, Any] = {}
    for column, text in _filled_columns(asked.name, form):
        if column not in columns.names:
            raise unknown_column(column, columns.names)
        try:
            found[column] = number(text)
        except TacitError as problem:
            raise problem.restate(what=f"has a wrong number: {problem.what}", column=column) from None
    if asked.control == "levels":
        _check_levels(found, columns)
    return (_in_order(found) if asked.control == "places" else found) or ABSENT


def _filled_columns(name: str, form: Form) -> Iterator[tuple[str, str]]:
    for key, texts in form.items():
        parameter, colon, column = key.partition(":")
        if parameter == name and colon and texts and texts[-1].strip():
            yield column, texts[-1].strip()


def _check_levels(levels: Mapping[str, int], columns: Columns) -> None:
    for column, level in levels.items():
        highest = columns.heights.get(column)
        if highest is None:
            raise TacitError(
                "has no hierarchy", code="no_hierarchy", column=column, fix="give it one, or leave its level empty"
            )
        if not 0 <= level <= highest:
            raise TacitError(
                f"has no level {level}",
                code="unsuitable_column",
                column=column,
                fix=f"give a level from 0 to {highest}",
            )


def _in_order(places: Mapping[str, int]) -> list[str]:
    found: dict[int, str] = {}
    for column, place in places.items():
        if place < 1 or place in found:
            what = f"has the place {place}, as {found[place]!r} has" if place in found else f"has the place {place}"
            raise TacitError(
                what,
                code="unsuitable_column",
                column=column,
                fix="number the columns from 1 on, each with its own number",
            )
        found[place] = column
    return [found[place] for place in sorted(found)]


class FormErrors(TacitError):
    """One error for the whole form; ``problems`` has that of each parameter."""

    problems: Mapping[str, TacitError] = {}

    @staticmethod
    def of(problems: Mapping[str, TacitError]) -> FormErrors:
        """The mistakes as one error, in the order of the fields.

        >>> wrong = TacitError("'x' is not a number", code="wrong_kind", fix="write digits", where="k")
        >>> print(FormErrors.of({"k": wrong}))
        k: 'x' is not a number
          fix: write digits
        """
        every = list(problems.values())
        told = "; ".join(one.message for one in every)
        found = FormErrors(told, code="form_errors", fix="; ".join(dict.fromkeys(one.fix for one in every)))
        found.problems = dict(problems)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by name, with its role and kind in the words of a plan; empty where they are not known yet."""

    name: str
    role: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns in the order of the table, and the height of the hierarchy of each that has one."""

    every: tuple[Column, ...] = ()
    heights: Mapping[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the table."""
        return tuple(one.name for one in self.every)

    @staticmethod
    def of(release: Release) -> Columns:
        """Those of a release.

        >>> import polars as pl
        >>> from tacit import Release
        >>> r = Release(pl.DataFrame({"zip": ["N1A"]}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2]}})
        >>> Columns.of(r)
        Columns(every=(Column(name='zip', role='quasi', kind='nominal'),), heights={'zip': 2})
        """
        kinds = release.kinds
        every = (
            Column(name=name, role=release.roles.get(name, ""), kind=kinds.get(name, "")) for name in release.columns
        )
        heights = {name: release.hierarchies[name].height for name in release.columns if name in release.hierarchies}
        return Columns(every=tuple(every), heights=heights)
