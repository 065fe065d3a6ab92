"""``tacit compare ORIGINAL MASKED``: how much information was lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .options import Json

__all__ = ["add"]


def compare(
    original: Annotated[Path, typer.Argument(help="The original file.")],
    masked: Annotated[Path, typer.Argument(help="The masked file.")],
    as_json: Json = False,
) -> None:
    """Compare a masked file with its original: means, variances, correlations, suppressed cells.

    Example:  tacit compare patients.csv out/public/patients.csv
    """
    from ..loss import summary
    from ..release.read import read

    losses = summary(read(masked), original=read(original))
    if as_json:
        print(json.dumps([loss.as_json() for loss in losses], ensure_ascii=False, indent=2, default=str))
    else:
        print(losses)


def add(app: typer.Typer) -> None:
    """Put the command into the list."""
    app.command()(compare)
