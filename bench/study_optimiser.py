"""The optimiser against a grid with as many evaluations: how much of the map the front takes (hypervolume)."""

from __future__ import annotations

from statistics import fmean

from bars import Bars
from study_census import ATTACKS, LOSS, RISK, by_method, census

from tacit.study import explore, hypervolume

SEEDS, ALL = 10, 75
"""75 are 5 × 5 levels for each of three methods: the grid uses up what it is given."""
METHODS = {
    "mdav": {"k": {"from": 2, "to": 50, "scale": "log"}},
    "rank_swap": {"percent": {"from": 0.5, "to": 40.0, "scale": "log"}},
    "add_noise": {"variance": {"from": 0.005, "to": 1.0, "scale": "log"}},
}


def bars(bars: Bars) -> None:
    """Mean over the seeds; a seed is that of the masking too, the same for both searches."""
    if bars.quick:
        bars.skipped("hypervolume of the optimiser over that of the grid", "takes minutes; full run only")
        return
    if census() is None:
        bars.skipped(
            "hypervolume of the optimiser over that of the grid", "the reference data are not beside the project"
        )
        return
    found = {search: [_taken(search, seed) for seed in range(SEEDS)] for search in ("optimiser", "grid")}
    means = {search: fmean(taken) for search, taken in found.items()}
    better = sum(one > other for one, other in zip(found["optimiser"], found["grid"], strict=True))
    bars.at_least(
        f"hypervolume, optimiser − grid, {ALL} evaluations",
        means["optimiser"] - means["grid"],
        0.0,
        **means,
        seeds=SEEDS,
        seeds_better=better,
    )


def _taken(search: str, seed: int) -> float:
    original = census()
    assert original is not None
    study = explore(
        original,
        strategy=by_method(list(original.columns), **METHODS),
        search=search,
        candidates=ALL,
        seed=seed,
        risk=RISK,
        loss=LOSS,
        attacks=ATTACKS,
    )
    assert len(study.points) == ALL + 1
    return hypervolume((point.risk, point.loss) for point in study.points if point.done and point.risk is not None)  # type: ignore[misc]
