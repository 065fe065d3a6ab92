"""Linkability (the mosaic effect): two lists that have no column in common are joined through a release that has those of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import LinkClaims, PairClaims, segment_sums
from ..claims.scenario import Scenario
from ..errors import TacitError, check_columns, check_int
from ..progress import report_progress, sub_progress
from ..release.masked import Masked, release_of
from ..release.release import Release
from ..seed import DEFAULT_SEED, make_generator, seed_or_default
from ._columns import common_columns, why_incomparable
from ._linkability import judge_pairs
from .distance import Distance

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ..progress import Progress
    from ..result import Result
    from ..seed import Seed


ENTRIES = 4_000_000
"""So many pairs of a stretch of people are held at once."""
PAIRS = 8_000_000
"""So many pairs are kept unless something else is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bridge:
    r"""Join two lists of the intruder through the release: person a of one is person b of the other.

    The lists are ``scenario.file`` and ``scenario.also[0]``; they share no column, but each shares some with the release.
    So a is linked to released records by the columns of its list, and each of these to people of the other list by theirs
    (:class:`.Distance`, twice), and

    .. math:: \Pr[a \sim b] = \sum_r \Pr[a \to r] \cdot \Pr[r \to b].

    Nobody need be named in the release for that: whoever holds half of a person's data learns whose the other half is.
    The claims are links between the two lists: the other list stands in the place of the release, so judge them with
    ``Truth(released=persons of the other list, intruder=persons of the file)``; guessing finds one in the length of
    that list. Because of it the attack takes no part in :func:`.reidentify`.

    Alike people and records are reckoned once, so that ties of any size are exact. Of each kind of person at most
    ``most`` kinds of the other list are kept, the likeliest, drawn by ``seed`` among equally likely ones at the end; left
    out, it is as many as make 8 million pairs, which is all of them up to 2 800 people. A note says how much chance was
    given up. Time that of two linkages and O(people · candidates · candidates), memory O(n · ``most``).

    >>> import polars as pl
    >>> from tacit import Release
    >>> both = Release(pl.DataFrame({"zip": ["N1", "N2", "N3"], "job": ["cook", "smith", "judge"]}), quasi=["zip", "job"])
    >>> claims = Bridge().claims(both, Scenario(file=both, knows=("zip",), also=(both.select("job"),)))
    >>> claims.candidates.tolist(), claims.chances().tolist()
    ([0, 1, 2], [1.0, 1.0, 1.0])

    References
    ----------
    Article 29 Data Protection Working Party (2014), Opinion 05/2014 on anonymisation techniques (linkability).
    """

    makes: ClassVar = PairClaims
    linkage: ClassVar = "generic"
    needs: ClassVar = ("second",)
    most: int | None = None

    def __post_init__(self) -> None:
        if self.most is not None:
            check_int("most", self.most, least=1)

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if not scenario.also:
            return "the intruder has no second list"
        other = scenario.also[0]
        shared = [
            column for column in common_columns(release, other) if column in common_columns(release, scenario.file)
        ]
        if shared:
            return f"both lists have {', '.join(map(repr, shared))}, by which they are linked without the release"
        for file, which in ((scenario.file, "first"), (other, "second")):
            why_not = why_incomparable(release, file)
            if why_not:
                return f"{why_not} ({which} list)"
        return "the second list has no rows" if other.size == 0 else None

    def claims(
        self, release: Release, scenario: Scenario, *, seed: Seed | None = None, progress: Progress | None = None
    ) -> PairClaims:
        """Which people of the other list each person of the file may be."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"no bridge can be built: {why_not}",
                code="attack_impossible",
                fix="give two lists with different columns, each with some of the release's",
            )
        other = scenario.also[0]
        second = Scenario(file=other, knows=common_columns(release, other))
        near = Distance().claims(release, scenario, progress=sub_progress(progress, 0.0, 0.3))
        far = Distance(direction="release").claims(release, second, progress=sub_progress(progress, 0.3, 0.6))
        draw = make_generator(seed_or_default(seed))
        most = max(1, PAIRS // (len(near.start) - 1)) if self.most is None else self.most
        start, candidates, weights = _join_lists(near, far, (most, draw), sub_progress(progress, 0.6, 1.0))
        lost = 1.0 - float(segment_sums(weights * np.bincount(far.claim_of)[candidates], start)[near.claim_of].mean())
        notes = [*near.notes, *far.notes]
        if lost > 5e-4:
            notes.append(f"{100 * lost:.1f} % of the chance is on pairs beyond the {most:,} likeliest, not kept")
        return PairClaims(
            claim_of=near.claim_of,
            start=start,
            candidates=candidates,
            group_of=far.claim_of,
            weights=weights,
            scores=_link_beliefs(weights, start),
            notes=tuple(dict.fromkeys(notes)),
        )


def bridge(
    masked: Masked | Release,
    *,
    original: Release,
    left: str | Iterable[str],
    right: str | Iterable[str],
    control: Release | None = None,
    attempts: int | None = None,
    seed: int | bytes | None = None,
) -> Result:
    """The share of people whose two halves an intruder puts together through the release : linkability.

    One list of the intruder has the columns ``left`` of the original's people, another the columns ``right``; they have
    none in common, so that without the release one in n guesses is right (``baseline``). :class:`.Bridge` joins them.
    ``attempts`` people, drawn by ``seed``, are looked for in place of all; the list in which they are looked for stays whole.

    ``control`` holds people who are not in the release, with the same columns. What is right of *their* halves comes from
    how the columns go together in the world (a nurse is likelier a woman), not from anybody's record. Fact ``control`` is
    that share and ``above control`` the difference of the gains over guessing, with its interval; both in lists of
    equal length, the shorter one's: where the control is smaller, ``linked in as short a list`` is the share it is
    compared with. The cost is that of two or three bridges.

    >>> import polars as pl
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N2", "N3"], "job": ["cook", "smith", "judge"]}), quasi=["zip", "job"])
    >>> bridge(r, original=r, left="zip", right="job").value
    1.0

    References
    ----------
    Article 29 Data Protection Working Party (2014), Opinion 05/2014 on anonymisation techniques (linkability).
    """
    release, original = release_of(masked), release_of(original)
    halves = _check_halves(original, left, right)
    if attempts is not None:
        check_int("attempts", attempts, least=1)
    people = None if control is None else release_of(control)
    drawn: int | bytes = DEFAULT_SEED if seed is None else seed
    return judge_pairs(Bridge(), release, original, halves, control=people, attempts=attempts, seed=drawn)


def _check_halves(
    original: Release, left: str | Iterable[str], right: str | Iterable[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    halves = check_columns(left, original.columns), check_columns(right, original.columns)
    shared = next((column for column in halves[0] if column in halves[1]), None)
    if shared is not None:
        raise TacitError(
            "is in both lists, which are then linked without the release",
            code="duplicate",
            column=shared,
            fix="name each column on one side only",
        )
    if not halves[0] or not halves[1]:
        raise TacitError(
            "one of the lists has no column",
            code="attack_impossible",
            fix="e.g. left=['zip', 'birth'], right=['occupation']",
        )
    return halves


def _join_lists(
    near: LinkClaims, far: LinkClaims, keep: tuple[int, np.random.Generator], progress: Progress | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each kind of person of the file the kinds of the other list, with the chance of each person of them."""
    first, second = _file_to_groups(near, far), _groups_to_list(far)
    per_row = np.diff(first.indptr)
    reach = np.concatenate([[0], np.cumsum(np.diff(second.indptr)[first.indices])])[first.indptr]
    sizes, kinds, chances = [], [np.empty(0, np.int64)], [np.empty(0)]
    at = 0
    while at < len(per_row):
        report_progress(progress, "joining the lists", at / len(per_row))
        end = max(at + 1, int(np.searchsorted(reach, reach[at] + ENTRIES, side="right")) - 1)
        block = first[at:end] @ second
        kept = _select_pairs(block.data, block.indptr, *keep)
        sizes.append(segment_sums(kept.astype(np.int64), block.indptr))
        kinds.append(block.indices[kept].astype(np.int64))
        chances.append(block.data[kept])
        at = end
    return np.append(0, np.cumsum(np.concatenate(sizes))), np.concatenate(kinds), np.concatenate(chances)


def _file_to_groups(near: LinkClaims, far: LinkClaims) -> csr_array:
    """Kinds of people of the file × groups of records as the other list sees them: the chance of each such group."""
    from scipy.sparse import csr_array

    shape = len(near.start) - 1, near.groups
    linked = csr_array((near.chances(), near.candidates, near.start), shape=shape)
    records = csr_array((np.ones(near.release_size), (near.group_of, far.group_of)), shape=(near.groups, far.groups))
    return csr_array(linked @ records)


def _groups_to_list(far: LinkClaims) -> csr_array:
    """Groups of records × kinds of people of the other list: the chance of each person of the kind.

    The claims are those of the people; a record spreads evenly over all who named it as theirs.
    """
    from scipy.sparse import csr_array

    kind = np.repeat(np.arange(len(far.start) - 1), np.diff(far.start))
    named = np.bincount(far.candidates, weights=np.bincount(far.claim_of)[kind], minlength=far.groups)
    shape = far.groups, len(far.start) - 1
    return csr_array((1.0 / named[far.candidates], (far.candidates, kind)), shape=shape)


def _select_pairs(chances: np.ndarray, start: np.ndarray, most: int, draw: np.random.Generator) -> np.ndarray:
    """Which pairs are kept: the likeliest of each kind of person, those equally likely at the end drawn."""
    kept = np.ones(len(chances), dtype=bool)
    for row in np.flatnonzero(np.diff(start) > most):
        # Chances that differ by rounding only are equal.
        rounded = np.round(np.log(chances[start[row] : start[row + 1]]), 9)
        order = np.lexsort((draw.random(len(rounded)), -rounded))
        kept[start[row] + order[most:]] = False
    return kept


def _link_beliefs(weights: np.ndarray, start: np.ndarray) -> np.ndarray:
    """How strongly each link is believed: the chance of its likeliest person."""
    found = np.zeros(len(start) - 1)
    np.maximum.at(found, np.repeat(np.arange(len(found)), np.diff(start)), weights)
    return found
