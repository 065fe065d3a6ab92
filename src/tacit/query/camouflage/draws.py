"""The secret draws of camouflage: the same for a unit for ever, because they depend on key, column, band and unit alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt

from ...seed import child

__all__ = ["MOST_STEPS", "Draws", "steps_of"]

MOST_STEPS = 1024
"""The most steps into which a band is cut."""


def steps_of(band: int) -> int:
    """Steps of a band of so many grid units: the truth lies that many or up to three times that many from the first vector.

    >>> [steps_of(band) for band in (1, 8, 150, 10**9)]
    [1, 2, 12, 1024]
    """
    return min(isqrt(band), MOST_STEPS)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """``step`` of ``steps``: where the truth lies between the vectors; per unit a sign and a number below 2³² for its size."""

    step: int
    steps: int
    signs: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, key: bytes, column: str, names: Sequence[str], band: int) -> Draws:
        """The draws of a column for units of these names. O(units) hashes.

        ``step`` is one of the 2·s + 1 whole numbers from s to 3·s, with s the steps of the band, each as likely.
        """
        least = steps_of(band)
        place = int.from_bytes(child(key, "camouflage", column), "little")
        mixed = b"".join(child(key, "camouflage", column, name)[:8] for name in names)
        words = np.frombuffer(mixed, np.dtype("<u4")).astype(np.int64).reshape(-1, 2)
        return cls(
            step=least + place % (2 * least + 1),
            steps=4 * least,
            signs=1 - 2 * (words[:, 0] & 1),
            sizes=words[:, 1],
        )
