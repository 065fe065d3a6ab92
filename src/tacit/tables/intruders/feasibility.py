"""A publication after the arithmetic: each cell with the interval that the sums leave it."""

from __future__ import annotations

from dataclasses import replace

from ...progress import Progress
from ..audit.intervals import intervals
from ..published import Published


def tighten_bounds(published: Published, *, progress: Progress | None = None) -> Published:
    """The same publication with every unknown cell narrowed to its feasibility interval.

    What an intruder starts from who can do the sums: ``Rival().claims(tightened(published), knowledge)`` is the competitor who
    first computes how large a suppressed total can be. Two linear programs for each suppressed cell.
    """
    found = intervals(published, progress=progress)
    low, high = published.low.copy(), published.high.copy()
    low[found.cells], high[found.cells] = found.low, found.high
    return replace(published, low=low, high=high)
