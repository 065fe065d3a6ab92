"""``tacit studio [FILE|PLAN|FOLDER]``: the whole job in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .serving import outlive_peers


def studio(
    target: Annotated[Path | None, typer.Argument(help="A data file, a plan, or a project's folder.")] = None,
    project: Annotated[
        Path | None,
        typer.Option(help="Folder of the project; NAME-studio beside the file when absent."),
    ] = None,
    port: Annotated[int, typer.Option(help="Port on the loopback address; any free one when 0.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
) -> None:
    """Open a page in which the whole job is done by clicks; it ends with a plan that repeats it.

    The page is served to this machine alone, and nothing leaves it. All work is kept in the project's folder.

    Example:  tacit studio patients.csv
    """
    from ..app import studio as opened

    outlive_peers()
    opened(target, project=project, port=port, browser=browser, say=typer.echo)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(studio)
