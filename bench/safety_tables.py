"""Tables: what a holding and a respondent compute from protected tables, by a program that shares nothing with the audit."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from bars import ROOT, Bars

sys.path.insert(0, str(ROOT / "tests" / "tables"))


def bars(bars: Bars) -> None:
    """Unsafe tables among random ones, and tables in which an own value narrows a cell without a word."""
    unsafe, judged = _unsafe_against_holdings(range(12, 13) if bars.quick else range(40))
    bars.at_most(
        f"D5 tables of {judged} called protected, unsafe against a holding",
        unsafe,
        0,
        before=1 if bars.quick else 4,
        before_from="the same seeds before the mend: 0, 12, 15 and 33",
    )
    if bars.quick:
        bars.skipped("D5 tables narrowed by an own value that no gap names", "full run only")
        return
    silent, narrowed = _silent_about_own_values(range(12))
    bars.at_most("D5 tables narrowed by an own value that no gap names", silent, 0, before=narrowed, narrowed=narrowed)


def _unsafe_against_holdings(seeds: range) -> tuple[int, int]:
    from test_respondents import end_of, holdings_in, random_companies

    from tacit.errors import TacitError
    from tacit.tables import suppress

    unsafe = judged = 0
    for seed in seeds:
        frame, problem = random_companies(seed)
        if not len(problem.primaries):
            continue
        try:
            done = suppress(problem)
        except TacitError:
            continue
        if not done.safe:
            continue
        judged += 1
        alone: dict[str, list[int]] = {}
        for cell in np.flatnonzero(done.hidden).tolist():
            there = holdings_in(frame, problem, cell)
            if len(there) == 1:
                alone.setdefault(next(iter(there)), []).append(cell)
        unsafe += any(_computes(problem, done.hidden, cells, end_of) for cells in alone.values())
    return unsafe, judged


def _computes(problem, hidden, cells, end_of) -> bool:
    low, high = problem.low.copy(), problem.high.copy()
    low[cells] = high[cells] = problem.table.values[cells]
    others = np.setdiff1d(problem.primaries, cells).tolist()
    return any(
        end_of(problem, hidden, low, high, cell, -1) - end_of(problem, hidden, low, high, cell, 1) < 1e-6
        for cell in others
    )


def _silent_about_own_values(seeds: range) -> tuple[int, int]:
    from test_respondents import sales_table

    from tacit.tables import suppress
    from tacit.tables.audit.respondents import audit_respondents

    silent = narrowed = 0
    for seed in seeds:
        problem = sales_table(seed)
        if not len(problem.primaries):
            continue
        done = suppress(problem)
        found = audit_respondents(problem, done.hidden, done.audit.intervals)
        silent += found is None or found.pairs is None
        narrowed += found is not None and bool(found.cells)
    return silent, narrowed


if __name__ == "__main__":
    only = Bars(Path(__file__).stem, __doc__ or "")
    bars(only)
    only.end()
