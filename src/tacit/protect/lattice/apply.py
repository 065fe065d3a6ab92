"""A node of the lattice made true: the labels of its levels, and the records of the classes that fail left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np

from ...release.hierarchy.ladder import TOP
from ..generalise import Generalise
from ..parameters import forgotten
from .columns import has_ladder

if TYPE_CHECKING:
    from ...release.release import Release

__all__ = ["generalised"]


def generalised(release: Release, levels: Mapping[str, int], kept: np.ndarray | None = None) -> Release:
    """The release at the levels, of the rows ``kept``; a column that cannot climb its hierarchy becomes ``*`` above 0.

    Missing values stay missing at every level.
    """
    climbing = {column: level for column, level in levels.items() if level and has_ladder(release, column)}
    hidden = [column for column, level in levels.items() if level and column not in climbing]
    out = Generalise(levels=climbing).apply(release).release if climbing else release
    if hidden:
        stars = {
            column: nw.when(~nw.col(column).is_null()).then(nw.lit(TOP)).otherwise(nw.lit(None, nw.String))
            for column in hidden
        }
        top = {column: release.hierarchies[column].height for column in hidden if column in release.hierarchies}
        out = forgotten(out.replaced(stars, levels=top), hidden, hierarchies=False)
        out = out.described(mixed=tuple(column for column in out.mixed if column not in hidden))
    return out if kept is None else out.taken(kept)
