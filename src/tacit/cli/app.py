"""The list of commands."""

from __future__ import annotations

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
    suggest,
    synth,
    table,
    warm,
)

__all__ = ["app", "options"]

app = typer.Typer(
    name="tacit",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Measure how much a data release discloses, attack it, protect it, and show the result.\n\n"
    "Start with:  tacit demo   ·   tacit suggest FILE --plan plan.toml   ·   tacit release plan.toml",
)


def _version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"tacit {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Options of all commands."""


for command in (
    release, audit, attack, explore, synth, table, graph, rules, integral, curve, compare, serve, query, party, suggest,
    methods, example, demo, warm,
):  # fmt: skip
    command.add(app)
