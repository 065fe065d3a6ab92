"""A hierarchy read as a taxonomy: how far two values lie apart in meaning, and which stand next to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from ...errors import TacitError, format_value
from .nodes import nodes

if TYPE_CHECKING:
    from .base import Hierarchy


Distance: TypeAlias = Literal["ancestors", "wu_palmer"]


@dataclass(frozen=True, slots=True, eq=False)
class Taxonomy:
    r"""Values with their ancestors, from themselves up to the root, and two distances of meaning.

    ``line[v, h]`` is the node of value v at level h; ``own[v, h]`` says that this is a concept of its own and not the
    same one as at the level above, as where a short branch repeats its leaf. With the ancestors A(v), v itself and the
    root among them, the two distances are

    .. math:: d(a, b) = \log_2\Big(1 + \frac{|A(a) \mathbin{\triangle} A(b)|}{|A(a) \cup A(b)|}\Big)
        \qquad\text{and}\qquad
        d(a, b) = 1 - \frac{2\,|A(a) \cap A(b)|}{|A(a)| + |A(b)|},

    ``"ancestors"`` (Sánchez et al.) and ``"wu_palmer"`` (Wu and Palmer, depths counted in nodes). Both are 0 for equal
    values only, symmetric and below 1, because all values share the root. The first is a metric: the Jaccard distance is
    one, and :math:`\log_2(1 + x)` is concave and 0 at 0. The second, the Dice distance of the ancestors, is no metric of
    sets in general, but it is one on a tree: of three values two pairs have the same lowest common ancestor, and
    then it can be reckoned out (the tests check both on random trees).

    References
    ----------
    Sánchez, Batet, Isern and Valls (2012), Ontology-based semantic similarity: a new feature-based approach, Expert
    Systems with Applications 39, 7718–7728. Wu and Palmer (1994), Verb semantics and lexical selection, ACL, 133–138.
    """

    values: pl.Series
    line: np.ndarray
    own: np.ndarray

    @property
    def depth(self) -> np.ndarray:
        """How many ancestors each value has, itself and the root counted."""
        found: np.ndarray = self.own.sum(axis=1, dtype=np.int64)
        return found

    def distance(self, a: np.ndarray, b: np.ndarray, by: Distance = "ancestors") -> np.ndarray:
        """The distances between the values number a and number b, element by element (they are broadcast).

        O(height) time for each pair.
        """
        shared = np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), dtype=np.int32)
        for level in range(self.line.shape[1]):
            shared += (self.line[a, level] == self.line[b, level]) & self.own[a, level] & self.own[b, level]
        both = self.depth[a] + self.depth[b]
        found: np.ndarray
        found = np.log2(1 + (both - 2 * shared) / (both - shared)) if by == "ancestors" else 1 - 2 * shared / both
        return found

    def distances(self, by: Distance = "ancestors") -> np.ndarray:
        """All pairs; O(values² · height) time, O(values²) memory."""
        every = np.arange(len(self.values))
        return self.distance(every[:, None], every[None, :], by)

    def depth_first_order(self) -> np.ndarray:
        """The place of each value when the tree is walked depth first: like values stand next to each other.

        Sisters come in the order of the taxonomy's values. O(values · height · log values) time.
        """
        place = np.empty(len(self.values), dtype=np.int64)
        place[np.lexsort(self.line.T)] = np.arange(len(self.values))
        return place

    def lift_to_levels(self, places: np.ndarray, levels: np.ndarray, names: pl.Series) -> Taxonomy:
        """The nodes that the values at ``places`` have at ``levels``, as values of their own called ``names``."""
        line, own = self.line[places].copy(), self.own[places].copy()
        own[np.arange(line.shape[1])[None, :] < levels[:, None]] = False
        return Taxonomy(names, line, own)


def build_taxonomy(hierarchy: Hierarchy, column: str, values: pl.Series) -> Taxonomy:
    """The taxonomy over values, different ones and none missing, each of which the hierarchy must know.

    Equal labels at neighbouring levels of one value are one concept. O(height · values).

    >>> from .build import from_edges
    >>> jobs = from_edges({"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"})
    >>> found = build_taxonomy(jobs, "job", pl.Series(["surgeon", "nurse", "clerk"]))
    >>> found.depth.tolist(), found.distances("wu_palmer").round(2)[0].tolist()
    ([3, 3, 2], [0.0, 0.33, 0.6])
    """
    made = nodes(hierarchy, column, values)
    written = [made.labels[0].cast(pl.String), *made.labels[1:]]
    shown = [names.to_numpy()[made.number[level]] for level, names in enumerate(written)]
    own = [below != above for below, above in zip(shown, shown[1:], strict=False)]
    own.append(np.ones(len(values), dtype=bool))
    return Taxonomy(values, np.ascontiguousarray(made.number.T), np.column_stack(own).astype(bool))


def checked_distance(given: object) -> None:
    """Refuse a distance that there is not."""
    if given not in get_args(Distance):
        raise TacitError(
            f"distance={format_value(given)} is unknown",
            code="unknown_name",
            parameter="distance",
            fix="use 'ancestors' (the default) or 'wu_palmer'",
        )
