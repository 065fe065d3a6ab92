"""Terms that few people use, lifted to a concept that enough people share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.hierarchy.nodes import nodes
from ...release.hierarchy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from ...release.release import Release
    from .terms import Events


@dataclass(frozen=True, eq=False)
class Concepts:
    """What each term is released as at the finest.

    ``of_term[t]`` is the concept of term t: a number in ``known``, the taxonomy of the terms (first, numbered as they
    are) and of the concepts behind them. ``top`` is the number of the root if a term is lifted to it, else −1;
    ``lifted`` says whether any concept is another than the terms themselves.
    """

    known: Taxonomy
    of_term: np.ndarray
    top: int
    lifted: bool


def concepts(release: Release, column: str, known: Taxonomy, found: Events, k: int) -> Concepts:
    """Each term, or its lowest ancestor under which at least k people have events; O(height · n log n) time.

    A concept that a taxonomy shows at several levels is one: where a value is also a node above others, a term that
    is lifted to that node is released as that value.
    """
    terms, height = known.line.shape[0], known.line.shape[1] - 1
    every = np.arange(terms)
    level = np.full(terms, height)
    for at in range(height - 1, -1, -1):
        node = known.line[:, at].astype(np.int64)
        pairs = np.unique(node[found.term] * (int(found.person.max()) + 1) + found.person)
        users = np.bincount(pairs // (int(found.person.max()) + 1), minlength=int(node.max()) + 1)
        level[users[node] >= k] = at
    shown = _own_level(known.own, level)
    node = known.line[every, shown].astype(np.int64)
    _, first, concept = np.unique(shown * terms + node, return_index=True, return_inverse=True)
    named = nodes(release.hierarchies[column], column, known.values)
    text = [known.values.cast(pl.String), *named.labels[1:]]
    labels = pl.Series([text[shown[t]][int(node[t])] for t in first], dtype=pl.String)
    names = pl.concat([text[0].rename("term"), labels.rename("term")])
    both = known.lifted(np.append(every, first), np.append(np.zeros(terms, np.int64), shown[first]), names)
    root = np.flatnonzero(shown[first] == height)
    lifted = bool((labels.gather(concept) != text[0].alias("")).any())
    return Concepts(both, terms + concept, terms + int(root[0]) if len(root) else -1, lifted)


def _own_level(own: np.ndarray, level: np.ndarray) -> np.ndarray:
    """The lowest level from the given one up at which the node is a concept of its own."""
    from_here = own & (np.arange(own.shape[1])[None, :] >= level[:, None])
    found: np.ndarray = from_here.argmax(axis=1)
    return found
