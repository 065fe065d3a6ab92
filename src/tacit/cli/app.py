"""The list of commands."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING

import typer

from . import (
    attack,
    audit,
    compare,
    curve,
    demo,
    example,
    explore,
    graph,
    integral,
    methods,
    party,
    query,
    release,
    rules,
    serve,
    studio,
    suggest,
    synth,
    table,
    warm,
)

if TYPE_CHECKING:
    from collections.abc import Callable


COMMANDS = {
    command.__name__.rpartition(".")[2]: command
    for command in (
        release, studio, audit, attack, explore, synth, table, graph, rules, integral, curve, compare, serve, query, party,
        suggest, methods, example, demo, warm,
    )
}  # fmt: skip
"""In the order of the help; each has the name of its file."""


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
        COMMANDS[name].add(made)
    return made


app = _build_app(*COMMANDS)


def run_command() -> None:
    """Run what was typed, and exit; only the command that was named is built, and only once in a process."""
    _build_command(sys.argv[1] if len(sys.argv) > 1 else "")(standalone_mode=True)


@lru_cache
def _build_command(word: str) -> Callable[..., object]:
    return typer.main.get_command(_build_app(word) if word in COMMANDS else app)
