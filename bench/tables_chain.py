"""The automatic chain: near every known optimum, in time on large tables, and never unsafe; linked tables as one."""

from __future__ import annotations

from bars import Bars, spent
from tables_files import DATA, OPTIMA, SETS, THREE_D, flat, random_problem, turnover, unsafe_in_random_tables

from tacit.tables.build.linking import link_tables
from tacit.tables.files.jj import read_jj
from tacit.tables.rules.assess import build_problem
from tacit.tables.rules.dominance import Dominance
from tacit.tables.rules.minimum_frequency import MinimumFrequency
from tacit.tables.suppress.suppress import suppress

# Sides without their totals: with them the tables have 100,489 and 10,648 cells.
LARGE = (
    ("10⁵ cells in 2 dimensions (317×317, 5 % unsafe)", [("a", 316), ("b", 316)]),
    ("10⁴ cells in 3 dimensions (22×22×22, 5 % unsafe)", [("a", 21), ("b", 21), ("c", 21)]),
)
RANDOM, RANDOM_QUICK = 1000, 60
BOUND = 8289.0
"""No pattern of the open 6×6×6 problem costs less: the bound that the exact search proves with its usual limits."""


def bars(bars: Bars) -> None:
    """The bars of this part."""
    _near(bars)
    for name, sides in LARGE:
        if bars.quick and not bars.smoke:
            bars.skipped(f"{name}: CPU s", "takes longer")
            continue
        problem = random_problem(
            [flat(bars.size(size, quick=size, smoke=3), letter) for letter, size in sides], share=0.05, seed=7
        )
        seconds, found = spent(lambda problem=problem: suppress(problem, method="heuristic"))
        bars.at_most(f"{name}: CPU s", seconds, 300, at_scale=True, cells=problem.size, cost=found.pattern.cost)
        bars.true(f"{name}: every unsafe cell is protected", found.audit.holds)
    _linked(bars)
    count = bars.size(RANDOM, quick=RANDOM_QUICK, smoke=10)
    protected, short = unsafe_in_random_tables(count)
    bars.at_most(f"unsafe cells that an oracle finds short in {count:,} random tables", short, 0, protected=protected)


def _near(bars: Bars) -> None:
    """How far the chain without the exact search is from what is known to be best."""
    if not DATA.is_dir():
        bars.skipped("the chain beside known optima", "the reference data are absent")
        return
    known = OPTIMA | {THREE_D: BOUND}
    for name, optimum in known.items():
        if bars.quick and name == THREE_D:
            bars.skipped(f"{name}: chain over the optimum, %", "takes longer")
            continue
        found = suppress(read_jj(DATA / "jj" / f"{name}.jj"), method="heuristic")
        over = 100 * (found.pattern.cost / optimum - 1)
        what = "a proven bound" if name == THREE_D else "the optimum"
        bars.at_most(f"{name}: chain over {what}, %", over, 5, cost=found.pattern.cost, least=optimum)


def _linked(bars: Bars) -> None:
    """Four tables of French companies that share margins, as one system: fewer than 3 respondents, or one above 85 %."""
    folder = DATA / "rtauargus"
    if not folder.is_dir():
        bars.skipped("four linked tables protected together", "the reference data are absent")
        return
    if bars.quick:
        bars.skipped("four linked tables: protected together, by the audit", "takes longer")
        return
    joint = link_tables({name: turnover(folder, name, by) for name, by, _ in SETS})
    problem = build_problem(joint, [MinimumFrequency(3), Dominance(1, 85)])
    seconds, found = spent(lambda: suppress(problem))
    facts = {"cells": joint.size, "unsafe": len(problem.primaries), "suppressed": int(found.pattern.hidden.sum())}
    bars.true("four linked tables: protected together, by the audit", found.audit.holds, gap=found.pattern.gap, **facts)
    bars.stated("four linked tables: CPU s", seconds)
