"""``tacit methods``: everything that Tacit has: a list, or all about one."""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, asdict, fields, is_dataclass
from typing import Annotated, Any, get_args, get_type_hints

import typer

from ..toml_text import to_inline_toml
from .options import Json, parse_pairs
from .terminal import print_json

ROOMS = (
    "risk", "models", "protect", "attack", "loss", "tables",
    "graphs.risk", "graphs.protect", "graphs.synth", "graphs.attack", "graphs.loss",
)  # fmt: skip
LISTED = (*ROOMS, "formats")
"""What the list has: the entries of registries, and the file formats."""
REGISTRIES = {"risk": "MEASURES", "models": "MODELS", "protect": "METHODS", "attack": "ATTACKS", "loss": "LOSSES"}
"""What the registry of a package is called, where that is not ALL."""
INDENT = 22
WIDEST = 110


def methods(
    which: Annotated[
        str | None,
        typer.Argument(help=f"One of {', '.join(LISTED)}, or the name of a method; all when absent."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(help="Keep those with this tag, e.g. --tag about=identity; repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List measures, models, masking methods, attacks, losses and file formats, or show one with its parameters.

    Example:  tacit methods protect   ·   tacit methods rank_swap   ·   tacit methods --tag about=attribute
    """
    rows = listed_methods(which, parse_pairs(tag, "--tag"))
    if as_json:
        print_json(rows)
    elif which is None or which in LISTED:
        _print_list(rows)
    else:
        for row in rows:
            print("\n".join(_describe_entry(row)))


def _print_list(rows: list[dict[str, Any]]) -> None:
    """One line or two for each, room by room."""
    room = ""
    for row in rows:
        if row["room"] != room:
            room = row["room"]
            print(f"{room}:")
        print(_wrap_text(f"  {row['name']}".ljust(INDENT), row["summary"]))
    print("\nall about one: tacit methods NAME")


def _describe_entry(row: dict[str, Any]) -> Iterator[str]:
    """All about one."""
    yield _wrap_text(f"{row['room']}: {row['name']}  ", row["summary"])
    for word in ("use", "avoid"):
        if row[word]:
            yield _wrap_text(f"  {word} it when".ljust(INDENT), row[word])
    for name, said in row["parameters"].items():
        yield _wrap_text(f"  {name}".ljust(INDENT), said)
    if row["tags"]:
        yield _wrap_text("  stands for".ljust(INDENT), ", ".join(str(value) for value in row["tags"].values() if value))
    if row["example"]:
        yield "  in a plan:"
        yield from (f"    {line}" for line in row["example"].splitlines())


def _wrap_text(head: str, text: str) -> str:
    width = min(WIDEST, shutil.get_terminal_size((100, 24)).columns)
    return textwrap.fill(text, width, initial_indent=head, subsequent_indent=" " * INDENT, break_on_hyphens=False)


def listed_methods(which: str | None, wanted: dict[str, str]) -> list[dict[str, Any]]:
    """The entries of the registries and the file formats: all, those of a room or those of a name, filtered by tags."""
    from ..errors import TacitError, suggest_alternative

    _check_tags(wanted)
    found = []
    for room in (which,) if which in ROOMS else () if which == "formats" else ROOMS:
        for name, entry in registry_entries(room).items():
            tags = asdict(entry.tags)
            named = which is None or which in (room, name)
            if named and all(value in str(tags[tag]) for tag, value in wanted.items()):
                found.append(
                    {"room": room, "name": name, "summary": entry.summary,
                     "parameters": _describe_parameters(entry), "tags": tags, "use": entry.use, "avoid": entry.avoid,
                     "example": _plan_example(room, name, entry)}
                )  # fmt: skip
    found += format_rows(which) if not wanted else []
    if not found and which is not None and which not in LISTED:
        known = [name for room in ROOMS for name in registry_entries(room)] + [row["name"] for row in format_rows()]
        raise TacitError(
            f"there is no room or method {which!r}",
            code="wrong_type",
            fix=suggest_alternative(which, [*LISTED, *known]),
        )
    return found


def registry_entries(room: str) -> dict[str, Any]:
    """The registry of a room; the rooms of networks stand together in one."""
    from importlib import import_module

    networks = room.startswith("graphs.")
    module = import_module("..graphs.registry" if networks else f"..{room}", __package__)
    everything = getattr(module, REGISTRIES.get(room, "ALL"))
    found: dict[str, Any] = everything[room.removeprefix("graphs.")] if networks else everything
    return found


def format_rows(which: str | None = None) -> list[dict[str, Any]]:
    """The file formats, or the one of that name; they have suffixes instead of parameters and tags."""
    from ..release.files.formats import FORMATS

    return [
        {"room": "formats", "name": name,
         "summary": f"{form.title}, {'read and written' if form.written else 'read'}: {', '.join(form.suffixes)}",
         "parameters": {}, "tags": {}, "use": "", "avoid": "", "example": f'[data]\npath = "data{form.suffixes[0]}"'}
        for name, form in FORMATS.items() if which in (None, "formats", name)
    ]  # fmt: skip


def _check_tags(wanted: dict[str, str]) -> None:
    from ..errors import TacitError, suggest_alternative
    from ..registry import Tags

    known = [field.name for field in fields(Tags)]
    for tag, value in wanted.items():
        if tag not in known:
            raise TacitError(f"there is no tag {tag!r}", code="wrong_type", fix=f"use {', '.join(known)}")
        values = sorted({str(word) for word in get_args(get_type_hints(Tags)[tag]) if isinstance(word, str)})
        if not any(value in word for word in values):
            raise TacitError(
                f"no {tag} is called {value!r}", code="invalid_parameter", fix=suggest_alternative(value, values)
            )


def _describe_parameters(entry: Any) -> dict[str, str]:
    """Each parameter with its type and default."""
    if not is_dataclass(entry.call):
        return dict.fromkeys(entry.parameters, "an option")
    said = {}
    for one in fields(entry.call):
        kind = _format_type(entry.call, str(one.type))
        if one.default is MISSING and one.default_factory is MISSING:
            said[one.name] = f"{kind}, required"
        else:
            said[one.name] = kind if one.default in (MISSING, None) else f"{kind} = {one.default!r}"
    return said


def _format_type(call: Any, kind: str) -> str:
    """A type as it is read by people: the words of a literal instead of its name."""
    from importlib import import_module

    meant = getattr(import_module(call.__module__), kind, None)
    words = get_args(meant) if str(meant).startswith("typing.Literal") else ()
    return " | ".join(map(repr, words)) if words else re.sub(r"Literal\[([^]]*)\]", r"\1", kind).replace('"', "'")


def _plan_example(room: str, name: str, entry: Any) -> str:
    """How it stands in a plan; measures are taken by every run."""
    if room == "protect":
        from ..protect import to_json
        from ..release.trace import to_plain_data

        made = to_json(entry.call(**entry.example))
        return "\n".join(
            step_lines(room, {key: to_plain_data(made[key]) for key in made if key == "method" or key in entry.example})
        )
    if room in ("graphs.protect", "graphs.attack"):
        return "\n".join(step_lines(room.removeprefix("graphs."), {"method": name, **entry.example}))
    if room == "attack":
        return "\n".join(step_lines(room, {"method": name, **entry.example}))
    if room == "tables" and entry.tags.kind == "model":
        return "\n".join(step_lines("rule", {"method": name, **entry.example}))
    if room == "models":
        first = entry.parameters[0]
        given = entry.example[first] if list(entry.example) == [first] else dict(entry.example)
        return f"[require]\n{name} = {to_inline_toml(given)}"
    return ""


def step_lines(section: str, given: Mapping[str, Any], *, without: Iterable[str] = ()) -> list[str]:
    """The lines of a step of a plan.

    >>> step_lines("protect", {"method": "suppress_records", "k": 3})
    ['[[protect]]', 'method = "suppress_records"', 'k = 3']
    """
    kept = {key: value for key, value in given.items() if value is not None and key not in set(without)}
    return [f"[[{section}]]", *(f"{key} = {to_inline_toml(value)}" for key, value in kept.items())]
