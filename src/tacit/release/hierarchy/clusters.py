"""A recipe by likeness: values whose records are alike in another column, or numbers that lie close, are merged first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError
from ..engines.table import Type
from .base import TOP, Hierarchy
from .cuts import Cuts
from .frequency import check_listable
from .recipe import check_falling
from .table import TableHierarchy

if TYPE_CHECKING:
    from .recipe import Tally


MOST_VALUES = 1000
"""All pairs of so many values are compared."""
BINS = 10
"""A column of numbers is likened by its tenths."""
SHOWN = 3
"""So many values name a group."""


@dataclass(frozen=True, slots=True)
class Clusters:
    r"""Values merged by Ward's rule: with groups = (8, 3) eight groups, then three.

    Two groups of :math:`n_a` and :math:`n_b` records with centres :math:`p_a`, :math:`p_b` are merged first when

    .. math:: \frac{n_a n_b}{n_a + n_b} \lVert p_a - p_b \rVert^2

    is least: alike, and small. With ``like`` the centre is the distribution of that column among the group's records
    (numbers by their tenths): towns with the same incomes come together, which keeps that relation when they are
    coarsened. Without it the column's own numbers are the centres, only neighbours merge, and the groups are
    intervals. A text column needs ``like``. O(v³) for v values, at most 1000.

    >>> import polars as pl
    >>> from tacit import Release
    >>> ages = pl.DataFrame({"age": [1, 2, 3, 30, 31, 60, 61, 62]})
    >>> Release(ages, hierarchies={"age": {"clusters": [3, 2]}}).hierarchies["age"].spec()
    {'cuts': [[30, 60], [60]]}

    References
    ----------
    Ward (1963), Hierarchical grouping to optimize an objective function, JASA 58, 236–244.
    """

    groups: tuple[int, ...]
    like: str | None = None

    def __post_init__(self) -> None:
        check_falling("clusters", self.groups, least=2)
        if self.like is not None and not isinstance(self.like, str):
            raise TacitError(
                f"like is a column's name, not a {type(self.like).__name__}",
                code="invalid_data",
                fix="e.g. like = 'income'",
            )

    @property
    def height(self) -> int:
        """The number of the top level."""
        return len(self.groups) + 1

    def check_type(self, column: str, type: Type) -> None:
        """Numbers, or values that can be listed and another column to liken them by."""
        if self.like is not None:
            if self.like == column:
                raise TacitError(
                    "cannot be likened by itself",
                    code="unsuitable_column",
                    column=column,
                    fix="name another column, or leave like out",
                )
            check_listable(column, type)
        elif type not in ("integer", "number"):
            raise TacitError(
                f"holds {type}, of which none lie close to each other",
                code="wrong_kind",
                column=column,
                fix="say by which column they are alike, e.g. { clusters = [8, 3], like = 'income' }",
            )

    def grow(self, column: str, tally: Tally) -> Hierarchy:
        """The groups at each level, all cut from one tree of merges."""
        counted = tally([column] if self.like is None else [column, self.like])
        values = counted["0"].unique().sort()
        if not len(values):
            raise TacitError(
                "has no value to grow a hierarchy from",
                code="missing_values",
                column=column,
                fix="leave its hierarchy out",
            )
        if len(values) > MOST_VALUES:
            raise TacitError(
                f"has {len(values):,} different values, more than the {MOST_VALUES:,} that can be compared in pairs",
                code="out_of_range",
                column=column,
                fix="use { quantiles = [20, 5] } for numbers, { frequency = [10, 100] } or { prefix = … } for others",
            )
        if self.like is None:
            numbers, weights = values.cast(pl.Float64).to_numpy(), counted["count"].to_numpy()
            levels = _ward_groups(numbers[:, None], weights, self.groups, neighbours=True)
            return Cuts(tuple(_group_starts(values, groups) for groups in levels))
        centres, weights = _value_profiles(counted, values)
        written = values.cast(pl.String).to_list()
        levels = _ward_groups(centres, weights, self.groups, neighbours=False)
        labels = [_group_labels(written, weights, groups) for groups in levels]
        return TableHierarchy(tuple((value, *(level[v] for level in labels), TOP) for v, value in enumerate(written)))

    def spec(self) -> Mapping[str, Any]:
        """``{"clusters": groups, "like": column}``."""
        return {"clusters": list(self.groups)} | ({} if self.like is None else {"like": self.like})


def _value_profiles(counted: pl.DataFrame, values: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """The distribution of the other column for each value, and how many records it has; missing counts as a category."""
    other = counted["1"]
    if other.dtype.is_numeric() and other.n_unique() > BINS:
        order = counted.sort("1", nulls_last=True)
        place = (order["count"].cum_sum() - 1) * BINS // max(1, int(order["count"].sum()))
        counted = order.with_columns(pl.when(pl.col("1").is_not_null()).then(place).alias("1"))
    rows = counted["0"].rank("dense").to_numpy().astype(np.int64) - 1
    columns = counted["1"].cast(pl.String).fill_null("").rank("dense").to_numpy().astype(np.int64) - 1
    counts = np.zeros((len(values), int(columns.max()) + 1))
    np.add.at(counts, (rows, columns), counted["count"].to_numpy())
    weights = counts.sum(axis=1)
    return counts / weights[:, None], weights


def _ward_groups(
    centres: np.ndarray, weights: np.ndarray, wanted: Sequence[int], *, neighbours: bool
) -> list[np.ndarray]:
    """The group of each value when so many groups are left, merging the cheapest pair at a time; first pair on ties."""
    count = len(weights)
    centre, weight, group = centres.astype(float), weights.astype(float), np.arange(count)
    alive = np.ones(count, dtype=bool)
    cost = _merge_costs(centre, weight, neighbours=neighbours)
    left, levels = count, []
    for groups in wanted:
        while left > groups:
            a, b = divmod(int(cost.argmin()), count)
            centre[a] = (weight[a] * centre[a] + weight[b] * centre[b]) / (weight[a] + weight[b])
            weight[a] += weight[b]
            group[group == b], alive[b] = a, False
            cost[b, :], cost[:, b] = np.inf, np.inf
            near = _adjacent_groups(alive, a) if neighbours else np.flatnonzero(alive)
            _update_costs(cost, centre, weight, a, near[near != a])
            left -= 1
        levels.append(group.copy())
    return levels


def _merge_costs(centre: np.ndarray, weight: np.ndarray, *, neighbours: bool) -> np.ndarray:
    count = len(weight)
    cost = np.full((count, count), np.inf)
    for a in range(count - 1):
        _update_costs(cost, centre, weight, a, np.array([a + 1]) if neighbours else np.arange(a + 1, count))
    return cost


def _update_costs(cost: np.ndarray, centre: np.ndarray, weight: np.ndarray, a: int, others: np.ndarray) -> None:
    """The price of merging a with each of the others, kept under the lower of the two."""
    apart = ((centre[others] - centre[a]) ** 2).sum(axis=1)
    cost[np.minimum(a, others), np.maximum(a, others)] = (
        weight[a] * weight[others] / (weight[a] + weight[others]) * apart
    )


def _adjacent_groups(alive: np.ndarray, a: int) -> np.ndarray:
    """The groups next to a in the order of the values."""
    left, right = np.flatnonzero(alive[:a])[-1:], a + 1 + np.flatnonzero(alive[a + 1 :])[:1]
    return np.concatenate([left, right])


def _group_starts(values: pl.Series, groups: np.ndarray) -> tuple[float, ...]:
    """The first value of each group of neighbours but the first."""
    return tuple(values.gather(np.flatnonzero(np.diff(groups)) + 1).to_list())


def _group_labels(values: Sequence[str], weights: np.ndarray, groups: np.ndarray) -> list[str]:
    """A group is named by its most frequent values; a value alone by itself."""
    named = {}
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        ranked = members[np.lexsort((members, -weights[members]))]
        more = len(ranked) - SHOWN
        named[group] = " | ".join(values[v] for v in ranked[:SHOWN]) + (f" | {more} more" if more > 0 else "")
    return [named[group] for group in groups]
