"""Attack a masked file that is already on disk, with its original at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..claims import Scenario, Truth
from ..errors import TacitError, names
from ..release.hierarchy.ladder import labels
from ..release.read import read
from ..release.release import Release
from .gate import attacked
from .outcome import Attacked

__all__ = ["levelled", "reattacked"]


def reattacked(
    masked: Path,
    original: Release,
    *,
    knows: Sequence[str] = (),
    key: str | None = None,
    same_order: bool = False,
    lineage: Path | None = None,
) -> tuple[tuple[Attacked, ...], tuple[str, ...]]:
    """Every attack that applies on a masked file, and warnings; one of key, same_order and lineage says who is who.

    Columns that were generalised are compared at their level, found from the hierarchies of ``original``.
    """
    if (key is not None) + same_order + (lineage is not None) != 1:
        raise TacitError(
            "it is not said which rows belong together", fix="give one of --key COLUMN, --same-order, --lineage FILE"
        )
    released = read(masked, missing=original.missing)
    truth = _truth(released, original, key, lineage)
    common = [column for column in original.columns if column in released.columns and column != key]
    chosen = names(knows or [column for column in original.quasi if column in common] or common, common)
    kept = released.selected([column for column in released.columns if column != key])
    found, warnings = levelled(kept, original, chosen)
    return attacked(found, Scenario(file=original, knows=chosen), truth, {}), warnings


def levelled(released: Release, original: Release, columns: Sequence[str]) -> tuple[Release, tuple[str, ...]]:
    """The release with the level of each column that was generalised; a warning where values cannot be compared.

    The level of a column is the lowest one of its hierarchy whose labels of the original's values hold all values of the
    release.
    """
    levels: dict[str, int] = {}
    warnings: list[str] = []
    for column in columns:
        if released.types[column] != "text":
            continue
        level = _level(released, original, column)
        if level is None:
            warnings.append(
                f"column {column!r} has values that the original does not have: if it was generalised, give its hierarchy "
                "(--plan PLAN or --hierarchy), else the attack is weaker than a real one"
            )
        elif level:
            levels[column] = level
    ladders: Mapping[str, Any] = {column: original.hierarchies[column] for column in levels}
    return released.described(levels=levels, hierarchies=ladders), tuple(warnings)


def _level(released: Release, original: Release, column: str) -> int | None:
    values = set(released.series(column).drop_nulls().unique())
    if values <= set(original.series(column).cast(str).drop_nulls().unique()):
        return 0
    ladder = original.hierarchies.get(column)
    if ladder is None:
        return None
    for level in range(1, ladder.height + 1):
        if values <= set(
            original.replaced({column: labels(ladder, column, level)}).series(column).drop_nulls().unique()
        ):
            return level
    return None


def _truth(released: Release, original: Release, key: str | None, lineage: Path | None) -> Truth:
    if key is not None:
        names(key, released.columns)
        names(key, original.columns)
        both = np.concatenate([released.series(key).cast(str).to_numpy(), original.series(key).cast(str).to_numpy()])
        _, person = np.unique(both.astype(str), return_inverse=True)
        return Truth(released=person[: released.size], intruder=person[released.size :])
    if lineage is not None:
        rows = read(lineage).values("row")
        if len(rows) != released.size:
            raise TacitError(
                f"the lineage has {len(rows)} rows, the masked file {released.size}",
                fix="take the lineage of the same run",
            )
        return Truth.by_lineage(rows, original.size)
    if released.size != original.size:
        raise TacitError(
            f"the masked file has {released.size} rows, the original {original.size}: not the same order",
            fix="give --key COLUMN or --lineage FILE",
        )
    return Truth.by_lineage(np.arange(released.size), original.size)
