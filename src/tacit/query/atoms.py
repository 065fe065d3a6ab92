"""The public part of a data set: how many units share each combination of the columns that questions may use.

An atom is such a combination. No question can tell its units apart, so a question is a set of atoms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from .bins import group_of
from .column import NULL, Schema
from .condition import Condition
from .question import Key
from .refusal import Refusal
from .tally import Code
from .units import Units

Labels = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def number_combinations(columns: Iterable[npt.NDArray[np.int64]], size: int) -> Labels:
    """The rows numbered by their combination of values, in the order of the combinations. O(columns · n log n).

    >>> number_combinations([np.array([5, 5, 2]), np.array([1, 0, 1])], 3).tolist()
    [2, 1, 0]
    """
    found = np.zeros(size, np.int64)
    for column in columns:
        place = np.unique(column, return_inverse=True)[1]
        found = np.unique(found * (int(place.max(initial=0)) + 1) + place, return_inverse=True)[1]
    return found


def split_by_label(label: Labels, count: int) -> list[Labels]:
    """The rows of each of the labels 0 … count − 1.

    >>> [rows.tolist() for rows in split_by_label(np.array([1, -1, 0, 1]), 3)]
    [[2], [0, 3], []]
    """
    order = np.argsort(label, kind="stable")
    return [order[first:last] for first, last in pairwise(np.searchsorted(label[order], np.arange(count + 1)))]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Atoms:
    """The combinations that occur, column by column, and the number of units of each."""

    codes: Mapping[str, npt.NDArray[np.int64]]
    units: Labels

    @classmethod
    def of(cls, units: Units, columns: tuple[str, ...]) -> tuple[Atoms, Labels]:
        """The atoms of all units, and the atom of each."""
        label = number_combinations((units.codes[name] for name in columns), units.size)
        _, first, counts = np.unique(label, return_index=True, return_counts=True)
        return cls(codes={name: units.codes[name][first] for name in columns}, units=counts.astype(np.int64)), label

    def select(self, where: Condition) -> Mask:
        """The atoms that meet a condition. O(pieces of the condition · atoms)."""
        for name in where.columns:
            self._column_codes(name)
        return where.holds(self.codes) if self.codes else np.full(len(self.units), where.met)

    def group_by(self, by: tuple[Key, ...], schema: Schema, chosen: Mask) -> tuple[list[tuple[Code, ...]], Labels]:
        """The keys of the groups among the chosen atoms, in order, and the group of each atom (-1: not chosen).

        Without keys there is one group, also when nobody is in it. O(keys · atoms · log).
        """
        if not by:
            return [()], np.where(chosen, 0, -1)
        columns = [self._group_starts(key, schema)[chosen] for key in by]
        group = np.full(len(chosen), -1, np.int64)
        group[chosen] = number_combinations(columns, int(chosen.sum()))
        firsts = np.unique(group[chosen], return_index=True)[1]
        return [tuple(None if c[first] == NULL else int(c[first]) for c in columns) for first in firsts], group

    def _group_starts(self, key: Key, schema: Schema) -> npt.NDArray[np.int64]:
        codes, column = self._column_codes(key.column), schema.column(key.column)
        values, place = np.unique(codes, return_inverse=True)
        starts = [code if code == NULL else group_of(int(code), key, column) for code in values]
        return np.array(starts, np.int64)[place]

    def _column_codes(self, name: str) -> npt.NDArray[np.int64]:
        found = self.codes.get(name)
        if found is None:
            raise Refusal(
                "mode",
                "is confidential or has no declared list or bounds, so no condition or group may use it here",
                column=name,
                fix=f"ask with {', '.join(self.codes) or 'no condition'}",
            )
        return found
