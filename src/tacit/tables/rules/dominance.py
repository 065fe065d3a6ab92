"""The (n, k) dominance rule: few make up most of a cell."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import check_int
from ..table import Table
from .largest import absolute_total, largest_sum
from .levels import Levels
from .rule import check_percentage


@dataclass(frozen=True)
class Dominance:
    r"""Unsafe: the ``n`` largest contributors make up more than ``k`` per cent of the cell.

    .. math:: S(n) > \tfrac{k}{100} T, \qquad level = \tfrac{100}{k} S(n) - T.

    The level is the least by which the total must seem larger for the same n contributors to make up k per cent of it and
    no more. T and S are taken over absolute contributions; weights as in :func:`.largest.largest_sum`. The rule is blind to
    the competitor: 60 + 39 + 1 and 60 + 20 + 20 are equal to (1, 75), though in the first the second largest knows the
    largest to within 1. Prefer the p %-rule unless the law says otherwise. O(cells × n).

    >>> Dominance(2, 85).description
    '2 make up more than 85 %'

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    n: int
    k: float

    def __post_init__(self) -> None:
        check_int("n", self.n, least=1)
        check_percentage("k", self.k, below=100, e_g=85)

    @property
    def description(self) -> str:
        """The rule with its parameters, as a reader sees it beside a cell."""
        return f"{self.n} make up more than {self.k:g} %"

    @property
    def contributions_needed(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""
        return self.n

    def judge(self, table: Table) -> Levels:
        """Which cells are unsafe, and the room that they need."""
        figures, few = absolute_total(table), largest_sum(table, self.n, rule="dominance rule")
        return Levels.short_by(100 / self.k * few - figures, of=100 / self.k * figures)
