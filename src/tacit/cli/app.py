"""The list of commands."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING

import typer

from .attack import attack
from .audit import audit, suggest
from .compare import compare
from .explore import curve, explore
from .first_steps import demo, example, warm
from .graph import graph
from .integral import integral
from .methods import methods
from .party import party
from .query import query
from .release import release, synth
from .rules import rules
from .serve import serve, studio
from .table import table

if TYPE_CHECKING:
    from collections.abc import Callable


COMMANDS: dict[str, Callable[..., None] | typer.Typer] = {
    "release": release,
    "studio": studio,
    "audit": audit,
    "attack": attack,
    "explore": explore,
    "synth": synth,
    "table": table,
    "graph": graph,
    "rules": rules,
    "integral": integral,
    "curve": curve,
    "compare": compare,
    "serve": serve,
    "query": query,
    "party": party,
    "suggest": suggest,
    "methods": methods,
    "example": example,
    "demo": demo,
    "warm": warm,
}
"""Name → a command or a group of commands, in the order of the help."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"tacit {__version__}")
        raise typer.Exit


def global_options(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Show the version."),
) -> None:
    """Options of all commands."""


def _build_app(*names: str) -> typer.Typer:
    """The commands of these names."""
    made = typer.Typer(
        name="tacit",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="Measure how much a data release discloses, attack it, protect it, and show the result.\n\n"
        "Start with:  tacit demo   ·   tacit suggest FILE --plan plan.toml   ·   tacit release plan.toml",
    )
    made.callback()(global_options)
    for name in names:
        command = COMMANDS[name]
        if isinstance(command, typer.Typer):
            made.add_typer(command, name=name)
        else:
            made.command(name)(command)
    return made


app = _build_app(*COMMANDS)


def run_command() -> None:
    """Run what was typed, and exit; only the command that was named is built, and only once in a process."""
    _build_command(sys.argv[1] if len(sys.argv) > 1 else "")(standalone_mode=True)


@lru_cache
def _build_command(word: str) -> Callable[..., object]:
    return typer.main.get_command(_build_app(word) if word in COMMANDS else app)
