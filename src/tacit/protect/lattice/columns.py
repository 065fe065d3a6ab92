"""A quasi-identifier as the lattice sees it: the node of each value at each level, missing a node of its own at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, check_columns, format_value

if TYPE_CHECKING:
    from ...release.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """``number[h][v]`` is the node of value v at level h, missing being the last value and the last node of each level.

    ``leaves[h][i]`` of the ``domain`` values lie under node i.
    """

    name: str
    number: np.ndarray
    leaves: tuple[np.ndarray, ...]
    domain: int

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.leaves) - 1


def has_ladder(release: Release, column: str) -> bool:
    """Whether the values can climb the hierarchy: there is one, and they stand at its foot; others become ``*`` at most."""
    return column in release.hierarchies and column not in release.levels and column not in release.mixed


def columns_of(release: Release) -> list[Column]:
    """All quasi-identifiers; O(height · values) each, after their codes."""
    return [_read_column(release, name) for name in release.quasi]


def _read_column(release: Release, name: str) -> Column:
    values = release.codes(name).dictionary
    count = len(values)
    if has_ladder(release, name):
        from ...release.hierarchy.nodes import nodes

        found = nodes(release.hierarchies[name], name, values)
        number, leaves, domain = found.number, found.leaves, found.domain
    else:
        number = np.array([np.arange(count), np.zeros(count)], dtype=np.int64)
        leaves, domain = (np.ones(count, dtype=np.int64), np.full(min(1, count), count, dtype=np.int64)), count
    missing = np.array([[len(level)] for level in leaves])
    return Column(name, np.column_stack([number, missing]).astype(np.int64), leaves, domain)


def level_limits(
    columns: list[Column], lowest: Mapping[str, int], highest: Mapping[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest level of each column that may be tried."""
    known = [column.name for column in columns]
    check_columns(list(lowest), known)
    check_columns(list(highest), known)
    low = np.array([lowest.get(column.name, 0) for column in columns], dtype=np.int64)
    high = np.array([highest.get(column.name, column.height) for column in columns], dtype=np.int64)
    for column, bottom, top in zip(columns, low, high, strict=True):
        if top > column.height or bottom > top:
            raise TacitError(
                f"cannot go from level {format_value(int(bottom))} to level {format_value(int(top))}",
                code="unsuitable_column",
                column=column.name,
                fix=f"its levels are 0 (as it is) to {column.height} (*), lowest= at most highest=",
            )
    return low, high
