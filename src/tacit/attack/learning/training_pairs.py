"""What an intruder learns from: acquaintances, and the released record of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...claims.scenario import Scenario
from ...release.release import Release
from .folds import Folds
from .pairs import Pairs
from .queries import Direction, QueryPoints, Scale, query_points


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingPairs:
    """Rows of the acquaintances that have one released record each (``rows``), which one that is (``own``), and folds.

    Both stand in an order that is that of no file.
    """

    sides: QueryPoints
    rows: np.ndarray
    own: np.ndarray
    folds: Folds

    def sample_pairs(self, *, without: int | None, most: int, direction: Direction, rng: np.random.Generator) -> Pairs:
        """All of them but one fold, and at most so many, drawn at random."""
        fold = self.folds.acquaintances[self.rows]
        chosen = np.arange(len(fold)) if without is None else np.flatnonzero(fold != without)
        if len(chosen) > most:
            chosen = np.sort(rng.choice(chosen, most, replace=False))
        return self.sides.pairs_for(self.rows[chosen], self.own[chosen], direction)


def training_pairs(
    release: Release, scenario: Scenario, sides: QueryPoints, folds: Folds, *, scale: Scale
) -> TrainingPairs:
    """The acquaintances of a scenario; ``sides`` are those of the scenario's own file, which often is the same."""
    assert scenario.acquaintances is not None
    file = scenario.acquaintances.file
    if file is not scenario.file:
        sides = query_points(release, file.select(scenario.knows), scale=scale, like=sides)
    own = scenario.acquaintances.own_rows()
    rows = np.flatnonzero(own >= 0)
    order = np.lexsort((sides.group_of[own[rows]], folds.numbers[rows]))
    return TrainingPairs(sides=sides, rows=rows[order], own=own[rows[order]], folds=folds)
