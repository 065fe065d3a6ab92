"""The columns of a lattice cut into parts, each small enough to be searched to the end."""

from __future__ import annotations

import numpy as np


def parts_of(order: np.ndarray, levels: np.ndarray, largest: int) -> list[np.ndarray]:
    """The columns in the given order, cut into parts of at most so many combinations of levels."""
    parts, part, nodes = [], list[int](), 1
    for column in order:
        if part and nodes * levels[column] > largest:
            parts.append(np.array(part))
            part, nodes = [], 1
        part.append(int(column))
        nodes *= int(levels[column])
    return [*parts, np.array(part)]
