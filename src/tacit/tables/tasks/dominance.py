"""Sums without cells that a few respondents dominate."""

from __future__ import annotations

from typing import Any

from ...errors import TacitError
from ...progress import Progress
from ..rules.assess import build_problem
from ..rules.costs import Cost
from ..rules.dominance import Dominance
from ..rules.minimum_frequency import MinimumFrequency
from ..rules.p_percent import PPercent
from ..rules.rule import Rule
from ..suppress.limits import Limits
from ..suppress.suppress import suppress
from ..suppress.suppressed import Suppressed
from .input_table import given_table


def suppress_dominated(
    data: Any,
    *,
    p: float | None = None,
    dominance: tuple[int, float] | None = None,
    minimum: tuple[int, float] | None = None,
    cost: Cost = "value",
    limits: Limits | None = None,
    progress: Progress | None = None,
    **building: Any,
) -> Suppressed:
    """Leave out the sums in which a respondent could be estimated too well, and what protects them.

    ``p``: nobody may estimate another's contribution to within p per cent. ``dominance``: (n, k), the n largest may not make up
    more than k per cent. ``minimum``: (n, level), cells of fewer than n respondents must be uncertain by level per cent. A
    cell is left out when any of those given says so. ``data`` is a table, or records with what :func:`tacit.tables.tabulate`
    wants to know: ``by=["activity", "region"], response="turnover"``.

    >>> import polars as pl
    >>> firms = pl.DataFrame({"town": [*"aaabbbccc"], "kind": [*"xyxyxyxyx"], "sales": [90, 5, 8, 7, 6, 9, 8, 5, 7]})
    >>> found = suppress_dominated(firms, p=10, by=["town", "kind"], response="sales")
    >>> found.safe
    True
    """
    rules: list[Rule] = []
    if p is not None:
        rules.append(PPercent(p))
    if dominance is not None:
        rules.append(Dominance(*dominance))
    if minimum is not None:
        rules.append(MinimumFrequency(minimum[0], level=minimum[1]))
    if not rules:
        raise TacitError("nothing says which cells disclose", code="no_rule", fix="e.g. p=10, or dominance=(2, 85)")
    return suppress(
        build_problem(given_table(data, building, rules=rules), rules, cost=cost), limits=limits, progress=progress
    )
