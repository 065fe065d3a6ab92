"""The minimum frequency rule: too few stand behind a cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import TacitError, check_int
from ..table import Table
from .largest import absolute_total
from .levels import Levels
from .rule import check_percentage


@dataclass(frozen=True)
class MinimumFrequency:
    r"""Unsafe: fewer than ``n`` respondents stand behind the cell, and at least one.

    .. math:: 1 \le c < n.

    c counts respondents (or holdings), never weights: a record of weight 50 is one company whose answer is in the cell. With
    ``weighted`` the weighted number is judged, for tables of counts only. Cells without any respondent are left to the
    zeros policy of :func:`.marked.marked`.

    The rule says nothing of how uncertain a cell must become, so ``level`` does: a percentage of the figure, below and
    above. For a sum over ONE respondent it means what p means in the p %-rule. For a count it is rounded up to a
    whole number, at least 1. A sum that is zero, with respondents behind it, gets the level of the smallest other sum.
    Do not use it alone for sums: a hundred respondents hide nobody where one of them makes up 99 % of the figure. O(cells).

    >>> MinimumFrequency(3).description
    'fewer than 3 respondents'

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    n: int
    level: float = 15.0
    weighted: bool = False

    def __post_init__(self) -> None:
        check_int("n", self.n, least=1)
        check_percentage("level", self.level, e_g=15)

    @property
    def description(self) -> str:
        """The rule with its parameters, as a reader sees it beside a cell."""
        return f"fewer than {self.n} respondents{' by weight' * self.weighted}"

    @property
    def contributions_needed(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""
        return 0

    def judge(self, table: Table) -> Levels:
        """Which cells are unsafe, and the room that they need."""
        count = self._respondent_counts(table)
        figures = absolute_total(table)
        counts = table.is_count_cell
        least = figures[(figures > 0) & ~counts].min(initial=np.inf)
        level = self.level / 100 * np.where(figures > 0, figures, least if np.isfinite(least) else 1.0)
        level = np.where(counts, np.maximum(1.0, np.ceil(self.level / 100 * figures - 1e-9)), level)
        return Levels.both_ways((count > 0) & (count < self.n), level)

    def _respondent_counts(self, table: Table) -> np.ndarray:
        if self.weighted:
            if table.is_frequency:
                return table.values
            raise TacitError(
                "minimum_frequency by weight judges counts, and the table holds sums",
                code="invalid_table",
                fix="leave weighted out: then the respondents themselves are counted",
            )
        if table.contributors is not None:
            return table.contributors
        if table.is_frequency:
            return table.values
        raise TacitError(
            "minimum_frequency needs the number of respondents of each cell, and the table has none",
            code="missing_parameter",
            fix="name the column that holds it (contributors=…), or build the table from records",
        )
