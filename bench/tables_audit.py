"""The audit: 5,000 suppressed cells in time, and the same answers as enumeration."""

from __future__ import annotations

import numpy as np
from bars import Bars, spent
from tables_files import compare_with_enumeration, flat, random_problem

from tacit.tables.audit.audit import audit

TINY, TINY_QUICK = 200, 40


def bars(bars: Bars) -> None:
    """The bars of this part."""
    if bars.quick and not bars.smoke:
        bars.skipped("audit of 5,000 suppressed cells: CPU s", "takes longer")
    else:
        side, cells = bars.size((200, 5000), quick=(200, 5000), smoke=(12, 30))
        problem = random_problem([flat(side, "a"), flat(side, "b")], share=0.05, seed=7)
        free = np.flatnonzero(problem.may_suppress)
        more = np.random.default_rng(7).choice(free, cells - int(problem.must_suppress.sum()), replace=False)
        hidden = problem.must_suppress.copy()
        hidden[more] = True
        seconds, found = spent(lambda: audit(problem, hidden))
        facts = {"programs": found.intervals.programs, "proven": int(found.intervals.proven.sum())}
        bars.at_most(
            "audit of 5,000 suppressed cells: CPU s", seconds, 60, at_scale=True, suppressed=int(hidden.sum()), **facts
        )
    count = bars.size(TINY, quick=TINY_QUICK, smoke=6)
    # It asserts that every interval is that of trying all tables; in three dimensions that of whole tables.
    cells, _ = compare_with_enumeration(count)
    bars.true(f"audit of {count} tiny tables: equal to enumeration", cells > count, cells=cells)
