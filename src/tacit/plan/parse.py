"""From the text of a plan file to a checked section model; every error gives line and key."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from ..errors import TacitError, format_value, nearest_name, suggest_alternative
from .schema import Section, WholePlan

Part = TypeVar("Part", bound=Section)

Whole = TypeVar("Whole", bound=WholePlan)

COMMANDS = {"microdata": "tacit release", "table": "tacit table protect", "graph": "tacit graph protect"}
"""The command that does the job of a plan, by what the plan is about."""

HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")

KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")


def text_of(path: str | Path) -> str:
    """The text of a plan file."""
    if not isinstance(path, str | Path):
        raise TacitError(
            f"a plan is loaded from a file, not from a {type(path).__name__}", code="out_of_range", fix="give its path"
        )
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as problem:
        known = [found.name for found in file.parent.glob("*.toml")] if file.parent.is_dir() else []
        near = nearest_name(file.name, known)
        fix = f"did you mean {near!r}?" if near else "write one with: tacit suggest FILE --plan plan.toml"
        raise TacitError(f"there is no plan file {str(path)!r}", code="path_not_found", fix=fix) from problem
    except (OSError, UnicodeDecodeError) as problem:
        raise TacitError(
            f"the plan {str(path)!r} cannot be read as UTF-8 text",
            code="cannot_read",
            fix="give the path of a TOML file",
        ) from problem
    return text


def parse_plan(text: str, name: str, whole: type[Whole]) -> Whole:
    """The plan in a text, checked against the sections that it may have."""
    given, noun = _parse_toml(text, name), noun_in(text, name)
    if noun in COMMANDS and noun != whole.NOUN:
        raise TacitError(
            f"this is a plan about {noun}, not about {whole.NOUN}",
            code="invalid_plan",
            fix=f"use: {COMMANDS[noun]} {name}",
            where=name,
        )
    return parse_section(given, whole, text, name)


def parse_section(
    given: Mapping[str, Any], model: type[Part], text: str, name: str, above: tuple[str | int, ...] = ()
) -> Part:
    """What stands in a part of a plan (``above``: the keys that lead to it), checked against its model."""
    try:
        return model.model_validate(given)
    except ValidationError as problem:
        # An unknown key explains a missing one: [requires] instead of [require].
        first = min(problem.errors(), key=lambda error: error["type"] != "extra_forbidden")
        raise _schema_error(first, model).with_location(where_in(name, text, (*above, *_shown_key(first)))) from None


def _parse_toml(text: str, name: str) -> dict[str, Any]:
    """The plan as TOML reads it, before anything is checked."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        data = Path(name).suffix.lower() not in ("", ".toml")
        fix = (
            f"a data file? tacit suggest {name} --plan plan.toml"
            if data
            else (
                "mend that line; texts need quotes, yes and no are true and false, there is no None (leave the key out)"
            )
        )
        raise TacitError(f"is not TOML: {problem}", code="malformed_file", fix=fix, where=name) from None


def noun_in(text: str, name: str) -> object:
    """What a plan is about: as it says, or by the section that only such plans have."""
    given = _parse_toml(text, name)
    data = given.get("data")
    said = data.get("noun") if isinstance(data, Mapping) else None
    return said or next((noun for noun in COMMANDS if noun in given), "microdata" if "roles" in given else None)


def error_key(problem: TacitError, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The key that an error speaks of, if it names one of those given."""
    return next(
        (
            (key,)
            for key in given
            if f"{key}=" in problem.what or repr(key) in problem.what or f"{key} " in problem.what
        ),
        (),
    )


def where_in(name: str, text: str, path: Sequence[str | int]) -> str:
    """Where a key of a plan stands, as an error says it."""
    line = line_of(text, tuple(path))
    key = ".".join(str(part) for part in path if not isinstance(part, int))
    return f"{name}, line {line}, {key}" if line else f"{name}, {key}"


def _schema_error(error: Any, model: type[Section]) -> TacitError:
    """Pydantic's first complaint in our words."""
    path = _error_path(error)
    key = str(path[-1])
    if error["type"] == "extra_forbidden":
        what, fix = f"the key {key!r} is unknown", suggest_alternative(key, _known_keys(path[:-1], model))
    elif error["type"] == "missing":
        what, fix = f"the key {key!r} is missing", f"add {key!r}"
    elif error["type"] == "list_type" and path in (("protect",), ("attack",), ("rule",), ("mark",)):
        what, fix = f"[{key}] is no list of steps", f'write each step as [[{key}]] with two brackets and method = "…"'
    elif error["type"] == "list_type":
        what, fix = (
            f"{format_value(error['input'])} is no list",
            f"put it into brackets, e.g. {key} = [{_toml_example(error['input'])}]",
        )
    elif error["type"] == "literal_error":
        words = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        what, fix = f"{format_value(error['input'])} is unknown", suggest_alternative(str(error["input"]), words)
    else:
        what, fix = f"{error['msg'][0].lower()}{error['msg'][1:]}", "correct the value"
    return TacitError(what, code="unknown_name", fix=fix)


def _toml_example(given: object) -> str:
    return f'"{given}"' if isinstance(given, str) else "…"


def _error_path(error: Any) -> tuple[str | int, ...]:
    """The keys that lead to what is complained of, without the names of types that Pydantic puts between them."""
    words = ("str", "Identifier", "list[str]", "float", "dict[str,float]")
    return tuple(part for part in error["loc"] if not (isinstance(part, str) and part in words))


def _shown_key(error: Any) -> tuple[str | int, ...]:
    """The key whose line is shown: that of the section where one is missing."""
    path = _error_path(error)
    return path[:-1] or path if error["type"] == "missing" else path


def _known_keys(path: tuple[str | int, ...], model: Any) -> list[str]:
    """The keys that may stand at a place of a plan."""
    for part in path:
        if isinstance(part, int):
            continue
        inside = _section_models(model.model_fields[part].annotation) if part in model.model_fields else []
        if not inside:
            return []
        model = inside[0]
    return list(model.model_fields)


def _section_models(annotation: Any) -> list[Any]:
    """The sections that a field is made of: itself, or those in a list or among alternatives."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _section_models(part)]


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line (from 1) of the deepest part of ``path`` that has a line of its own.

    >>> line_of('[data]\\npath = "a.csv"\\n[[protect]]\\nmethod = "x"\\npercent = 5', ("protect", 0, "percent"))
    5
    """
    lines = _key_lines(text)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def _key_lines(text: str) -> dict[tuple[str | int, ...], int]:
    found: dict[tuple[str | int, ...], int] = {}
    arrays: dict[tuple[str, ...], int] = {}
    section: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = HEADER.match(line), KEY.match(line)
        if header:
            named = _split_dotted_key(header[2])
            if header[1] == "[[":
                arrays[named] = arrays.get(named, -1) + 1
            section = (*named, arrays[named]) if named in arrays else named
            found.setdefault(section, number)
            found.setdefault(named, number)
        elif key:
            found.setdefault((*section, *_split_dotted_key(key[1])), number)
    return found


def _split_dotted_key(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", dotted))
