"""``tacit warm``: compile the kernels once, so that no later run waits for it."""

from __future__ import annotations

import typer


def warm() -> None:
    """Compile all kernels (one or two minutes the first time; kept on disk).

    Example:  tacit warm
    """
    from ..kernels.warm import warm_kernels as compiled
    from .job import progress_bar

    with progress_bar() as progress:
        compiled(progress)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(warm)
