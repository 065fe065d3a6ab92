"""Household linkage: whole households are matched at once, because who lives with whom is released and known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import LinkClaims
from ..claims.scenario import Scenario
from ..errors import TacitError, check_columns, format_value
from ..progress import report_progress, sub_progress
from ..release.households import household_compositions, household_numbers, joint_numbers
from ..release.step_effects import blanks_cells, drops_records, regroups_households
from ..seed import make_generator, seed_or_default
from ._columns import ColumnPair, why_incomparable
from ._distance_encoding import encode_for_distance
from ._space import Groups, coverage_flags, group_space, has_window, link_space, search_feasible
from .masking_models.combination import combine_steps
from .masking_models.knowledge import MaskingKnowledge, exact_windows

if TYPE_CHECKING:
    from ..kernels.household_matching import Lists, Pairs
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


NEAR = 24
"""So many nearest records of each member lead to the households that are compared where none is feasible."""
TRIED = 200
"""So many of these households are compared, those first that several members lead to."""
MOST = 50_000_000
"""More feasible pairs of records are not listed: then households are compared by distance alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Household:
    r"""Link whole households: members are assigned one to one, and each feasible household is as likely as the others.

    The intruder knows the quasi-identifiers of people and who lives with whom (a neighbour, a register, an address list); the
    release tells by a number which records belong together. A known household h may be a released household g when all
    members can be assigned to different records of it,

    .. math:: C(h) = \{g : |g| = |h|,\ \exists\, \pi: h \hookrightarrow g,\ \pi(i) \in B(i)\ \forall i \in h\},

    B(i) the feasible records of person i: equal where no published step touched a column, covered by the label where it was
    generalised, any where a cell is suppressed, within what the trace allows where values were perturbed. The
    records that i has in some such assignment are :math:`R_g(i)`, and i is linked to each of them with chance

    .. math:: \frac{1}{|C(h)|\,|R_g(i)|}.

    One household and one record left is a **certain link**, when the intruder knows that the household is in the release with
    all members, no published step regrouped households, and no column was perturbed without a bound. Where columns were
    perturbed, only the households of the least assignment cost (the sum of the distances of :class:`Distance`) are
    candidates; so are they where no household is feasible, among those that share one of the 24 nearest records of a member.
    Where records were dropped or households split, smaller ones are tried next, and then records without a number.

    ``members`` says how many members the intruder knows, the person looked for among them: a number, or a share of the
    household in (0, 1); the others are drawn by ``seed``. It then does not know the size: a released household may have
    more. ``through`` names released columns that group the records in the place of the household number (a rent, the date of
    a wedding, a file of origin): records that are equal in all of them are taken for one group, which may hold several
    households. Households of more than 64 are not matched as a whole.

    Time O((n + m) log n + pairs tried · s³) for households of s members, the pairs being those that share a feasible
    record of the member who has fewest; memory O(n + m + feasible pairs). Results are judged by household: the interval is that of clusters.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> table = pl.DataFrame({"sex": ["f", "m", "f", "f"], "home": [1, 1, 2, 2]})
    >>> r = Release(table, quasi="sex", household="home")
    >>> Household().claims(r, Scenario.worst_case(r)).set_sizes().tolist()
    [1, 1, 2, 2]

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, Wiley, section 3.7 (household risk).
    Tassa (2012), Finding all maximally-matchable edges in a bipartite graph, Theoretical Computer Science 423, 50–58.
    """

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "specific"
    members: int | float | None = None
    through: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        number, share = isinstance(self.members, int) and self.members >= 1, isinstance(self.members, float)
        if isinstance(self.members, bool) or not (
            self.members is None or number or (share and 0 < float(self.members) < 1)
        ):
            raise TacitError(
                f"members={format_value(self.members)} is neither a number of people nor a share of the household",
                code="invalid_parameter",
                parameter="members",
                fix="e.g. members=2, or members=0.5; leave it out for the whole household",
            )
        if self.through is not None:
            object.__setattr__(self, "through", check_columns(self.through))

    def concerns(self, release: Release, scenario: Scenario) -> bool:
        """Whether there are households at all: an intruder who knows no household has no such attack to make."""
        return scenario.households is not None or (self.through is not None and release.size > 0)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = why_incomparable(release, scenario.file)
        if why_not is None and scenario.households is None:
            return "the intruder does not know who lives with whom: its file has no household column"
        if why_not is None and self.through is None and release.household is None:
            return "the household number is not in the release"
        lacks = next((one for one in self.through or () if one not in release.columns), None)
        return f"the release has no column {lacks!r}" if why_not is None and lacks is not None else why_not

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> LinkClaims:
        """Which released records each person may be, by household."""
        why_not = why_incomparable(release, scenario.file)
        if why_not:
            raise TacitError(
                f"linking households is not possible: {why_not}",
                code="wrong_type",
                fix="see which columns both files have",
            )
        report_progress(progress, "reading households", 0.0)
        space = _feasible_space(release, scenario)
        theirs = household_numbers(release) if self.through is None else joint_numbers(release, self.through)
        mine = scenario.households if scenario.households is not None else np.arange(scenario.file.size)
        sides = _HouseholdSides.of(space.groups, theirs, _search_units(mine, space.groups.claim_of, self.members, seed))
        whole = scenario.covers and self.members is None and self.through is None
        links = _link_households(
            release, scenario, sides, space, whole=whole, progress=sub_progress(progress, 0.2, 1.0)
        )
        present, _ = coverage_flags(release, scenario)
        certain = present and whole and space.certain and not regroups_households(scenario.told)
        return replace(sides.claims(links, certain=certain), clusters=mine, notes=space.notes)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Space:
    """Feasible records of each person, and whether a column was perturbed (``soft``) or all bounds are ``certain``."""

    groups: Groups
    fits: Lists | None
    soft: bool
    certain: bool
    notes: tuple[str, ...]


def _feasible_space(release: Release, scenario: Scenario) -> _Space:
    known = tuple(_harden_generalised(one, release) for one in combine_steps(release, scenario))
    pairs = [_without_cost(pair) for one in known for pair in one.compared]
    if release.missing == "own" and scenario.covers:
        kept = bool(scenario.told) and not blanks_cells(scenario.told)
        pairs += [_missing_too(pair, kept=kept) for pair in pairs if pair.kind != "table" and has_window(pair)]
    groups = group_space(link_space(pairs, (release.size, scenario.file.size), own=release.missing == "own"))
    soft = any(one.law or not all(map(has_window, one.compared)) for one in known)
    certain = bool(scenario.told) and all(one.certain for one in known)
    notes = tuple(dict.fromkeys(note for one in known for note in one.notes))
    return _Space(groups=groups, fits=_feasible_profiles(groups, pairs), soft=soft, certain=certain, notes=notes)


def _harden_generalised(one: MaskingKnowledge, release: Release) -> MaskingKnowledge:
    """A generalised column is compared by its labels even where no trace says so: the labels are seen in the file."""
    labelled = all(c in release.mixed or (release.levels.get(c) and c in release.hierarchies) for c in one.columns)
    if one.certain or any(map(has_window, one.compared)) or not labelled:
        return one
    return replace(one, compared=exact_windows(one.compared), notes=())


def _without_cost(pair: ColumnPair) -> ColumnPair:
    """The same bounds, and no cost: every record within them is a candidate."""
    if pair.table is not None:
        return replace(pair, table=np.where(np.isinf(pair.table), np.inf, 0.0), usual=0.0, weight=0.0)
    return replace(pair, weight=0.0)


def _missing_too(pair: ColumnPair, *, kept: bool) -> ColumnPair:
    """Where missing is a category: what is missing in the original is missing in the release, and ``kept``: nothing else is."""
    theirs, mine = np.isnan(pair.release).astype(float), np.isnan(pair.intruder).astype(float)
    high = mine if kept else np.full(len(mine), np.inf)
    return ColumnPair(theirs, mine, kind="code", usual=0.0, weight=0.0, low=np.where(mine > 0, 1.0, -np.inf), high=high)


def _feasible_profiles(groups: Groups, pairs: Sequence[ColumnPair]) -> Lists | None:
    """Which released profiles each known one may be; None where that says nothing or would be too much to list."""
    from ..kernels.household_matching import Lists

    if not any(map(has_window, pairs)):
        return None
    queries = len(groups.space.queries)
    if queries > TRIED:
        from ._space import select_queries

        some = search_feasible(select_queries(groups.space, np.linspace(0, queries - 1, TRIED).astype(np.int64)))
        if len(some.points) / TRIED * queries > MOST:
            return None
    found = search_feasible(groups.space)
    owner = np.repeat(np.arange(queries), np.diff(found.start))
    return Lists.of(owner, found.points.astype(np.int64), queries)


def _search_units(
    mine: np.ndarray, claim_of: np.ndarray, members: int | float | None, seed: Seed | None
) -> dict[tuple[int, tuple[int, ...]], list[int]]:
    """What is looked for: (profile of the one person looked for, or −1 for all; profiles of the members) → rows.

    Households that look alike are looked for once.
    """
    order = np.argsort(mine, kind="stable")
    cuts = np.flatnonzero(np.diff(mine[order])) + 1
    units: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    rng = make_generator(seed_or_default(seed))
    for rows in np.split(order, cuts):
        profiles = claim_of[rows]
        if members is None:
            units.setdefault((-1, tuple(np.sort(profiles).tolist())), []).extend(rows.tolist())
            continue
        size = len(rows)
        count = min(size, members if isinstance(members, int) else max(1, int(np.ceil(members * size))))
        for place, row in enumerate(rows):
            others = np.delete(profiles, place)
            drawn = np.sort(rng.choice(others, count - 1, replace=False)) if count > 1 else others[:0]
            units.setdefault((int(profiles[place]), tuple(drawn.tolist())), []).append(int(row))
    return units


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _HouseholdSides:
    """Households of both sides, those of one composition taken together.

    Unit u of the intruder has the profiles ``known``; claim ``claim[p]`` is about the person at place p of that list (−1:
    about nobody). A released composition has the profiles ``released`` and occurs ``many`` times; ``type_of`` is that of each
    released row, −1 of rows that have no household to be found by.
    """

    known: Lists
    claim: np.ndarray
    claim_of: np.ndarray
    released: Lists
    many: np.ndarray
    type_of: np.ndarray
    groups: Groups

    @staticmethod
    def of(groups: Groups, theirs: np.ndarray, units: dict[tuple[int, tuple[int, ...]], list[int]]) -> _HouseholdSides:
        from ..kernels.household_matching import Lists

        members = [profiles if target < 0 else (target, *profiles) for target, profiles in units]
        start = np.append(0, np.cumsum([len(one) for one in members])).astype(np.int64)
        items = np.array([profile for one in members for profile in one], dtype=np.int64)
        claim, claim_of, count = np.full(len(items), -1), np.zeros(len(groups.claim_of), dtype=np.int64), 0
        for unit, ((target, profiles), rows) in enumerate(units.items()):
            of_profile: dict[int, int] = {}
            for place, profile in enumerate(profiles if target < 0 else (target,)):
                if profile not in of_profile:
                    of_profile[profile] = claim[start[unit] + place] = count
                    count += 1
            for row in rows:
                claim_of[row] = of_profile[int(groups.claim_of[row])]
        released, many, type_of = _household_compositions(groups, theirs)
        return _HouseholdSides(
            known=Lists(start, items),
            claim=claim,
            claim_of=claim_of,
            released=released,
            many=many,
            type_of=type_of,
            groups=groups,
        )

    @property
    def width(self) -> int:
        """More than any released profile's number."""
        return len(self.groups.space.points)

    def unit_profiles(self, units: np.ndarray) -> Lists:
        """The known profiles of some units."""
        from ..kernels.household_matching import Lists

        sizes = np.diff(self.known.start)[units]
        place = np.arange(sizes.sum()) + np.repeat(self.known.start[units] - np.cumsum(sizes) + sizes, sizes)
        return Lists(np.append(0, np.cumsum(sizes)).astype(np.int64), self.known.items[place])

    def links_from_pairs(self, pairs: Pairs, units: np.ndarray, *, exact: bool) -> _Links:
        """The pairs of units and compositions as chances of records."""
        unit = np.repeat(units, np.diff(pairs.start))
        sizes = np.diff(self.known.start)[unit]
        pair = np.repeat(np.arange(len(unit)), sizes)
        place = np.arange(len(pair)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + self.known.start[unit][pair]
        left = np.bitwise_count(pairs.masks).astype(np.int64)
        kept = np.flatnonzero((self.claim[place] >= 0) & (left > 0))
        claim, kind, left, masks = self.claim[place][kept], pairs.groups[pair][kept], left[kept], pairs.masks[kept]
        homes = np.bincount(claim, weights=self.many[kind], minlength=self.claim.max(initial=-1) + 1)[claim]
        owner, number = [], []
        for j in range(int(np.diff(self.released.start).max(initial=0))):
            has = np.flatnonzero((masks >> np.uint64(j)) & np.uint64(1))
            owner.append(has)
            number.append((kind[has] + 1) * self.width + self.released.items[self.released.start[kind[has]] + j])
        entry = np.concatenate(owner) if owner else np.zeros(0, dtype=np.int64)
        chance = 1.0 / (homes * left)
        return _Links(
            claim=claim[entry],
            number=np.concatenate(number) if number else entry,
            chance=chance[entry],
            sure=(exact & (homes * left == 1))[entry],
        )

    def links_without_household(self, fits: Lists, units: np.ndarray) -> _Links:
        """The feasible records among those that have no household to be found by."""
        profiles = np.bincount(self.groups.group_of[self.type_of < 0], minlength=self.width)
        of_unit = np.repeat(np.arange(len(self.known.start) - 1), np.diff(self.known.start))
        place = np.flatnonzero((self.claim >= 0) & np.isin(of_unit, units))
        sizes = np.diff(fits.start)[self.known.items[place]]
        at = np.arange(sizes.sum()) + np.repeat(fits.start[self.known.items[place]] - np.cumsum(sizes) + sizes, sizes)
        claim, profile = np.repeat(self.claim[place], sizes), fits.items[at]
        there = profiles[profile] > 0
        claim, profile = claim[there], profile[there]
        rows = np.bincount(claim, weights=profiles[profile], minlength=self.claim.max(initial=-1) + 1)
        return _Links(claim=claim, number=profile, chance=1.0 / rows[claim], sure=np.zeros(len(claim), dtype=bool))

    def claims(self, links: Sequence[_Links], *, certain: bool) -> LinkClaims:
        """All links as claims; a group of records is a profile within a composition."""
        numbers = (self.type_of + 1) * self.width + self.groups.group_of
        keys, group_of = np.unique(numbers, return_inverse=True)
        claim, number, chance, sure = (
            np.concatenate([getattr(one, name) for one in links]) for name in ("claim", "number", "chance", "sure")
        )
        pair, first = np.unique(claim * len(keys) + np.searchsorted(keys, number), return_index=True)
        claim, group, chance, sure = pair // len(keys), pair % len(keys), chance[first], sure[first] & certain
        count = int(self.claim.max(initial=-1)) + 1
        scores, known = np.zeros(count), np.zeros(count, dtype=bool)
        np.maximum.at(scores, claim, chance)
        known[claim[sure]] = True
        return LinkClaims(
            claim_of=self.claim_of,
            start=np.append(0, np.cumsum(np.bincount(claim, minlength=count))),
            candidates=group,
            group_of=group_of,
            weights=chance,
            sure=known,
            scores=scores + known,
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Links:
    """Claim, number of a composition's profile, the chance of each of its records, and whether that is certain."""

    claim: np.ndarray
    number: np.ndarray
    chance: np.ndarray
    sure: np.ndarray


def _household_compositions(groups: Groups, theirs: np.ndarray) -> tuple[Lists, np.ndarray, np.ndarray]:
    """The different compositions of released households, how often each occurs, and which one each row belongs to."""
    from ..kernels.household_matching import LARGEST, Lists

    lists, many, type_of = household_compositions(theirs, groups.group_of, largest=LARGEST)
    ends = np.append(0, np.cumsum([len(one) for one in lists])).astype(np.int64)
    return Lists(ends, np.concatenate([np.zeros(0, dtype=np.int64), *lists])), many, type_of


def _link_households(
    release: Release,
    scenario: Scenario,
    sides: _HouseholdSides,
    space: _Space,
    *,
    whole: bool,
    progress: Progress | None,
) -> list[_Links]:
    """Feasible households first, smaller ones where some members may be missing, records without a number, the nearest."""
    from ..kernels.household_matching import AT_LEAST, AT_MOST, EQUAL, Lists, feasible_groups, nearest_groups

    left = np.arange(len(sides.known.start) - 1)
    none = np.zeros(0, dtype=np.int64)
    links = [_Links(claim=none, number=none, chance=none.astype(float), sure=none.astype(bool))]
    distances = _Distances.of(release, scenario, sides) if space.soft else None
    rules = [EQUAL if whole else AT_LEAST]
    rules += [AT_MOST] if drops_records(scenario.told) or regroups_households(scenario.told) else []
    fits = space.fits
    for number, rule in enumerate(rules if fits is not None else ()):
        report_progress(progress, "matching households", number / (len(rules) + 1))
        known = sides.unit_profiles(left)
        assert fits is not None
        pairs = feasible_groups(known, sides.released, fits, rule)
        if distances is not None and len(pairs.groups):
            pairs = nearest_groups(known, sides.released, Lists(pairs.start, pairs.groups), *distances.rows)
        links.append(sides.links_from_pairs(pairs, left, exact=rule == EQUAL and distances is None))
        left = left[np.diff(pairs.start) == 0]
    if len(left) and space.fits is not None and (sides.type_of < 0).any():
        links.append(sides.links_without_household(space.fits, left))
        left = left[~_linked_units(sides, links[-1])[left]]
    if len(left) and len(sides.many):
        report_progress(progress, "matching households by distance", 0.9)
        distances = distances or _Distances.of(release, scenario, sides)
        if distances is not None:
            known = sides.unit_profiles(left)
            pairs = nearest_groups(
                known, sides.released, distances.near_compositions(known, sides, equal=whole), *distances.rows
            )
            links.append(sides.links_from_pairs(pairs, left, exact=False))
    return links


def _linked_units(sides: _HouseholdSides, links: _Links) -> np.ndarray:
    """Which units have a link."""
    of_unit = np.repeat(np.arange(len(sides.known.start) - 1), np.diff(sides.known.start))
    found = np.zeros(len(sides.known.start) - 1, dtype=bool)
    found[of_unit[np.isin(sides.claim, links.claim)]] = True
    return found


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Distances:
    """Both sides as rows between which distances are measured, one row for each profile."""

    rows: tuple[np.ndarray, np.ndarray, object]
    near: np.ndarray
    holders: Lists

    @staticmethod
    def of(release: Release, scenario: Scenario, sides: _HouseholdSides) -> _Distances | None:
        from ..kernels.household_matching import Lists
        from ..kernels.near_lists import near_lists
        from ..kernels.nearest import ordered_columns

        found = encode_for_distance(release, scenario.file)
        if not found.points.shape[1]:
            return None
        first = [np.unique(of, return_index=True)[1] for of in (sides.groups.group_of, sides.groups.claim_of)]
        points, queries = found.points[first[0]], found.queries[first[1]]
        near, _ = near_lists(points, queries, found.costs, min(NEAR, len(points)))
        kind = np.repeat(np.arange(len(sides.many)), np.diff(sides.released.start))
        pairs = np.unique(np.column_stack([sides.released.items, kind]), axis=0)
        holders = Lists.of(pairs[:, 0], pairs[:, 1], len(points))
        return _Distances(rows=ordered_columns(points, queries, found.costs), near=near, holders=holders)

    def near_compositions(self, known: Lists, sides: _HouseholdSides, *, equal: bool) -> Lists:
        """The compositions that share a near record with a unit; of its own size, or no smaller, where there are any."""
        from ..kernels.household_matching import Lists

        size = np.diff(sides.released.start)
        lists: list[list[int]] = []
        for begin, end in zip(known.start[:-1], known.start[1:], strict=True):
            votes: Counter[int] = Counter()
            for query in known.items[begin:end]:
                led = [self.holders.items[self.holders.start[p] : self.holders.start[p + 1]] for p in self.near[query]]
                votes.update(np.unique(np.concatenate(led)).tolist() if led else ())
            fitting = [one for one in votes if (size[one] == end - begin if equal else size[one] >= end - begin)]
            lists.append(sorted(fitting or votes, key=lambda one: (-votes[one], one))[:TRIED])
        start = np.append(0, np.cumsum([len(one) for one in lists])).astype(np.int64)
        return Lists(start, np.array([one for some in lists for one in some], dtype=np.int64))
