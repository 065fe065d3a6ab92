"""What the groups show, row by row, and what is told about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...release.trace import Finding
from ..parameters import drop_metadata
from .centres import Aggregate, group_centres
from .embedding import column_form, should_project

if TYPE_CHECKING:
    from ...release.release import Release
    from .._units import Units
    from .grouping import UnitGroups


@dataclass(frozen=True, eq=False)
class GroupAssignment:
    """Units in groups, and the group whose values each grouped unit takes."""

    of: Units
    groups: UnitGroups
    taken: np.ndarray


def replace_values(
    release: Release, done: GroupAssignment, shown: Mapping[str, Aggregate], rng: np.random.Generator
) -> dict[str, pl.Series]:
    """The new columns: every grouped unit has the value of the group that it takes, the others keep theirs.

    O(n) time per column of means, O(n log n) of others.
    """
    found = {}
    for at, column in enumerate(done.of.columns):
        place = np.full(len(done.of.first), -1, dtype=np.int64)
        members = done.groups.of(at)
        units, group, taken = done.groups.units[members], done.groups.group[members], done.taken[members]
        if not len(members):
            continue
        if len(members) < len(done.groups.units):  # only groups that have this column
            present, group = np.unique(group, return_inverse=True)
            taken = np.searchsorted(present, taken)
        values = group_centres(release, column, done.of.first[units], group, aggregate=shown[column], rng=rng)
        place[units] = taken
        found[column] = _fill_rows(release.series(column), values, place[done.of.of_row])
    return found


def _fill_rows(old: pl.Series, values: pl.Series, place: np.ndarray) -> pl.Series:
    new = values.gather(np.maximum(place, 0))
    kept = place < 0
    return old.cast(new.dtype).zip_with(pl.Series(kept), new) if kept.any() else new.alias(old.name)


def drop_code_labels(masked: Release, release: Release, columns: Sequence[str]) -> Release:
    """The masked release: numbers lose the labels of their codes, and stay amounts however few values are left."""
    amounts = [column for column in columns if column_form(release, column) == "number"]
    kinds = {**masked.declared_kinds, **{one: release.kind(one) for one in amounts if release.types[one] == "integer"}}
    return drop_metadata(masked.with_metadata(kinds=kinds), amounts, hierarchies=False)


def group_findings(release: Release, done: Sequence[GroupAssignment], *, randomised: bool) -> dict[str, Finding]:
    """The number of groups, how many have which size, records left out, and what else an analyst must know."""
    left, moved = (np.zeros(release.size, dtype=bool) for _ in range(2))
    for one in done:
        lacks, moves = np.ones(len(one.of.first), dtype=bool), np.zeros(len(one.of.first), dtype=bool)
        lacks[one.groups.units] = False
        moves[one.groups.units] = one.groups.group != one.taken
        left |= lacks[one.of.of_row]
        moved |= moves[one.of.of_row]
    found = size_findings(np.concatenate([one.groups.sizes for one in done]), left)
    found["grouping"] = Finding([list(one.of.columns) for one in done], publishable=True)
    shared = [column for one in done if one.of.by_household for column in one.of.columns]
    wide = [list(one.of.columns) for one in done if should_project(release, one.of.columns, len(one.groups.units))]
    if shared:
        found["by_household"] = Finding(shared, publishable=True)
    if wide:
        found["projected"] = Finding(wide, publishable=True)
    if randomised:
        found["centres"] = Finding(sum(len(np.unique(one.taken)) for one in done), publishable=True)
        found["moved"] = Finding(int(moved.sum()), publishable=True, counts=True)
    return found


def size_findings(sizes: np.ndarray, left_out: np.ndarray) -> dict[str, Finding]:
    """How many groups there are, of which size how many, and how many records were left as they are."""
    size, count = np.unique(sizes, return_counts=True)
    of_size = {str(members): int(groups) for members, groups in zip(size, count, strict=True)}
    return {
        "groups": Finding(len(sizes), publishable=True),
        "sizes": Finding(of_size, publishable=True, counts=True),
        "left_out": Finding(int(left_out.sum()), publishable=True, counts=True),
    }
