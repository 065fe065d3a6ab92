"""Microaggregation: records replaced by the mean of a small group of like records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, names, whole
from ..progress import report
from ..release.households import household_level, one_per_household
from ..release.kinds import ORDERED
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import generator
from .parameters import column_names, forgotten

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["Mdav"]

LARGEST = 1e100
"""Beyond this, squares of values overflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mdav:
    r"""Group records that are alike, at least ``k`` in each group, and replace their values by the group's means (E-02).

    MDAV, maximum distance to the average vector: while at least 3k records are left, take r, farthest from their
    centre, and s, farthest from r; the k records nearest to each become a group. Distances are Euclidean on columns
    divided by their standard deviation (a constant column does not count), means are in the units of the data. The
    loss is :math:`SSE = \sum_g \sum_{i \in g} (x_i - \bar x_g)'(x_i - \bar x_g)`; means of columns are kept, variances
    shrink. On quasi-identifiers, all of them at once, it gives k-anonymity, provided that none of them is missing
    anywhere and that they are all of the household or all of the person: every record then has the means of its group,
    which all k or more of it share (checked by an independent count in the tests); else measure what it gave.

    Records with a missing value in one of the columns are left as they are; the outcome counts them. Columns that are
    equal within every household are grouped by household, apart from the others. Records are put in the order of their
    values first, so that ties do not follow the order of the file; records equal in all columns change places at random
    when a seed is given.

    Time O(n²/k · columns), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 10.0, 12.0]}), quasi="pay")
    >>> r.protect(Mdav(columns="pay", k=2)).native()["pay"].to_list()
    [1.5, 1.5, 11.0, 11.0]

    References
    ----------
    Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through microaggregation, Data
    Mining and Knowledge Discovery 11, 195–212.
    """

    columns: str | Sequence[str]
    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", column_names(self.columns))
        whole("k", self.k, least=2)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with means; the outcome has the number of groups, and of records left out."""
        columns = names(self.columns, release.columns)
        for column in columns:
            _check_numeric(release, column)
        report(progress, "mdav", 0.0)
        rng = None if seed is None else generator(seed)
        shared = household_level(release, columns)
        everyone = np.arange(release.size)
        own = tuple(column for column in columns if column not in shared)
        changes: dict[str, np.ndarray] = {}
        groups, left_out = 0, np.zeros(release.size, dtype=bool)
        for part, first, of_row in ((own, everyone, everyone), (shared, *one_per_household(release))):
            if part:
                means, made, complete = self._averaged(release, part, first, rng)
                changes |= {column: mean[of_row] for column, mean in means.items()}
                groups += made
                left_out |= ~complete[of_row]
        report(progress, "mdav", 1.0)
        outcome = {
            "groups": Finding(groups, publishable=True),
            "left_out": Finding(int(left_out.sum()), publishable=True, counts=True),
        }
        if shared:
            outcome["by_household"] = Finding(list(shared), publishable=True)
        averaged = forgotten(_with_numbers(release, changes), columns, hierarchies=False)
        return Masked(averaged, (Trace.of(self, **outcome),))

    def _averaged(
        self, release: Release, columns: Sequence[str], rows: np.ndarray, rng: np.random.Generator | None
    ) -> tuple[dict[str, np.ndarray], int, np.ndarray]:
        """The new values of the given rows (NaN where missing), the number of groups, and which rows are complete."""
        from ..kernels.microaggregation import group_means, mdav

        values = np.column_stack([_bounded(release, column)[rows] for column in columns])
        complete = ~np.isnan(values).any(axis=1)
        count = int(complete.sum())
        if count < self.k:
            raise TacitError(
                f"k={self.k} is above the {count} records that have values in {', '.join(columns)}",
                fix="use a smaller k, or fewer columns",
            )
        known = np.flatnonzero(complete) if rng is None else rng.permutation(np.flatnonzero(complete))
        known = known[np.lexsort(values[known].T[::-1])]
        group = mdav(_standardised(values[known]), self.k)
        for place in range(len(columns)):
            values[known, place] = group_means(values[known, place], group)
        return dict(zip(columns, values.T, strict=True)), int(group.max()) + 1, complete


def _check_numeric(release: Release, column: str) -> None:
    if release.types[column] not in ("integer", "number"):
        raise TacitError(
            f"holds {release.types[column]}, which has no mean", column=column, fix="leave it out of the columns"
        )
    if release.kind(column) not in ORDERED:
        raise TacitError(
            f"is {release.kind(column)}: the mean of codes means nothing",
            column=column,
            fix="leave it out of the columns",
        )


def _bounded(release: Release, column: str) -> np.ndarray:
    """The column as numbers, missing as NaN; none so large that its square overflows."""
    values = release.floats(column)
    beyond = np.abs(values) > LARGEST
    if beyond.any():
        raise TacitError(
            f"has a number beyond ±{LARGEST:g} in row {int(beyond.argmax()) + 1}",
            column=column,
            fix="correct it or leave it out",
        )
    return values


def _standardised(values: np.ndarray) -> np.ndarray:
    spread = values.std(axis=0)
    flat = values.max(axis=0) == values.min(axis=0)
    return np.ascontiguousarray(
        np.where(flat, 0.0, values - values.mean(axis=0)) / np.where(flat | (spread == 0), 1.0, spread)
    )


def _with_numbers(release: Release, changes: dict[str, np.ndarray]) -> Release:
    return release.replaced({column: pl.Series(column, new).fill_nan(None) for column, new in changes.items()})
