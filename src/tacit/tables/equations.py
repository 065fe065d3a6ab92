"""The sums that bind the cells of a table: what an outsider who does the arithmetic starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

SHOWN = 6
"""So many cells of an equation are written out."""


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    r"""The additive relations :math:`\sum_j A_{ij} x_j = b_i` over the cells x.

    ``matrix`` is sparse (CSR), a row per equation: 1 for each part, −1 for the total. ``constants`` b are 0 but for ready-made
    problems. An equation stands once, however many tables of a linked set it belongs to.
    """

    matrix: Any
    constants: np.ndarray

    @classmethod
    def of(cls, matrix: Any, constants: np.ndarray | None = None) -> Equations:
        """From any sparse or dense matrix; zeros stored in it are dropped."""
        found = sp.csr_matrix(matrix, dtype=np.float64)
        found.sum_duplicates()
        found.eliminate_zeros()
        found.sort_indices()
        return cls(found, np.zeros(found.shape[0]) if constants is None else np.asarray(constants, dtype=np.float64))

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    @property
    def is_total(self) -> np.ndarray:
        """Which cells are the total of an equation; the others are the finest. O(entries)."""
        found = np.zeros(self.matrix.shape[1], dtype=bool)
        found[self.matrix.indices[self.matrix.data < 0]] = True
        return found

    def residuals(self, values: np.ndarray) -> np.ndarray:
        """How far each equation is from holding: parts minus total."""
        return np.asarray(self.matrix @ values - self.constants)

    def format_equation(self, row: int, labels: pl.DataFrame) -> str:
        """One equation in the codes of its cells; the codes that all its cells share are said once.

        >>> labels = pl.DataFrame({"sex": ["f", "m", "Total"], "age": ["old", "old", "old"]})
        >>> Equations.of([[1, 1, -1]]).format_equation(0, labels)
        "sex: 'f' + 'm' = 'Total' (where age = 'old')"
        """
        cells, signs = self._row_entries(row)
        seen = labels[cells]
        varying = [name for name in seen.columns if seen[name].n_unique() > 1] or seen.columns[:1]
        shared = [name for name in seen.columns if name not in varying]
        names = [" × ".join(repr(one) for one in code) for code in seen.select(varying).iter_rows()]
        parts, totals = ([name for name, sign in zip(names, signs, strict=True) if sign * way > 0] for way in (1, -1))
        constant = float(self.constants[row])
        right = " + ".join(totals + ([f"{constant:g}"] if constant or not totals else []))
        where = ", ".join(f"{name} = {seen[name][0]!r}" for name in shared)
        return f"{', '.join(varying)}: {_abbreviate_sum(parts)} = {right}" + (f" (where {where})" if where else "")

    def _row_entries(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        start, end = self.matrix.indptr[row : row + 2]
        return self.matrix.indices[start:end], self.matrix.data[start:end]


def _abbreviate_sum(parts: list[str]) -> str:
    if len(parts) <= SHOWN:
        return " + ".join(parts)
    return " + ".join(parts[: SHOWN - 1]) + f" + … ({len(parts)} parts) + {parts[-1]}"
