"""The transparency attack: everything that was published about the masking is used against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ..claims.claims import LinkClaims, segment_sums
from ..claims.scenario import Scenario
from ..errors import TacitError, format_value
from ..progress import report_progress, sub_progress
from ..release.step_effects import flatten_steps
from ._columns import why_incomparable
from ._space import (
    Groups,
    certain_links,
    coverage_flags,
    group_space,
    has_window,
    link_space,
    open_space,
    search_feasible,
    select_queries,
)
from .masking_models.combination import by_distance, combine_steps, without_published
from .masking_models.knowledge import MaskingKnowledge
from .masking_models.rank_swap import AT_MOST

if TYPE_CHECKING:
    from ..kernels.range_search import RangeMatches
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

CONTRADICTED = 0.1
"""When more of the people who are inside have no possible record, what was told is not believed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transparency:
    r"""Link each person to the likeliest of the records that the published masking can have made of theirs.

    The trace says which methods were applied, with which parameters. So, for each column j that the intruder knows, the
    released value of a person x lies in a set :math:`B_j(x)`: equal where no step touched it, covered where it was
    coarsened, within the reach of rank swapping, among the candidate groups of microaggregation. The record is in

    .. math:: \bigcap_j B_j(x),

    which never grows with one column more. Within it the likeliest records are candidates, by the law of the method where
    it has one, else the nearest, as :class:`Distance` measures it; with ``within="distance"`` always the nearest, as the
    literature has it for rank swapping. **Sure** is a link when
    (a) the intruder knows the person to be in the release and one record is possible, or (b) it knows everybody
    in the release and the record is possible for nobody else: no distance knows that. After sampling or removal of
    records (a) tells nothing, after invented ones (b).

    Columns changed by several steps, or by a method without a law, are compared as if nothing had been told, and a note
    says so. When somebody who is in the release has no possible record, the trace contradicts the data or a bound is too
    low: then nothing is sure, that person is linked by cost alone, and a note counts such people. When there are more
    than a tenth, the laws of the trace are not believed, and then nothing of it. ``percent`` is an
    upper bound of the reach of rank swapping for a trace that does not tell it; without it, the least reach that
    leaves nobody without a record is taken, which is no more than a lower bound.

    Time about O((n + m) log n) when few records are possible, up to O(n·m); memory O(n + m + candidates).

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> from tacit.protect import RankSwap
    >>> values = pl.DataFrame({"pay": range(100), "age": [7 * i % 100 for i in range(100)]})
    >>> r = Release(values, quasi=["pay", "age"], kinds={"pay": "continuous", "age": "continuous"})
    >>> m = r.protect(RankSwap(columns=["pay", "age"], percent=3), seed=7)
    >>> claims = Transparency().claims(m.release, Scenario.worst_case(r, told=m.trace))
    >>> int(claims.sure.sum())
    100

    References
    ----------
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering
    64, 346–364.
    """

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "specific"
    percent: float | None = None
    within: Literal["likelihood", "distance"] = "likelihood"

    def __post_init__(self) -> None:
        given = self.percent
        if given is not None and (
            isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given <= 100
        ):
            raise TacitError(
                f"percent={format_value(given)} is no bound of a reach",
                code="out_of_range",
                parameter="percent",
                fix="give a percentage of the records in (0, 100], e.g. percent=20, or leave it out",
            )
        if self.within not in ("likelihood", "distance"):
            raise TacitError(
                f"within={format_value(self.within)} is unknown",
                code="unknown_name",
                parameter="within",
                fix="'likelihood': the likeliest of the possible records; 'distance': the nearest of them",
            )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if not scenario.told:
            return "nothing was told about the masking"
        return why_incomparable(release, scenario.file)

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released records each of the intruder's can have become, and the likeliest of them."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"an attack by what was published is not possible: {why_not}",
                code="wrong_type",
                fix="give the trace with told=, and a file with columns of the release",
            )
        report_progress(progress, "reading the trace", 0.0)
        known = combine_steps(release, self._with_assumed_reach(scenario))
        if self.within == "distance":
            known = tuple(by_distance(one, release, scenario.file) for one in known)
        claims, lost = link_feasible(known, release, scenario, progress=sub_progress(progress, 0.1, 0.8))
        doubts: tuple[str, ...] = ()
        for laws_only in (True, False):
            doubted = [one for one in known if (one.law or not laws_only) and any(map(has_window, one.compared))]
            if lost <= CONTRADICTED or not doubted:
                continue
            doubts = (_doubt_note(doubted, lost),)
            known = tuple(without_published(one, release, scenario.file) if one in doubted else one for one in known)
            claims, lost = link_feasible(known, release, scenario, progress=sub_progress(progress, 0.8, 1.0))
        return replace(claims, notes=_distinct_notes(known) + doubts + claims.notes)

    def _with_assumed_reach(self, scenario: Scenario) -> Scenario:
        """The scenario with the intruder's bound in every step of rank swapping that tells no reach."""
        if self.percent is None:
            return scenario
        told = []
        for step in flatten_steps(scenario.told):
            if step.model == "rank_swap" and "percent" not in step.parameters:
                step = replace(step, parameters={**step.parameters, AT_MOST: self.percent})
            told.append(step)
        return replace(scenario, told=tuple(told))


def _doubt_note(doubted: Sequence[MaskingKnowledge], lost: float) -> str:
    columns = ", ".join(repr(column) for one in doubted for column in one.columns)
    return (
        f"{lost:.0%} of the known people had no possible record: what was told of {columns} contradicts the data, and is "
        "not believed; these columns are compared as if nothing had been told of them"
    )


def _distinct_notes(known: Sequence[MaskingKnowledge]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for one in known for note in one.notes))


def link_feasible(
    known: Sequence[MaskingKnowledge], release: Release, scenario: Scenario, *, progress: Progress | None = None
) -> tuple[LinkClaims, float]:
    """The possible records of least cost of each of the intruder's, and the share of people inside who have none.

    See :class:`.transparency.Transparency`.
    """
    groups = _group_records(known, release, scenario)
    found = search_feasible(groups.space, progress=sub_progress(progress, 0.0, 0.6))
    present, covering = coverage_flags(release, scenario)
    lost = found.inside == 0
    rows = _certain_rows(known, groups, found, release=release, scenario=scenario)
    left = int(lost[groups.claim_of].sum())
    notes = _notes_linked(left, present=present, sure=rows is not None)
    start, candidates, least = found.start, found.points, found.least.copy()
    if present and lost.any():
        nearest = search_feasible(
            select_queries(open_space(groups.space), lost), progress=sub_progress(progress, 0.9, 1.0)
        )
        start, candidates = _splice_lists((start, candidates), lost, (nearest.start, nearest.points))
        least[lost] = nearest.least
    people, records = np.bincount(groups.claim_of), np.bincount(groups.group_of)
    alike = np.maximum(segment_sums(records[candidates], start), people)
    sure = np.zeros(len(lost), dtype=bool)
    if rows is not None:
        person = np.flatnonzero(rows >= 0)
        named = np.full(len(lost), -1, dtype=np.int64)
        named[groups.claim_of[person]] = groups.group_of[rows[person]]
        sure = named >= 0
        start, candidates = _splice_lists((start, candidates), sure, (np.arange(sure.sum() + 1), named[sure]))
    claims = LinkClaims(
        claim_of=groups.claim_of,
        start=start,
        candidates=candidates,
        group_of=groups.group_of,
        sure=sure,
        scores=_link_scores(np.where(found.inside == 1, 0.0, least), alike, lost=lost, sure=sure),
        notes=notes,
    )
    return claims, left / scenario.file.size if present else 0.0


def _group_records(known: Sequence[MaskingKnowledge], release: Release, scenario: Scenario) -> Groups:
    pairs = [pair for one in known for pair in one.compared]
    return group_space(link_space(pairs, (release.size, scenario.file.size), own=release.missing == "own"))


def _certain_rows(
    known: Sequence[MaskingKnowledge], groups: Groups, found: RangeMatches, *, release: Release, scenario: Scenario
) -> np.ndarray | None:
    """The sure rows by those windows alone that are certain; None when they contradict what is known."""
    present, covering = coverage_flags(release, scenario)
    if not present and not covering:
        return np.full(len(groups.claim_of), -1, dtype=np.int64)
    if any(not one.certain and any(map(has_window, one.compared)) for one in known):
        groups = _group_records([one for one in known if one.certain], release, scenario)
        found = search_feasible(groups.space, count=True)
    return certain_links(groups, found, present=present, covering=covering)


def _notes_linked(lost: int, *, present: bool, sure: bool) -> tuple[str, ...]:
    notes = []
    if present and lost:
        notes.append(
            f"{lost:,} of the known people have no possible record: the trace contradicts the data, or a bound is too low; "
            "they are linked by cost alone"
        )
    if not sure:
        notes.append("no link is sure, because not all that the intruder takes for certain can be true")
    return tuple(notes)


def _splice_lists(
    whole: tuple[np.ndarray, np.ndarray], which: np.ndarray, part: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Lists, each from start to start, with those of the marked ones replaced."""
    (start, members), (new_start, new) = whole, part
    sizes = np.diff(start)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    kept = ~which[owner]
    owners = np.append(owner[kept], np.repeat(np.flatnonzero(which), np.diff(new_start)))
    order = np.argsort(owners, kind="stable")
    sizes[which] = np.diff(new_start)
    return np.append(0, np.cumsum(sizes)), np.append(members[kept], new)[order]


def _link_scores(least: np.ndarray, alike: np.ndarray, *, lost: np.ndarray, sure: np.ndarray) -> np.ndarray:
    r"""Sure links first, then by the chance 1/m, and of the same chance the only possible one and the cheaper first.

    .. math:: \frac{1}{m + c/(1 + c)},

    c being the cost (0 where nothing else is possible) and m how many are ``alike``: the records that a claim names, or
    the people who make it when these are more. One less for those whom no window holds, −1 for whom there is no candidate.
    """
    finite = np.isfinite(least)
    cost = np.where(finite, least, 0.0)
    scores: np.ndarray = 1.0 / (alike + cost / (1.0 + cost)) - lost
    scores[~finite] = -1.0
    scores[sure] = 2.0
    return scores
