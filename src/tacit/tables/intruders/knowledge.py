"""What intruders have beside the publication: how many stand behind a cell, and their own contributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import TacitError, format_value
from ..rules.bounds import no_negatives
from ..table import Table

UNKNOWN = -1
"""The number of respondents of a cell where it is not published."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Knowledge:
    """Numbers of respondents as published, and what each of the largest respondents knows of ITSELF.

    ``added[i, r]`` is what the r-th largest respondent of cell i adds to the figure (weight times value), ``owners[i, r]`` who
    it is, −1 where there is nobody. An attack lets a respondent, a coalition or a holding use its OWN rows of these, and
    nobody else's. ``positive`` says that everybody knows contributions to be 0 or more. ``holdings`` tells which respondents
    belong together.
    """

    contributors: np.ndarray
    added: np.ndarray
    owners: np.ndarray
    positive: bool
    holdings: Mapping[int, int] | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        counts: Literal["all", "published", "none"] = "all",
        hidden: np.ndarray | None = None,
        holdings: Mapping[int, int] | None = None,
    ) -> Knowledge:
        """From the true table: the numbers of respondents of all cells, of those not ``hidden``, or of none are known."""
        if counts not in ("all", "published", "none"):
            raise TacitError(
                f"counts={format_value(counts)} is unknown",
                code="unknown_name",
                parameter="counts",
                fix="use 'all', 'published' or 'none'",
            )
        numbers = np.full(table.size, UNKNOWN, dtype=np.int64)
        known = table.values if table.is_frequency and table.contributors is None else table.contributors
        if counts != "none" and known is not None:
            shown = np.ones(table.size, dtype=bool) if counts == "all" or hidden is None else ~hidden
            numbers[shown] = known[shown].astype(np.int64)
        kept = table.contributions
        nothing = np.zeros((table.size, 0))
        added = nothing if kept is None else kept.values * kept.weights
        return cls(
            contributors=numbers,
            added=added,
            owners=known_owners(table),
            positive=no_negatives(table),
            holdings=holdings,
        )


def known_owners(table: Table) -> np.ndarray:
    """Who each kept contribution belongs to; where the table does not tell, everybody gets a number of its own.

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> from tacit.tables.table import Contributions
    >>> kept = Contributions(values=np.array([[5.0, 1.0], [9.0, 0.0]]), owners=np.full((2, 2), -1), weights=np.ones((2, 2)))
    >>> table = Table(
    ...     labels=pl.DataFrame({"a": ["x", "y"]}),
    ...     values=np.array([6.0, 9.0]),
    ...     equations=Equations.of(np.zeros((0, 2))),
    ...     contributions=kept,
    ... )
    >>> known_owners(table)
    array([[ 0,  1],
           [ 2, -1]])
    """
    kept = table.contributions
    if kept is None:
        return np.full((table.size, 0), UNKNOWN, dtype=np.int64)
    owners = np.asarray(kept.owners, dtype=np.int64)
    nameless = (owners < 0) & (kept.values != 0)
    own = np.arange(owners.size).reshape(owners.shape) + owners.max(initial=-1) + 1
    return np.where(nameless, own, owners)
