"""The search of a generalisation lattice for its best admissible nodes: depth first, one column after the other.

It stops when its budget of work is spent and goes on where it stopped, so that the caller can report, cancel or end it.

The least that a node of a generalisation lattice and all nodes above it cost; why is in ``protect/lattice/lattice.md``.

``level`` are the levels of the node. The first ``decided`` columns stay there, the others may rise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .lattice import Lattice, project_groups, roll_cells, roll_up
from .rules import Cells, meets_rules


class SearchPath(NamedTuple):
    """Where the search stands: the levels so far; depth, slot, and whether it has just come down; ``kept[d]`` per word.

    ``least[known[d], j, h]`` is what column j costs at least from level h upwards once the first d columns are decided.
    """

    level: np.ndarray
    at: np.ndarray
    kept: np.ndarray
    known: np.ndarray
    least: np.ndarray


class BestNodes(NamedTuple):
    """The best admissible nodes so far, cheapest first; ``worst[0]`` is what a node must stay below to be of interest."""

    score: np.ndarray
    level: np.ndarray
    removed: np.ndarray
    worst: np.ndarray


class EvaluatedNodes(NamedTuple):
    """The nodes that were evaluated since the caller last emptied it: ``filled[0]`` of them."""

    filled: np.ndarray
    level: np.ndarray
    score: np.ndarray
    removed: np.ndarray


def path_of(lattice: Lattice, words: int) -> SearchPath:
    """The start: every column at its lowest level, nothing decided."""
    columns = lattice.word.size
    kept = np.zeros((columns + 1, words), np.int64)
    for j in range(columns):
        kept[j + 1] = kept[j]
        kept[j + 1, lattice.word[j]] |= lattice.mask[j] << lattice.shift[j]
    least = np.repeat(lattice.total[None], columns + 1, axis=0)
    return SearchPath(lattice.low.copy(), np.array([0, 0, 1], np.int64), kept, np.zeros(columns + 1, np.int64), least)


@njit(cache=True, nogil=True)
def search_lattice(lattice, rules, coarse, stack, path, best, seen, budget):
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
                _evaluate_node(lattice, rules, stack, slot, path.level, best, seen)
            elif lattice.every or not _is_hopeless(lattice, coarse, stack, slot, depth, path, best):
                fresh = 1
                depth += 1
                continue
            depth -= 1
            continue
        if path.level[depth] < lattice.high[depth]:
            path.level[depth] += 1
            if lattice.every or bound_of_least(lattice, path.level, path.least[path.known[depth]]) < best.worst[0]:
                above = lattice.up[lattice.first[depth, path.level[depth] - 1] :]
                work += roll_up(stack, slot, depth, above, lattice)
                slot += 1
                if lattice.kind == ERRORS:
                    _ensure_tallies(stack, slot)
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
def _ensure_tallies(stack, slot):
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
def _rule_failures(rules, stack, slot, failing, removed, stop):
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
        if not meets_rules(rules, cells, one, stack.tally, stack.present):
            stack.failed[failing] = g
            failing += 1
            removed += stack.sizes[slot, g]
            if removed > stop:
                break
    return failing, removed


@njit(cache=True, nogil=True)
def _is_hopeless(lattice, coarse, stack, slot, depth, path, best):
    """Whether no node below this depth can be admissible and better: a projection, coarser than all of them, says so."""
    if depth == 0:
        return False
    path.known[depth] = path.known[depth - 1]
    if depth == path.level.size - 1:
        return False
    last, enough = stack.groups.size - 1, best.worst[0]
    project_groups(stack, slot, path.kept[depth], last)
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
        _ensure_tallies(stack, slot)
        roll_cells(stack, slot, last)
        failing, removed = _rule_failures(coarse, stack, last, failing, removed, lattice.limit)
        if removed > lattice.limit:
            return True
    if removed and lattice.kind <= ENTROPY:
        path.known[depth] = depth
        least = path.least[depth]
        return least_of_columns(lattice, path.level, depth, stack, slot, failing, removed, enough, least) >= enough
    return False


@njit(cache=True, nogil=True)
def _evaluate_node(lattice, rules, stack, slot, level, best, seen):
    """Score the node and keep it if it is good; a node that cannot be good is left without being seen."""
    stop = lattice.size if lattice.every else lattice.limit
    failing, removed = _too_small(rules.least, stack, slot, stop)
    value = np.inf
    if removed <= stop:
        if not lattice.every and bound_of_levels(lattice, level, level.size, removed, rules.least) >= best.worst[0]:
            return
        enough = np.inf if lattice.every else best.worst[0]
        value = score_node(lattice, level, stack, slot, failing, removed, enough)
        if not lattice.every and value >= best.worst[0]:
            return
        if rules.kind.size:
            _ensure_tallies(stack, slot)
            failing, removed = _rule_failures(rules, stack, slot, failing, removed, stop)
            value = score_node(lattice, level, stack, slot, failing, removed, np.inf) if removed <= stop else np.inf
    here = seen.filled[0]
    seen.level[here] = level
    seen.score[here] = value
    seen.removed[here] = removed
    seen.filled[0] += 1
    if removed <= lattice.limit and removed < lattice.size and value < best.worst[0]:
        _insert_node(best, value, level, removed)


@njit(cache=True, nogil=True)
def _insert_node(best, value, level, removed):
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
def mark_failures(rules, stack):
    """Which groups of slot 0 break a rule."""
    failing, removed = _too_small(rules.least, stack, 0, np.int64(2**62))
    if rules.kind.size:
        failing, removed = _rule_failures(rules, stack, 0, failing, removed, np.int64(2**62))
    broken = np.zeros(stack.groups[0], np.bool_)
    broken[stack.failed[:failing]] = True
    return broken


@njit(cache=True, nogil=True)
def bound_of_levels(lattice, level, decided, removed, least):
    """What every node from these levels upwards costs at least; 0 for the kinds that are no sums over columns.

    The first ``decided`` columns are at these very levels, and at least ``removed`` records go because their groups have
    fewer than ``least``.
    """
    if lattice.kind > ENTROPY:
        return 0.0
    of_column = np.empty(level.size)
    lightest = lattice.weight[0]
    for j in range(level.size):
        value = lattice.total[j, level[j]]
        if lattice.kind != ENTROPY and j < decided:
            value += removed * (1.0 - lattice.most[j, level[j]]) / lattice.size
        elif lattice.kind != ENTROPY:
            value = max(value, removed / lattice.size)
        of_column[j] = value
        lightest = min(lightest, lattice.weight[j])
    bound = combine_columns(lattice, of_column)
    if lattice.kind == ENTROPY and removed >= least > 1:
        bound += lightest * removed * np.log2(removed / (least - 1))
    return bound


@njit(cache=True, nogil=True)
def bound_of_least(lattice, level, least):
    """What every node from these levels upwards costs at least if column j costs ``least[j, h]`` from level h upwards."""
    if lattice.kind > ENTROPY:
        return 0.0
    of_column = np.empty(level.size)
    for j in range(level.size):
        of_column[j] = least[j, level[j]]
    return combine_columns(lattice, of_column)


@njit(cache=True, nogil=True)
def least_of_columns(lattice, level, decided, stack, slot, failing, removed, enough, least):
    """Fill ``least`` for sums over columns and return the bound: ``failing`` groups of a projection are removed for sure.

    The projection of ``slot`` on the decided columns is in the last slot. Ends early once the bound reaches ``enough``.
    """
    last = stack.groups.size - 1
    failed = stack.failed[:failing]
    of_column = np.empty(level.size)
    for j in range(level.size):
        of_column[j] = lattice.total[j, level[j]]
    bound, parts = combine_columns(lattice, of_column), failed[:0]
    for j in range(level.size):
        if bound >= enough:
            break
        nodes = lattice.first[j, level[j] + 1] - lattice.first[j, level[j]]
        word, shift, mask = lattice.word[j], lattice.shift[j], lattice.mask[j]
        if j < decided:
            records = tally_labels(stack.keys[last, word], stack.sizes[last], failed, shift, mask, nodes)
            least[j, level[j]] = of_removed(lattice, j, level[j], records, removed)
        else:
            if j == decided:
                parts = _mark_parts(stack, slot, failed)
            records = tally_labels(stack.keys[slot, word], stack.sizes[slot], parts, shift, mask, nodes)
            _least_of_levels(lattice, j, level[j], records, removed, least)
        of_column[j] = least[j, level[j]]
        bound = combine_columns(lattice, of_column)
    return bound


@njit(cache=True, nogil=True)
def _mark_parts(stack, slot, failed):
    """The groups of slot that went into the ``failed`` ones of the last slot."""
    last = stack.groups.size - 1
    to, parts, fails = stack.to[last], stack.begin, stack.member
    fails[: stack.groups[last]] = 0
    for g in failed:
        fails[g] = 1
    count = 0
    for g in range(stack.groups[slot]):
        parts[np.uint64(count)] = g
        count += fails[np.uint64(to[g])]
    return parts[:count]


@njit(cache=True, nogil=True)
def _least_of_levels(lattice, column, lowest, records, removed, least):
    """``least[column, h]`` for all levels from the lowest: the cheapest of h and those above with these records removed."""
    high = lattice.high[column]
    for level in range(lowest, high + 1):
        least[column, level] = of_removed(lattice, column, level, records, removed)
        if level < high:
            above = lattice.up[lattice.first[column, level] :]
            coarser = np.zeros(lattice.first[column, level + 2] - lattice.first[column, level + 1], np.int64)
            for node in range(records.size):
                coarser[above[node]] += records[node]
            records = coarser
    for level in range(high - 1, lowest - 1, -1):
        least[column, level] = min(least[column, level], least[column, level + 1])


@njit(cache=True, nogil=True)
def bound_of_groups(lattice, stack, slot, removed, least):
    """The same from the groups of the node, for the other kinds; ERRORS needs its tallies."""
    groups, sizes = stack.groups[slot], stack.sizes[slot]
    if lattice.kind == SQUARES:
        squares = float(removed) * (lattice.size - least + 1)
        for g in range(groups):
            squares += float(sizes[g]) * sizes[g]
        return squares
    if lattice.kind == CLASSES:
        kept, left = 0, 0
        for g in range(groups):
            if sizes[g] >= least:
                kept += 1
            else:
                left += sizes[g]
        return lattice.size / (kept + left // least + 1)
    if lattice.kind == ERRORS:
        number, start = stack.number[slot], stack.start[slot, lattice.target]
        right = 0
        for g in range(groups):
            right += majority_count(number, start[g], start[g + 1])
        return 1.0 - right / lattice.size
    return 0.0


@njit(cache=True, nogil=True)
def bound_of_classes(lattice, stack, slot, least):
    """The same for CLASSES, sharper: no class that is kept reaches over two groups of the projection in the last slot."""
    last = stack.groups.size - 1
    sizes, to, left = stack.sizes[slot], stack.to[last], stack.member
    left[: stack.groups[last]] = 0
    kept = 0
    for g in range(stack.groups[slot]):
        large = sizes[g] >= least
        kept += large
        left[np.uint64(to[g])] += 0 if large else sizes[g]
    for g in range(stack.groups[last]):
        kept += left[g] // least
    return lattice.size / (kept + 1)


MEAN, GEOMETRIC, ENTROPY, SQUARES, CLASSES, ERRORS = 0, 1, 2, 3, 4, 5


@njit(cache=True, nogil=True)
def combine_columns(lattice, of_column):
    """One number from those of the columns: the weighted mean, the geometric mean of 1 + v less 1, or the sum."""
    summed, weights = 0.0, 0.0
    for j in range(of_column.size):
        value = np.log(1.0 + of_column[j]) if lattice.kind == GEOMETRIC else of_column[j]
        summed += lattice.weight[j] * value
        weights += lattice.weight[j]
    if lattice.kind == ENTROPY:
        return summed
    if lattice.kind == GEOMETRIC:
        return np.exp(summed / weights) - 1.0
    return summed / weights


@njit(cache=True, nogil=True)
def majority_count(number, begin, end):
    """The records of the most frequent code among these entries."""
    largest = 0
    for entry in range(begin, end):
        largest = max(largest, number[entry])
    return largest


@njit(cache=True, nogil=True)
def tally_labels(keys, sizes, chosen, shift, mask, nodes):
    """The records of each label of a column in the chosen groups."""
    # two counts by turns, as adding to the same place again at once is slow; unsigned places need no check of their sign
    records, others = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
    for i in range(0, chosen.size - 1, 2):
        g, h = np.uint64(chosen[i]), np.uint64(chosen[i + 1])
        records[np.uint64((keys[g] >> shift) & mask)] += sizes[g]
        others[np.uint64((keys[h] >> shift) & mask)] += sizes[h]
    if chosen.size % 2:
        g = chosen[chosen.size - 1]
        records[(keys[g] >> shift) & mask] += sizes[g]
    return records + others


@njit(cache=True, nogil=True)
def of_removed(lattice, column, level, records, removed):
    """What a column costs at a level when ``removed`` records, ``records[i]`` with label i, are left out."""
    value = 0.0
    if lattice.kind == ENTROPY:
        for count in records:
            if count:
                value += count * np.log2(removed / count)
    else:
        cost = lattice.cost[lattice.first[column, level] :]
        for node in range(records.size):
            value += (1.0 - cost[node]) * records[node]
        value /= lattice.size
    return lattice.total[column, level] + value


@njit(cache=True, nogil=True)
def score_node(lattice, level, stack, slot, failing, removed, enough):
    """The cost of the node when the first ``failing`` groups of ``stack.failed``, ``removed`` records, are left out.

    Of a sum over columns only so much is summed up as reaches ``enough``: from there on it is a lower bound.
    """
    groups, sizes, failed = stack.groups[slot], stack.sizes[slot], stack.failed[:failing]
    if lattice.kind <= ENTROPY:
        of_column = np.empty(level.size)
        for j in range(level.size):
            of_column[j] = lattice.total[j, level[j]]
        value = combine_columns(lattice, of_column)
        for j in range(level.size):
            if not removed or value >= enough:
                break
            nodes = lattice.first[j, level[j] + 1] - lattice.first[j, level[j]]
            keys = stack.keys[slot, lattice.word[j]]
            records = tally_labels(keys, sizes, failed, lattice.shift[j], lattice.mask[j], nodes)
            of_column[j] = of_removed(lattice, j, level[j], records, removed)
            value = combine_columns(lattice, of_column)
        return value
    if lattice.kind == CLASSES:
        return lattice.size / (groups - failing + (1 if removed else 0))
    if lattice.kind == SQUARES:
        squares = float(lattice.size) * removed
        for g in range(groups):
            squares += float(sizes[g]) * sizes[g]
        for g in failed:
            squares -= float(sizes[g]) * sizes[g]
        return squares
    number, start = stack.number[slot], stack.start[slot, lattice.target]
    right = 0
    for g in range(groups):
        right += majority_count(number, start[g], start[g + 1])
    for g in failed:
        right -= majority_count(number, start[g], start[g + 1])
    return 1.0 - right / lattice.size
