"""The pq-rule: what is known of the others beforehand counts too."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import TacitError, check_int
from ..table import Table
from .largest import absolute_total, largest_sum
from .levels import Levels
from .rule import check_percentage


@dataclass(frozen=True)
class PQ:
    r"""Unsafe: whoever knew every contribution to within ``q`` per cent now knows the largest to within ``p``.

    ``n`` contributors who act together (1: the second largest alone) subtract what they add. What is left beside the
    largest is :math:`R = T - S(n+1)`; of it they know q per cent beforehand:

    .. math:: \tfrac{q}{100} R < \tfrac{p}{100} S(1), \qquad level = \tfrac{p}{q} S(1) - R.

    The level is the least room above the total at which the cell, had it this total, would not be unsafe. The p %-rule with
    :math:`100\,p/q` is the same rule, and the p %-rule itself is q = 100: nothing is known beforehand. T and S are taken over
    absolute contributions; weights as in :func:`.largest.largest_sum`. O(cells × n).

    >>> PQ(10, 40).description
    'the largest is known to within 10 % by 1 other who knew 40 %'

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    p: float
    q: float
    n: int = 1

    def __post_init__(self) -> None:
        check_percentage("p", self.p, below=100, e_g=10)
        check_percentage("q", self.q, e_g=100)
        if not self.p < self.q <= 100:
            raise TacitError(
                f"q={self.q:g} is not above p={self.p:g} and at most 100",
                code="out_of_range",
                parameter="q",
                fix="q is what is known beforehand and p what may be known after: q must be larger, e.g. p=10, q=50",
            )
        check_int("n", self.n, least=1)

    @property
    def description(self) -> str:
        """The rule with its parameters, as a reader sees it beside a cell."""
        others = "1 other" if self.n == 1 else f"{self.n} others"
        return f"the largest is known to within {self.p:g} % by {others} who knew {self.q:g} %"

    @property
    def contributions_needed(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""
        return self.n + 1

    def judge(self, table: Table) -> Levels:
        """Which cells are unsafe, and the room that they need."""
        return left_open(table, share=self.p / self.q, n=self.n, rule="pq-rule")


def left_open(table: Table, *, share: float, n: int, rule: str) -> Levels:
    """Unsafe where the rest of a cell falls short of ``share`` of its largest contribution, by the level."""
    figures = absolute_total(table)
    largest = largest_sum(table, 1, rule=rule)
    rest = figures - largest_sum(table, n + 1, rule=rule)
    return Levels.short_by(share * largest - rest, of=figures)
