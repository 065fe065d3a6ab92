"""How large a lattice is, before it is searched."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .best_effort import RATE
from .columns import columns_of, has_ladder, level_limits

if TYPE_CHECKING:
    from ...release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeSize:
    """The number of nodes and about the seconds of CPU to evaluate them all.

    ``groups[column][level]`` is the number of labels that a column has at a level, ``climbing`` are the columns that have a
    hierarchy to climb; the others stay as they are or become ``*``.
    """

    nodes: int
    seconds: float
    groups: Mapping[str, tuple[int, ...]]
    climbing: tuple[str, ...]


def lattice_size(
    release: Release, *, lowest: Mapping[str, int] | None = None, highest: Mapping[str, int] | None = None
) -> LatticeSize:
    """The lattice over all quasi-identifiers, between the levels that bound it; O(n) for the classes of the release.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(
    ...     pl.DataFrame({"zip": ["N1A", "N1B"], "sex": ["f", "m"]}),
    ...     quasi=["zip", "sex"],
    ...     hierarchies={"zip": {"prefix": [3, 2]}},
    ... )
    >>> found = lattice_size(r)
    >>> found.nodes, found.groups, found.climbing
    (6, {'zip': (2, 1, 1), 'sex': (2, 1)}, ('zip',))
    """
    columns = columns_of(release)
    low, high = level_limits(columns, lowest or {}, highest or {})
    nodes = math.prod(int(count) for count in high - low + 1)
    classes: Any = release.classes()
    return LatticeSize(
        nodes=nodes,
        seconds=nodes * classes.count / RATE,
        groups={column.name: tuple(len(level) for level in column.leaves) for column in columns},
        climbing=tuple(column.name for column in columns if has_ladder(release, column.name)),
    )
