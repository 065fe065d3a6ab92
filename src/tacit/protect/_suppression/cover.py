"""Whom the blanks of others hide: the fewest records that must lose cells when a missing key matches anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .keys import Keys, SuppressionAssignment

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


CLASSES, CHOICES = 2_000, 4_000
"""Rare classes, and their sets of columns, up to which the fewest are sought."""

NODES = 200
"""Branches of the search; what it has found by then is taken."""


def optimal_cover(
    keys: Keys, rows: np.ndarray, missing: np.ndarray, sets: list[tuple[np.ndarray, int]]
) -> tuple[SuppressionAssignment, float] | None:
    r"""The cheapest choice of records to blank, and a bound that no such choice undercuts; None where it is too large.

    With :math:`x_{aD}` records of class a that lose the columns D (one of its cheapest sets) and :math:`z_a = 1` if
    any record of a keeps its cells,

    .. math:: \min \sum x_{aD}\, cost(D), \quad \sum_D x_{aD} \le w_a, \quad \sum_D x_{aD} + w_a z_a \ge w_a, \quad
              \sum_{(b, D) \text{ reaches } a \text{ on } S} x_{bD} \ge (k_S - m_{aS})\, z_a

    for every combination S: (b, D) reaches a when b and a differ on S, and only within D. ``missing[a, S]`` is
    :math:`k_S - m_{aS}`, what class a lacks. A mixed-integer programme for HiGHS, cut off after ``NODES`` branches.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    choices = [(int(place), mask) for places, mask in sets for place in places]
    if len(rows) > CLASSES or len(choices) > CHOICES:
        return None
    owner, masks = np.array([place for place, _ in choices]), np.array([mask for _, mask in choices])
    weight, cost = keys.weight[rows], np.array([keys.mask_cost(mask) for _, mask in choices])
    conditions = _cover_constraints(keys, rows, missing, owner, masks)
    found = milp(
        np.concatenate([cost, np.zeros(len(rows))]),
        constraints=LinearConstraint(*conditions),
        integrality=np.ones(len(choices) + len(rows)),
        bounds=Bounds(0, np.concatenate([weight[owner], np.ones(len(rows))])),
        options={"node_limit": NODES},
    )
    if found.x is None:
        return None
    number = np.round(found.x[: len(choices)]).astype(np.int64)
    taken = number > 0
    return SuppressionAssignment(rows[owner[taken]], masks[taken], number[taken]), float(found.mip_dual_bound)


def _cover_constraints(
    keys: Keys, rows: np.ndarray, missing: np.ndarray, owner: np.ndarray, masks: np.ndarray
) -> tuple[csr_matrix, np.ndarray, np.ndarray]:
    """The matrix of the conditions and what its rows must lie between."""
    from scipy.sparse import block_array, csr_matrix, diags_array

    from ...kernels.suppression import differing_columns

    differ, weight = differing_columns(keys.codes, keys.free, rows)[:, owner], keys.weight[rows]
    own = csr_matrix((np.ones(len(owner)), (owner, np.arange(len(owner)))), shape=(len(rows), len(owner)))
    blocks = [[own, diags_array(weight.astype(float))], [own, csr_matrix((len(rows), len(rows)))]]
    low, high = [weight, np.zeros(len(rows))], [np.full(len(rows), np.inf), weight]
    for place, one in enumerate(keys.wanted):
        lacking = np.flatnonzero(missing[:, place] > 0)
        if not len(lacking):
            continue
        here = differ[lacking] & one.columns
        reaches = csr_matrix(((here != 0) & (here & ~masks == 0)).astype(float))
        needs = diags_array(-np.maximum(missing[:, place], 0).astype(float)).tocsr()[lacking]
        blocks.append([reaches, needs])
        low.append(np.zeros(len(lacking)))
        high.append(np.full(len(lacking), np.inf))
    return csr_matrix(block_array(blocks)), np.concatenate(low), np.concatenate(high)
