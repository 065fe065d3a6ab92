"""The search of a generalisation lattice for its best admissible nodes: depth first, one column after the other.

It stops when its budget of work is spent and goes on where it stopped, so that the caller can report, cancel or end it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .lattice import Lattice, projected, roll_cells, rolled
from .lattice_bound import bound_of_classes, bound_of_groups, bound_of_least, bound_of_levels, least_of_columns
from .lattice_score import CLASSES, ENTROPY, ERRORS, SQUARES, score
from .rules import Cells, meets


class Path(NamedTuple):
    """Where the search stands: the levels so far; depth, slot, and whether it has just come down; ``kept[d]`` per word.

    ``least[known[d], j, h]`` is what column j costs at least from level h upwards once the first d columns are decided.
    """

    level: np.ndarray
    at: np.ndarray
    kept: np.ndarray
    known: np.ndarray
    least: np.ndarray


class Best(NamedTuple):
    """The best admissible nodes so far, cheapest first; ``worst[0]`` is what a node must stay below to be of interest."""

    score: np.ndarray
    level: np.ndarray
    removed: np.ndarray
    worst: np.ndarray


class Seen(NamedTuple):
    """The nodes that were evaluated since the caller last emptied it: ``filled[0]`` of them."""

    filled: np.ndarray
    level: np.ndarray
    score: np.ndarray
    removed: np.ndarray


def path_of(lattice: Lattice, words: int) -> Path:
    """The start: every column at its lowest level, nothing decided."""
    columns = lattice.word.size
    kept = np.zeros((columns + 1, words), np.int64)
    for j in range(columns):
        kept[j + 1] = kept[j]
        kept[j + 1, lattice.word[j]] |= lattice.mask[j] << lattice.shift[j]
    least = np.repeat(lattice.total[None], columns + 1, axis=0)
    return Path(lattice.low.copy(), np.array([0, 0, 1], np.int64), kept, np.zeros(columns + 1, np.int64), least)


@njit(cache=True, nogil=True)
def search(lattice, rules, coarse, stack, path, best, seen, budget):
    """Go on until the work (groups handled) exceeds the budget; True when the whole lattice is done.

    ``at`` is (depth, slot, fresh): the columns before depth are decided, slot holds the groups of their levels with all
    other columns at their lowest. ``coarse`` are the rules that, broken by a coarse node, are broken by every finer one.
    """
    columns = path.level.size
    depth, slot, fresh = path.at[0], path.at[1], path.at[2]
    work = 0
    while depth >= 0:
        if work > budget or seen.filled[0] == seen.score.size:
            path.at[0], path.at[1], path.at[2] = depth, slot, fresh
            return False
        if fresh:
            fresh = 0
            work += stack.groups[slot]
            if depth == columns:
                _evaluate(lattice, rules, stack, slot, path.level, best, seen)
            elif lattice.every or not _hopeless(lattice, coarse, stack, slot, depth, path, best):
                fresh = 1
                depth += 1
                continue
            depth -= 1
            continue
        if path.level[depth] < lattice.high[depth]:
            path.level[depth] += 1
            if lattice.every or bound_of_least(lattice, path.level, path.least[path.known[depth]]) < best.worst[0]:
                above = lattice.up[lattice.first[depth, path.level[depth] - 1] :]
                work += rolled(stack, slot, depth, above, lattice)
                slot += 1
                if lattice.kind == ERRORS:
                    _ready(stack, slot)
                if lattice.every or bound_of_groups(lattice, stack, slot, 0, rules.least) < best.worst[0]:
                    depth += 1
                    fresh = 1
                    continue
                slot -= 1
            path.level[depth] -= 1
        slot -= path.level[depth] - lattice.low[depth]
        path.level[depth] = lattice.low[depth]
        depth -= 1
    path.at[0] = depth
    return True


@njit(cache=True, nogil=True)
def _ready(stack, slot):
    """Tallies for the slot, rolled up from the last one that has them."""
    while stack.valid[0] < slot:
        roll_cells(stack, stack.valid[0], stack.valid[0] + 1)
        stack.valid[0] += 1


@njit(cache=True, nogil=True)
def _too_small(least, stack, slot, stop):
    """The groups that fail by their size: how many (listed in ``failed``), and their records; ends above ``stop``."""
    failing, removed = 0, 0
    sizes, failed, groups = stack.sizes[slot], stack.failed, stack.groups[slot]
    # in blocks without branches, which would be guessed wrong too often
    for begin in range(0, groups, 256):
        for g in range(begin, min(groups, begin + 256)):
            small = sizes[g] < least
            failed[np.uint64(failing)] = g
            failing += small
            removed += sizes[g] if small else 0
        if removed > stop:
            break
    return failing, removed


@njit(cache=True, nogil=True)
def _unlike(rules, stack, slot, failing, removed, stop):
    """The groups that are large enough but break another rule, added to those that fail; ends above ``stop``."""
    groups, small = stack.groups[slot], failing
    nobody = stack.sizes[slot, :0]
    cells = Cells(stack.sizes[slot], nobody, stack.start[slot], stack.code[slot], stack.number[slot], stack.first)
    one = np.empty(1, np.int64)
    next_small = 0
    for g in range(groups):
        if next_small < small and stack.failed[next_small] == g:
            next_small += 1
            continue
        one[0] = g
        if not meets(rules, cells, one, stack.tally, stack.present):
            stack.failed[failing] = g
            failing += 1
            removed += stack.sizes[slot, g]
            if removed > stop:
                break
    return failing, removed


@njit(cache=True, nogil=True)
def _hopeless(lattice, coarse, stack, slot, depth, path, best):
    """Whether no node below this depth can be admissible and better: a projection, coarser than all of them, says so."""
    if depth == 0:
        return False
    path.known[depth] = path.known[depth - 1]
    if depth == path.level.size - 1:
        return False
    last, enough = stack.groups.size - 1, best.worst[0]
    projected(stack, slot, path.kept[depth], last)
    failing, removed = _too_small(coarse.least, stack, last, lattice.limit)
    if removed > lattice.limit:
        return True
    if lattice.kind == CLASSES and bound_of_classes(lattice, stack, slot, coarse.least) >= enough:
        return True
    if removed:
        if bound_of_levels(lattice, path.level, depth, removed, coarse.least) >= enough:
            return True
        if lattice.kind == SQUARES and bound_of_groups(lattice, stack, slot, removed, coarse.least) >= enough:
            return True
    if coarse.kind.size:
        _ready(stack, slot)
        roll_cells(stack, slot, last)
        failing, removed = _unlike(coarse, stack, last, failing, removed, lattice.limit)
        if removed > lattice.limit:
            return True
    if removed and lattice.kind <= ENTROPY:
        path.known[depth] = depth
        least = path.least[depth]
        return least_of_columns(lattice, path.level, depth, stack, slot, failing, removed, enough, least) >= enough
    return False


@njit(cache=True, nogil=True)
def _evaluate(lattice, rules, stack, slot, level, best, seen):
    """Score the node and keep it if it is good; a node that cannot be good is left without being seen."""
    stop = lattice.size if lattice.every else lattice.limit
    failing, removed = _too_small(rules.least, stack, slot, stop)
    value = np.inf
    if removed <= stop:
        if not lattice.every and bound_of_levels(lattice, level, level.size, removed, rules.least) >= best.worst[0]:
            return
        enough = np.inf if lattice.every else best.worst[0]
        value = score(lattice, level, stack, slot, failing, removed, enough)
        if not lattice.every and value >= best.worst[0]:
            return
        if rules.kind.size:
            _ready(stack, slot)
            failing, removed = _unlike(rules, stack, slot, failing, removed, stop)
            value = score(lattice, level, stack, slot, failing, removed, np.inf) if removed <= stop else np.inf
    here = seen.filled[0]
    seen.level[here] = level
    seen.score[here] = value
    seen.removed[here] = removed
    seen.filled[0] += 1
    if removed <= lattice.limit and removed < lattice.size and value < best.worst[0]:
        _insert(best, value, level, removed)


@njit(cache=True, nogil=True)
def _insert(best, value, level, removed):
    place = best.score.size - 1
    while place > 0 and best.score[place - 1] > value:
        best.score[place] = best.score[place - 1]
        best.level[place] = best.level[place - 1]
        best.removed[place] = best.removed[place - 1]
        place -= 1
    best.score[place] = value
    best.level[place] = level
    best.removed[place] = removed
    best.worst[0] = min(best.worst[0], best.score[best.score.size - 1])


@njit(cache=True, nogil=True)
def failures(rules, stack):
    """Which groups of slot 0 break a rule."""
    failing, removed = _too_small(rules.least, stack, 0, np.int64(2**62))
    if rules.kind.size:
        failing, removed = _unlike(rules, stack, 0, failing, removed, np.int64(2**62))
    broken = np.zeros(stack.groups[0], np.bool_)
    broken[stack.failed[:failing]] = True
    return broken
