"""Which row of a masked file was made from which row of the original, as the user says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from ..errors import TacitError, names
from ..release.masked import checked_lineage
from ..release.read import read
from ..release.release import Release

__all__ = ["Pairing", "paired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Exactly one of: a column that names the person in both files, the same order, the lineage file of a job."""

    key: str | None = None
    same_order: bool = False
    lineage: Path | None = None

    def __post_init__(self) -> None:
        if (self.key is not None) + self.same_order + (self.lineage is not None) != 1:
            raise TacitError(
                "it is not said which rows belong together",
                fix="give one of --key COLUMN, --same-order, --lineage FILE",
            )


def paired(released: Release, original: Release, pairing: Pairing) -> np.ndarray:
    """The original row of every released row; −1 where there is none."""
    if pairing.key is not None:
        return _by_key(released, original, pairing.key)
    if pairing.lineage is not None:
        return checked_lineage(read(pairing.lineage).values("row"), masked=released.size, original=original.size)
    if released.size != original.size:
        raise TacitError(
            f"the masked file has {released.size} rows, the original {original.size}: not the same order",
            fix="give --key COLUMN or --lineage FILE",
        )
    return np.arange(released.size)


def _by_key(released: Release, original: Release, key: str) -> np.ndarray:
    for file in (released, original):
        names(key, file.columns)
    known = original.series(key).cast(pl.String)
    if known.null_count() or known.n_unique() < len(known):
        raise TacitError(
            "does not name one row each in the original", column=key, fix="name a column without doubles or gaps"
        )
    rows = pl.Series(range(len(known)), dtype=pl.Int64)
    found = released.series(key).cast(pl.String).replace_strict(known, rows, default=None, return_dtype=pl.Int64)
    if found.null_count() == len(found):
        raise TacitError(
            "has no value that both files have, so nobody can be paired",
            column=key,
            fix="name a column that was not masked or pseudonymised, or give --lineage FILE",
        )
    return found.fill_null(-1).to_numpy()
