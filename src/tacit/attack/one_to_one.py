"""One-to-one linkage: all people at once, each record for one of them only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import LinkClaims
from ..claims.scenario import Scenario
from ..errors import TacitError
from ..progress import report_progress
from ..seed import make_generator, seed_or_default
from ._belief import relative_margins
from ._columns import why_incomparable
from ._distance_encoding import EncodedFiles, Metric, encode_for_distance, unique_rows_sorted
from .attack import ProgramLimit
from .distance import Distance, all_alike

if TYPE_CHECKING:
    from ..kernels.nearest import Costs
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


UPTO = 200_000

FIRST = 16
"""So many candidates each has at first, when the files are too large to have all."""

GROWTH = 4

ROUNDS = 20

LONGEST = 2**21
"""Lists that grow hold no more than so many candidates together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneToOne:
    r"""Link all known people at once, so that the sum of all distances is least and no record serves two.

    The intruder has a register of people who are all in the release, or of whom the release has everybody. Two people
    then cannot be the same record, which :class:`Distance` does not know: a record that is nearest to three of them
    goes to one, and the others take the next best. Over assignments that use every record at most once

    .. math:: \min_{\pi} \sum_b d(b, \pi(b))

    with the distances of :class:`Distance`. Everybody of the smaller of the two files is placed: each person gets a
    record, or each record a person, and the other people are linked to nobody.

    It is an attack of its own and no option of :class:`Distance`, because it needs that knowledge, and because what it
    says of a person depends on all others in the intruder's file.

    **Ties.** Records that look alike are one place with room for as many people, people who look alike are one source:
    when x of p such people go to a group of s records, each of the p is each of the s with chance x/(p·s), which is the
    mean over all assignments of these people to these records. Among different assignments of the same total one is
    drawn by ``seed``. The order of neither file matters.

    **Search.** Everybody starts with the 16 nearest candidates and may be left out at the distance of the last of them; the
    lists of those left out grow until nobody is, which proves the sum least over all pairs. In large files under heavy
    masking the growth ends before; a note says how many then have no link.

    Time about that of :class:`Distance` and O(candidates · log n) for each conflict; memory O(n + m + candidates), never
    n·m. No link is a sure one. ``scores`` compare the distance of a link with that of the next record and the next person.

    >>> import polars as pl
    >>> from tacit import Release
    >>> mine = Release(pl.DataFrame({"x": [1.0, 2.0, 9.0]}), quasi="x")
    >>> theirs = Release(pl.DataFrame({"x": [2.1, 3.5, 9.0]}), quasi="x")
    >>> from tacit.claims import Truth, judge
    >>> truth, scenario = Truth.by_lineage(None, 3), Scenario.worst_case(mine)
    >>> judge(Distance().claims(theirs, scenario), truth).per_record.values().tolist()
    [1.0, 0.0, 1.0]
    >>> judge(OneToOne().claims(theirs, scenario), truth).per_record.values().tolist()
    [1.0, 1.0, 1.0]

    References
    ----------
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata, in
    Confidentiality, Disclosure and Data Access, North-Holland, 111–133.
    Burkard, Dell'Amico and Martello (2009), Assignment Problems, SIAM.
    """

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "generic"
    metric: Metric = "euclidean"

    def __post_init__(self) -> None:
        Distance(metric=self.metric)  # which refuses a metric that it does not know

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = why_incomparable(release, scenario.file)
        if why_not is None and max(release.size, scenario.file.size) > UPTO:
            return ProgramLimit(f"one of the files has more than {UPTO:,} records, too many to assign all at once")
        return why_not

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> LinkClaims:
        """Which released record is left for each of the intruder's people when all are linked at once."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"linking one to one is not possible: {why_not}",
                code="wrong_type",
                fix="see which columns both files have",
            )
        sides = encode_for_distance(release, scenario.file, metric=self.metric)
        if not sides.points.shape[1]:
            return all_alike(release.size, scenario.file.size)
        rng = make_generator(seed_or_default(seed))
        group_of, points = _drawn_order(sides.points, rng)
        claim_of, queries = _drawn_order(sides.queries, rng)

        def told(share: float) -> None:
            report_progress(progress, "linking one to one", share)

        people, records = np.bincount(claim_of), np.bincount(group_of)
        turned = people.sum() > records.sum()
        if turned:
            space = _turned_space(sides, points, queries)
            found = assign_one_to_one(*space, supply=records, capacity=people, told=told)
            found = replace(found, source=found.place, place=found.source)
        else:
            found = assign_one_to_one(points, queries, sides.costs, supply=people, capacity=records, told=told)
        notes = sides.notes
        if found.left:
            who = "records" if turned else "people"
            notes = (*notes, f"{found.left:,} {who} have no link: what is nearest to them is nearer to others")
        return _assignment_claims(found, claim_of=claim_of, group_of=group_of, notes=notes)


def _drawn_order(rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Different rows in an order that is drawn and does not depend on that of the file, and which of them each row is."""
    number_of, different = unique_rows_sorted(rows)
    order = rng.permutation(len(different))
    return np.argsort(order)[number_of], different[order]


def _turned_space(sides: EncodedFiles, points: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray, Costs]:
    """Each record looks for a person: minus its end must not fall below minus the person's value."""
    from ..kernels.nearest import FLOOR

    turn = np.where(sides.costs.kind == FLOOR, -1.0, 1.0)
    return turn * queries, turn * points, sides.costs


def _assignment_claims(
    found: Assignment, *, claim_of: np.ndarray, group_of: np.ndarray, notes: tuple[str, ...]
) -> LinkClaims:
    """The shipments from people (sources) to records (places) as claims."""
    people, records = np.bincount(claim_of), np.bincount(group_of)
    order = np.lexsort((found.place, found.source))
    claim, group, many = found.source[order], found.place[order], found.many[order]
    weights = many / (people[claim] * records[group])
    scores = np.zeros(len(people))
    np.maximum.at(scores, claim, weights * 0.5 * (1.0 + relative_margins(found.distance[order], found.rival[order])))
    return LinkClaims(
        claim_of=claim_of,
        start=np.append(0, np.cumsum(np.bincount(claim, minlength=len(people)))),
        candidates=group,
        group_of=group_of,
        weights=weights,
        scores=scores,
        notes=notes,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """How many of each source go to which place.

    ``source[i]``, ``place[i]`` and ``many[i]`` describe one shipment, ``distance[i]`` how far it goes; ``rival[i]`` is
    how near another place is to its source, or another source to its place, whichever is nearer. ``left`` counts what
    found no place within reach: 0 says that the assignment is the best of all.
    """

    source: np.ndarray
    place: np.ndarray
    many: np.ndarray
    distance: np.ndarray
    rival: np.ndarray
    left: int


def assign_one_to_one(
    points: np.ndarray,
    queries: np.ndarray,
    costs: Costs,
    *,
    supply: np.ndarray,
    capacity: np.ndarray,
    told: Callable[[float], None],
) -> Assignment:
    """Every query's supply to points with capacity, so that the sum of all distances is least.

    A query may keep its supply for the distance of the last candidate on its list: when nobody does, no longer list could
    make the sum smaller, because all that it would add lies farther. Where somebody does, its list grows and all is
    assigned anew. Never more than O(n + m) candidates a round, beside the fixed number LONGEST.
    """
    from ..kernels.near_lists import near_lists
    from ..kernels.transport import ship_supplies, transport_graph

    places = len(points)
    length = places if places * len(queries) <= LONGEST else min(FIRST, places)
    rows, distances = near_lists(points, queries, costs, length)
    lists, far = list(rows), list(distances)
    nobody = np.append(capacity, supply.sum())
    for round_ in range(ROUNDS):
        told(1.0 - 0.5 ** (round_ + 1))
        start, place, cost = _candidate_edges(lists, far, places)
        edges = transport_graph(start, place, cost)
        done = ship_supplies(edges, supply, nobody)
        kept = (edges.place == places) & (done.flow > 0)
        if not kept.any() or not _extend_candidates(lists, far, np.unique(edges.source[kept]), points, queries, costs):
            break
    sent = np.flatnonzero((done.flow > 0) & ~kept)
    rival = _rival_costs(edges.source, place, cost, places)[sent]
    left = int(done.flow[kept].sum())
    return Assignment(edges.source[sent], place[sent], done.flow[sent], cost[sent], rival, left)


def _extend_candidates(
    lists: list[np.ndarray],
    far: list[np.ndarray],
    short: np.ndarray,
    points: np.ndarray,
    queries: np.ndarray,
    costs: Costs,
) -> bool:
    """Make the lists of some sources longer, each by the same factor; False when that would be too much."""
    from ..kernels.near_lists import near_lists

    longer = np.array([min(GROWTH * len(lists[one]), len(points)) for one in short])
    if longer.sum() > LONGEST:
        return False
    for length in np.unique(longer):
        some = short[longer == length]
        rows, distances = near_lists(points, queries[some], costs, int(length))
        for one, row, distance in zip(some, rows, distances, strict=True):
            lists[one], far[one] = row, distance
    return True


def _candidate_edges(
    lists: list[np.ndarray], far: list[np.ndarray], places: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All candidates source by source; a list that is not complete ends with keeping the supply, place ``places``."""
    sizes = np.array([len(list_) for list_ in lists])
    start = np.append(0, np.cumsum(sizes + (sizes < places)))
    place, cost = np.full(start[-1], places), np.empty(start[-1])
    own = np.arange(sizes.sum()) + np.repeat(start[:-1] - (np.cumsum(sizes) - sizes), sizes)
    place[own], cost[own] = np.concatenate(lists), np.concatenate(far)
    short = sizes < places
    cost[start[1:][short] - 1] = [list_[-1] for list_, more in zip(far, short, strict=True) if more]
    return start, place, cost


def _rival_costs(source: np.ndarray, place: np.ndarray, cost: np.ndarray, places: int) -> np.ndarray:
    """For each edge the least cost of another one with the same source or the same place."""
    real = np.flatnonzero(place < places)
    rival = np.full(len(cost), np.inf)
    rival[real] = np.minimum(_nearest_other(source[real], cost[real]), _nearest_other(place[real], cost[real]))
    return rival


def _nearest_other(end: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """For each edge the least cost of another edge with the same end; infinite without any."""
    order = np.lexsort((cost, end))
    begins = np.append(True, np.diff(end[order]) != 0)
    first = order[begins]
    second = np.append(cost[order], np.inf)[np.flatnonzero(begins) + 1]
    alone = np.append(begins[1:], True)[begins]
    run = np.cumsum(begins) - 1
    found = np.empty(len(cost))
    found[order] = cost[first][run]
    found[first] = np.where(alone, np.inf, second)
    return found
