"""Edges for wanted degrees, by as few changes as can be: additions, deletions, switches, chosen and never drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ....progress import report
from ...synth.graphical import graphical, some_graph
from .lend import lend
from .working import CANDIDATES, Change, Working

if TYPE_CHECKING:
    from ....progress import Progress


def realise(work: Working, k: int, progress: Progress | None = None) -> np.ndarray:
    """The edges of a graph with the wanted degrees, which some graph must have.

    One change of an edge sets at most two ends right, so that half the distance of the degrees bounds the changes from
    below. First what reaches it: nodes that lack edges are joined with each other, and edges between nodes that have
    too many are taken away. Then, at twice the price, edges (u, w) become (v, w), and large classes lend nodes. What is
    left is mended by double switches of three edges, at the latest by a graph made anew from the degrees, which are
    still those of a graph. O(open nodes²) look-ups in sets, and O(degree) for each candidate.
    """
    asked = work.wanted.copy()
    for done, step in enumerate((pair_up, _part, _switch)):
        report(progress, "realising the degrees", done / 4)
        step(work)
    _finish(work, k)
    if not work.left:
        return work.edges()
    return some_graph(work.wanted if graphical(work.wanted) else asked)


def pair_up(work: Working) -> None:
    """Join nodes that lack edges with each other, those that lack most first."""
    open_ = work.open(1)
    left = work.left
    for u in open_:
        while work.lacks[u] > 0:
            fits = [v for v in work.some(open_, 4 * CANDIDATES) if _joins(work, u, v)]
            fits = fits or [v for v in open_ if _joins(work, u, v)]
            change = work.best((((u, v),) for v in _most(work, fits)), left)
            if change is None:
                break
            work.make(change)
            left -= 2


def _joins(work: Working, u: int, v: int) -> bool:
    return v != u and work.lacks[v] > 0 and v not in work.near[u]


def _most(work: Working, fits: list[int]) -> list[int]:
    """Those to choose from: the half that is furthest off, else the last ones left are those that need the most."""
    fits.sort(key=lambda v: -abs(work.lacks[v]))
    return work.some(fits[: max(CANDIDATES // 2, len(fits) // 2)])


def _part(work: Working) -> None:
    """Take away edges between nodes that have too many."""
    open_ = work.open(-1)
    much, left = set(open_), work.left
    for u in open_:
        while work.lacks[u] < 0:
            fits = [v for v in sorted(work.near[u] & much) if work.lacks[v] < 0]
            change = work.best((((u, v),) for v in _most(work, fits)), left)
            if change is None:
                break
            work.make(change)
            left -= 2


def _switch(work: Working) -> None:
    """Edges (u, w) become (v, w), from nodes u that have too many to nodes v that lack some."""
    lacking, left = work.open(1), work.left
    for u in work.open(-1):
        while work.lacks[u] < 0:
            lacking = [v for v in lacking if work.lacks[v] > 0]
            change = next((one for v in lacking if (one := work.best(_switches(work, u, v), left))), None)
            if change is None:
                break
            work.make(change)
            left -= 2


def _switches(work: Working, u: int, v: int) -> Iterator[Change]:
    fits = work.near[u] - work.near[v] - {v}
    return (((u, w), (v, w)) for w in work.some(fits))


def _finish(work: Working, k: int) -> None:
    """Mend until enough triangles are back, lend while they allow it, and so on; what cannot be lent is mended."""
    more = True
    while work.left and more:
        _mend(work, until=work.slack / 2)
        more = lend(work, k, even=True)
    _mend(work)


def _mend(work: Working, until: float = -1.0) -> None:
    """Three edges at a time for two ends: x and y get one each by breaking an edge, or lose one each by making one.

    Ends as soon as no more than ``until`` triangles are owed; each step aims at a quarter of them.
    """
    for sign, found in ((1, _broken), (-1, _made)):
        ends = [node for node in work.open(sign) for _ in range(abs(work.lacks[node]))]
        half = len(ends) // 2
        for x, y in zip(ends[:half], ends[half:], strict=False):
            if abs(work.owed) <= until:
                return
            change = work.best(found(work, x, y), min(8, len(ends)))
            if change is not None:
                work.make(change)


def _broken(work: Working, x: int, y: int) -> Iterator[Change]:
    """An edge (w, z) becomes (x, w) and (y, z)."""
    taken = 0
    for w in work.rng.permutation(len(work.near)).tolist():
        if w in (x, y) or w in work.near[x]:
            continue
        for z in sorted(work.near[w] - work.near[y] - {x, y}):
            yield (w, z), (x, w), (y, z)
            taken += 1
            if taken == CANDIDATES:
                return
            break


def _made(work: Working, x: int, y: int) -> Iterator[Change]:
    """Edges (x, w) and (y, z) become (w, z)."""
    for w in work.some(work.near[x] - {y}):
        for z in work.some(work.near[y] - work.near[w] - {w, x}, 4):
            yield (x, w), (y, z), (w, z)
