"""Which parameters a family of distances allows: a convex cone, because a multiple of a distance finds the same people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Cone:
    """All p with p ≥ 0 (when ``nonnegative``), ``sides`` @ p ≥ 0, and nothing that ``beyond`` objects to.

    ``beyond(p)`` gives rows h with h·p < 0 although every allowed parameter has h·p ≥ 0: none when p is allowed. With it
    a cone may have more sides than anybody could list (the positive definite forms). ``span(p, d)`` is then the interval
    of t for which p + t·d is allowed, p being allowed, where that is quickly told. ``inside`` is a point well within all sides, towards which a point
    on one of them is drawn, so that no rounding leaves the cone; None where none can.
    """

    size: int
    nonnegative: bool = False
    sides: np.ndarray | None = None
    beyond: Callable[[np.ndarray], np.ndarray] | None = None
    span: Callable[[np.ndarray, np.ndarray], tuple[float, float]] | None = None
    inside: np.ndarray | None = None
