"""The last ends of edges go to nodes that large classes can spare: they move to the next class."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .working import CANDIDATES, Change, Working

TRIES = 4 * CANDIDATES
"""Nodes looked at for one that can be spared; most nodes of a network are in its large classes."""


def lend(work: Working, k: int, *, even: bool) -> bool:
    """Give nodes that lack an edge one with a node w that may have one more, and take one too many from a w that may do
    with one less: the class of w has more than k nodes, and the one beside it k or more, so both stay large enough.

    One change of an edge for every end, where mending takes three for two, and cannot be chosen so that triangles come
    and go; so it stops when too many of them are owed. With ``even`` the ends left over are even in number, because
    only then can other changes set them right. Whether any node was lent.
    """
    counts = np.bincount(work.wanted, minlength=len(work.near) + 1)
    lent: list[tuple[int, int, int]] = []
    left = work.left
    for sign in (1, -1):
        for node in work.open(sign):
            while work.lacks[node] * sign > 0 and abs(work.owed) <= work.slack:
                change = work.best(_loans(work, counts, k, node, sign), left)
                if change is None:
                    break
                work.make(change)
                other = change[0][1]
                _move(work, counts, other, sign)
                lent.append((node, other, sign))
                left -= 1
    if even and sum(work.lacks) % 2:
        node, other, sign = lent.pop()
        work.make(((node, other),))
        _move(work, counts, other, -sign)
    return bool(lent)


def _loans(work: Working, counts: np.ndarray, k: int, node: int, sign: int) -> Iterator[Change]:
    for other in _asked(work, node, sign):
        now = work.wanted[other]
        fits = other != node and not work.lacks[other] and (other in work.near[node]) == (sign < 0)
        if fits and now + sign >= 0 and counts[now] > k and counts[now + sign] >= k:
            yield ((node, other),)


def _asked(work: Working, node: int, sign: int) -> list[int]:
    if sign < 0:
        return work.some(work.near[node])
    size = len(work.near)
    return list(range(size)) if size <= TRIES else work.rng.integers(0, size, TRIES).tolist()


def _move(work: Working, counts: np.ndarray, node: int, sign: int) -> None:
    counts[work.wanted[node]] -= 1
    work.wanted[node] += sign
    work.lacks[node] += sign
    counts[work.wanted[node]] += 1
