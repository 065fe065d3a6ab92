"""The bar of restarts: a run of the heuristic is never more than one record below the best of ten."""

from __future__ import annotations

from bars import Bars
from learned_files import ABSENT, DATA, FILES, sample
from learned_runs import run
from learned_workers import side_by_side

RUNS = 10
TRIED = ("WM", "SB", "CI")


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if not DATA.is_dir():
        bars.skipped("restarts on the published files", ABSENT)
        return
    asked = [(file, name) for name in TRIED for file in FILES]
    asked = [("M4-33", "WM")] if bars.quick else asked
    counts = dict(zip(asked, side_by_side(ten, asked, alone=bars.quick), strict=True))
    for name in dict.fromkeys(name for _, name in asked):
        some = {file: found for (file, family), found in counts.items() if family == name}
        worst = max(max(found) - min(found) for found in some.values())
        bars.at_most(f"{name}: best of {RUNS} runs less the worst, {len(some)} files", worst, 1, **some)


def ten(which: tuple[str, str]) -> list[int]:
    """How many each run finds, other lots each time."""
    file, name = which
    pairs = sample(file, 0)
    return [int(run(pairs, name, seed=100 + seed).found.sum()) for seed in range(RUNS)]
