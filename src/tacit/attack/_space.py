"""Compared columns as one space in which possible records are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..progress import report_progress
from ..release.step_effects import adds_records, drops_records
from ._columns import ColumnPair

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..kernels.nearest import Costs
    from ..kernels.range_search import RangeMatches, Tables, Windows
    from ..progress import Progress
    from ..release.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class LinkSpace:
    """Both files as matrices, one column for each comparison, what differences cost, and what is possible.

    ``points`` are where a candidate is looked for, ``queries`` who looks for one; :func:`turned_space` swaps them.
    """

    points: np.ndarray
    queries: np.ndarray
    costs: Costs
    windows: Windows
    tables: Tables


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A space in which no record and no person stands twice, and which of them each row is."""

    space: LinkSpace
    group_of: np.ndarray
    claim_of: np.ndarray


def has_window(pair: ColumnPair) -> bool:
    """Whether the comparison can say that a record is impossible."""
    if pair.kind == "table":
        assert pair.table is not None
        return bool(np.isinf(pair.table).any())
    return pair.low is not None or pair.high is not None


def link_space(pairs: Sequence[ColumnPair], sizes: tuple[int, int], *, own: bool) -> LinkSpace:
    """The space in which each of the intruder's records looks for a released one; ``sizes`` of release and file.

    Comparisons that tell nobody apart are left out. With ``own``, two missing cells are equal. O((n + m)·d) memory.
    """
    from ..kernels.nearest import CODE, FLOOR, NUMBER
    from ..kernels.range_search import AWAY

    kinds = {"number": NUMBER, "code": CODE, "floor": FLOOR, "away": AWAY}
    made = _SpaceBuilder(*sizes)
    for pair in pairs:
        if pair.kind == "table":
            made.add_table(*_shift_missing(pair, own=own))
            continue
        if not has_window(pair) and pair.usual <= 0:
            continue
        weight = pair.weight if pair.weight is not None else (1.0 / pair.usual if pair.usual > 0 else 0.0)
        missing = weight * pair.usual * pair.share
        made.add(
            (pair.release, pair.intruder),
            cost=(kinds[pair.kind], weight, missing, 0.0 if own else missing),
            window=(_fill_bound(pair.low, pair.intruder, -np.inf), _fill_bound(pair.high, pair.intruder, np.inf)),
        )
    return made.build_space()


def group_space(space: LinkSpace) -> Groups:
    """The space with records and persons that look alike taken together. O((n + m)·d) time."""
    from ..kernels.nearest import distinct_rows

    group_of, first = distinct_rows(space.points)
    claim_of, asked = distinct_rows(np.hstack([space.queries, space.windows.low, space.windows.high]))
    return Groups(select_queries(replace(space, points=space.points[first]), asked), group_of, claim_of)


def select_queries(space: LinkSpace, who: np.ndarray) -> LinkSpace:
    """The space with some of the queries only."""
    windows = space.windows._replace(low=space.windows.low[who], high=space.windows.high[who])
    return replace(space, queries=space.queries[who], windows=windows)


def search_feasible(space: LinkSpace, *, count: bool = False, progress: Progress | None = None) -> RangeMatches:
    """The possible points of every query; with ``count`` only how many, up to two."""
    from ..kernels.range_search import search_ranges

    def told(share: float) -> None:
        report_progress(progress, "linking by what was told", share)

    return search_ranges(space.points, space.queries, space.costs, space.windows, space.tables, count=count, told=told)


def open_space(space: LinkSpace) -> LinkSpace:
    """The same space without windows; what a table calls impossible costs a little more than the dearest it has.

    A far value, likelier within its window, is an unlikely one without.
    """
    from ..kernels.nearest import NUMBER
    from ..kernels.range_search import AWAY

    kind = np.where(space.costs.kind == AWAY, NUMBER, space.costs.kind)
    low, high = np.full_like(space.windows.low, -np.inf), np.full_like(space.windows.high, np.inf)
    finite = space.tables.values[np.isfinite(space.tables.values)]
    dearest = 1.0 + 2.0 * finite.max(initial=0.0)
    values = np.where(np.isinf(space.tables.values), dearest, space.tables.values)
    tables = space.tables._replace(values=values)
    windows = space.windows._replace(low=low, high=high)
    return replace(space, costs=space.costs._replace(kind=kind), windows=windows, tables=tables)


def turned_space(space: LinkSpace) -> LinkSpace:
    """The space in which each released record looks for the persons whose window holds it; nothing costs anything.

    Where the ends of the windows rise with the value x of the person, as those of ranks do, the values whose window
    holds y are a window, too. Else y is in [low, high] when low ≤ y and −high ≤ −y: two one-sided windows around y for
    the points low and −high.
    """
    from ..kernels.range_search import TABLE

    made = _SpaceBuilder(len(space.queries), len(space.points))
    tables = space.tables
    for j, kind in enumerate(space.costs.kind):
        x, y = space.queries[:, j], space.points[:, j]
        if kind == TABLE:
            end = tables.start[j + 1] if j + 1 < len(tables.start) else len(tables.values)
            table = tables.values[tables.start[j] : end].reshape(-1, tables.width[j]).T
            made.add_table(x, y, np.where(np.isinf(table), np.inf, 0.0))
            continue
        low, high = space.windows.low[:, j], space.windows.high[:, j]
        if not (np.isfinite(low).any() or np.isfinite(high).any()):
            continue
        around = _turned_window(x, (low, high), y)
        if around is not None:
            made.add((x, y), cost=(0, 0.0, 0.0, 0.0), window=around)
            continue
        # The records lie between these, so that bounds beyond them say as much as the ends.
        least, most = np.fmin.reduce(y, initial=np.inf), np.fmax.reduce(y, initial=-np.inf)
        if not least <= most:
            continue
        for sign, bound, ends in ((1.0, low, (least, most)), (-1.0, -high, (-most, -least))):
            if np.isfinite(bound).any():
                clipped = np.clip(bound, ends[0], np.nextafter(ends[1], np.inf))
                here = np.full(len(y), -np.inf), _fill_bound(sign * y, y, np.inf)
                made.add((clipped, sign * y), cost=(0, 0.0, 0.0, 0.0), window=here)
    return made.build_space()


def _turned_window(
    x: np.ndarray, window: tuple[np.ndarray, np.ndarray], y: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """From which value to which the windows hold each y; None when they do not rise with the value."""
    known = np.flatnonzero(~np.isnan(x))
    known = known[np.lexsort((window[1][known], window[0][known], x[known]))]
    values, low, high = x[known], window[0][known], window[1][known]
    together = values[1:] == values[:-1]
    if not all((end[1:] >= end[:-1]).all() and (end[1:] == end[:-1])[together].all() for end in (low, high)):
        return None
    first, after = np.searchsorted(high, y, side="left"), np.searchsorted(low, y, side="right")
    inside = first < after
    from_, to = np.append(values, np.inf)[first], np.append(values, -np.inf)[after - 1]
    anywhere = np.isnan(y)
    ends = np.where(inside, from_, np.inf), np.where(inside, to, -np.inf)
    return np.where(anywhere, -np.inf, ends[0]), np.where(anywhere, np.inf, ends[1])


class _SpaceBuilder:
    """Columns of a space, as they are added."""

    def __init__(self, points: int, queries: int) -> None:
        self.sizes = points, queries
        self.sides: list[tuple[np.ndarray, np.ndarray]] = []
        self.cost: list[tuple[int, float, float, float]] = []
        self.window: list[tuple[np.ndarray, np.ndarray]] = []
        self.table: list[np.ndarray] = []

    def add(
        self,
        sides: tuple[np.ndarray, np.ndarray],
        *,
        cost: tuple[int, float, float, float],
        window: tuple[np.ndarray, np.ndarray],
        table: np.ndarray | None = None,
    ) -> None:
        self.sides.append(sides)
        self.cost.append(cost)
        self.window.append(window)
        self.table.append(np.empty((0, 0)) if table is None else table)

    def add_table(self, points: np.ndarray, queries: np.ndarray, table: np.ndarray) -> None:
        """Codes of both sides and what a pair of them costs; the window spans what the table allows."""
        from ..kernels.range_search import TABLE

        allowed = np.isfinite(table)
        low = np.where(allowed.any(1), allowed.argmax(1), table.shape[1]).astype(float)
        high = np.where(allowed.any(1), table.shape[1] - 1 - allowed[:, ::-1].argmax(1), -1).astype(float)
        own = queries.astype(np.int64)
        self.add((points, queries), cost=(TABLE, 0.0, 0.0, 0.0), window=(low[own], high[own]), table=table)

    def build_space(self) -> LinkSpace:
        from ..kernels.nearest import CODE, Costs
        from ..kernels.range_search import Tables, Windows

        if not self.sides:  # nothing tells anybody apart: one column in which all are equal
            alike = np.zeros(self.sizes[0]), np.zeros(self.sizes[1])
            anywhere = np.full(self.sizes[1], -np.inf), np.full(self.sizes[1], np.inf)
            self.add(alike, cost=(CODE, 0.0, 0.0, 0.0), window=anywhere)
        kind, *parts = (np.array(part) for part in zip(*self.cost, strict=True))
        costs = Costs(kind.astype(np.int64), *(part.astype(np.float64) for part in parts))
        sizes = np.array([table.size for table in self.table])
        tables = Tables(
            np.concatenate([table.ravel() for table in self.table]),
            np.cumsum(sizes) - sizes,
            np.array([table.shape[1] for table in self.table]),
        )
        points, queries = (np.column_stack([pair[side] for pair in self.sides]) for side in (0, 1))
        low, high = (np.column_stack([pair[side] for pair in self.window]) for side in (0, 1))
        return LinkSpace(points, queries, costs, Windows(low, high), tables)


def _fill_bound(bound: np.ndarray | None, values: np.ndarray, none: float) -> np.ndarray:
    """The bound where there is one and the value is not missing."""
    if bound is None:
        return np.full(len(values), none)
    return np.where(np.isnan(values) | np.isnan(bound), none, bound)


def _shift_missing(pair: ColumnPair, *, own: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Released and own codes and the table, missing a code more on each side; the cheapest of each row costs 0.

    What every candidate of a person costs alike does not matter to who is the best of them.
    """
    assert pair.table is not None
    rows, columns = pair.table.shape
    missing = (pair.weight if pair.weight is not None else 1.0) * pair.usual * pair.share
    table = np.full((rows + 1, columns + 1), missing)
    table[:rows, :columns] = pair.table
    table[rows, columns] = 0.0 if own else missing
    lowest = table.min(1, initial=np.inf, where=np.isfinite(table))
    table -= np.where(np.isfinite(lowest), lowest, 0.0)[:, None]
    theirs = np.where(np.isnan(pair.release), columns, pair.release)
    mine = np.where(np.isnan(pair.intruder), rows, pair.intruder)
    if not np.isnan(pair.release).any():
        table = table[:, :columns]
    return theirs, mine, np.ascontiguousarray(table)


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
