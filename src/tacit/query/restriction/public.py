"""The public part of all versions of a data set, and the sets of units that questions about any of them mean.

Units that have the same combination of public columns in every version (or were absent in the same ones) form one
class. A class is never cut by a question about any version; so it is the atom over the whole history.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...errors import TacitError
from ..atoms import Atoms, Labels, number_combinations, split_by_label
from ..column import Schema
from ..question import Question
from ..refusal import Refusal
from ..tally import Code
from ..units import Units, public_columns

Group = tuple[tuple[Code, ...], Labels]
"""The key of a group, and the classes of units in it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublicClasses:
    """Classes of units: how many units each has, and its atom in every version (-1: not there)."""

    schema: Schema
    units: Labels
    versions: Mapping[str, tuple[Atoms, Labels]]

    @classmethod
    def of(cls, schema: Schema, versions: Mapping[str, Units]) -> PublicClasses:
        """The public part of some versions, each read with the public columns only. O(versions · units · log) time."""
        columns = public_columns(schema)
        atoms = {version: Atoms.of(units, columns) for version, units in versions.items()}
        everywhere = _match_units([units.names for units in versions.values()], [label for _, label in atoms.values()])
        size = len(everywhere[0])
        _, first, counts = np.unique(number_combinations(everywhere, size), return_index=True, return_counts=True)
        return cls(
            schema=schema,
            units=counts.astype(np.int64),
            versions={
                version: (found, there[first])
                for (version, (found, _)), there in zip(atoms.items(), everywhere, strict=True)
            },
        )

    def groups(self, question: Question) -> list[Group]:
        """The groups of a question that occur; one without keys is a group, also when nobody is in it."""
        if question.joined:
            raise Refusal(
                "mode", "joined tables are not offered here", fix="ask about the columns of the data set itself"
            )
        atoms, place = self._version_atoms(question.version)
        keys, group = atoms.group_by(question.by, self.schema, atoms.select(question.where))
        members = split_by_label(np.where(place >= 0, group[place], -1), len(keys))
        return list(zip(keys, members, strict=True))

    def _version_atoms(self, version: str) -> tuple[Atoms, Labels]:
        found = self.versions.get(version)
        if found is None:
            raise Refusal(
                "would_disclose",
                f"version {version!r} is not at hand, so it is not known who joined or left since",
                fix="the owner of the data gives that version too, with its unit column",
            )
        return found


def _match_units(names: list[tuple[str, ...]], atoms: list[Labels]) -> list[Labels]:
    """The atom of every unit of any version in each version, or -1; one version needs no names."""
    if len(atoms) == 1:
        return atoms
    if any(len(name) != len(atom) for name, atom in zip(names, atoms, strict=True)):
        raise TacitError(
            "versions can only be compared when their units have names",
            code="invalid_service",
            fix="declare the unit column of the data set",
        )
    everybody, place = np.unique(np.concatenate([np.array(name, str) for name in names]), return_inverse=True)
    found, start = [], 0
    for atom in atoms:
        there = np.full(len(everybody), -1, np.int64)
        there[place[start : start + len(atom)]] = atom
        found.append(there)
        start += len(atom)
    return found
