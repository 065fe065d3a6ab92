"""One list of terms for all members of a group, in proportion to what they used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .centroid import centroids

if TYPE_CHECKING:
    from ...risk.user_k import Form
    from .support import Concepts
    from .terms import Events

__all__ = ["Profiles", "points", "profiles"]

ROOM = 24
"""Dimensions into which people are projected."""
LENGTH = 0.25
"""How much it counts that one uses twice as many terms as another; sisters at depth 3 lie about 0.5 apart."""


class Profiles(NamedTuple):
    """Group g is given the concepts ``concept[start[g]:start[g + 1]]``, in this order."""

    concept: np.ndarray
    start: np.ndarray


def points(found: Events, used: Concepts, rng: np.random.Generator) -> np.ndarray:
    r"""People as points: for each concept and each of its ancestors the share of the person's terms that lie under it.

    Squared distances between these shares are kept on average by a projection on 24 random directions of signs; one
    more dimension is the number of terms, as its logarithm. O(n · 24) time, O(people · 24) memory.
    """
    line, own = used.known.line, used.known.own
    height = line.shape[1] - 1
    table = np.zeros((len(line), ROOM))
    for level in range(height):
        signs = rng.choice((-1.0, 1.0), (int(line[:, level].max(initial=0)) + 1, ROOM))
        table += np.where(own[:, level, None], signs[line[:, level]], 0.0)
    table /= np.sqrt(2 * max(1, height) * ROOM)
    counts = found.counts
    placed = table[used.of_term[found.term]]
    shares = np.column_stack([np.bincount(found.person, weights=axis) for axis in placed.T]) / counts[:, None]
    return np.column_stack([shares, LENGTH * np.log2(counts)])


def profiles(found: Events, used: Concepts, group: np.ndarray, form: Form) -> Profiles:
    r"""For every group as many terms as its members have on average, rounded, each the centroid of equally many events.

    The events of the group stand in the order of a depth-first walk of the taxonomy and are cut into that many blocks
    of equal size; each block gives its semantic centroid. So every branch gets its share of the profile, to within one
    place. Events that only the root covers tell nothing and are left out, unless there is no other. Of a set each
    term comes once; in a sequence the blocks follow the mean place of their events. O(n log n) time.
    """
    concept = used.of_term[found.term]
    of = group[found.person]
    members = np.bincount(group)
    groups = len(members)
    said = concept != used.top
    kept = said | (np.bincount(of, weights=said, minlength=groups) == 0)[of]
    within = _relative(found)[kept]
    concept, of = concept[kept], of[kept]
    sort = np.lexsort((concept, used.known.walk()[concept], of))
    concept, of, within = concept[sort], of[sort], within[sort]
    size = np.bincount(of, minlength=groups)
    wanted = np.rint(np.bincount(group[found.person], minlength=groups) / members).astype(np.int64)
    length = np.clip(wanted, 1, size)
    rank = np.arange(len(of)) - (np.cumsum(size) - size)[of]
    block = (np.cumsum(length) - length)[of] + rank * length[of] // size[of]
    chosen = centroids(used.known, concept, block)
    owner = np.repeat(np.arange(groups), length)
    if form == "sequence":
        mean = np.bincount(block, weights=within) / np.bincount(block)
        chosen = chosen[np.lexsort((np.arange(len(chosen)), mean, owner))]
    elif form == "set":
        count = len(used.known.values)
        pairs = np.unique(owner * count + chosen)
        owner, chosen = pairs // count, pairs % count
    return Profiles(chosen, np.searchsorted(owner, np.arange(groups + 1)))


def _relative(found: Events) -> np.ndarray:
    """Where in the list of its person each event stands, from 0 to 1."""
    counts = found.counts[found.person]
    placed: np.ndarray = (np.arange(len(found.person)) - found.start[found.person] + 0.5) / counts
    return placed
