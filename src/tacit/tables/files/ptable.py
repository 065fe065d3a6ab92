"""P-tables of the cell-key method, from the files that τ-ARGUS reads."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from ...errors import TacitError
from ..perturb.ptable import PTable
from .text import parse_figure, rows_of, separator_of, text_of

PRINTED = 1e-3
"""So far from 1 the chances of a count may lie because they were printed with few digits."""


def read_ptable(path: str | os.PathLike[str]) -> PTable:
    """Read a p-table with the columns i (true count), j (published count), p (chance) and v = j − i.

    Further columns (the summed chances) are not looked at: they follow from p. Chances that miss 1 by their printed digits are
    scaled; a count whose chances do not add up, a count without rows, and a line where j − i is not v are errors. O(rows).
    """
    file = Path(path)
    text = text_of(path)
    rows: dict[int, list[tuple[float, float]]] = {}
    for line, row in rows_of(text, separator=separator_of(text), path=file)[1:]:
        numbers = [parse_figure(cell) for cell in row[:4]]
        old, new, chance, change = (number or 0.0 for number in (*numbers, None, None, None, None)[:4])
        if len(numbers) < 4 or None in numbers or not (old.is_integer() and change.is_integer()):
            fix = "a row has i, j, p and v; the first line names them"
            raise TacitError("this is no row of a p-table", code="wrong_type", where=f"{file}:{line}", fix=fix)
        if new - old != change:
            raise TacitError("j − i is not v", code="wrong_type", where=f"{file}:{line}", fix="mend the line")
        rows.setdefault(int(old), []).append((change, chance))
    return _build_ptable(rows, str(file))


def _build_ptable(rows: dict[int, list[tuple[float, float]]], where: str) -> PTable:
    if not rows:
        raise TacitError(
            "the p-table has no rows",
            code="too_few_records",
            where=where,
            fix="give one row per count and change, from count 0 on",
        )
    missing = next((count for count in range(len(rows)) if count not in rows), None)
    if missing is not None:
        raise TacitError(
            f"there is no row for a count of {missing}", code="wrong_type", where=where, fix="give all counts from 0 on"
        )
    pairs = [np.array(sorted(rows[count])) for count in range(len(rows))]
    odd = next((count for count, pair in enumerate(pairs) if abs(pair[:, 1].sum() - 1) > PRINTED), None)
    if odd is not None:
        raise TacitError(
            f"the chances of the count {odd} do not add up to 1",
            code="invalid_table",
            where=where,
            fix="check the column p",
        )
    try:
        return PTable(
            tuple(pair[:, 0].astype(np.int64) for pair in pairs), tuple(p[:, 1] / p[:, 1].sum() for p in pairs)
        )
    except TacitError as problem:
        raise problem.with_location(where) from None
