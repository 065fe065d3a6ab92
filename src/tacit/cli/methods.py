"""``tacit methods``: everything that Tacit has, with where it stands."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import Annotated, Any, Optional, get_args, get_type_hints

import typer

from .options import Json

__all__ = ["add", "listed_methods", "methods"]

ROOMS = ("risk", "models", "protect", "attack", "loss")


def methods(
    room: Annotated[Optional[str], typer.Argument(help=f"One of {', '.join(ROOMS)}; all when absent.")] = None,  # noqa: UP045
    tag: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(help="Keep those with this tag, e.g. --tag about=identity; repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List measures, models, masking methods, attacks and losses, with parameters, tags and an example.

    Example:  tacit methods protect   ·   tacit methods --tag about=attribute
    """
    from .options import pairs

    rows = listed_methods(room, pairs(tag, "--tag"))
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2, default=str))
        return
    for row in rows:
        tags = ", ".join(str(value) for value in row["tags"].values() if value)
        print(f"{row['room']:8} {row['name']:20} {row['catalogue']:6} {row['summary']}")
        print(f"{'':8} {'':20} {'':6} {', '.join(row['parameters']) or 'no parameters'}  [{tags}]")
        for word in ("use", "avoid"):
            if row[word]:
                print(f"{'':8} {'':20} {'':6} {word}: {row[word]}")
        if row["example"]:
            print(f"{'':8} {'':20} {'':6} example: {json.dumps(row['example'], ensure_ascii=False, default=str)}")


def listed_methods(room: str | None, wanted: dict[str, str]) -> list[dict[str, Any]]:
    """The entries of the rooms' ``ALL``, filtered by tags."""
    from importlib import import_module

    from ..entry import Tags
    from ..errors import TacitError, instead

    if room is not None and room not in ROOMS:
        raise TacitError(f"there is no room {room!r}", fix=instead(room, ROOMS))
    known = [field.name for field in fields(Tags)]
    for tag in wanted:
        if tag not in known:
            raise TacitError(f"there is no tag {tag!r}", fix=f"use {', '.join(known)}")
    for tag, value in wanted.items():
        values = sorted({str(word) for word in get_args(get_type_hints(Tags)[tag]) if isinstance(word, str)})
        if not any(value in word for word in values):
            raise TacitError(f"no {tag} is called {value!r}", fix=instead(value, values))
    found = []
    for name in ROOMS if room is None else (room,):
        for key, entry in import_module(f"..{name}", __package__).ALL.items():
            tags = asdict(entry.tags)
            if all(value in str(tags[tag]) for tag, value in wanted.items()):
                found.append(
                    {"room": name, "name": key, "catalogue": entry.catalogue, "summary": entry.summary,
                     "parameters": list(entry.parameters), "tags": tags, "use": entry.use, "avoid": entry.avoid,
                     "example": dict(entry.example)}
                )  # fmt: skip
    return found


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(methods)
