"""Which links an intruder can know to be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..release.step_effects import adds_records, drops_records
from .space import Groups, search_feasible, turned_space

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..kernels.range_search import RangeMatches
    from ..release.release import Release


def coverage_flags(release: Release, scenario: Scenario) -> tuple[bool, bool]:
    """Whether everybody of the file is in the release, and whether every released record is somebody's of the file."""
    present = scenario.inside and release.size >= scenario.file.size and not drops_records(scenario.told)
    return present, scenario.covers and not adds_records(scenario.told)


def certain_links(groups: Groups, possible: RangeMatches, *, present: bool, covering: bool) -> np.ndarray | None:
    """For each person the released row that it surely has, −1 when none is sure; None when the facts contradict each other.

    With ``present``, a person for whom one record is possible has it. With ``covering``, a record that is possible for
    one person is that person's. **Claim**: when the windows hold every true record and what the intruder knows of
    presence is true, each of these links is right. *Argument*: the true record is among the possible ones, and the
    true person among the possible persons; where there is one, it is that. Facts contradict each other when a person
    has no possible record, a record no possible person, or two persons the same sure record.
    """
    people, records = np.bincount(groups.claim_of), np.bincount(groups.group_of)
    pairs = [np.empty((0, 2), dtype=np.int64)]
    if present:
        if (possible.inside == 0).any():
            return None
        alone = np.flatnonzero(possible.inside == 1)
        pairs.append(np.column_stack([alone, possible.points[possible.start[alone]]]))
    if covering:
        turned = search_feasible(turned_space(groups.space), count=True)
        if (turned.inside == 0).any():
            return None
        alone = np.flatnonzero(turned.inside == 1)
        pairs.append(np.column_stack([turned.points[turned.start[alone]], alone]))
    claim, group = np.unique(np.concatenate(pairs), axis=0).T
    single = (people[claim] == 1) & (records[group] == 1)
    claim, group = claim[single], group[single]
    if any((np.bincount(one) > 1).any() for one in (claim, group)):
        return None
    return _group_rows(groups, claim, group)


def _group_rows(groups: Groups, claim: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Persons and rows instead of their groups, which have one member each."""
    row_of = np.empty(groups.space.points.shape[0], dtype=np.int64)
    row_of[groups.group_of] = np.arange(len(groups.group_of))
    of_claim = np.full(groups.space.queries.shape[0], -1, dtype=np.int64)
    of_claim[claim] = row_of[group]
    found_rows: np.ndarray = of_claim[groups.claim_of]
    return found_rows
