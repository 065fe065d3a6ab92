"""The largest contributors to each cell, also where a record stands for several of them by its weight."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ..table import Table

ALMOST = 1e-9
"""Rounding of weights that is not a missing contributor."""


def absolute_total(table: Table) -> np.ndarray:
    """What the rules call T: the sum of the absolute contributions, which is the figure itself where none is negative."""
    return np.abs(table.values) if table.shadow is None else np.asarray(table.shadow, dtype=np.float64)


def largest_sum(table: Table, m: int, *, rule: str) -> np.ndarray:
    r"""What the m largest contributors to each cell add together, by absolute value.

    A record of weight w stands for w contributors like it, which need not be whole. With :math:`W_i = w_1 + … + w_i`,

    .. math:: S(m) = \sum_i |x_i| \cdot \min(w_i, \max(0, m - W_{i-1})):

    whole contributors are counted one by one, and of the record at the border the part that is left. This is linear in m
    between the :math:`W_i`. With all weights 1 it is the sum of the m largest. O(cells × kept contributions).

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> from tacit.tables.table import Contributions
    >>> behind = Contributions(values=np.array([[100.0, 10.0]]), owners=np.array([[0, 1]]), weights=np.array([[4.0, 7.0]]))
    >>> table = Table(
    ...     labels=pl.DataFrame({"a": ["Total"]}),
    ...     values=np.array([470.0]),
    ...     equations=Equations.of(np.zeros((0, 1))),
    ...     response="turnover",
    ...     contributors=np.array([2]),
    ...     contributions=behind,
    ... )
    >>> largest_sum(table, 2, rule="p%-rule"), largest_sum(table, 5, rule="p%-rule")
    (array([200.]), array([410.]))
    """
    if table.is_frequency:
        raise TacitError(
            f"the {rule} judges sums of a response, and the table holds counts",
            code="rule_needs_sums",
            fix="use minimum_frequency for counts, or name the response of the table",
        )
    kept = table.contributions
    if kept is None:
        raise TacitError(
            f"the {rule} needs the {_ordinal_text(m)} contribution to each cell, and the table has none",
            code="missing_parameter",
            fix=f"build it with top={m}, or name the columns that hold the largest contributions, largest first",
        )
    amounts = np.abs(kept.values)
    weights = np.where(amounts > 0, kept.weights, 0.0)
    through = np.cumsum(weights, axis=1)
    _check_contributors(table, amounts, weights, m=m, rule=rule)
    taken = np.minimum(weights, np.maximum(0.0, m - (through - weights)))
    return np.asarray((amounts * taken).sum(axis=1))


def _check_contributors(table: Table, amounts: np.ndarray, weights: np.ndarray, *, m: int, rule: str) -> None:
    """Refuse a cell with contributors beyond those kept that the rule would have to see."""
    width = weights.shape[1]
    whole = absolute_total(table)
    short = (weights.sum(axis=1) < m - ALMOST) & (weights > 0).all(axis=1)
    short &= whole - (amounts * weights).sum(axis=1) > ALMOST * whole
    if table.contributors is not None:
        short &= table.contributors > width
    if not short.any():
        return
    place = int(np.flatnonzero(short)[0])
    # Records of weight below 1 stand for less than a contributor each: then more of them are needed than m.
    light = float(weights[short].min())
    wanted = m if width < m else int(np.ceil(m / light))
    raise TacitError(
        f"the {rule} needs the {_ordinal_text(m)} contribution to the cell {table.name(place)}, "
        f"and the table keeps {width} {'of each' if width < m else 'records of each, whose weights are below 1'}",
        code="missing_parameter",
        fix=f"build it with top={wanted}, or name one more column of largest contributions",
    )


def _ordinal_text(m: int) -> str:
    return {1: "largest", 2: "second largest", 3: "third largest"}.get(m, f"{m}th largest")
