"""The request rule: only who asked for it is protected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...errors import TacitError, check_int
from ..table import Table
from .largest import absolute_total, largest_sum
from .levels import Levels
from .rule import check_percentage


@dataclass(frozen=True)
class Request:
    r"""Unsafe: a respondent who ``asked`` for it is the largest and makes up more than ``percent`` of the cell.

    .. math:: x_1 > \tfrac{percent}{100} T \text{ and the owner of } x_1 \in asked.

    Foreign trade is protected so: passively, on request. With ``few``, a cell with fewer than that many respondents is
    unsafe as well when ANY of them asked, because the others in it could subtract their own parts. ``asked`` are owners
    as :attr:`~tacit.tables.Table.contributions` numbers them. Requests with another threshold are a second rule. ``level`` is the
    room below and above, a percentage of the figure. O(cells × kept contributions).

    >>> Request(percent=70, asked=[4, 1], level=15)
    Request(percent=70, asked=(1, 4), level=15, few=None)

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, chapter 4.
    """

    percent: float
    asked: Iterable[int]
    level: float
    few: int | None = None

    def __post_init__(self) -> None:
        check_percentage("percent", self.percent, below=100, e_g=70)
        check_percentage("level", self.level, e_g=15)
        if isinstance(self.asked, str) or not isinstance(self.asked, Iterable):
            raise TacitError("asked is not a list of owners", code="wrong_type", fix="e.g. asked=[17, 204]")
        given = tuple(self.asked)
        if not all(isinstance(one, int | np.integer) and not isinstance(one, bool) and one >= 0 for one in given):
            raise TacitError(
                "asked holds something that is no owner's number", code="wrong_kind", fix="e.g. asked=[17, 204]"
            )
        object.__setattr__(self, "asked", tuple(sorted({int(one) for one in given})))
        if self.few is not None:
            check_int("few", self.few, least=2)

    @property
    def description(self) -> str:
        """The rule with its parameters, as a reader sees it beside a cell."""
        few = "" if self.few is None else f" or stands among fewer than {self.few}"
        return f"one who asked makes up more than {self.percent:g} %{few}"

    @property
    def contributions_needed(self) -> int:
        """How many of the largest contributions to each cell the rule looks at."""
        return 1 if self.few is None else max(1, self.few - 1)

    def judge(self, table: Table) -> Levels:
        """Which cells are unsafe, and the room that they need."""
        largest, figures = largest_sum(table, 1, rule="request rule"), absolute_total(table)
        kept = table.contributions
        assert kept is not None, "largest_sum refuses a table without contributions"
        if not (kept.owners >= 0).any():
            raise TacitError(
                "the request rule must know whose the largest contributions are, and the table does not",
                code="invalid_table",
                fix="build the table from records",
            )
        who = np.isin(kept.owners, np.array(list(self.asked), dtype=np.int64))
        unsafe = who[:, 0] & (largest > self.percent / 100 * figures)
        if self.few is not None:
            unsafe |= who.any(axis=1) & self._has_few(table)
        return Levels.both_ways(unsafe, self.level / 100 * figures)

    def _has_few(self, table: Table) -> np.ndarray:
        assert self.few is not None
        assert table.contributions is not None
        kept = table.contributions.values.shape[1]
        if table.contributors is None or kept < self.few - 1:
            lacks = "the number of respondents" if table.contributors is None else f"{self.few - 1} contributions"
            raise TacitError(
                f"the request rule with few={self.few} needs {lacks} of each cell",
                code="missing_parameter",
                fix=f"build the table from records with top={self.few - 1}",
            )
        found: np.ndarray = (table.contributors > 0) & (table.contributors < self.few)
        return found
