"""Which columns are joined: a greedy Bayesian network, and the tree of strongest pairs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import combinations

import numpy as np

from .chain import Link, normalise_rows
from .coded_records import CodedRecords, count_cells
from .max_entropy import LARGEST

Parents = tuple[int, tuple[int, ...]]
"""An axis and the axes that its table is given by."""


def parent_candidates(
    known: Collection[int], new: Collection[int], sizes: Sequence[int], degree: int
) -> Iterator[Parents]:
    """Every new axis with each set of at most ``degree`` known ones whose table is not too large."""
    for axis in sorted(new):
        for count in range(min(degree, len(known)) + 1):
            for given in combinations(sorted(known), count):
                if count_cells(sizes, (axis, *given)) <= LARGEST:
                    yield axis, given


def greedy_network(counted: CodedRecords, *, degree: int, given: Sequence[int] = ()) -> tuple[Parents, ...]:
    """The axes one after the other, each time the one that those before it tell most about, with at most ``degree`` of them.

    Those that are ``given`` come before all and get no parents; without them one of the strongest pair begins. What is told
    is the mutual information less its bias.
    O(axes · sets of parents · n).

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao (2017), PrivBayes: private data release via Bayesian networks, ACM TODS
    42 (4), algorithm 2 (without noise). Chow and Liu (1968), Approximating discrete probability distributions with
    dependence trees, IEEE Trans. Inf. Theory 14, for degree 1.
    """

    @cache
    def learnt(axis: int, parents: tuple[int, ...]) -> float:
        return corrected_information(counted.table((axis, *parents))) if parents else 0.0

    def next_one(known: set[int], new: set[int]) -> Parents:
        if not known:
            return next((pair[0] for pair in strongest_pairs(counted)), 0), ()
        return max(parent_candidates(known, new, counted.sizes, degree), key=lambda one: learnt(*one))

    return tuple(build_network(range(len(counted.sizes)), given, next_one))


def build_network(
    axes: Collection[int], given: Sequence[int], chosen: Callable[[set[int], set[int]], Parents]
) -> Iterator[Parents]:
    """A network axis by axis: ``chosen`` says which comes next, with its parents among those that are known by then."""
    known, new = set(given), set(axes) - set(given)
    while new:
        axis, parents = chosen(known, new)
        yield axis, parents
        known.add(axis)
        new.remove(axis)


def parents_by_name(found: Sequence[Parents], columns: Sequence[str]) -> dict[str, list[str]]:
    """A network by names, for the trace."""
    return {columns[axis]: [columns[one] for one in given] for axis, given in found}


def conditional_links(counted: CodedRecords, found: Sequence[Parents], *, smoothing: float) -> tuple[Link, ...]:
    """The conditional tables of a network, from counts."""
    return tuple(link_of(axis, given, counted.table((*given, axis)), smoothing=smoothing) for axis, given in found)


def link_of(axis: int, given: tuple[int, ...], table: np.ndarray, *, smoothing: float = 0.0) -> Link:
    r"""A conditional table, :math:`P(x \mid \pi) = (n_{x\pi} + s\,n_x/n)/(n_\pi + s)` with s = ``smoothing``; x is the last axis.

    What no record has beside these parents is thus drawn now and then, as often as it occurs at all; for parents that
    nobody has, the shares of the column stand.
    """
    flat = table.reshape(-1, table.shape[-1]).astype(float)
    alone = normalise_rows(flat.sum(axis=0))
    nobody = flat.sum(axis=1, keepdims=True) <= 0
    return Link(axis, given, normalise_rows(np.where(nobody, alone, flat + smoothing * alone)))


def strongest_pairs(counted: CodedRecords, *, given: Sequence[int] = ()) -> tuple[tuple[int, int], ...]:
    """The tree (or forest) of pairs with the largest mutual information less its bias; pairs that tell nothing are left out.

    Axes that are ``given`` need not be joined to each other: what hangs on one of them is joined to all.

    References
    ----------
    Chow and Liu (1968); Kruskal (1956), On the shortest spanning subtree of a graph, Proc. AMS 7, 48–50.
    """
    pairs = [pair for pair in combinations(range(len(counted.sizes)), 2) if not set(pair) <= set(given)]
    fitting = [pair for pair in pairs if count_cells(counted.sizes, pair) <= LARGEST]
    worth = {pair: corrected_information(counted.table(pair)) for pair in fitting}
    part = [-1 if axis in given else axis for axis in range(len(counted.sizes))]
    found = []
    for left, right in sorted(worth, key=lambda one: (-worth[one], one)):
        if worth[left, right] > 0 and part[left] != part[right]:
            part = [part[left] if one == part[right] else one for one in part]
            found.append((left, right))
    return tuple(found)


def mutual_information(table: np.ndarray) -> float:
    r"""I(X; Y) in nats of a table of counts with X in rows: :math:`\sum p_{xy} \ln \frac{p_{xy}}{p_x p_y}`. O(cells).

    >>> round(mutual_information(np.array([[5, 0], [0, 5]])), 4), mutual_information(np.array([[4, 4], [2, 2]]))
    (0.6931, 0.0)
    """
    flat = np.asarray(table, dtype=float).reshape(len(table), -1)
    share = flat / max(flat.sum(), 1.0)
    even = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
    seen = share > 0
    return max(0.0, float((share[seen] * np.log(share[seen] / even[seen])).sum()))


def corrected_information(table: np.ndarray) -> float:
    r"""I(X; Y) less what independent columns would show by chance, :math:`(r - 1)(c - 1)/2n` for r and c occupied places.

    Without it the columns of most categories would be everybody's parents. It may be below 0.

    References
    ----------
    Miller (1955), Note on the bias of information estimates, in: Information theory in psychology, 95–100.
    """
    flat = np.asarray(table).reshape(len(table), -1)
    rows, columns = int((flat.sum(axis=1) > 0).sum()), int((flat.sum(axis=0) > 0).sum())
    return mutual_information(table) - (rows - 1) * (columns - 1) / (2 * max(int(flat.sum()), 1))
