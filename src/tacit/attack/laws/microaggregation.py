"""Microaggregation that was told: which centres a known record can have become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...release.steps import adds_records, drops_records, told
from ..compared import Compared
from .known import Known
from .microaggregation_columns import Averaged, averaged
from .microaggregation_groups import Again, in_groups, near
from .microaggregation_lots import by_lot
from .microaggregation_runs import in_runs
from .parameters import number_for, parameter

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace

__all__ = ["microaggregation"]


def microaggregation(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> Known:
    """Columns that show means of groups, compared by one who was told so (M-05; mdav, v_mdav, microaggregate).

    Each grouping is attacked on its own, and it is together that they find people.

    - **One column**: groups are runs of the sorted values, so that a known value lies between the centres beside its
      own; an intruder with everybody's values knows the group of every rank (:func:`.microaggregation_runs.in_runs`).
    - **Several columns**: distances to the centres, scaled by how near records are to them; an intruder with
      everybody's values makes the groups of MDAV and V-MDAV again, and finds those of other methods as the sets of
      records that have the published means (:func:`.microaggregation_groups.in_groups`).
    - **Centres drawn by lot** (``randomised``, E-08): the chances of the eight nearest centres, and no more
      (:func:`.microaggregation_lots.by_lot`).

    All bounds hold when the intruder's values are right. With strata, by V-MDAV (whose last records go where
    there is room), and when records were invented later, groups of one column need not be runs and are treated like
    those of several. O(n log n) time for single columns; for others see there.
    """
    told_of = _Told.of(step, release, scenario)
    used: list[str] = []
    compared: list[Compared] = []
    notes: list[str] = []
    for grouping in told_of.groupings(columns):
        pairs = [(column, told_of.averaged(column)) for column in grouping if column in columns]
        known = [one for _, one in pairs if one is not None]
        if not known:
            continue
        made, said = told_of.compared(known, whole=len(known) == len(grouping))
        used += [one.name for one in known]
        compared += made
        notes += said
    return Known(columns=tuple(used), compared=tuple(compared), certain=True, notes=tuple(dict.fromkeys(notes)))


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What the step says, read once."""

    step: Trace
    release: Release
    scenario: Scenario
    aggregate: Mapping[str, str]
    shared: tuple[str, ...]
    added: bool
    everybody: bool

    @staticmethod
    def of(step: Trace, release: Release, scenario: Scenario) -> _Told:
        aggregate = parameter(step, "aggregate", {})
        shared = told(step, "by_household", ())
        added = adds_records(scenario.told)
        same = release.size == scenario.file.size and not added and not drops_records(scenario.told)
        return _Told(
            step,
            release,
            scenario,
            aggregate if isinstance(aggregate, Mapping) else {},
            tuple(shared) if isinstance(shared, list | tuple) else (),
            added=added,
            everybody=scenario.inside and scenario.covers and same,
        )

    def groupings(self, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Which columns were grouped together: as published, else as the parameters say."""
        given = told(self.step, "grouping")
        if given is None:
            given = parameter(self.step, "groups", "together")
            listed = _names(parameter(self.step, "columns", columns))
            given = [listed] if given == "together" else [[one] for one in listed] if given == "each" else given
            given = [[c for c in g if (c in self.shared) == side] for g in map(_names, given) for side in (False, True)]
        totals = parameter(self.step, "totals", {})
        return [part for group in given if (part := tuple(one for one in _names(group) if one not in totals))]

    def averaged(self, column: str) -> Averaged | None:
        """The column in both files; means over households are not those of the records, so they count as no means."""
        means = self.step.method in ("mdav", "v_mdav")
        aggregate = "mean" if means else self.aggregate.get(column)
        found = averaged(
            self.release, self.scenario.file, column, aggregate="median" if column in self.shared else aggregate
        )
        return None if found is None or np.isnan(found.release).all() else found

    def compared(self, columns: list[Averaged], *, whole: bool) -> tuple[list[Compared], list[str]]:
        """The columns of one grouping; ``whole`` when these are all that it has."""
        names = ", ".join(one.name for one in columns)
        given = parameter(self.step, "weights", {})
        weights = tuple(max(number_for(given, one.name) or 1.0, 1e-9) for one in columns)
        fuzzifier = number_for(parameter(self.step, "randomised"), "")
        if fuzzifier is not None:
            return self._by_lot(columns, weights, fuzzifier, whole=whole)
        if whole and len(columns) == 1 and self._in_runs():
            made, note = in_runs(columns[0], everybody=self.everybody)
            return [made] if made is not None else [], [note] if note else []
        found = near(columns, weights)
        if not self.scenario.covers:
            return found, [f"{names}: groups are not sought, because the intruder may not have all their members"]
        group, said = in_groups(columns, everybody=self.everybody, again=self._again(whole))
        return [*found, *([group] if group is not None else [])], [f"{names}: {note}" for note in said]

    def _by_lot(
        self, columns: list[Averaged], weights: tuple[float, ...], fuzzifier: float, *, whole: bool
    ) -> tuple[list[Compared], list[str]]:
        """The chances of the centres; the eight nearest are known where distances are as the method had them."""
        full = not any(np.isnan(side).any() for one in columns for side in (one.release, one.intruder))
        exact = whole and self._one_range() and all(one.mean for one in columns)
        exact = exact and (len(columns) == 1 or (self.everybody and full))
        made = by_lot(columns, weights=weights, fuzzifier=max(fuzzifier, 1 + 1e-9), exact=exact)
        found = near(columns, weights, fuzzifier=fuzzifier) if made is None else [made]
        return found, ["centres were drawn by lot, so that only the chances of each are known"]

    def _in_runs(self) -> bool:
        """Whether no group of one column reaches into another; V-MDAV puts the last records where there is room."""
        return self._one_range() and self.step.method != "v_mdav"

    def _one_range(self) -> bool:
        """Whether all released records were grouped together, not by strata, and none was invented later."""
        return not self.added and not parameter(self.step, "strata")

    def _again(self, whole: bool) -> Again | None:
        k, gamma = (number_for(parameter(self.step, name), "") for name in ("k", "gamma"))
        method = self.step.method
        if not whole or self.shared or k is None or k < 2 or k != int(k):
            return None
        if method == "mdav" or (method == "v_mdav" and gamma is not None and gamma >= 0):
            return Again(method, int(k), gamma or 0.0, parameter(self.step, "standardise") is not False)
        return None


def _names(given: object) -> list[str]:
    if isinstance(given, str):
        return [given]
    return [str(one) for one in given] if isinstance(given, list | tuple) else []
