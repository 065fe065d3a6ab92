"""The secret draws of camouflage: the same for a unit for ever, because they depend on key, column and unit alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...seed import child

__all__ = ["STEPS", "Draws"]

STEPS = 4
"""The truth lies 1, 2 or 3 of so many steps from the first hull vector to the second."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """``step``: how many steps from the first vector the truth lies; per unit a sign and a number below 2³² for its size."""

    step: int
    signs: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, key: bytes, column: str, names: Sequence[str]) -> Draws:
        """The draws of a column for units of these names. O(units) hashes."""
        place = int.from_bytes(child(key, "camouflage", column), "little")
        mixed = b"".join(child(key, "camouflage", column, name)[:8] for name in names)
        words = np.frombuffer(mixed, np.dtype("<u4")).astype(np.int64).reshape(-1, 2)
        return cls(step=1 + place % (STEPS - 1), signs=1 - 2 * (words[:, 0] & 1), sizes=words[:, 1])
