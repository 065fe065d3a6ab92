"""Answers leave on a grid of time: how long the engine took is told in whole cells only."""

from __future__ import annotations

import asyncio
import math
import time
from fractions import Fraction


class TimeGrid:
    """Cells of so many seconds, counted from the arrival of each request.

    An answer leaves at the end of a cell, and is written to the ledger in the middle of one: the history shows times and
    an order of lines, which would tell the same (attack 13). Refusals leave on the same grid.
    """

    def __init__(self, cell: Fraction) -> None:
        self.cell = float(cell)

    def end(self, arrival: float, now: float) -> float:
        """The end of the cell in which ``now`` lies.

        >>> TimeGrid(Fraction(1, 2)).end(arrival=10.0, now=10.6)
        11.0
        """
        return arrival + max(1, math.ceil((now - arrival) / self.cell)) * self.cell

    def middle(self, arrival: float, now: float) -> float:
        """The next middle of a cell.

        >>> TimeGrid(Fraction(1, 2)).middle(arrival=10.0, now=10.3)
        10.75
        """
        cells = max(0, math.ceil((now - arrival) / self.cell - 0.5))
        return arrival + (cells + 0.5) * self.cell

    async def until_end(self, arrival: float) -> None:
        """Wait for the end of the cell."""
        await _sleep_until(self.end(arrival, time.monotonic()))

    async def until_middle(self, arrival: float) -> None:
        """Wait for the middle of a cell."""
        await _sleep_until(self.middle(arrival, time.monotonic()))


async def _sleep_until(moment: float) -> None:
    while (left := moment - time.monotonic()) > 0:
        await asyncio.sleep(left)
