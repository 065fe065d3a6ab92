"""What a respondent who knows its own value learns of cells of others, also where it does not stand alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...progress import Progress, report_progress
from ..problem import Problem
from ..published import Published
from .intervals import Intervals, intervals
from .owners import lower_for
from .shortfall import is_point, level_shortfall

MOST_PAIRS = 4_000
"""So many pairs of a respondent and an unsafe cell are looked at, two programs each; of more the audit says that it was not made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RespondentAudit:
    """How many respondents, by what they know of themselves, narrow unsafe cells of others below their levels.

    ``cells`` are the unsafe cells concerned, ``exact`` those among them that a respondent then knows exactly. ``pairs`` is how many
    pairs of a respondent and a cell were looked at; None: more than :data:`MOST_PAIRS`, so none was, and nothing is known.
    """

    respondents: int
    cells: tuple[int, ...]
    exact: tuple[int, ...]
    pairs: int | None

    def as_json(self) -> dict[str, int | None]:
        """Plain counts; cells are for internal eyes."""
        return {
            "respondents": self.respondents,
            "cells": len(self.cells),
            "exact": len(self.exact),
            "pairs": self.pairs,
        }


def audit_respondents(
    problem: Problem, hidden: np.ndarray, outside: Intervals, *, progress: Progress | None = None
) -> RespondentAudit | None:
    r"""The audit through the eyes of each respondent who has a part in a suppressed cell with others.

    A respondent that puts x into a suppressed cell of which nothing is negative knows that the cell is at least x; if it is
    alone, that the cell is x. For every such respondent r the intervals of the unsafe cells are computed anew,

    .. math:: \min / \max\ c_k \quad\text{such that}\quad A c = b,\; l \le c \le h,\; c_j \ge x_{rj},

    and compared with the levels. Levels below are asked for only down to what r itself puts into a cell. ``outside`` are the
    intervals of the audit for outsiders: a part that is not above the lower end of its cell tells nothing new. Rules and
    the audit of sole contributors do not ask for this, and no office that we know of requires it: it does not change ``holds``,
    it is said beside the verdict.

    None where the table does not tell whose contributions are, or figures may be negative. Time: two programs for each pair of
    such a respondent and an unsafe cell; only the kept largest contributions (``top``) count.
    """
    table, kept = problem.table, problem.table.contributions
    if kept is None or not (kept.owners >= 0).any() or not (problem.low >= 0).all():
        return None
    low, high = table.values.copy(), table.values.copy()
    low[outside.cells], high[outside.cells] = outside.low, outside.high
    unsafe = problem.primaries
    lacking = (level_shortfall(problem, unsafe, low[unsafe], high[unsafe]) > 0) | is_point(low[unsafe], high[unsafe])
    asked = unsafe[~lacking]
    knowing = list(_knowing_respondents(problem, hidden, low))
    if len(knowing) * len(asked) > MOST_PAIRS:
        return RespondentAudit(respondents=0, cells=(), exact=(), pairs=None)
    published = Published.from_suppression(problem, hidden)
    narrowed: set[int] = set()
    known: set[int] = set()
    found = 0
    for done, (owner, cells, parts) in enumerate(knowing):
        report_progress(progress, "respondents", done / len(knowing))
        alone = kept.owners[cells, 0] == owner if table.contributors is None else table.contributors[cells] == 1
        seen = published.with_known_bounds(cells, parts, np.where(alone, parts, np.inf))
        others = np.setdiff1d(asked, cells[alone])
        ends = intervals(seen, others)
        own = replace(problem, lower=lower_for(problem, (owner,), cells[alone]))
        short = level_shortfall(own, ends.cells, ends.low, ends.high) > 0
        exact = is_point(ends.low, ends.high)
        found += bool((short | exact).any())
        narrowed |= set(ends.cells[short | exact].tolist())
        known |= set(ends.cells[exact].tolist())
    return RespondentAudit(
        respondents=found,
        cells=tuple(sorted(narrowed)),
        exact=tuple(sorted(known)),
        pairs=len(knowing) * len(asked),
    )


def _knowing_respondents(
    problem: Problem, hidden: np.ndarray, low: np.ndarray
) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Who has a part in suppressed cells that says more than the published figures do: the cells, and the parts there.

    A weight stands for others like the respondent, of whose figures it knows nothing: its own part counts once.
    """
    kept = problem.table.contributions
    assert kept is not None
    parts = kept.values * np.minimum(kept.weights, 1.0)
    telling = (kept.owners >= 0) & hidden[:, None] & (parts > low[:, None] + 1e-9 * (1 + np.abs(parts)))
    cells, ranks = np.nonzero(telling)
    owners = kept.owners[cells, ranks]
    for owner in np.unique(owners):
        mine = owners == owner
        yield int(owner), cells[mine], parts[cells[mine], ranks[mine]]
