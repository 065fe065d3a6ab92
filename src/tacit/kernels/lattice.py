"""Groups of a node of a generalisation lattice, rolled up from a finer node: sizes, and tallies of confidential columns.

A node is a level for every column. Its groups are keys of bit fields, one field per column, in one or more words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .rules import Cells

MIX = np.int64(-7046029254386353131)
"""An odd constant near 2⁶⁴/φ, as in :mod:`groups`."""


class Lattice(NamedTuple):
    """The columns in the order of the search, and what is sought.

    Column j has the field of ``mask[j]`` at ``shift[j]`` of word ``word[j]``. Node i of its level h stands at
    ``first[j, h] + i``: in ``up`` the node above it, in ``cost`` what a record there costs (0 to 1). ``total[j, h]`` is what
    all records cost at that level, ``most[j, h]`` the most that one of them costs, ``weight[j]`` how much the column counts. Levels from ``low[j]`` to ``high[j]`` are tried.
    ``size`` records, at most ``limit`` of them removed; ``kind`` of :mod:`lattice_score`; ``target`` is the place of the
    column to be classified among the tallies, −1 without. ``every``: all nodes are wanted, so nothing is left out.
    """

    word: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    first: np.ndarray
    up: np.ndarray
    cost: np.ndarray
    total: np.ndarray
    most: np.ndarray
    weight: np.ndarray
    low: np.ndarray
    high: np.ndarray
    size: int
    limit: int
    kind: int
    target: int
    every: bool


class Stack(NamedTuple):
    """The groups on the path to the node at hand; slot s was rolled up from slot s − 1, the last slot is for projections.

    ``groups[s]`` groups with ``keys[s, word, g]``, ``sizes[s, g]``; group g of slot s − 1 went
    into ``to[s, g]``. Tallies as in :class:`rules.Cells`, valid up to slot ``valid[0]``. The rest is room
    to work in.
    """

    groups: np.ndarray
    keys: np.ndarray
    sizes: np.ndarray
    to: np.ndarray
    start: np.ndarray
    code: np.ndarray
    number: np.ndarray
    first: np.ndarray
    valid: np.ndarray
    table: np.ndarray
    tally: np.ndarray
    present: np.ndarray
    begin: np.ndarray
    member: np.ndarray
    failed: np.ndarray


def stack_of(slots: int, groups: int, words: int, cells: Cells) -> Stack:
    """Room for so many slots of so many groups; memory is touched only as far as groups come to lie there."""
    columns, entries = cells.start.shape[0], cells.code.size
    capacity = 16
    while capacity < 2 * groups:
        capacity *= 2
    codes = int(cells.first[-1])
    return Stack(
        np.zeros(slots, np.int64),
        np.empty((slots, words, groups), np.int64),
        np.empty((slots, groups), np.int64),
        np.empty((slots, groups), np.int64),
        np.empty((slots, columns, groups + 1), np.int64),
        np.empty((slots, entries), np.int64),
        np.empty((slots, entries), np.int64),
        cells.first,
        np.zeros(1, np.int64),
        np.empty(capacity, np.int32),
        np.zeros(codes, np.int64),
        np.zeros(codes + 1, np.int64),
        np.empty(groups + 2, np.int64),
        np.empty(groups, np.int64),
        np.empty(groups, np.int64),
    )


@njit(cache=True, nogil=True)
def pack_keys(codes, leaf, at, level, word, shift, keys):
    """Write the keys of the finest classes at the given levels: ``leaf[at[j, h] + v]`` is the node of value v at level h."""
    keys[:] = 0
    for g in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            keys[word[j], g] |= leaf[at[j, level[j]] + codes[g, j]] << shift[j]


@njit(cache=True, nogil=True)
def roll_up(stack, slot, column, above, lattice):
    """Slot + 1 from slot: one column a level up, ``above[node]`` the node over each. O(groups)."""
    word, shift, mask = lattice.word[column], lattice.shift[column], lattice.mask[column]
    clear = np.full(stack.keys.shape[1], np.int64(-1))
    clear[word] = ~(mask << shift)
    _merge_groups(stack, slot, slot + 1, clear, word, shift, mask, above)
    stack.valid[0] = min(stack.valid[0], slot)
    return stack.groups[slot]


@njit(cache=True, nogil=True)
def project_groups(stack, slot, kept, target):
    """Slot ``target`` from slot with only the fields of ``kept``, a mask per word: the other columns at their top."""
    _merge_groups(stack, slot, target, kept, 0, np.int64(0), np.int64(0), np.zeros(1, np.int64))
    return stack.groups[slot]


@njit(cache=True, nogil=True)
def _merge_groups(stack, slot, target, clear, word, shift, mask, above):
    """Slot ``target``: the groups of slot that are alike once ``clear`` is applied and one field has gone up."""
    groups, keys, made = stack.groups[slot], stack.keys[slot], stack.keys[target]
    to, table, sizes, summed = stack.to[target], stack.table, stack.sizes[slot], stack.sizes[target]
    capacity = 16
    while capacity < 2 * groups:
        capacity *= 2
    table[:capacity] = -1
    # the usual case of one word has no inner loops; arrays are passed one by one, which is cheap, unlike a whole stack
    if keys.shape[0] == 1:
        count = _merge_word(groups, keys[0], made[0], to, table[:capacity], clear[0], shift, mask, above, sizes, summed)
    else:
        count = _merge_words(groups, keys, made, to, table[:capacity], clear, word, shift, mask, above, sizes, summed)
    stack.groups[target] = count


@njit(cache=True, nogil=True)
def _merge_word(groups, keys, made, to, table, clear, shift, mask, above, sizes, summed):
    room = np.uint64(table.size - 1)
    count = np.uint64(0)
    for i in range(groups):
        g = np.uint64(i)
        key = (keys[g] & clear) | (above[np.uint64((keys[g] >> shift) & mask)] << shift)
        mixed = key * MIX
        place = np.uint64(mixed ^ (mixed >> 31)) & room
        found = table[place]
        while found >= 0 and made[np.uint64(found)] != key:
            place = (place + np.uint64(1)) & room
            found = table[place]
        if found < 0:
            found = np.int32(count)
            table[place] = found
            made[count] = key
            summed[count] = sizes[g]
            count += np.uint64(1)
        else:
            summed[np.uint64(found)] += sizes[g]
        to[g] = found
    return np.int64(count)


@njit(cache=True, nogil=True)
def _merge_words(groups, keys, made, to, table, clear, word, shift, mask, above, sizes, summed):
    words, room, count = keys.shape[0], table.size - 1, 0
    key = np.empty(words, np.int64)
    for g in range(groups):
        mixed = np.int64(0)
        for w in range(words):
            key[w] = keys[w, g] & clear[w]
            if w == word:
                key[w] |= above[(keys[w, g] >> shift) & mask] << shift
            mixed = ((mixed ^ (mixed >> 32)) + key[w]) * MIX
        place = (mixed ^ (mixed >> 31)) & room
        found = table[place]
        while found >= 0:
            same = True
            for w in range(words):
                same &= made[w, found] == key[w]
            if same:
                break
            place = (place + 1) & room
            found = table[place]
        if found < 0:
            found = np.int32(count)
            table[place] = found
            for w in range(words):
                made[w, count] = key[w]
            summed[count] = 0
            count += 1
        summed[found] += sizes[g]
        to[g] = found
    return count


@njit(cache=True, nogil=True)
def roll_cells(stack, slot, target):
    """The tallies of slot ``target`` from those of slot; O(groups + entries)."""
    groups, made = stack.groups[slot], stack.groups[target]
    to, begin, member = stack.to[target], stack.begin, stack.member
    begin[: made + 2] = 0
    for g in range(groups):
        begin[to[g] + 2] += 1
    for h in range(made):
        begin[h + 2] += begin[h + 1]
    for g in range(groups):
        member[begin[to[g] + 1]] = g
        begin[to[g] + 1] += 1
    tally, present = stack.tally, stack.present
    at = 0
    for column in range(stack.start.shape[1]):
        start = stack.start[slot, column]
        for h in range(made):
            stack.start[target, column, h] = at
            found = 0
            for place in range(begin[h], begin[h + 1]):
                g = member[place]
                for entry in range(start[g], start[g + 1]):
                    code = stack.code[slot, entry]
                    if tally[code] == 0:
                        present[found] = code
                        found += 1
                    tally[code] += stack.number[slot, entry]
            for place in range(found):
                stack.code[target, at] = present[place]
                stack.number[target, at] = tally[present[place]]
                tally[present[place]] = 0
                at += 1
        stack.start[target, column, made] = at
