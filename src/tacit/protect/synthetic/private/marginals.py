"""Noisy marginals of a file: every column, and the pairs that are worth it, within a budget of ρ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..discrete.fitted import joined_tree
from ..discrete.reconciled import Noisy, reconciled, total
from .forest import chosen_forest
from .spending import Spending

__all__ = ["measured_marginals"]

Sets = tuple[tuple[int, ...], ...]


def measured_marginals(
    spending: Spending, columns: Sequence[str], *, sets: Sets | None = None
) -> tuple[Sets, list[Noisy]]:
    """The sets of columns that were chosen, and all noisy marginals: a third of ρ for each column, one to choose, one for the sets.

    With declared ``sets`` nothing is spent on a choice, and two thirds go to them. What the choice leaves unspent goes to
    the marginals too; where no pair is worth its noise, to the columns once more. All of ρ is spent, exactly.
    """
    count = len(columns)
    alone = tuple((axis,) for axis in range(count))
    third = spending.left / 3
    found = [spending.table(axes, third / count, "columns") for axes in alone]
    if sets is None:
        sets = _chosen(spending, columns, found, third) if count > 1 else ()
    later = [one for one in sets if len(one) > 1] or alone
    share = spending.left / len(later)
    found += [spending.table(axes, share, "sets of columns") for axes in later]
    return sets, found


def _chosen(spending: Spending, columns: Sequence[str], found: list[Noisy], rho: Fraction) -> Sets:
    sizes, pairs = spending.counted.sizes, len(columns) - 1
    model = reconciled(joined_tree([], sizes, columns), sizes, found)
    shares = [model.share((axis,)) for axis in range(len(sizes))]
    sigma = 1 / math.sqrt(2 * float(rho) / pairs)
    return chosen_forest(spending, shares, total(found), rho, sigma=sigma)
