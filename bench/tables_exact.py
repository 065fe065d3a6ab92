"""Exact suppression: every two-dimensional instance proven, 50×50 and 100×100 in time, and the open 6×6×6 problem."""

from __future__ import annotations

import time

from bars import Bars
from tables_files import DATA, OPTIMA, THREE_D, flat, random_problem

from tacit.tables.audit.audit import audit
from tacit.tables.files.jj import read_jj
from tacit.tables.pattern import Pattern
from tacit.tables.problem import Problem
from tacit.tables.suppress.exact.exact import exact_pattern

ABSENT = "the reference data are absent"


def bars(bars: Bars) -> None:
    """The bars of this part."""
    if not DATA.is_dir():
        bars.skipped("proven optima", ABSENT)
    else:
        _proven(bars)
    if bars.quick and not bars.smoke:
        bars.skipped("100×100 with 5 % unsafe: CPU s to the proof", "takes longer")
        bars.skipped("6×6×6: gap after 60 CPU s", "takes longer")
        return
    side = bars.size(100, quick=100, smoke=8)
    seconds, found = _timed(random_problem([flat(side, "a"), flat(side, "b")], share=0.05, seed=7))
    bars.true("100×100 with 5 % unsafe: proven", found.proven, cost=found.cost)
    bars.at_most("100×100 with 5 % unsafe: CPU s to the proof", seconds, 60, at_scale=True)
    if bars.smoke or not DATA.is_dir():
        bars.skipped("6×6×6: gap after 60 CPU s", "smoke" if bars.smoke else ABSENT)
        return
    seconds, found = _timed(read_jj(DATA / "jj" / f"{THREE_D}.jj"))
    bars.at_most("6×6×6: CPU s with the usual limits", seconds, 60, at_scale=True, cost=found.cost, bound=found.bound)
    bars.below("6×6×6: gap of the total cost, %", 100 * found.gap, 8, cost=found.cost, bound=found.bound)


def _proven(bars: Bars) -> None:
    for name, optimum in OPTIMA.items():
        seconds, found = _timed(read_jj(DATA / "jj" / f"{name}.jj"))
        met = found.proven and abs(found.cost - optimum) < 0.5
        bars.true(f"{name}: proven optimum {optimum:,}", met, cost=found.cost, bound=found.bound)
        if "50x50" in name:
            bars.at_most(f"{name}: CPU s", seconds, 5, at_scale=True)
        else:
            bars.stated(f"{name}: CPU s", seconds)


def _timed(problem: Problem) -> tuple[float, Pattern]:
    """CPU seconds of the exact search, and the pattern that it found, which the audit must pass."""
    before = time.process_time()
    found = exact_pattern(problem)
    seconds = time.process_time() - before
    if not audit(problem, found.hidden).holds:
        raise AssertionError("the audit fails")
    return seconds, found
