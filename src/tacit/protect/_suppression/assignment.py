"""Which rare record goes into which group of equal blanks: an exact programme for small files."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .keys import Keys, SuppressionAssignment

CLASSES, CHOICES = 2_000, 2_500
"""Classes, and pairs of a class and a group, up to which the best assignment is sought."""

NODES, GAP = 100, 0.01
"""Branches of the search, and the share of the cost that is not worth more of them."""


class _Choice(NamedTuple):
    """Records of a class that lose the columns of the mask, and so look like the pattern with this number."""

    row: int
    mask: int
    pattern: int


def optimal_assignment(
    keys: Keys, rare: np.ndarray, sets: list[tuple[np.ndarray, int]], greedy: SuppressionAssignment
) -> SuppressionAssignment | None:
    r"""The cheapest way to put every rare record into a group of at least k, or None where that is too large a question.

    The groups offered are the patterns (values left, and blanks) of a first solution and those in which a rare class
    loses one of its cheapest sets of columns. With :math:`x_{ip}` records of class i in group p, :math:`y_p` whether
    p exists, :math:`w_i` records in a rare class and :math:`w_i - k` to spare in another:

    .. math:: \min \sum x_{ip} cost_{ip}, \quad \sum_p x_{ip} = w_i \;(\text{or} \le w_i - k), \quad
              \sum_i x_{ip} \ge k\, y_p, \quad x_{ip} \le w_i\, y_p

    A group that a large class already looks like needs nobody else. Solved by HiGHS within ``NODES`` branches.
    """
    if len(keys.weight) > CLASSES:
        return None
    choices, patterns = _possible_choices(keys, rare, sets, greedy)
    if not choices or len(choices) > CHOICES:
        return None
    return _solve_choices(keys, choices, patterns)


def _suppressed_pattern(keys: Keys, row: int, mask: int) -> bytes:
    lost = keys.free[row] | (mask >> np.arange(len(keys.cost)) & 1 == 1)
    return bytes(np.where(lost, keys.spans - 1, keys.codes[row]).astype(np.int64))


def _possible_choices(
    keys: Keys, rare: np.ndarray, sets: list[tuple[np.ndarray, int]], greedy: SuppressionAssignment
) -> tuple[list[_Choice], dict[bytes, bool]]:
    """Every way to take part in a group on offer; and the groups, with whether they exist anyway."""
    k = keys.wanted[0].k
    offered = {_suppressed_pattern(keys, int(rare[place]), mask) for places, mask in sets for place in places}
    offered |= {
        _suppressed_pattern(keys, int(row), int(mask)) for row, mask in zip(greedy.row, greedy.mask, strict=True)
    }
    masks = sorted({0, *(mask for _, mask in sets), *(int(mask) for mask in greedy.mask)})
    own = {_suppressed_pattern(keys, int(row), 0): bool(keys.weight[row] >= k) for row in range(len(keys.weight))}
    patterns = {pattern: own.get(pattern, False) for pattern in sorted(offered)}
    numbers = {pattern: place for place, pattern in enumerate(patterns)}
    found: dict[tuple[int, int], _Choice] = {}
    for row in np.flatnonzero(keys.weight != k):
        for mask in masks if keys.weight[row] < k else masks[1:]:
            number = numbers.get(_suppressed_pattern(keys, int(row), mask))
            if number is not None and (int(row), number) not in found:
                found[int(row), number] = _Choice(int(row), mask, number)
    return list(found.values()), patterns


def _solve_choices(keys: Keys, choices: list[_Choice], patterns: dict[bytes, bool]) -> SuppressionAssignment | None:
    row, mask, group = (np.array(part) for part in zip(*choices, strict=True))
    lost = (mask[:, None] >> np.arange(len(keys.cost)) & 1 == 1) & ~keys.free[row]
    programme = _Programme(
        tuple(keys.weight.tolist()),
        keys.wanted[0].k,
        tuple(row.tolist()),
        tuple(group.tolist()),
        tuple((lost @ keys.cost).tolist()),
        tuple(patterns.values()),
    )
    found = _solve_programme(programme)
    if found is None:
        return None
    number = np.array(found, dtype=np.int64)
    some = (number > 0) & (mask > 0)
    return SuppressionAssignment(row[some], mask[some], number[some])


class _Programme(NamedTuple):
    """Records of each class, k; of each choice the class, the group and the cost; of each group whether it exists anyway."""

    weight: tuple[int, ...]
    k: int
    row: tuple[int, ...]
    group: tuple[int, ...]
    price: tuple[float, ...]
    there: tuple[bool, ...]


@lru_cache(maxsize=16)  # a file is suppressed again whenever a later step of its plan changes
def _solve_programme(programme: _Programme) -> tuple[int, ...] | None:
    """How many records take each choice."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import block_array, csr_matrix, eye_array

    k, groups, many = programme.k, len(programme.there), np.arange(len(programme.row))
    weight, row, group = (np.array(part) for part in (programme.weight, programme.row, programme.group))
    rare = weight < k
    room = np.where(rare, weight, weight - k)
    of_row = csr_matrix((np.ones(len(row)), (row, many)), shape=(len(weight), len(row)))
    of_group = csr_matrix((np.ones(len(row)), (group, many)), shape=(groups, len(row)))
    needs = np.where(programme.there, 0, k).astype(float)
    most = csr_matrix((-room[row].astype(float), (many, group)), shape=(len(row), groups))
    blocks = [[of_row, None], [of_group, csr_matrix(np.diag(-needs))], [eye_array(len(row)), most]]
    low = np.concatenate([np.where(rare, weight, 0), np.zeros(groups), np.full(len(row), -np.inf)])
    high = np.concatenate([room, np.full(groups, np.inf), np.zeros(len(row))])
    found = milp(
        np.concatenate([programme.price, np.zeros(groups)]),
        constraints=LinearConstraint(csr_matrix(block_array(blocks)), low, high),
        integrality=np.ones(len(row) + groups),
        bounds=Bounds(0, np.concatenate([room[row], np.ones(groups)])),
        options={"node_limit": NODES, "mip_rel_gap": GAP},
    )
    return None if found.x is None else tuple(np.round(found.x[: len(row)]).astype(np.int64).tolist())
