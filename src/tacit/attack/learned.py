"""Linkage by a distance that is learned from people who were found already: the worst case of a distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..claims.claims import LinkClaims
from ..claims.scenario import Scenario
from ..errors import TacitError, check_int, format_value
from ..progress import sub_progress
from ..seed import make_generator, seed_or_default
from ._belief import link_belief
from ._columns import common_columns, why_incomparable
from .distance import all_alike, invert_links
from .learning.all_pairs import nearest_by
from .learning.families import FamilyName, family_of
from .learning.families.family import Family
from .learning.learn import Effort, learn_distance
from .learning.pairs import Pairs
from .learning.summary import distance_facts, distance_notes
from .learning.training_pairs import (
    Direction,
    QueryPoints,
    Scale,
    TrainingPairs,
    folds_of,
    query_points,
    training_pairs,
)

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


REMEDY = (
    "both files need a common column, and it must be said who is who: by the lineage, by a truth, or by "
    "Scenario(acquaintances=Acquaintances(…))"
)

PAIRS = 400_000_000
"""So many pairs of records a family is asked about that has to compare every one."""

LEAST = 1e-9
"""No column counts for nothing: where all else ties, it decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    r"""Link each known person to the nearest record by the distance that finds most other people.

    :class:`Distance` takes every column for equally telling. An intruder who has found some people otherwise (colleagues,
    people who told) sees which columns were changed least, and how columns go together, and chooses among all distances of
    a ``family`` the one by which most of them are nearest to their own record:

    .. math:: \min_p \sum_i K_i \quad \text{s.t.} \quad K_i = 0 \Rightarrow d_p(a_i, b_j) > d_p(a_i, b_i)
              \ \text{for all } j \ne i.

    =============== ===========================================================================================
    ``family``      the distance of two records with differences :math:`x_v` in standardised columns
    =============== ===========================================================================================
    ``arithmetic``  :math:`\sum_v x_v^2`, nothing is learned
    ``mahalanobis`` :math:`x^T \Sigma^{-1} x`, :math:`\Sigma` the covariance of the differences of linked records
    ``weighted``    :math:`\sum_v p_v x_v^2`, :math:`p \ge 0`
    ``signed``      the same with weights of any sign
    ``ordered``     :math:`\sum_k p_k x_{(k)}^2`: weights for the smallest to the largest difference (OWA)
    ``bilinear``    :math:`x^T W x`; ``nonnegative``: not below 0 for any pair; ``definite``: positive definite
    ``choquet``     the Choquet integral of the :math:`x_v^2`; ``monotone``: of a monotone and submodular measure
    =============== ===========================================================================================

    Whom it has found already stands in :attr:`Scenario.acquaintances`; in the worst case these are all OTHER people.
    The people are divided into ``folds``, and each is looked for by the distance that was learned without anybody of
    its fold or who looks alike: the claims are cross-validated, and so is what the judge says of them. How many of
    those that it learned from the intruder would find with the distance learned from all of them (resubstitution)
    stands in the facts, as the upper bound that it is, beside the proven bound on it; ``effort="high"`` searches
    longer, and with ``"exact"`` no distance of the family finds more than that, searched for up to ``seconds`` of CPU
    time. ``facts["columns that identify people"]`` says who is no longer found when the distance ignores a column.

    ``additive`` limits a Choquet measure to sets of so many columns (the full one takes at most 12). ``scale`` and
    ``direction`` are those of :func:`.learning.sides.sides_of` and :class:`Distance`; with ``"each"`` and ``"release"`` this is the
    published attack. At most ``sample`` links are learned from, drawn at random; all released records are rivals.

    Time that of :class:`Distance` for the weighted mean, O(n·m) for the other families, and folds + 1 times that of learning
    (:func:`.learning.learn.learned`). No link is a sure one.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.attack import reidentify
    >>> frame = pl.DataFrame({"age": [20.0, 31, 44, 59, 72, 80], "noise": [1.0, 5, 2, 6, 3, 4]})
    >>> masked = frame.with_columns(pl.col("noise").reverse())
    >>> files = [Release(one, quasi=["age", "noise"]) for one in (masked, frame)]
    >>> [reidentify(files[0], original=files[1], lineage=np.arange(6), attack=a).value for a in ("distance", "learned")]
    [0.0, 1.0]

    References
    ----------
    Abril, Navarro-Arribas and Torra (2012), Improving record linkage with supervised learning for disclosure risk
    assessment, Information Fusion 13(4), 274–284.
    Torra (2022), Guide to Data Privacy: Models, Technologies, Solutions, Springer.
    """

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "generic"
    family: FamilyName = "weighted"
    effort: Effort = "fast"
    seconds: float = 60.0
    folds: int = 5
    additive: int | None = None
    direction: Direction = "intruder"
    scale: Scale = "release"
    sample: int = 500

    def __post_init__(self) -> None:
        family_of(self.family, self.additive)
        for name, known in (
            ("effort", ("fast", "high", "exact")),
            ("direction", ("intruder", "release")),
            ("scale", ("release", "each")),
        ):
            if getattr(self, name) not in known:
                raise TacitError(
                    f"{name}={format_value(getattr(self, name))} is unknown",
                    code="unknown_name",
                    parameter=name,
                    fix=f"{name} is {' or '.join(map(repr, known))}",
                )
        check_int("folds", self.folds, least=2)
        check_int("sample", self.sample, least=2)
        if isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float) or not self.seconds > 0:
            raise TacitError(
                f"seconds={format_value(self.seconds)} leaves no time for any answer: it is not a number above 0",
                code="wrong_kind",
                parameter="seconds",
                fix="give CPU seconds as a number, e.g. seconds=60",
            )

    def without_proof(self) -> Learned:
        """The same attack without a proof, which changes no claim."""
        return replace(self, effort="fast")

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        why_not = why_incomparable(release, scenario.file)
        if why_not is not None:
            return why_not
        if scenario.acquaintances is None:
            return (
                "nobody said which rows belong together, and a distance is learned from people who were found already"
            )
        file = scenario.acquaintances.file
        lacks = next((column for column in scenario.knows if column not in file.columns), None)
        if lacks is not None:
            return f"the file of the acquaintances lacks the column {lacks!r}"
        if len(scenario.acquaintances.truth.released) != release.size:
            return "the truth about the acquaintances is that of another release"
        if (scenario.acquaintances.own_rows() >= 0).sum() < 2:
            return "fewer than two people are known to be in the release, in one record each: there is nothing to learn from"
        return self._too_large(release, scenario)

    def _too_large(self, release: Release, scenario: Scenario) -> str | None:
        family, columns = family_of(self.family, self.additive), common_columns(release, scenario.file)
        why_not = family.too_large(len(columns))
        if why_not is not None:
            return why_not
        if not family.separable and release.size * scenario.file.size > PAIRS:
            return f"the family {self.family!r} compares every pair of records, and there are more than {PAIRS:,}; family='weighted' does not"
        return None

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released records are nearest to each of the intruder's, by the distance learned without it."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(f"a distance cannot be learned: {why_not}", code="not_applicable", fix=REMEDY)
        assert scenario.acquaintances is not None
        rng = make_generator(seed_or_default(seed))
        sides = query_points(release, scenario.file, scale=self.scale)
        if not sides.columns:
            return all_alike(release.size, scenario.file.size)
        family = family_of(self.family, self.additive)
        lessons = training_pairs(release, scenario, sides, folds_of(scenario, self.folds, rng), scale=self.scale)
        pairs = self._training_pairs(lessons, None, rng)
        best = learn_distance(
            pairs, family, rng=rng, effort=self.effort, seconds=self.seconds, progress=sub_progress(progress, 0.0, 0.5)
        )
        found = []
        for fold in range(lessons.folds.many):
            rows = np.flatnonzero(lessons.folds.people == fold)
            if rows.size:
                step = 0.5 / lessons.folds.many
                share = sub_progress(progress, 0.5 + step * fold, 0.5 + step * (fold + 1))
                others = self._training_pairs(lessons, fold, rng)
                effort: Effort = "high" if self.effort == "exact" else self.effort
                distance = learn_distance(others, family, rng=rng, effort=effort, seconds=self.seconds, progress=share)
                found.append((rows, link_rows(sides, rows, family, distance.parameters, self.direction)))
        known = distance_facts(best, pairs, sides.columns, folds=lessons.folds.many)
        return replace(
            join_claims(found, scenario.file.size),
            facts=known,
            notes=(*sides.notes, *distance_notes(best, pairs, lessons)),
        )

    def _training_pairs(self, lessons: TrainingPairs, without: int | None, rng: np.random.Generator) -> Pairs:
        return lessons.sample_pairs(without=without, most=self.sample, direction=self.direction, rng=rng)


def link_rows(
    sides: QueryPoints, rows: np.ndarray, family: Family, parameters: np.ndarray, direction: Direction
) -> LinkClaims:
    """Which released records are nearest to these rows of the file, or name them as their nearest."""
    from ..kernels.nearest import distinct_rows

    claim_of, first = distinct_rows(sides.queries)
    people, records = np.bincount(claim_of), np.bincount(sides.group_of)
    if direction == "release":
        pairs = sides.turned_pairs(sides.queries[first])
        start, named, distance, following = _nearest_places(pairs, family, parameters)
        scores = link_belief(start, named, distance=distance, following=following, people=records, records=people)
        made = invert_links(start, named, scores, claim_of=claim_of, group_of=sides.group_of)
        return _select_claims(made, rows)
    asked, local = np.unique(claim_of[rows], return_inverse=True)
    pairs = Pairs(sides.queries[first[asked]], sides.points, np.full(len(asked), -1), sides.costs)
    start, found, distance, following = _nearest_places(pairs, family, parameters)
    scores = link_belief(start, found, distance=distance, following=following, people=people[asked], records=records)
    return LinkClaims(claim_of=local, start=start, candidates=found, group_of=sides.group_of, scores=scores)


def _nearest_places(
    pairs: Pairs, family: Family, parameters: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The nearest places of all seekers; by a weighted mean in a tree, by any other distance over all pairs."""
    from ..kernels.nearest import nearest_and_next

    if not family.separable:
        return nearest_by(pairs, family, parameters, np.arange(len(pairs.seekers)))
    weight = np.maximum(parameters, LEAST * parameters.max())
    scaled = {name: getattr(pairs.costs, name) * weight for name in ("weight", "missing", "both")}
    return nearest_and_next(pairs.places, pairs.seekers, pairs.costs._replace(**scaled))


def _select_claims(claims: LinkClaims, rows: np.ndarray) -> LinkClaims:
    """The claims of these rows alone."""
    assert claims.weights is not None and claims.scores is not None
    asked, local = np.unique(claims.claim_of[rows], return_inverse=True)
    sizes = np.diff(claims.start)[asked]
    start = np.append(0, np.cumsum(sizes))
    place = np.repeat(claims.start[asked] - start[:-1], sizes) + np.arange(start[-1])
    return LinkClaims(
        claim_of=local,
        start=start,
        candidates=claims.candidates[place],
        group_of=claims.group_of,
        weights=claims.weights[place],
        scores=claims.scores[asked],
    )


def join_claims(parts: Sequence[tuple[np.ndarray, LinkClaims]], people: int) -> LinkClaims:
    """The claims of all people from those of each part of them (rows, claims)."""
    claim_of = np.empty(people, dtype=np.int64)
    offset = 0
    for rows, claims in parts:
        claim_of[rows] = claims.claim_of + offset
        offset += len(claims.start) - 1
    sizes = np.concatenate([np.diff(claims.start) for _, claims in parts])
    weights = [claims.weights for _, claims in parts if claims.weights is not None]
    return LinkClaims(
        claim_of=claim_of,
        start=np.append(0, np.cumsum(sizes)),
        candidates=np.concatenate([claims.candidates for _, claims in parts]),
        group_of=parts[0][1].group_of,
        weights=np.concatenate(weights) if weights else None,
        scores=np.concatenate([claims.scores for _, claims in parts if claims.scores is not None]),
    )
