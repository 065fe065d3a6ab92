"""The distance of a family that finds most: searched fast, or to the optimum."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...progress import report_progress, sub_progress
from .all_pairs import NearestOutcome, nearest_outcome, rows_between
from .certificate import certified_links
from .families import embed_parameters, family_of
from .families.family import Family
from .local_search import climb_parameters
from .optimality import prove_optimum
from .pairs import Pairs, column_differences
from .rows import Cone, Rows, found_by

if TYPE_CHECKING:
    from ...progress import Progress


@dataclass(frozen=True, slots=True, eq=False)
class Rivals:
    """Places that seeker i must not take for its own: ``places[start[i]:start[i+1]]``."""

    start: np.ndarray
    places: np.ndarray

    @property
    def seekers(self) -> np.ndarray:
        """The seeker of each."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


def all_rivals(pairs: Pairs) -> Rivals:
    """Every place that is not one's own; memory O(seekers · places)."""
    many, others = len(pairs.seekers), len(pairs.places) - 1
    place = np.arange(others)[None, :]
    place = place + (place >= pairs.own[:, None])
    return Rivals(np.arange(many + 1) * others, place.ravel())


def near_rivals(pairs: Pairs, weights: tuple[np.ndarray, ...], count: int) -> Rivals:
    """The ``count`` nearest places by each of some weighted means, one's own left out; of a few distances, the likely rivals."""
    from ...kernels.near_lists import near_lists

    count = min(count + 1, len(pairs.places))
    found = []
    for weight in weights:
        costs = pairs.costs._replace(
            **{part: getattr(pairs.costs, part) * weight for part in ("weight", "missing", "both")}
        )
        found.append(near_lists(pairs.places, pairs.seekers, costs, count)[0])
    near = np.hstack(found)
    return _list_rivals(np.repeat(np.arange(len(near)), near.shape[1]), near.ravel(), pairs)


def with_rivals(pairs: Pairs, rivals: Rivals, seekers: np.ndarray, places: np.ndarray) -> Rivals:
    """The same and these."""
    return _list_rivals(np.append(rivals.seekers, seekers), np.append(rivals.places, places), pairs)


def _list_rivals(seekers: np.ndarray, places: np.ndarray, pairs: Pairs) -> Rivals:
    key = np.unique(seekers * len(pairs.places) + places)
    seekers, places = np.divmod(key, len(pairs.places))
    others = places != pairs.own[seekers]
    counts = np.bincount(seekers[others], minlength=len(pairs.seekers))
    return Rivals(np.append(0, np.cumsum(counts)), places[others])


def rows_of(pairs: Pairs, family: Family, rivals: Rivals) -> Rows:
    """The inequalities of all seekers, without those that others imply where the parameters are at least zero.

    O(rows · terms) time and memory.
    """
    seekers = rivals.seekers
    values = rows_between(pairs, family, seekers, rivals.places)
    lost = np.zeros(len(pairs.seekers), dtype=bool)
    lost[seekers[~values.any(axis=1)]] = True
    rows = Rows(values, rivals.start, _indistinguishable_seekers(pairs), lost)
    return _undominated_rows(rows) if family.cone(pairs.columns).nonnegative else rows


def _undominated_rows(rows: Rows) -> Rows:
    from ...kernels.undominated import undominated_rows

    kept = undominated_rows(rows.values, rows.start)
    start = np.append(0, np.cumsum(kept))[rows.start]
    return Rows(np.ascontiguousarray(rows.values[kept]), start, rows.alike, rows.lost)


def _indistinguishable_seekers(pairs: Pairs) -> tuple[np.ndarray, ...]:
    """Seekers in the same place who look for different ones, one for each place looked for."""
    from ...kernels.nearest import distinct_rows

    group_of, _ = distinct_rows(pairs.seekers)
    _, first = np.unique(group_of * len(pairs.places) + pairs.own, return_index=True)
    order = first[np.argsort(group_of[first], kind="stable")]
    cuts = np.flatnonzero(np.diff(group_of[order])) + 1
    return tuple(group for group in np.split(order, cuts) if len(group) > 1)


Effort = Literal["fast", "high", "exact"]

ALL = 250_000
"""Up to so many pairs of records every rival has its row; beyond, rivals are listed as they turn out to matter."""

NUMBERS = 50_000_000
"""So many numbers those rows may have: a full Choquet measure of 12 columns has thousands in each."""

NEAR = 10

CLIMB = 0.15
"""Of the time for a proof so much goes to the fast search before it."""

ROUNDS = 12

LEAST = 1e-6
"""A column in which linked records differ by less than this share of the usual counts as if they differed so much."""

SMALLER = {
    "signed": "weighted",
    "bilinear": "weighted",
    "nonnegative": "weighted",
    "definite": "weighted",
    "choquet": "weighted",
    "monotone": "weighted",
}
"""Family → a smaller one that is learned first."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnedDistance:
    """A distance, whom it finds, and how many any distance of its family can find at most.

    ``found`` says for each seeker whether its own place is nearer than every other (checked over all pairs);
    ``bound`` is proven. Of a family without anything to search for (``searched``) it is what that one distance finds.
    ``cuts`` counts the sets of seekers that were shown to exclude one another, ``seconds`` the CPU time.
    """

    family: Family
    parameters: np.ndarray
    found: np.ndarray
    bound: int
    cuts: int
    seconds: float
    searched: bool = True

    @property
    def gap(self) -> int:
        """By how many seekers the bound exceeds what was found; 0: the distance is proven best."""
        return self.bound - int(self.found.sum())


@dataclass(slots=True, kw_only=True)
class _Search:
    """What is known so far: the rivals that matter, the best parameters on all pairs, and the bound."""

    pairs: Pairs
    family: Family
    cone: Cone
    rivals: Rivals
    whole: bool
    rows: Rows
    parameters: np.ndarray
    found: np.ndarray
    bound: int

    def offer_parameters(self, parameters: np.ndarray) -> NearestOutcome:
        """Whom parameters find among all pairs; the best are kept."""
        seen = nearest_outcome(self.pairs, self.family, parameters)
        if not self.parameters.any() or seen.found.sum() > self.found.sum():
            self.parameters, self.found = parameters, seen.found
        return seen

    def check_parameters(self, parameters: np.ndarray) -> bool:
        """Judge parameters over all pairs; False when rivals were missing from the rows, which they join."""
        seen = self.offer_parameters(parameters)
        missed = np.flatnonzero(found_by(self.rows, parameters) & ~seen.found)
        if self.whole or not missed.size:
            return True
        self.rivals = with_rivals(self.pairs, self.rivals, missed, seen.rival[missed])
        self.rows = rows_of(self.pairs, self.family, self.rivals)
        return False


def learn_distance(
    pairs: Pairs,
    family: Family,
    *,
    rng: np.random.Generator,
    effort: Effort = "fast",
    seconds: float = 60.0,
    starts: Sequence[np.ndarray] = (),
    progress: Progress | None = None,
) -> LearnedDistance:
    r"""The parameters that let most seekers find their own place.

    .. math:: \min_p \sum_i K_i \quad \text{s.t.} \quad K_i = 0 \Rightarrow d_p(a_i, b_j) > d_p(a_i, b_{own(i)})
              \ \text{for all } j \ne own(i)

    By ``effort="fast"`` the count itself is climbed by exact line searches (:func:`.climb.climbed`), by ``"high"``
    many times from several starts; the bound is then what the records that cannot be told apart leave. By ``"exact"``
    the optimum is proven, or the bound lowered as far as ``seconds`` of CPU time allow (:func:`.optimality.proven`), and
    who is found is so in exact arithmetic too (:func:`.certificate.certified_links`). The search begins at ``starts``, at
    the arithmetic mean, at the weights that fit the differences of linked pairs, and at what smaller families found,
    so that no family finds less than one that it contains. Every seeker must have its own place; without anybody to
    learn from all columns count alike.

    A file of many pairs is searched with the nearest rivals of each seeker; what is found is judged over all pairs, and
    whoever is in the way joins the list. A bound on part of the rivals holds for all of them. Time O(seekers · places ·
    terms) for each judgement, memory O(seekers · rivals · terms).
    """
    clock = time.process_time()
    fixed = family.closed_form(pairs, np.arange(len(pairs.seekers)))
    if not len(pairs.seekers):
        fixed = family.of_weights(np.ones(pairs.columns))
    if fixed is not None:
        found = nearest_outcome(pairs, family, fixed).found
        return replace(_learned_distance(family, fixed, found, bound=int(found.sum()), clock=clock), searched=False)
    search = _start_search(pairs, family)
    small = _smaller_family_starts(
        pairs, family, rng=rng, effort="fast" if effort == "fast" else "high", seconds=seconds
    )
    given = [*starts, *small]
    begin = [*given, *starts_of(pairs, family)]
    for start in given if search.whole else begin:  # what climbs on some of the rivals may fall over all of them
        search.offer_parameters(start)
    exact = effort == "exact"
    until = clock + (CLIMB if exact else 1.0) * seconds
    _climb_rows(
        search,
        begin,
        rng=rng,
        until=until,
        brief=effort == "fast",
        progress=sub_progress(progress, 0.0, CLIMB if exact else 1.0),
    )
    cuts = (
        _prove_bound(search, rng=rng, until=clock + seconds, progress=sub_progress(progress, CLIMB, 1.0))
        if exact
        else 0
    )
    found = search.found & certified_links(pairs, family, search.parameters) if exact else search.found
    return _learned_distance(family, search.parameters, found, bound=search.bound, clock=clock, cuts=cuts)


def _climb_rows(
    search: _Search,
    begin: list[np.ndarray],
    *,
    rng: np.random.Generator,
    until: float,
    brief: bool,
    progress: Progress | None,
) -> None:
    """Climb until what is found on the rows is found among all pairs, or the time is up.

    A long search is worth its time when the rivals that matter are listed: before, it is brief.
    """
    hasty = brief or not search.whole
    for step in range(ROUNDS):
        report_progress(progress, "learning a distance", step / ROUNDS)
        left = until - time.process_time()
        left = left if hasty or search.whole else left / 2
        climb = climb_parameters(search.rows, search.cone, begin, rng=rng, seconds=left, brief=hasty)
        settled = search.check_parameters(climb.parameters)
        if settled and hasty == brief:
            return
        if settled or step == ROUNDS // 2:
            hasty = brief
        begin = [climb.parameters, search.parameters]


def _prove_bound(search: _Search, *, rng: np.random.Generator, until: float, progress: Progress | None) -> int:
    """Lower the bound until it is met, no rival is missing, or the time is up; the number of cuts."""
    cuts = 0
    while search.bound > search.found.sum() and (left := until - time.process_time()) > 0:
        proof = prove_optimum(search.rows, search.cone, search.parameters, rng=rng, seconds=left, progress=progress)
        search.bound, cuts = min(search.bound, proof.bound), cuts + proof.cuts
        if search.check_parameters(proof.parameters):
            break
    return cuts


def _start_search(pairs: Pairs, family: Family) -> _Search:
    many = len(pairs.seekers) * len(pairs.places)
    whole = many <= ALL and many * family.size(pairs.columns) <= NUMBERS
    weights = np.ones(pairs.columns), fitting_weights(pairs)
    rivals = all_rivals(pairs) if whole else near_rivals(pairs, weights, NEAR)
    rows = rows_of(pairs, family, rivals)
    lost = 0 if rows.lost is None else int(rows.lost.sum())
    return _Search(
        pairs=pairs,
        family=family,
        cone=family.cone(pairs.columns, pairs),
        rivals=rivals,
        whole=whole,
        rows=rows,
        parameters=np.zeros(rows.size),
        found=np.zeros(rows.seekers, dtype=bool),
        bound=min(most_found(pairs), rows.seekers - lost),
    )


def _smaller_family_starts(
    pairs: Pairs, family: Family, *, rng: np.random.Generator, effort: Effort, seconds: float
) -> list[np.ndarray]:
    """What a smaller family finds, in the parameters of this one."""
    if family.name not in SMALLER:
        return []
    small = family_of(SMALLER[family.name])
    best = learn_distance(pairs, small, rng=rng, effort=effort, seconds=seconds / 4)
    found = embed_parameters(best.parameters, small, family, pairs.columns)
    return [] if found is None else [found]


def _learned_distance(
    family: Family, parameters: np.ndarray, found: np.ndarray, *, bound: int, clock: float, cuts: int = 0
) -> LearnedDistance:
    return LearnedDistance(
        family=family,
        parameters=parameters,
        found=found,
        bound=max(bound, int(found.sum())),  # margins within the rounding of the proof may still be found
        cuts=cuts,
        seconds=time.process_time() - clock,
    )


def fitting_weights(pairs: Pairs) -> np.ndarray:
    """One over the mean difference of each column between seekers and their own: what was changed least counts most."""
    apart = column_differences(pairs, np.arange(len(pairs.seekers)), pairs.own, signed=False)
    weights: np.ndarray = 1.0 / np.maximum(apart.mean(axis=0), LEAST)
    return weights


def starts_of(pairs: Pairs, family: Family) -> list[np.ndarray]:
    """Parameters that need no search: the weights that fit, the arithmetic mean, the form of Mahalanobis."""
    everyone = np.arange(len(pairs.seekers))
    found = [embed_parameters(fitting_weights(pairs), family_of("weighted"), family, pairs.columns)]
    for name in ("arithmetic", "mahalanobis"):
        small = family_of(name)
        fixed = small.closed_form(pairs, everyone)
        assert fixed is not None
        found.append(embed_parameters(fixed, small, family, pairs.columns))
    return [one for one in found if one is not None]


def most_found(pairs: Pairs) -> int:
    """How many can be found by any distance: of seekers who stand in one place, those who seek the same one.

    O(seekers log seekers).
    """
    from ...kernels.nearest import distinct_rows

    group_of, first = distinct_rows(pairs.seekers)
    _, seeker, many = np.unique(group_of * len(pairs.places) + pairs.own, return_index=True, return_counts=True)
    best = np.zeros(len(first), dtype=np.int64)
    np.maximum.at(best, group_of[seeker], many)
    return int(best.sum())
