"""Hull vectors around the confidential values: complete worlds that agree with every answer (H-06).

With the truth a, signs s and sizes e of the units, and a secret step t of T,

    v₁ = a − t·s·e,   v₂ = a + (T − t)·s·e,   so that a = ((T − t)·v₁ + t·v₂)/T.

T is four times the number of steps into which the band is cut, and t lies between T/4 and 3T/4: so t·e and (T − t)·e are a
band or more. An answer about a set is the least and the largest sum over it among the vectors. A unit that v₁ or v₂ could
carry beyond a bound, for *some* t and size, stays at its value in both; there v₃ and v₄, which are v₁ and v₂ elsewhere, take
the ends of its band, which is moved inside the bounds. Nothing but v₁ and v₂ depends on t. The argument is in ``hull.md``.

References
----------
Gopal, Garfinkel and Goes (2002), Confidentiality via camouflage: the CVC approach to disclosure limitation when answering
queries to databases, Operations Research 50(3), 501–516.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .draws import Draws

__all__ = ["hull", "reach"]

Whole = npt.NDArray[np.int64]


def reach(band: int, draws: Draws) -> int:
    """How far a vector can lie from a value, whatever is drawn: nearer to a bound than that, a unit is not moved."""
    least = draws.steps // 4
    return 3 * least * 2 * -(-band // least)


def hull(values: Whole, band: int, bounds: tuple[int, int], draws: Draws) -> Whole:
    """The four vectors (rows) for values of grid units within the bounds and a band of which two fit between those. O(units).

    The size of a step is drawn from the least that makes a band to twice that, whatever the value, so that sums over sets
    hardly ever come out without a width and no size tells a value.
    """
    low, high = bounds
    smallest = -(-band // (draws.steps // 4))
    near = np.minimum(values - low, high - values) < reach(band, draws)
    moved = draws.signs * np.where(near, 0, smallest + draws.sizes % (smallest + 1))
    first, second = values - draws.step * moved, values + (draws.steps - draws.step) * moved
    least = np.maximum(low, np.minimum(values - band, high - 2 * band))
    most = np.minimum(high, np.maximum(values + band, low + 2 * band))
    third, fourth = np.where(draws.signs > 0, (least, most), (most, least))
    return np.stack([first, second, np.where(near, third, first), np.where(near, fourth, second)])
