"""Hull vectors around the confidential values: complete worlds that agree with every answer (H-06).

With the truth a, signs s and sizes e ≥ band of the units, and a secret step t of T = 4,

    v₁ = a − t·s·e,   v₂ = a + (T − t)·s·e,   so that a = ((T − t)·v₁ + t·v₂)/T.

An answer about a set is the least and the largest sum over it among the vectors. A unit too near to a bound for that
stays at its value in v₁ and v₂; there v₃ and v₄, which are v₁ and v₂ elsewhere, take the ends of its band, which is moved
inside the bounds. The argument is in ``hull.md``.

References
----------
Gopal, Garfinkel and Goes (2002), Confidentiality via camouflage: the CVC approach to disclosure limitation when answering
queries to databases, Operations Research 50(3), 501–516.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .draws import STEPS, Draws

__all__ = ["hull"]

Whole = npt.NDArray[np.int64]


def hull(values: Whole, bands: Whole, bounds: tuple[int, int], draws: Draws) -> Whole:
    """The four vectors (rows) for values of grid units within the bounds and bands of which two fit between those. O(units).

    A size is drawn from the band to twice the band, so that sums over sets hardly ever come out without a width.
    """
    low, high = bounds
    step, signs = draws.step, draws.signs
    before, after = np.where(signs > 0, step, STEPS - step), np.where(signs > 0, STEPS - step, step)
    room = np.minimum((values - low) // before, (high - values) // after)
    size = np.minimum(bands + draws.sizes % (bands + 1), room)
    near = size < bands
    moved = signs * np.where(near, 0, size)
    first, second = values - step * moved, values + (STEPS - step) * moved
    least = np.maximum(low, np.minimum(values - bands, high - 2 * bands))
    most = np.minimum(high, np.maximum(values + bands, low + 2 * bands))
    third, fourth = np.where(signs > 0, (least, most), (most, least))
    return np.stack([first, second, np.where(near, third, first), np.where(near, fourth, second)])
