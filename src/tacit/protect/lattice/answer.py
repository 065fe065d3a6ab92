"""What a search answers with: candidates in the order of their score, and what is known about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from .exact import SearchResult, run_search
from .layout import SearchRange
from .local_search import greedy_bound
from .space import Space

if TYPE_CHECKING:
    from ...progress import Progress
    from .problem import Problem


KEPT = (1, 16, 256, 4096, 65536)
"""How many of the best nodes are asked for, if those before turn out not to hold on the released table."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An admissible node: its levels, score, and the records that fail in it.

    ``proven``: every admissible node that costs less came before it.
    """

    levels: np.ndarray
    score: float
    removed: int
    proven: bool


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The candidates, cheapest first, and what no admissible node can beat, where that is known."""

    candidates: Iterator[Candidate]
    bound: float | None
    space: Space
    checked: int


def space_of(problem: Problem, found: list[SearchResult]) -> Space:
    """The nodes evaluated in several runs, each once."""
    parts = [part for one in found for part in one.seen]
    levels, scores, removed = (np.concatenate([part[place] for part in parts]) for place in range(3))
    _, once = np.unique(levels, axis=0, return_index=True)
    admissible = (removed[once] <= problem.limit) & (removed[once] < problem.size)
    return Space(problem.names, levels[once].astype(np.int64), scores[once], removed[once], admissible)


def search_lattice(
    problem: Problem, low: np.ndarray, high: np.ndarray, *, exhaustive: bool, progress: Progress | None
) -> Answer:
    """The whole lattice searched to the end; more candidates are searched for only when they are asked for."""

    def going(share: float) -> bool:
        report_progress(progress, "full_domain", share)
        return True

    start = np.inf if exhaustive else greedy_bound(problem, low, high)
    first = run_search(problem, SearchRange(low=low, high=high, every=exhaustive, worst=start), going=going)

    def candidates() -> Iterator[Candidate]:
        found, given = first, 0
        for keep in KEPT:
            if keep > 1 and (found.levels.shape[0] == given and given < keep // 16):
                return
            if keep > 1:
                found = run_search(problem, SearchRange(low=low, high=high, keep=keep, remember=False), going=going)
            for place in range(given, len(found.scores)):
                yield Candidate(found.levels[place], float(found.scores[place]), int(found.removed[place]), True)
            given = len(found.scores)

    return Answer(candidates(), None, space_of(problem, [first]), first.checked)
