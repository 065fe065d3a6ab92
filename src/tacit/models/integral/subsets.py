"""Databases drawn from a population: in rounds of disjoint ones, or all that there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from math import comb

import numpy as np

from ...errors import TacitError, whole

__all__ = ["checked_sizes", "drawn_subsets", "every_subset"]

ALL = 200_000
"""More databases than these are not listed."""
USUAL = 0.1
"""The share of the population that a database has unless its size is said."""


def checked_sizes(sizes: int | Iterable[int] | None, population: int) -> tuple[int, ...]:
    """The sizes of databases, each at most that of the population; a tenth of it when none is said.

    >>> checked_sizes(None, 250), checked_sizes([3, 2, 3], 250)
    ((25,), (2, 3))
    """
    if sizes is None:
        return (max(2, round(USUAL * population)),)
    found = (sizes,) if isinstance(sizes, int) else tuple(sizes) if isinstance(sizes, Iterable) else (sizes,)
    if not found:
        raise TacitError("no size of databases is given", fix="e.g. sizes=100")
    for size in found:
        whole("sizes", size, least=1)
        if size > population:
            raise TacitError(
                f"a database of {size:,} records cannot be drawn from {population:,}",
                fix=f"give sizes of at most {population // 2:,}, so that two databases need not share a record",
            )
    return tuple(sorted(set(found)))


def drawn_subsets(
    population: int, sizes: tuple[int, ...], draws: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """So many databases, the sizes by turns: the population in random order, cut into as many blocks as it gives.

    Each database by itself is uniform over all of its size; those of one round share no record, which independent draws of
    many records never do.

    >>> [sorted(one.tolist()) for one in drawn_subsets(4, (2,), 2, np.random.default_rng(1))]
    [[0, 1], [2, 3]]
    """
    made = 0
    while made < draws:
        for size in sizes:
            order = rng.permutation(population)
            for start in range(0, population - size + 1, size):
                if made == draws:
                    return
                yield order[start : start + size]
                made += 1


def every_subset(population: int, sizes: tuple[int, ...]) -> tuple[int, Iterator[np.ndarray]]:
    """All databases of the sizes, and how many they are; too many are refused.

    >>> count, found = every_subset(3, (2,))
    >>> count, [one.tolist() for one in found]
    (3, [[0, 1], [0, 2], [1, 2]])
    """
    count = sum(comb(population, size) for size in sizes)
    if count > ALL:
        raise TacitError(
            f"{population:,} records have {count:,} databases of these sizes, too many to list",
            fix="draw some of them: tacit.models.integral.recurrent(…, draws=1000, seed=7)",
        )
    every = chain.from_iterable(combinations(range(population), size) for size in sizes)
    return count, (np.array(one, dtype=np.int64) for one in every)
