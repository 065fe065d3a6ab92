"""Whether what was drawn from a source without a seed has its law, decided so that a right law is never rejected.

Never is a chance below ``ERROR`` for each question asked here. It is a bound for every number of draws, not the limit of a
chi-squared test: with few draws in a cell that test is wrong far more often than it says.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping

from scipy.stats import binom

__all__ = ["ERROR", "follows", "likely"]

ERROR = 1e-12
CELLS = 24
"""Of more outcomes neighbours are taken together up to a chance of 1/CELLS: fewer cells tell two laws apart with fewer draws."""


def follows(drawn: Iterable[Hashable], law: Mapping[Hashable, float]) -> bool:
    """Whether draws may have a law, given as the chances of outcomes; what it leaves out is taken with the last ones.

    The relative entropy of the shares of m cells to their chances, times the number of draws, exceeds t > m − 1 with a chance
    of at most (e·t/(m − 1))^(m−1)·e^−t (Agrawal 2020, Finite-sample concentration of the multinomial in relative entropy, IEEE
    Transactions on Information Theory 66).
    """
    seen = Counter(drawn)
    number, cells = seen.total(), [[0.0, 0]]
    least = 1 / CELLS if len(law) > CELLS else 0.0
    for outcome, chance in law.items():
        if cells[-1][0] > least:
            cells.append([0.0, 0])
        cells[-1][0] += chance
        cells[-1][1] += seen.pop(outcome, 0)
    beyond = 1 - sum(law.values())
    if seen and beyond < ERROR:
        return False
    cells[-1][0] += max(0.0, beyond)
    cells[-1][1] += seen.total()
    far = sum(count * math.log(count / (number * chance)) for chance, count in cells if count)
    free = len(cells) - 1
    return far <= free or far - free * (1 + math.log(far / free)) < -math.log(ERROR)


def likely(hits: int, number: int, chance: float) -> bool:
    """Whether so many of a number of draws may have come from a chance: both tails of the binomial law."""
    return bool(min(binom.cdf(hits, number, chance), binom.sf(hits - 1, number, chance)) > ERROR / 2)
