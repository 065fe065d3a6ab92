"""What it costs not to publish a cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative
from ..table import Table

Cost: TypeAlias = str | float | Mapping[str | float, float]
"""A named cost, a power of the figure, or several of them with their weights."""

NAMED = ("value", "count", "unit", "log")


def cell_costs(table: Table, cost: Cost) -> np.ndarray:
    r"""The cost of each cell.

    ``"value"``: the figure, \|x\|: large cells stay. ``"count"``: its respondents. ``"unit"``: 1, fewest cells go. ``"log"``:
    :math:`\ln(1 + |x|)`, between the two. The name of a further figure of the table: that figure. A number λ in (0, 1]:
    :math:`|x|^λ`, from unit towards value. A mapping of these to weights adds them up, each divided by its mean over the
    cells first, so that a weight says how much a cost counts and not in which currency it is. O(cells).

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> table = Table(
    ...     labels=pl.DataFrame({"a": ["x", "y"]}), values=np.array([1.0, 9.0]), equations=Equations.of(np.zeros((0, 2)))
    ... )
    >>> cell_costs(table, "value"), cell_costs(table, 0.5), cell_costs(table, {"value": 1, "unit": 2})
    (array([1., 9.]), array([1., 3.]), array([2.2, 3.8]))
    """
    if not isinstance(cost, Mapping):
        return _single_cost(table, cost)
    if not cost or any(not isinstance(weight, int | float) or not weight > 0 for weight in cost.values()):
        raise TacitError(
            "a cost has no weight above 0", code="out_of_range", fix="e.g. cost={'value': 1, 'count': 0.5}"
        )
    parts = [(weight, _single_cost(table, name)) for name, weight in cost.items()]
    return np.asarray(np.sum([weight * part / (part.mean() or 1.0) for weight, part in parts], axis=0))


def _single_cost(table: Table, cost: str | float) -> np.ndarray:
    size: np.ndarray = np.abs(table.values)
    if not isinstance(cost, str):
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 < cost <= 1:
            raise TacitError(
                f"cost={format_value(cost)} is not a power in (0, 1]",
                code="wrong_type",
                parameter="cost",
                fix="e.g. cost=0.5, or 'value', or 'unit'",
            )
        return np.asarray(size**cost)
    if cost == "value":
        return size
    if cost == "unit":
        return np.ones(table.size)
    if cost == "log":
        return np.asarray(np.log1p(size))
    if cost == "count":
        return _count_cost(table)
    if cost not in table.more:
        raise TacitError(
            f"the cost {format_value(cost)} is unknown",
            code="unknown_name",
            fix=suggest_alternative(str(cost), [*NAMED, *table.more]),
        )
    found = np.asarray(table.more[cost], dtype=np.float64)
    if not (np.isfinite(found) & (found >= 0)).all():
        raise TacitError(
            "has a missing or negative figure and cannot be a cost",
            code="out_of_range",
            column=cost,
            fix="give a cost from 0 on for each cell",
        )
    return found


def _count_cost(table: Table) -> np.ndarray:
    if table.contributors is not None:
        return np.asarray(table.contributors, dtype=np.float64)
    if table.is_frequency:
        return np.asarray(np.abs(table.values))
    raise TacitError(
        "cost='count' needs the number of respondents of each cell, and the table has none",
        code="missing_parameter",
        parameter="cost",
        fix="name the column that holds it (contributors=…), or use cost='value'",
    )
