"""The bars of the published table: fixed distances at the published level, and no family below one that it contains."""

from __future__ import annotations

import numpy as np
from bars import Bars
from learned_files import ABSENT, DATA, FILES, PUBLISHED, SAMPLES, sample
from learned_runs import nested, run
from learned_workers import side_by_side

INCLUSIONS = (("AM", "WM"), ("WM", "CI"), ("WM", "SB"), ("MD", "SB"))
POINTS = 5.0


def bars(bars: Bars) -> None:
    """All bars of this part."""
    if not DATA.is_dir():
        bars.skipped("the published files", ABSENT)
        return
    fixed(bars)
    inclusions(bars)


def fixed(bars: Bars) -> None:
    """The arithmetic mean and Mahalanobis distance: means over the samples within 5 points of the published."""
    for name in ("AM", "MD"):
        for file, there in zip(FILES, PUBLISHED[name], strict=True):
            shares = [100 * run(sample(file, seed), name, seed=0).found.mean() for seed in range(SAMPLES)]
            facts = {
                "published": there,
                "here": round(float(np.mean(shares)), 2),
                "sd": round(float(np.std(shares)), 2),
            }
            bars.at_most(f"{file} {name}, points from published", abs(float(np.mean(shares)) - there), POINTS, **facts)


def inclusions(bars: Bars) -> None:
    """AM <= WM <= CI, WM <= SB, MD <= SB on every sample; MD beside WM is stated."""
    tried = [(file, seed) for file in FILES for seed in range(SAMPLES)]
    tried = [("M4-33", 0)] if bars.quick else tried
    counts = side_by_side(chain, tried, alone=bars.quick)
    for small, large in INCLUSIONS:
        held = sum(count[small] <= count[large] for count in counts)
        bars.at_least(f"{small} <= {large}, samples of {len(tried)}", held, len(tried))
    above = sum(count["MD"] > count["WM"] for count in counts)
    bars.stated(f"MD above WM, samples of {len(tried)}", above)


def chain(which: tuple[str, int]) -> dict[str, int]:
    """How many each family finds in one file."""
    file, seed = which
    found = nested(sample(file, seed), dict.fromkeys(("AM", "MD", "WM", "CI", "SB"), 5.0), seed=seed)
    return {name: int(one.found.sum()) for name, one in found.items()}
