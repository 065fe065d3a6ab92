"""The ideal reference: a trusted third party that everybody hands its input to."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from tacit.multiparty.ring import Ring, Words


def trusted_sum(ring: Ring, inputs: Mapping[str, Words]) -> dict[str, Words]:
    """Everybody gets the sum and nothing else; every protocol for sums is tested against this.

    >>> ring = Ring(11)
    >>> {name: ring.to_signed(words) for name, words in trusted_sum(ring, {"A": ring.words([5]), "B": ring.words([4])}).items()}
    {'A': [-2], 'B': [-2]}
    """
    total = ring.total(list(inputs.values()))
    return dict.fromkeys(inputs, total)


def trusted_intersection(inputs: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The items that all have.

    >>> trusted_intersection({"A": ["x", "y"], "B": ["y"]})
    ('y',)
    """
    return tuple(sorted(set.intersection(*(set(items) for items in inputs.values()))))


def trusted_union(inputs: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The items that anybody has.

    >>> trusted_union({"A": ["x", "y"], "B": ["y"]})
    ('x', 'y')
    """
    return tuple(sorted(set().union(*inputs.values())))


def trusted_product(columns: Mapping[str, Sequence[int]], factors: Sequence[str]) -> int:
    """The sum over the rows of the product of these columns, whoever has them.

    >>> trusted_product({"x": [1, 2], "y": [3, 4]}, ["x", "y"])
    11
    """
    return sum(prod(row) for row in zip(*(columns[name] for name in factors), strict=True))


def trusted_messages(inputs: Mapping[str, bytes | None]) -> tuple[bytes, ...]:
    """All messages, and not whose they are; a third party that hands out records need not say more than the record."""
    return tuple(sorted(one for one in inputs.values() if one is not None))


def trusted_greater(first: int, second: int) -> bool:
    """Whether the first number is greater."""
    return first > second
