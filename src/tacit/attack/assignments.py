"""Who may have which value: all ways to deal out the values of a class to its people, or a sample of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, lgamma, log
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..models.demand import Demand

__all__ = ["dealt", "fails"]

ROUNDING = 1e-9


def dealt(
    sizes: np.ndarray, totals: np.ndarray, *, most: int, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Tables of how many people of each cell have each value, and the share of all ways to deal that each stands for.

    All of them when there are at most ``most`` ways, else ``draws`` random ones. O(tables · people) time.
    """
    if lgamma(totals.sum() + 1) - sum(lgamma(one + 1) for one in totals) <= log(most):
        listed = list(_all(tuple(int(one) for one in sizes), tuple(int(one) for one in totals)))
        ways = np.array([float(way) for _, way in listed])
        return np.array([table for table, _ in listed]), ways / ways.sum()
    values = np.repeat(np.arange(len(totals)), totals)
    cells = np.repeat(np.arange(len(sizes)), sizes)
    mixed = rng.permuted(np.tile(values, (draws, 1)), axis=1)
    place = (np.arange(draws)[:, None] * len(sizes) + cells) * len(totals) + mixed
    tables = np.bincount(place.ravel(), minlength=draws * len(sizes) * len(totals))
    return tables.reshape(draws, len(sizes), len(totals)), np.full(draws, 1.0 / draws)


def _all(sizes: tuple[int, ...], totals: tuple[int, ...]) -> Iterator[tuple[list[tuple[int, ...]], int]]:
    """Every table with these margins, and in how many ways people can make it."""
    if not sizes:
        yield [], 1
        return
    for row in _rows(sizes[0], totals):
        ways, left = 1, sizes[0]
        for count in row:
            ways *= comb(left, count)
            left -= count
        rest = tuple(total - count for total, count in zip(totals, row, strict=True))
        for table, more in _all(sizes[1:], rest):
            yield [row, *table], ways * more


def _rows(size: int, totals: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to take ``size`` values from what is there."""
    if len(totals) == 1:
        if size <= totals[0]:
            yield (size,)
        return
    for count in range(min(size, totals[0]) + 1):
        if size - count <= sum(totals[1:]):
            for rest in _rows(size - count, totals[1:]):
                yield (count, *rest)


def fails(counts: np.ndarray, demand: Demand) -> np.ndarray:
    """Whether classes with these counts of values (along the last axis) miss what is demanded of their spread.

    >>> from tacit.models.demand import Demand
    >>> fails(np.array([[2, 0], [1, 1]]), Demand(column="ill", kind="distinct", bound=2.0)).tolist()
    [True, False]
    """
    total = counts.sum(axis=-1)
    found: np.ndarray
    if demand.kind == "distinct":
        found = (counts > 0).sum(axis=-1) < demand.bound - ROUNDING
    elif demand.kind == "entropy":
        share = counts / np.maximum(total, 1)[..., None]
        entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=-1)
        found = np.exp(entropy) < demand.bound - ROUNDING
    elif demand.kind == "largest":
        found = counts.max(axis=-1) > (demand.bound + ROUNDING) * total
    else:
        ordered = np.sort(counts, axis=-1)[..., ::-1]
        tail = ordered[..., int(demand.bound) - 1 :].sum(axis=-1)
        found = ~(ordered[..., 0] < demand.extra * tail)
    found &= total > 0
    return found
