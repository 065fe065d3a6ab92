"""Which cells of a table are the finest, and how far each lies below the grand total."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ..table import Table


def finest_cells(table: Table) -> np.ndarray:
    """Which cells are no sum of others: what sums up to the grand total once."""
    return ~table.equations.is_total


def cell_depths(table: Table) -> np.ndarray:
    """How many steps each cell lies below the grand total, over all dimensions; 0 where the dimensions are not known."""
    found = np.zeros(table.size, dtype=np.int64)
    for one in table.dimensions:
        below = dict(zip(one.codes, one.depths, strict=True))
        found += table.labels[one.name].replace_strict(below, return_dtype=None).to_numpy()
    return found


def check_cell_count(table: Table, given: np.ndarray, *, what: str) -> np.ndarray:
    """Refuse what has not one entry for each cell."""
    found = np.asarray(given)
    if found.shape != (table.size,):
        raise TacitError(
            f"the {what} are {found.size} and the table has {table.size} cells",
            code="invalid_table",
            fix="give one for each cell, in their order",
        )
    return found
