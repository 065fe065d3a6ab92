"""Rings on which no two parties are neighbours twice: edge-disjoint Hamiltonian cycles of the complete graph."""

from __future__ import annotations

from ...errors import TacitError

__all__ = ["cycles", "most_cycles"]


def most_cycles(parties: int) -> int:
    """How many there are: each uses up two of a party's n − 1 neighbours.

    >>> [most_cycles(n) for n in (3, 4, 5, 6, 7)]
    [1, 1, 2, 2, 3]
    """
    return (parties - 1) // 2


def cycles(parties: int, count: int) -> list[list[int]]:
    """``count`` rings over the parties 0, …, n − 1, each starting at 0; no two parties are neighbours on two of them.

    For odd n = 2m + 1 Walecki's zigzags: a hub, and round it i, i + 1, i − 1, i + 2, … modulo 2m for i = 0, …, m − 1. For even n
    those of n − 1 parties, with the last party put between the two that are m apart: turning round the hub by less than m
    these pairs never meet. Four parties have one ring only (K₄ has no two edge-disjoint rings), five have two.

    >>> cycles(5, 2)
    [[0, 1, 2, 4, 3], [0, 2, 3, 1, 4]]

    References
    ----------
    Alspach (2008), The wonderful Walecki construction, Bulletin of the ICA 52, 7–20.
    """
    if not 1 <= count <= most_cycles(parties):
        raise TacitError(
            f"{parties} parties have {most_cycles(parties)} rings without a common neighbour, not {count}",
            fix="use fewer shares, or additive_sum, which needs no rings",
        )
    m = (parties - 1) // 2
    found = []
    for turn in range(count):
        zigzag = [turn]
        for step in range(1, m + 1):
            zigzag += [(turn + step) % (2 * m), (turn - step) % (2 * m)][: 2 * m - len(zigzag)]
        if parties % 2 == 0:
            zigzag.insert(_widest(zigzag, m), parties - 2)
        found.append([0, *(place + 1 for place in zigzag)])
    return found


def _widest(zigzag: list[int], m: int) -> int:
    """Between which two neighbours that are m apart the last party goes."""
    return next(at for at in range(1, len(zigzag)) if (zigzag[at] - zigzag[at - 1]) % (2 * m) == m)
