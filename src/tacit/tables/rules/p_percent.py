"""The p %-rule: a competitor who is in the cell estimates the largest too well."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import check_int
from ..table import Table
from .levels import Levels
from .pq import left_open
from .rule import check_percentage


@dataclass(frozen=True)
class PPercent:
    r"""Unsafe: the second largest, who subtracts its own part, knows the largest to within ``p`` per cent.

    Its upper estimate is :math:`T - x_2`, too high by the rest :math:`R = T - x_1 - x_2`. With ``n`` who act together the
    n next largest are subtracted, :math:`R = T - S(n+1)`:

    .. math:: R < \tfrac{p}{100} x_1, \qquad level = \tfrac{p}{100} x_1 - R.

    When the total may be as high as T + level, the estimate is :math:`x_1 + R + level = (1 + p/100)\,x_1`: p per cent too high,
    and any smaller level would miss that. Nobody else estimates anybody better (``p_percent.md``). A sole contributor gets
    p per cent of the figure. T and S are taken over absolute contributions; weights as in :func:`.largest.largest_sum`. O(cells × n).

    >>> PPercent(10).description
    'the largest is known to within 10 % by 1 other'

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    p: float
    n: int = 1

    def __post_init__(self) -> None:
        check_percentage("p", self.p, e_g=10)
        check_int("n", self.n, least=1)

    @property
    def description(self) -> str:
        """The rule with its parameters, as a reader sees it beside a cell."""
        others = "1 other" if self.n == 1 else f"{self.n} others"
        return f"the largest is known to within {self.p:g} % by {others}"

    @property
    def contributions_needed(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""
        return self.n + 1

    def judge(self, table: Table) -> Levels:
        """Which cells are unsafe, and the room that they need."""
        return left_open(table, share=self.p / 100, n=self.n, rule="p%-rule")
