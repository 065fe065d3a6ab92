"""What hull.md and the guide say of values near a bound, shown: whoever knows the method can compute them.

catalogue: H-06
"""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from .attacks.world import World, people

POOR = 4
"""The first people earn next to nothing: less than a band above the lower bound."""


def frame(far: bool) -> pl.DataFrame:
    """People of whom four have small incomes; ``far``: all four are in the middle instead."""
    small = pl.col("who") * 23.0 + (5001.37 if far else 1.37)
    return people().with_columns(income=pl.when(pl.col("who") < POOR).then(small).otherwise(pl.col("income")))


def learned(world: World, who: int) -> float | None:
    """A value within the interval of a person that many pairs with others point to: their sum less the other's end."""

    def told(*set_of: int) -> list[float]:
        return world.ask(f"SELECT SUM(income) FROM payroll WHERE who IN ({', '.join(map(str, set_of))})")[0][0]

    (low, high), votes = told(who), Counter()
    for other in range(POOR, 30):
        together, alone = told(who, other), told(other)
        ends = {round(pair - single, 2) for pair, single in zip(together, alone, strict=True)}
        votes.update(end for end in ends if low + 0.01 < end < high - 0.01)
    return votes.most_common(1)[0][0] if votes else None


@pytest.mark.parametrize("far", [False, True])
def test_values_near_a_bound_can_be_computed_and_others_cannot(tmp_path, far):
    """Whoever has another sign tells; that all 26 others have the same one happens once in 10⁷ runs."""
    given = frame(far)
    with World(tmp_path, given, "payroll") as world:
        right = sum(learned(world, who) == pytest.approx(given["income"][who], abs=0.011) for who in range(POOR))
    assert right == (0 if far else POOR)
