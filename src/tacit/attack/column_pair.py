"""A column of two files in a form in which its values can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class ColumnPair:
    """A column of both files: floats, NaN where missing; of codes only equality counts, floors must not be fallen below.

    ``usual`` is the mean difference of two random released records, 0 when the release does not tell anybody apart.
    ``share`` is the part of that difference that a missing cell costs here: the two floors of a range share it.
    ``weight`` is what a difference of one costs; None: 1/usual, so that every column counts alike.

    Who was told the masking knows more. ``low`` and ``high`` give for each of the intruder's records the lowest and the
    highest released value that it may have become (±inf: no bound), on the scale of ``release``; beyond them lies no
    candidate. For the kind "table" both sides are whole numbers, and a pair (x, y) of the intruder's and the released one
    costs ``table[x, y]``, inf where y cannot come from x. A missing cell is never beyond a bound.
    The kind "away" is of numbers that are likelier the farther they went: x and y cost ``weight · max(0, 1 − |x − y|)``.
    """

    release: np.ndarray
    intruder: np.ndarray
    kind: Literal["number", "code", "floor", "table", "away"]
    usual: float
    share: float = 1.0
    weight: float | None = None
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    table: np.ndarray | None = None
