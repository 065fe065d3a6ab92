"""From what is known of each column to claims: candidates within all windows, and which of the links are sure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..claims.claims import LinkClaims, summed
from ..progress import part
from .laws.known import Known
from .space import Groups, asking, grouped, link_space, open_space, searched, windowed
from .sure import presence, sure_rows

if TYPE_CHECKING:
    from ..claims.scenario import Scenario
    from ..kernels.possible import Found
    from ..progress import Progress
    from ..release.release import Release


def linked(
    known: Sequence[Known], release: Release, scenario: Scenario, *, progress: Progress | None = None
) -> tuple[LinkClaims, float]:
    """The possible records of least cost of each of the intruder's, and the share of people inside who have none.

    See :class:`.transparency.Transparency`.
    """
    groups = _groups(known, release, scenario)
    found = searched(groups.space, progress=part(progress, 0.0, 0.6))
    present, covering = presence(release, scenario)
    lost = found.inside == 0
    rows = _sure(known, groups, found, release=release, scenario=scenario)
    left = int(lost[groups.claim_of].sum())
    notes = _notes(left, present=present, sure=rows is not None)
    start, candidates, least = found.start, found.points, found.least.copy()
    if present and lost.any():
        nearest = searched(asking(open_space(groups.space), lost), progress=part(progress, 0.9, 1.0))
        start, candidates = _spliced((start, candidates), lost, (nearest.start, nearest.points))
        least[lost] = nearest.least
    people, records = np.bincount(groups.claim_of), np.bincount(groups.group_of)
    alike = np.maximum(summed(records[candidates], start), people)
    sure = np.zeros(len(lost), dtype=bool)
    if rows is not None:
        person = np.flatnonzero(rows >= 0)
        named = np.full(len(lost), -1, dtype=np.int64)
        named[groups.claim_of[person]] = groups.group_of[rows[person]]
        sure = named >= 0
        start, candidates = _spliced((start, candidates), sure, (np.arange(sure.sum() + 1), named[sure]))
    claims = LinkClaims(
        claim_of=groups.claim_of,
        start=start,
        candidates=candidates,
        group_of=groups.group_of,
        sure=sure,
        scores=_scores(np.where(found.inside == 1, 0.0, least), alike, lost=lost, sure=sure),
        notes=notes,
    )
    return claims, left / scenario.file.size if present else 0.0


def _groups(known: Sequence[Known], release: Release, scenario: Scenario) -> Groups:
    pairs = [pair for one in known for pair in one.compared]
    return grouped(link_space(pairs, (release.size, scenario.file.size), own=release.missing == "own"))


def _sure(
    known: Sequence[Known], groups: Groups, found: Found, *, release: Release, scenario: Scenario
) -> np.ndarray | None:
    """The sure rows by those windows alone that are certain; None when they contradict what is known."""
    present, covering = presence(release, scenario)
    if not present and not covering:
        return np.full(len(groups.claim_of), -1, dtype=np.int64)
    if any(not one.certain and any(map(windowed, one.compared)) for one in known):
        groups = _groups([one for one in known if one.certain], release, scenario)
        found = searched(groups.space, count=True)
    return sure_rows(groups, found, present=present, covering=covering)


def _notes(lost: int, *, present: bool, sure: bool) -> tuple[str, ...]:
    notes = []
    if present and lost:
        notes.append(
            f"{lost:,} of the known people have no possible record: the trace contradicts the data, or a bound is too low; "
            "they are linked by cost alone"
        )
    if not sure:
        notes.append("no link is sure, because not all that the intruder takes for certain can be true")
    return tuple(notes)


def _spliced(
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


def _scores(least: np.ndarray, alike: np.ndarray, *, lost: np.ndarray, sure: np.ndarray) -> np.ndarray:
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
