"""The ideal reference: a trusted third party that everybody hands its input to (I-01)."""

from __future__ import annotations

from collections.abc import Mapping

from .ring import Ring, Words

__all__ = ["trusted_sum"]


def trusted_sum(ring: Ring, inputs: Mapping[str, Words]) -> dict[str, Words]:
    """Everybody gets the sum and nothing else; every protocol for sums is tested against this.

    >>> ring = Ring(11)
    >>> {name: ring.signed(words) for name, words in trusted_sum(ring, {"A": ring.words([5]), "B": ring.words([4])}).items()}
    {'A': [-2], 'B': [-2]}
    """
    total = ring.total(list(inputs.values()))
    return dict.fromkeys(inputs, total)
