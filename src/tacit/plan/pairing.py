"""Which row of a masked file was made from which row of the original, as the user says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from ..errors import TacitError, suggest_alternative
from ..release.masked import checked_lineage
from ..release.read import read
from ..release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Exactly one of: a column that names the person in both files, the same order, the lineage file of a job."""

    key: str | None = None
    same_order: bool = False
    lineage: Path | None = None

    def __post_init__(self) -> None:
        ways = (self.key is not None) + self.same_order + (self.lineage is not None)
        if ways != 1:
            said = "it is said in several ways which rows" if ways else "it is not said which rows"
            raise TacitError(
                f"{said} belong together",
                code="conflicting_parameters",
                fix="give one of --key COLUMN, --same-order, --lineage FILE",
            )


def pair_rows(released: Release, original: Release, pairing: Pairing) -> np.ndarray:
    """The original row of every released row; −1 where there is none."""
    if pairing.key is not None:
        return _by_key(released, original, pairing.key)
    if pairing.lineage is not None:
        lineage = read(pairing.lineage)
        if "row" not in lineage.columns:
            raise TacitError(
                f"{str(pairing.lineage)!r} is no lineage: it has no column 'row'",
                code="malformed_file",
                fix="give the internal/lineage.parquet of the release job, or --key COLUMN",
            )
        return checked_lineage(lineage.values("row"), masked=released.size, original=original.size)
    if released.size != original.size:
        raise TacitError(
            f"the masked file has {released.size:,} rows, the original {original.size:,}: they are not in the same order",
            code="out_of_range",
            fix="give --key COLUMN or --lineage FILE",
        )
    return np.arange(released.size)


def _by_key(released: Release, original: Release, key: str) -> np.ndarray:
    both = [column for column in original.columns if column in released.columns]
    for file, which in ((original, "original"), (released, "masked file")):
        if key not in file.columns:
            elsewhere = any(key in one.columns for one in (released, original))
            remedy = "name a column that both files have." if elsewhere or not both else suggest_alternative(key, both)
            raise TacitError(
                f"is not in the {which}", code="unknown_column", column=key, fix=f"{remedy} Or give --lineage FILE"
            )
    known = original.series(key).cast(pl.String)
    if known.null_count() or known.n_unique() < len(known):
        raise TacitError(
            "does not name one row each in the original",
            code="unsuitable_column",
            column=key,
            fix="name a column without doubles or gaps",
        )
    rows = pl.Series(range(len(known)), dtype=pl.Int64)
    found = released.series(key).cast(pl.String).replace_strict(known, rows, default=None, return_dtype=pl.Int64)
    if found.null_count() == len(found):
        raise TacitError(
            "has no value that both files have, so nobody can be paired",
            code="missing_values",
            column=key,
            fix="name a column that was not masked or pseudonymised, or give --lineage FILE",
        )
    return found.fill_null(-1).to_numpy()
