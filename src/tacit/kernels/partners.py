"""Random partners of one group and another label: who changes places with whom."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class FreeUnits(NamedTuple):
    """The units that are free to change places, by group, and the cells within which nobody does.

    ``bag`` has the units of group g from ``start[g]`` on, ``held[g]`` of them, in random order; ``where`` is the place of
    each unit in it. ``group`` is −1 for whoever takes no part; ``alike`` counts the free units of each cell.
    """

    group: np.ndarray
    cell: np.ndarray
    start: np.ndarray
    held: np.ndarray
    alike: np.ndarray
    bag: np.ndarray
    where: np.ndarray


def free_units(group: np.ndarray, label: np.ndarray, order: np.ndarray) -> FreeUnits:
    """Those of a group from 0 on, in the order given (all units, in random order); a cell is a label in a group."""
    there = order[group[order] >= 0]
    held = np.bincount(group[there])
    bag = there[np.argsort(group[there], kind="stable")]
    where = np.empty(len(group), dtype=np.int64)
    where[bag] = np.arange(len(bag))
    pair = group.astype(np.int64) * (int(label.max(initial=0)) + 1) + label
    _, cell = np.unique(pair, return_inverse=True)
    alike = np.bincount(cell[bag], minlength=int(cell.max(initial=0)) + 1)
    return FreeUnits(group.astype(np.int64), cell, np.cumsum(held) - held, held, alike, bag, where)


@njit(cache=True, nogil=True)
def draw_partners(seekers, units, uniforms, most, partner):
    """Write the partner of each unit, −1 before: of the same group, in another cell, each unit at most once.

    The seekers take their turns in the order given, until ``most`` pairs are made. A seeker starts at a random place of
    its group's bag and takes the first free unit of another cell; one whose group has only its own cell left is passed
    over at once. Expected time O(n log n) even when one cell holds nearly all.
    """
    made = 0
    for turn in range(seekers.size):
        unit = seekers[turn]
        g, own = units.group[unit], units.cell[unit]
        if made == most:
            break
        if g < 0 or partner[unit] >= 0 or units.held[g] == units.alike[own]:
            continue
        begin, place = units.start[g], int(uniforms[turn] * units.held[g])
        while units.cell[units.bag[begin + place]] == own:
            place = place + 1 if place + 1 < units.held[g] else 0
        other = units.bag[begin + place]
        partner[unit], partner[other] = other, unit
        made += 1
        _remove_unit(unit, units)
        _remove_unit(other, units)


@njit(cache=True, nogil=True)
def _remove_unit(unit, units):
    """The last of the bag takes the place of the one that leaves."""
    g = units.group[unit]
    units.alike[units.cell[unit]] -= 1
    units.held[g] -= 1
    last = units.bag[units.start[g] + units.held[g]]
    units.bag[units.where[unit]] = last
    units.where[last] = units.where[unit]
