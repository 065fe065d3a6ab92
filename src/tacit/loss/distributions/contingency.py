"""Contingency tables: how far the counts that analysts tabulate have moved, up to tables of three columns."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, format_value
from ...registry import Tags, describe
from ...result import Result, Results
from .cells import cell_counts, checked_limit, tables_of
from .codings import Coding, common_codings

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release


WORDS = ("one column", "two columns", "three columns")


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def contingency(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,  # noqa: ARG001
    order: int = 3,
    bins: int = 5,
    limit: int = 300,
) -> Results:
    r"""The share of records that stand in another cell of a table, over all tables of one, two and three columns.

    .. math:: \frac12 \sum_c |p_c - p'_c|

    is the total variation between the shares of the cells c of one table: the least share of the records that would
    have to be moved to make one table into the other. 0 when all counts are the same, 1 when no cell is filled in both
    files. Averaged over the tables of each order; the result without a column is the mean over the orders 1 …
    ``order``. Missing is a category, and a dropped column missing throughout; numbers and dates are cut into ``bins`` bins at the original's quantiles; a column
    at a level of its hierarchy is tabulated at that level in both files, so that coarser labels cost nothing here
    (:func:`generalisation` measures them). When an order has more than ``limit`` tables, so many are drawn, the same
    for every release with these columns. Files are tabulated whole: no records are paired. Unweighted.

    Utility, measured. O(n) time per table, memory for n cells at most: only those that occur are kept.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"sex": list("ffmm"), "ill": list(ill)})) for ill in ("yyyn", "ynyy"))
    >>> [(part.column, part.value) for part in contingency(m, original=r)]
    [(None, 0.25), ('one column', 0.0), ('two columns', 0.5)]

    References
    ----------
    Gomatam, Karr and Sanil (2005), Data swapping as a decision problem, Journal of Official Statistics 21, 635–655.
    """
    if isinstance(order, bool) or order not in (1, 2, 3):
        raise TacitError(
            f"tables of {format_value(order)} columns are not counted", code="wrong_type", fix="give order=1, 2 or 3"
        )
    checked_limit(limit)
    found = common_codings(release, original, bins=bins)
    parts = [_table_loss(found, size, limit) for size in range(1, min(order, len(found)) + 1)]
    mean = sum(part.value for part in parts) / len(parts)
    facts = {"columns": len(found), "bins": bins}
    return Results((Result(name="contingency tables", value=mean, worse="high", about="utility", facts=facts), *parts))


def _table_loss(found: tuple[Coding, ...], size: int, limit: int) -> Result:
    """The tables of one order."""
    tables = tables_of(len(found), size, limit)
    moved = [_moved_share([found[place] for place in table]) for table in tables]
    worst = int(np.argmax(moved))
    facts: dict[str, object] = {"tables": len(tables), "of all tables": comb(len(found), size)}
    if moved[worst]:
        facts |= {"largest": moved[worst], "largest in": " × ".join(found[place].column for place in tables[worst])}
    return Result(
        name="contingency tables",
        column=WORDS[size - 1],
        value=float(np.mean(moved)),
        worse="high",
        about="utility",
        facts=facts,
    )


def _moved_share(table: list[Coding]) -> float:
    before, after = cell_counts(table)
    return min(1.0, 0.5 * float(np.abs(before / before.sum() - after / after.sum()).sum()))
