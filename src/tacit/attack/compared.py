"""A column of two files in a form in which its values can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = ["Compared"]


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A column of both files: floats, NaN where missing; of codes only equality counts, floors must not be fallen below.

    ``usual`` is the mean difference of two random released records, 0 when the release does not tell anybody apart.
    ``share`` is the part of that difference that a missing cell costs here: the two floors of a range share it.
    """

    release: np.ndarray
    intruder: np.ndarray
    kind: Literal["number", "code", "floor"]
    usual: float
    share: float = 1.0
