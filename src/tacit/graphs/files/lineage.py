"""Which node of the original each released node is: a file for internal eyes only."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...errors import TacitError
from ...release.files import load, save
from ...release.masked import checked_lineage

COLUMN = "node"


def write_lineage(lineage: np.ndarray, path: str | Path) -> None:
    """One row for each released node with the number of its original, −1 for an invented one."""
    import polars as pl

    save(pl.DataFrame({COLUMN: lineage}), path)


def read_lineage(path: str | Path, *, released: int, original: int) -> np.ndarray:
    """The lineage back from its file, checked against the sizes of both graphs."""
    import polars as pl

    frame = load(path).frame
    if not isinstance(frame, pl.DataFrame) or COLUMN not in frame.columns:
        raise TacitError(
            "is no lineage of nodes",
            code="malformed_file",
            where=str(path),
            fix="give internal/lineage.parquet of the job",
        )
    try:
        return checked_lineage(frame[COLUMN].to_numpy(), masked=released, original=original)
    except TacitError as problem:
        raise problem.with_location(str(path)) from None
