"""The order in which axes are summed out of a model, and the cliques that this makes: the junction tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from .coded_records import count_cells


@dataclass(frozen=True, slots=True)
class Node:
    """An axis when it is summed out, and its neighbours at that moment, in the order in which their turn comes.

    The axis and its neighbours are a clique of the triangulated graph. The ``given`` ones are the separator from the
    clique of the first of them, so that the nodes are a junction tree without further ado.
    """

    axis: int
    given: tuple[int, ...]

    @property
    def clique(self) -> tuple[int, ...]:
        """The axis and its neighbours."""
        return (self.axis, *self.given)


def junction_tree(
    sets: Iterable[Collection[int]], sizes: Sequence[int], *, last: Collection[int] = ()
) -> tuple[Node, ...]:
    """A junction tree for sets of axes that must each lie in one clique: its nodes, the first summed out first.

    Each time the axis is taken whose neighbours lack the fewest edges among them (minimum fill), and among these the one
    with the smallest table; the axes in ``last`` have their turn after all others. O(axes² · neighbours²).

    >>> [node.clique for node in junction_tree([(0, 1), (1, 2), (2, 3), (3, 0)], [2, 2, 2, 2])]
    [(0, 1, 3), (1, 2, 3), (2, 3), (3,)]

    References
    ----------
    Lauritzen and Spiegelhalter (1988), Local computations with probabilities on graphical structures, JRSS B 50, 157–224.
    Kjærulff (1990), Triangulation of graphs: algorithms giving small total state space, Aalborg University, R 90-09.
    """
    near: dict[int, set[int]] = {axis: set() for axis in range(len(sizes))}
    for one in sets:
        for left, right in combinations(one, 2):
            near[left].add(right)
            near[right].add(left)
    taken: list[tuple[int, set[int]]] = []
    while near:
        free = [axis for axis in near if axis not in last] or list(near)
        axis = min(free, key=lambda one: (_fill_edges(near, one), count_cells(sizes, (one, *near[one])), one))
        neighbours = near.pop(axis)
        taken.append((axis, neighbours))
        for other in neighbours:
            near[other] |= neighbours - {other}
            near[other].discard(axis)
    turn = {axis: place for place, (axis, _) in enumerate(taken)}
    return tuple(Node(axis, tuple(sorted(neighbours, key=turn.__getitem__))) for axis, neighbours in taken)


def _fill_edges(near: dict[int, set[int]], axis: int) -> int:
    return sum(right not in near[left] for left, right in combinations(near[axis], 2))
