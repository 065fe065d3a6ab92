"""How many edges the nodes of a made network have: a sequence, a count of nodes by degree, or a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...errors import TacitError, check_int
from ...frozen import FrozenDict
from ..graph import Graph
from .checks import check_positive
from .graphical import check_graphical, is_graphical
from .part import part_of

if TYPE_CHECKING:
    from numpy.random import Generator


TRIES = 100
"""How often a model is drawn from before it counts as one that makes no graph."""


@dataclass(frozen=True, slots=True)
class DegreeCounts:
    """So many nodes of each degree: ``counts[d]`` nodes have d edges. Nodes come with the largest degree first.

    >>> DegreeCounts({3: 1, 1: 3}).sample(np.random.default_rng(7)).tolist()
    [3, 1, 1, 1]
    """

    counts: Mapping[int, int]

    def __post_init__(self) -> None:
        given = {int(degree): int(count) for degree, count in dict(self.counts).items()}
        if any(degree < 0 or count < 0 for degree, count in given.items()):
            raise TacitError(
                "a degree or a number of nodes is negative", code="out_of_range", fix="e.g. counts={2: 10, 1: 4}"
            )
        object.__setattr__(self, "counts", FrozenDict(given))

    def sample(self, rng: Generator) -> np.ndarray:  # noqa: ARG002 - the models draw
        """The degrees, largest first; nothing is random."""
        down = sorted(self.counts, reverse=True)
        return check_graphical(np.repeat(np.array(down, dtype=np.int64), [self.counts[degree] for degree in down]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson:
    """Degrees of chance meetings: Poisson with a mean, as in a graph whose pairs are all equally likely."""

    nodes: int
    mean: float

    def __post_init__(self) -> None:
        check_int("nodes", self.nodes, least=1)
        check_positive("mean", self.mean)

    def sample(self, rng: Generator) -> np.ndarray:
        """The degrees of the nodes."""
        return _sample_graphical(lambda size: np.minimum(rng.poisson(self.mean, size), self.nodes - 1), self.nodes, rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLaw:
    """Few hubs, many small: a degree d from ``least`` to ``most`` with chance ∝ d^−exponent."""

    nodes: int
    exponent: float
    least: int
    most: int

    def __post_init__(self) -> None:
        check_int("nodes", self.nodes, least=1)
        check_int("least", self.least, least=1)
        check_int("most", self.most, least=self.least)
        check_positive("exponent", self.exponent)

    def sample(self, rng: Generator) -> np.ndarray:
        """The degrees of the nodes."""
        values = np.arange(self.least, self.most + 1)
        chance = values**-self.exponent
        return _sample_graphical(lambda size: rng.choice(values, size, p=chance / chance.sum()), self.nodes, rng)


DEGREES: dict[str, type] = {"degree_counts": DegreeCounts, "poisson": Poisson, "power_law": PowerLaw}
"""The models of degrees by their name in a plan."""
Degrees: TypeAlias = Sequence[int] | DegreeCounts | Poisson | PowerLaw


def degree_counts(graph: Graph) -> DegreeCounts:
    """The degrees of a network, without whose they are. O(n + m).

    >>> degree_counts(Graph(size=4, edges=np.array([[0, 1], [0, 2], [1, 2]]))).counts
    {0: 1, 2: 3}
    """
    if graph.directed:
        raise TacitError(
            "a directed network has two degree sequences", code="invalid_graph", fix="make it undirected first"
        )
    values, counts = np.unique(graph.degrees(), return_counts=True)
    return DegreeCounts(dict(zip(values.tolist(), counts.tolist(), strict=True)))


def drawn_degrees(degrees: tuple[int, ...] | DegreeCounts | Poisson | PowerLaw, rng: Generator) -> np.ndarray:
    """The degree of each node."""
    return np.array(degrees, dtype=np.int64) if isinstance(degrees, tuple) else degrees.sample(rng)


def degrees_of(given: Degrees | Mapping[str, object]) -> tuple[int, ...] | DegreeCounts | Poisson | PowerLaw:
    """The degrees that a generator was given: a sequence is a tuple of whole numbers, checked to make a graph."""
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        if not len(given):
            raise TacitError(
                "degrees is empty: a graph has at least one node", code="invalid_graph", fix="e.g. degrees=(2, 2, 1, 1)"
            )
        return tuple(check_graphical(np.asarray(given)).tolist())
    found: DegreeCounts | Poisson | PowerLaw = part_of(given, DEGREES, "degrees")
    return found


def _sample_graphical(draw: Callable[[int], np.ndarray], nodes: int, rng: Generator) -> np.ndarray:
    """Draw until a simple graph has the degrees; an odd sum is mended by drawing one node again."""
    for _ in range(TRIES):
        degrees = draw(nodes)
        for _ in range(TRIES):
            if degrees.sum() % 2 == 0:
                break
            degrees[rng.integers(nodes)] = draw(1)[0]
        if is_graphical(degrees):
            return degrees
    raise TacitError(
        f"{TRIES} draws of {nodes} degrees gave none that a simple graph has",
        code="invalid_graph",
        fix="lower the degrees or add nodes",
    )
