"""The columns of the exact program: groups of like rows, and the useful ways to take units out of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import TacitError
from .problem import Kept, Problem, Sought

MOST = 200_000
"""Ways to take units out beyond which no program is built."""


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Column c takes the units ``taken[c]`` out of rows of group ``group[c]``, whose rows are ``members``."""

    members: tuple[np.ndarray, ...]
    group: np.ndarray
    taken: tuple[tuple[int, ...], ...]
    taking: Mapping[int, Sequence[int]]
    """Unit → the columns that take it."""
    supported: np.ndarray
    """Group × pattern: whether its rows support it; sensitive patterns first, then bodies, then those to keep."""

    @property
    def items(self) -> np.ndarray:
        """How many units each column takes."""
        return np.array([len(units) for units in self.taken], dtype=float)

    def ends(self, pattern: int, units: Sequence[int]) -> np.ndarray:
        """The columns that end a pattern in their rows."""
        hits = np.zeros(len(self.taken), dtype=bool)
        for unit in units:
            hits[self.taking.get(unit, [])] = True
        return np.flatnonzero(hits & self.supported[self.group, pattern]) if len(hits) else np.zeros(0, np.int64)


def columns_of(problem: Problem, kept: Sequence[Kept]) -> Columns:
    """Like rows support the same sensitive patterns, bodies and patterns to keep; O(rows · patterns)."""
    bodies = [np.zeros(0, np.int64) if one.body_rows is None else one.body_rows for one in problem.sought]
    held = [*(one.rows for one in problem.sought), *bodies, *(one.rows for one in kept)]
    rows = np.flatnonzero(problem.conflict())
    supports = np.array([np.isin(rows, one) for one in held], dtype=bool).reshape(len(held), len(rows)).T
    packed = np.packbits(supports, axis=1)
    _, first, of_row = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    by_group = np.argsort(of_row.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(of_row.ravel(), minlength=len(first)))
    members = tuple(np.split(rows[by_group], ends[:-1])) if len(first) else ()
    supported = supports[first]
    group: list[int] = []
    taken: list[tuple[int, ...]] = []
    for place in range(len(first)):
        here = [one for one, inside in zip(problem.sought, supported[place], strict=False) if inside]
        for units in _ways(here):
            group.append(place)
            taken.append(units)
        if len(taken) > MOST:
            raise TacitError(
                f"the sensitive patterns overlap in more than {MOST:,} ways", fix="use method border or sliding_window"
            )
    taking: dict[int, list[int]] = {}
    for column, units in enumerate(taken):
        for unit in units:
            taking.setdefault(unit, []).append(column)
    return Columns(members, np.array(group, dtype=np.int64), tuple(taken), taking, supported)


def _ways(here: Sequence[Sought]) -> Iterator[tuple[int, ...]]:
    """Sets of units in which each ends a pattern that no other of them ends: less would do as much otherwise."""
    units = sorted({unit for one in here for unit in one.units})
    sets = [frozenset(one.units) for one in here]

    def deeper(chosen: tuple[int, ...], place: int) -> Iterator[tuple[int, ...]]:
        for at in range(place, len(units)):
            more = (*chosen, units[at])
            ended = [one & set(more) for one in sets]
            if all(any(hit == {unit} for hit in ended) for unit in more):
                yield more
                yield from deeper(more, at + 1)

    yield from deeper((), 0)
