"""The records that a number points at, the largest first: for internal eyes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .blocks import Table

LISTED = 50
"""So many records are listed."""


def listed_rows(
    values: np.ndarray, said: Callable[[int], str], *, head: str = "", shown: Callable[[float], str] | None = None
) -> Table | None:
    """The rows with a number above 0, counted from 1, under what is ``said`` of so many; None when there are none.

    With ``shown`` the number itself stands beside each, under ``head``.
    """
    rows = [int(row) for row in np.argsort(-values, kind="stable") if values[row] > 0]
    if not rows:
        return None
    caption = said(len(rows))
    return Table(
        caption=caption if len(rows) <= LISTED else f"{caption}, the first {LISTED}",
        head=("Row", *([head] if shown else [])),
        rows=tuple((str(row + 1), *([shown(float(values[row]))] if shown else [])) for row in rows[:LISTED]),
        numeric=frozenset({1} if shown else ()),
        folded=True,
    )
