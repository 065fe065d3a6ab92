"""Attack a masked file that is already on disk, with its original at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from ..attack.attacked import Attacked, attacked
from ..claims import Scenario, Truth
from ..errors import TacitError, names
from ..release.read import read
from ..release.release import Release
from .gate import attacks_on_identity
from .levels import levelled
from .pairing import Pairing, paired

__all__ = ["reattacked"]

UNRELATED = "was left out: its numbers have nothing to do with those of the original any more"
ENOUGH, HARDLY = 50, 0.05
"""From so many pairs on, a rank correlation below this means that a column was renumbered or shuffled."""


def reattacked(
    masked: Path,
    original: Release,
    *,
    knows: Sequence[str] = (),
    pairing: Pairing,
) -> tuple[tuple[Attacked, ...], tuple[str, ...]]:
    """Every attack that applies on a masked file, and warnings; the pairing says who is who.

    Columns that were generalised are compared at their level, found from the hierarchies of ``original``.
    """
    released = read(masked, missing=original.missing)
    truth = Truth.by_lineage(paired(released, original, pairing), original.size)
    common = [column for column in original.columns if column in released.columns and column != pairing.key]
    chosen = names(knows or [column for column in original.quasi if column in common] or common, common)
    kept = released.selected([column for column in released.columns if column != pairing.key])
    found, warnings = levelled(kept, original, chosen)
    useful = tuple(column for column in chosen if column not in warnings and _related(found, original, column, truth))
    lost = {column: UNRELATED for column in chosen if column not in useful and column not in warnings}
    said = tuple(f"column {column!r} {why}" for column, why in {**warnings, **lost}.items())
    if not useful:
        raise TacitError("no column can be compared", fix=f"give --plan PLAN or --hierarchy; {'; '.join(said)}")
    return attacked(found, Scenario(file=original, knows=useful), truth, attacks_on_identity({})), said


def _related(released: Release, original: Release, column: str, truth: Truth) -> bool:
    """Whether a number still has to do with the original's; who was told the method leaves out those that have not."""
    numbers = ("integer", "number")
    if released.types[column] not in numbers or original.types[column] not in numbers:
        return True
    rows = np.flatnonzero(truth.released >= 0)
    pairs = pl.DataFrame(
        {"a": released.series(column)[rows], "b": original.series(column)[truth.released[rows]]}
    ).drop_nulls()
    if pairs.height < ENOUGH or pairs["a"].n_unique() < 2 or pairs["b"].n_unique() < 2:
        return True
    correlation = pairs.select(pl.corr("a", "b", method="spearman")).item()
    return bool(abs(correlation) >= HARDLY)
