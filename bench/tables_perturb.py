"""Controlled rounding of 90,000 cells, and the adjustment of 10⁴ cells beside its proven bound."""

from __future__ import annotations

from bars import Bars, spent
from tables_files import flat, random_problem, random_table

from tacit.tables.perturb.adjust import adjust
from tacit.tables.perturb.checks import is_multiple_of_base, levels_met, perturbation_facts
from tacit.tables.perturb.controlled_rounding import round_controlled

ADJUSTED = (
    ("100×100, 25 % unsafe", [("a", 100), ("b", 100)], 0.25),
    ("21×21×21, 25 % unsafe", [("a", 21), ("b", 21), ("c", 21)], 0.25),
)


def bars(bars: Bars) -> None:
    """The bars of this part."""
    side = bars.size(300, quick=300, smoke=10)
    table = random_table([flat(side, "a"), flat(side, "b")], seed=7)
    seconds, found = spent(lambda: round_controlled(table, base=5))
    facts = perturbation_facts(table, found.values)
    bars.at_most("rounding 300×300: CPU s", seconds, 15, at_scale=True)
    bars.true(
        "rounding 300×300: additive, multiples of 5, within the base",
        bool(facts["additive"]) and is_multiple_of_base(found.values, 5) and float(str(facts["largest change"])) < 5,
        gap=found.gap,
    )
    for name, sides, share in ADJUSTED:
        if bars.quick and not bars.smoke:
            bars.skipped(f"adjustment of {name}: gap, %", "takes longer")
            continue
        problem = random_problem(
            [flat(bars.size(size, quick=size, smoke=3), letter) for letter, size in sides], share=share, seed=7
        )
        seconds, moved = spent(lambda problem=problem: adjust(problem, seed=7))
        bars.at_most(f"adjustment of {name}: CPU s", seconds, 60, at_scale=True, cells=problem.size)
        bars.at_most(f"adjustment of {name}: gap, %", 100 * (1.0 if moved.gap is None else moved.gap), 5, at_scale=True)
        met = bool(levels_met(problem, moved.values).all()) and bool(
            perturbation_facts(problem.table, moved.values)["additive"]
        )
        bars.true(f"adjustment of {name}: additive, every level met", met)
