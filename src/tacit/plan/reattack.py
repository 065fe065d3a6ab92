"""Attack a masked file that is already on disk, with its original at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..claims import Scenario, Truth
from ..errors import TacitError, names
from ..release.read import read
from ..release.release import Release
from .gate import attacked
from .outcome import Attacked

__all__ = ["reattacked"]


def reattacked(
    masked: Path,
    original: Path,
    *,
    knows: Sequence[str] = (),
    key: str | None = None,
    same_order: bool = False,
    lineage: Path | None = None,
) -> tuple[Attacked, ...]:
    """Every attack that applies on a masked file; exactly one of key, same_order and lineage says who is who."""
    if (key is not None) + same_order + (lineage is not None) != 1:
        raise TacitError(
            "it is not said which rows belong together", fix="give one of --key COLUMN, --same-order, --lineage FILE"
        )
    released, intruder = read(masked), read(original)
    truth = _truth(released, intruder, key, lineage)
    common = [column for column in intruder.columns if column in released.columns and column != key]
    chosen = names(knows or common, common)
    if key is not None:
        released = released.selected([column for column in released.columns if column != key])
    return attacked(released, Scenario(file=intruder, knows=chosen), truth, {})


def _truth(released: Release, intruder: Release, key: str | None, lineage: Path | None) -> Truth:
    if key is not None:
        names(key, released.columns)
        names(key, intruder.columns)
        both = np.concatenate([released.series(key).cast(str).to_numpy(), intruder.series(key).cast(str).to_numpy()])
        _, person = np.unique(both.astype(str), return_inverse=True)
        return Truth(released=person[: released.size], intruder=person[released.size :])
    if lineage is not None:
        rows = read(lineage).values("row")
        if len(rows) != released.size:
            raise TacitError(
                f"the lineage has {len(rows)} rows, the masked file {released.size}",
                fix="take the lineage of the same run",
            )
        return Truth.by_lineage(rows, intruder.size)
    if released.size != intruder.size:
        raise TacitError(
            f"the masked file has {released.size} rows, the original {intruder.size}: not the same order",
            fix="give --key COLUMN or --lineage FILE",
        )
    return Truth.by_lineage(np.arange(released.size), intruder.size)
