"""What a search has spent of its limits."""

from __future__ import annotations

import time

from ....progress import Progress, report_progress
from ..limits import Limits

LEAST_NODES = 20
"""A search for whole patterns takes at least these nodes."""


class Effort:
    """Counts of nodes, simplex iterations and linear programs, and whether a limit is reached."""

    def __init__(self, limits: Limits, progress: Progress | None = None) -> None:
        self.limits, self.nodes, self.iterations, self.lps, self.cuts, self.rounds = limits, 0, 0, 0, 0, 0
        self._progress, self._start, self._last = progress, time.process_time(), False
        self._timed_out = False

    def count_program(self, iterations: int) -> None:
        """One linear program was solved."""
        self.lps += 1
        self.iterations += max(0, iterations)

    @property
    def nodes_of_a_round(self) -> int:
        """How many nodes one search for whole patterns may take: a node takes about a thousand iterations at the root."""
        nodes = self.limits.nodes - self.nodes
        return max(1, min(nodes, LEAST_NODES + (self.limits.iterations - self.iterations) // 1000))

    def time_out(self) -> None:
        """The solver says that the clock ended its search (its clock is not quite ours)."""
        self._timed_out = True

    def mark_exhausted(self) -> None:
        """What is left of the limits was too little for one part of the table to get on."""
        self._last = True

    def report_progress(self, step: str) -> None:
        """Report the largest share of a limit that is spent."""
        nodes = self.nodes / max(1, self.limits.nodes)
        report_progress(self._progress, step, min(1.0, max(nodes, self.iterations / max(1, self.limits.iterations))))

    @property
    def seconds_left(self) -> float:
        """Of the clock, if one was set."""
        if self.limits.seconds is None:
            return float("inf")
        return self.limits.seconds - (time.process_time() - self._start)

    @property
    def limit_reached(self) -> str | None:
        """Which limit is reached, in words; None while there is room in all."""
        if self.nodes >= self.limits.nodes:
            return f"limit of {self.limits.nodes} nodes"
        if self.iterations >= self.limits.iterations:
            return f"limit of {self.limits.iterations} simplex iterations"
        return f"limit of {self.limits.seconds:g} seconds" if self.by_the_clock else None

    @property
    def limit_that_ended(self) -> str | None:
        """Which limit ended the search of any part, in words."""
        return self.limit_reached or (f"limit of {self.limits.nodes} nodes" if self._last else None)

    @property
    def by_the_clock(self) -> bool:
        """Whether the clock has run out: where it ends a search is not the same on every run."""
        return self._timed_out or self.seconds_left <= 0
