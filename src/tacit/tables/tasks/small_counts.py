"""Counts without small cells."""

from __future__ import annotations

from typing import Any

from ...progress import Progress
from ..rules.assess import Zeros, build_problem
from ..rules.minimum_frequency import MinimumFrequency
from ..suppress.limits import Limits
from ..suppress.suppress import suppress
from ..suppress.suppressed import Suppressed
from .input_table import given_table


def suppress_small_counts(
    data: Any,
    *,
    minimum: int,
    zeros: Zeros = "published",
    limits: Limits | None = None,
    progress: Progress | None = None,
    **building: Any,
) -> Suppressed:
    """Leave out the counts below ``minimum``, and as few others as it takes that nobody can compute them.

    ``data`` is a table, or records with what :func:`tacit.tables.tabulate` wants to know: ``by=["region", "sex"]``. What is
    left out costs its count. The result is audited: ``.safe`` says whether every small count stays uncertain by 1 at least.

    >>> import polars as pl
    >>> people = pl.DataFrame({"town": [*"aaaaabbbbbbcccccccc"], "ill": [*"ynnnnyyyynnyyyyynnn"]})
    >>> found = suppress_small_counts(people, minimum=3, by=["town", "ill"])
    >>> found.safe, int(found.pattern.hidden.sum())
    (True, 6)

    Four cells would do against outsiders; the one person of town a who is ill would see through these.
    """
    rules = [MinimumFrequency(minimum)]
    problem = build_problem(given_table(data, building, rules=rules), rules, zeros=zeros)
    return suppress(problem, limits=limits, progress=progress)
