"""How far perturbed figures lie from the true ones."""

from __future__ import annotations

import numpy as np

from ...errors import TacitError
from ...result import Result, Results
from ..table import Table
from .cells import check_cell_count, finest_cells


def distance(table: Table, values: np.ndarray) -> Results:
    r"""Distances between the true table t and a perturbed one v.

    * ``absolute distance``: :math:`\sum |v - t|` over all cells; the mean, and the largest of any cell.
    * ``relative distance``: the mean of :math:`|v - t| / |t|` over cells that are not zero; the largest; zeros that are none now.
    * ``hellinger``: :math:`\sqrt{1 - \sum \sqrt{p\,q}}` between the shares p and q of the finest cells in their totals, 0 for the same
      shares and 1 for none in common; left out where a figure is negative, or all are zero.
    * ``additivity``: the largest amount by which a sum of the perturbed table fails; 0 for a table that adds up.

    Loss, measured. O(cells + entries of the equations).

    >>> import polars as pl
    >>> from tacit.tables.equations import Equations
    >>> labels = pl.DataFrame({"sex": ["f", "m", "Total"]})
    >>> table = Table(labels=labels, values=np.array([4.0, 16.0, 20.0]), equations=Equations.of([[1, 1, -1]]))
    >>> print(distance(table, np.array([5.0, 15.0, 25.0])).of("additivity"))
    additivity        5
    sums that fail    1
    sums              1
    """
    found = check_cell_count(table, values, what="perturbed figures").astype(np.float64)
    if not np.isfinite(found).all():
        raise TacitError(
            f"{int((~np.isfinite(found)).sum())} perturbed figures are missing",
            code="invalid_table",
            fix="use suppressed for hidden cells",
        )
    off = np.abs(found - table.values)
    parts = [
        _absolute_distance(off),
        _relative_distance(table, off),
        _hellinger_distance(table, found),
        _additivity_result(table, found),
    ]
    return Results(tuple(part for part in parts if part is not None))


def _absolute_distance(off: np.ndarray) -> Result:
    facts: dict[str, object] = {
        "mean per cell": float(off.mean()),
        "largest": float(off.max()),
        "cells changed": int((off > 0).sum()),
    }
    return Result(name="absolute distance", value=float(off.sum()), worse="high", about="utility", facts=facts)


def _relative_distance(table: Table, off: np.ndarray) -> Result:
    filled = table.values != 0
    share = off[filled] / np.abs(table.values[filled])
    facts: dict[str, object] = {
        "largest share": float(share.max(initial=0.0)),
        "zeros changed": int((off[~filled] > 0).sum()),
    }
    value = float(share.mean()) if len(share) else 0.0
    return Result(name="relative distance", value=value, worse="high", about="utility", facts=facts)


def _hellinger_distance(table: Table, values: np.ndarray) -> Result | None:
    inner = finest_cells(table)
    before, after = table.values[inner], values[inner]
    if (before < 0).any() or (after < 0).any() or not before.sum() > 0 or not after.sum() > 0:
        return None
    # 1 − Σ√(pq) = Σ(√p − √q)² / 2, which does not lose its digits when the two are near
    apart = np.sqrt(before / before.sum()) - np.sqrt(after / after.sum())
    value = float(np.sqrt((apart**2).sum() / 2))
    return Result(
        name="hellinger", value=value, worse="high", about="utility", facts={"finest cells": int(inner.sum())}
    )


def _additivity_result(table: Table, values: np.ndarray) -> Result:
    missed = np.abs(table.equations.residuals(values))
    tiny = 1e-9 * max(1.0, float(np.abs(values).max(initial=0.0)))
    largest = float(missed.max(initial=0.0))
    facts: dict[str, object] = {"sums that fail": int((missed > tiny).sum()), "sums": len(missed)}
    value = largest if largest > tiny else 0.0
    return Result(name="additivity", value=value, worse="high", about="utility", facts=facts)
