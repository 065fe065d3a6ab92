"""Hiding at the least damage, as an integer program: proven the fewest changes, or with a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ...errors import TacitError, instead, typed
from ..parameters import number
from .baskets import Cells
from .columns import Columns, columns_of
from .problem import Choice, Kept, Problem
from .program import Program, Solved

__all__ = ["Exact"]

Least = Literal["items", "transactions"]
Keep = Literal["none", "most", "all"]
MOST = 5_000
"""Sets to keep beyond which no program is built."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    r"""The fewest removals that hide every sensitive pattern, by an integer program on HiGHS (D-08).

    Transactions that support the same patterns are alike. With :math:`x_{gp}` transactions of the like ones g that lose
    the items p (only such p in which every item ends a sensitive pattern that no other item of p ends),

    .. math:: \min \sum |p|\, x_{gp}, \quad \sum_p x_{gp} \le n_g, \quad
              \mathrm{sup}(S) - \sum_{p \cap S \ne \emptyset} x_{gp} \le \ell_S \text{ for each sensitive } S.

    A sensitive rule X → Y is hidden by either of two conditions, its support or its confidence, chosen by a binary
    variable; the support of X falls with what is taken from it. ``least="transactions"`` counts changed transactions
    (Menon et al.) instead of removed items.

    ``keep="most"`` first loses as few as possible of the other frequent sets, with a binary variable for each that can be
    lost, and then takes out the fewest items under that; ``"all"`` loses none or says that it cannot be; ``"none"``
    does not look at them, and is fast on files of any size, because the program has no row for single transactions.

    ``seconds`` bounds the search (of each of two programs under "most"); evidence has ``proven``, ``changes`` and
    ``bound``, under which no choice can come. Time exponential at worst in the number of sensitive patterns that share
    transactions.

    >>> from tacit.protect.rules import Baskets, hide
    >>> shop = Baskets.of([["bread", "milk"]] * 4 + [["bread", "milk", "tea"]] * 2 + [["milk"]])
    >>> found = hide(shop, "bread, milk", minsup=3, method=Exact())
    >>> found.evidence["changes"], found.evidence["lost"], found.evidence["proven"]
    (4, 0, True)

    References
    ----------
    Menon, Sarkar, Mukherjee (2005), Maximizing accuracy of shared databases when concealing sensitive patterns,
    Information Systems Research 16, 256–270.
    Gkoulalas-Divanis and Verykios (2006), An integer programming approach for frequent itemset hiding, CIKM, 748–757.
    """

    least: Least = "items"
    keep: Keep = "most"
    seconds: float = 60.0

    def __post_init__(self) -> None:
        for name, words in (("least", get_args(Least)), ("keep", get_args(Keep))):
            if getattr(self, name) not in words:
                given = getattr(self, name)
                raise TacitError(f"{name}={typed(given)} is unknown", fix=instead(str(given), words))
        if not number(self.seconds) or self.seconds <= 0:
            raise TacitError(f"seconds={typed(self.seconds)} is no time", fix="e.g. seconds=60")

    def choose(self, problem: Problem) -> Choice:
        """The cells to take out, with the proof."""
        kept = self._kept(problem)
        columns = columns_of(problem, kept)
        program = Program(problem, columns, kept, hard=self.keep == "all", seconds=self.seconds)
        costs = columns.items if self.least == "items" else np.ones(len(columns.items))
        found: dict[str, object] = {}
        if self.keep == "most" and kept:
            lost = program.fewest_lost()
            found |= {"lost": round(lost.value), "lost_bound": lost.bound}
        solved = program.fewest(costs)
        proven = solved.proven and ("lost" not in found or lost.proven)
        evidence = {**found, "changes": round(solved.value), "bound": solved.bound, "proven": proven}
        return Choice(_cells(problem, columns, solved), evidence)

    def _kept(self, problem: Problem) -> list[Kept]:
        if self.keep == "none" or problem.kept is None:
            return []
        hit = np.zeros(problem.size, dtype=bool)
        for one in problem.sought:
            hit[one.rows] = True
        units = {unit for one in problem.sought for unit in one.units}
        found = [
            one
            for one in problem.kept(self.keep == "most")
            if units & set(one.units) and len(one.rows) - int(hit[one.rows].sum()) < problem.least
        ]
        if len(found) > MOST:
            raise TacitError(
                f"{len(found):,} other sets could be lost, more than {MOST:,} that a program can weigh",
                fix="use keep='none' (fewest removals), method border, or a higher minsup",
            )
        return found


def _cells(problem: Problem, columns: Columns, solved: Solved) -> Cells:
    """The program's numbers as places: within like transactions the shortest come first."""
    rows: list[int] = []
    units: list[int] = []
    for group, members in enumerate(columns.members):
        order, used = members[np.argsort(problem.lengths[members], kind="stable")], 0
        for column in np.flatnonzero(columns.group == group):
            count = int(solved.counts[column])
            for row in order[used : used + count].tolist():
                rows += [row] * len(columns.taken[column])
                units += columns.taken[column]
            used += count
    return Cells.of(rows, units)
