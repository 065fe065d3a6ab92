"""Distance-based record linkage: everybody is taken for the nearest record of the release."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ..claims.claims import LinkClaims, segment_sums
from ..claims.scenario import Scenario
from ..errors import TacitError, format_value
from ..progress import report_progress
from ._belief import link_belief
from ._columns import why_incomparable
from ._distance_encoding import Metric, encode_for_distance

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    r"""Link each known person to the nearest released record; ties make an anonymity set.

    Somebody has a list of people with some of the columns that the release has (a voters' register, a neighbour's
    knowledge) and looks for each of them in the release, in which values may have been changed. The distance is

    .. math:: d(a, b) = \sum_v \frac{\delta_v(a_v, b_v)}{u_v}, \quad
              \delta_v = (a_v - b_v)^2 \text{ for numbers and dates}, \quad
              \delta_v = 1[a_v \ne b_v] \text{ for all else},

    :math:`u_v` the mean of :math:`\delta_v` over two random released records (twice the variance; the chance that two
    records differ) when ``standardise``, else 1. So every column counts alike, and a column of two values counts the
    same whether they are written as numbers or as words; a column that tells nobody apart counts nothing.

    A value that was generalised is compared at its published level; one that was recoded locally differs from the
    values that its label does not cover. A missing or suppressed cell on either side costs
    the usual difference :math:`u_v`, so that it speaks neither for nor against; when missing is a category of its own
    (``missing="own"``), two missing cells are equal.

    With ``metric="mahalanobis"`` the numbers without missing cells are compared by

    .. math:: \tfrac12 (a - b)^T \Sigma^{-1} (a - b),

    :math:`\Sigma` the covariance in the release: what two columns say together counts once. A singular :math:`\Sigma` has a
    pseudo-inverse (a note says so), all other columns count as above.

    All records within 1e-12 (relative) of the smallest distance are candidates, each equally likely: the order of a file
    tells nothing. With ``direction="release"`` each released record looks for the nearest person instead (as some
    lectures have it); a person is then linked to the records that named it, with the chance that each of them leaves
    it. A link by distance alone is never a sure one; ``scores`` say how strongly each is believed, see
    :func:`.belief.belief`.

    Time about O((n + m) log n) in few columns, up to O(n·m) in many; memory O(n + m + candidates). Records that look
    alike to the intruder are compared once.

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario, Truth, judge
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"], "sex": ["f", "f", "m"]}), quasi=["zip", "sex"])
    >>> claims = Distance().claims(r, Scenario.worst_case(r))
    >>> claims.set_sizes().tolist()
    [2, 2, 1]

    References
    ----------
    Pagliuca and Seri (1999), Some results of individual ranking method on the system of enterprise accounts annual
    survey, Esprit SDC project, deliverable MI-3/D2.
    Mahalanobis (1936), On the generalised distance in statistics, Proc. National Institute of Sciences of India 2, 49–55.
    Domingo-Ferrer and Torra (2001), A quantitative comparison of disclosure control methods for microdata, in
    Confidentiality, Disclosure and Data Access, North-Holland, 111–133.
    """

    makes: ClassVar = LinkClaims
    linkage: ClassVar = "generic"
    standardise: bool = True
    direction: Literal["intruder", "release"] = "intruder"
    metric: Metric = "euclidean"

    def __post_init__(self) -> None:
        if not isinstance(self.standardise, bool):
            raise TacitError(
                f"standardise={format_value(self.standardise)} is neither true nor false",
                code="not_boolean",
                parameter="standardise",
                fix="e.g. standardise=True",
            )
        if self.direction not in ("intruder", "release"):
            raise TacitError(
                f"direction={format_value(self.direction)} is unknown",
                code="unknown_name",
                parameter="direction",
                fix="'intruder': each known person looks for its record; 'release': each record for its person",
            )
        if self.metric not in ("euclidean", "mahalanobis"):
            raise TacitError(
                f"metric={format_value(self.metric)} is unknown",
                code="unknown_name",
                parameter="metric",
                fix="metric is 'euclidean' or 'mahalanobis'",
            )
        if self.metric == "mahalanobis" and not self.standardise:
            raise TacitError(
                "metric='mahalanobis' scales by itself, so standardise=False would mean nothing",
                code="invalid_parameter",
                parameter="metric",
                fix="leave standardise out, or take metric='euclidean'",
            )

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        return why_incomparable(release, scenario.file)

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released records are nearest to each of the intruder's."""
        from ..kernels.nearest import FLOOR, distinct_rows, nearest_and_next

        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(
                f"linking by distance is not possible: {why_not}",
                code="wrong_type",
                fix="see which columns both files have",
            )
        sides = encode_for_distance(release, scenario.file, standardise=self.standardise, metric=self.metric)
        if not sides.points.shape[1]:
            return all_alike(release.size, scenario.file.size)
        group_of, first = distinct_rows(sides.points)
        claim_of, asked = distinct_rows(sides.queries)
        points, queries = sides.points[first], sides.queries[asked]
        people, records = np.bincount(claim_of), np.bincount(group_of)

        def told(share: float) -> None:
            report_progress(progress, "linking by distance", share)

        if self.direction == "intruder":
            start, candidates, distance, following = nearest_and_next(points, queries, sides.costs, told=told)
            scores = link_belief(
                start, candidates, distance=distance, following=following, people=people, records=records
            )
            made = LinkClaims(claim_of=claim_of, start=start, candidates=candidates, group_of=group_of, scores=scores)
            return replace(made, notes=sides.notes)
        # A floor is one-sided: turned round, minus the record's end must not fall below minus the person's value.
        turn = np.where(sides.costs.kind == FLOOR, -1.0, 1.0)
        start, named, distance, following = nearest_and_next(turn * queries, turn * points, sides.costs, told=told)
        scores = link_belief(start, named, distance=distance, following=following, people=records, records=people)
        made = invert_links(start, named, scores, claim_of=claim_of, group_of=group_of)
        return replace(made, notes=sides.notes)


def all_alike(released: int, known: int) -> LinkClaims:
    """No column tells anybody apart: every released record may be everybody."""
    return LinkClaims(
        claim_of=np.zeros(known, dtype=np.int64),
        start=np.array([0, 1]),
        candidates=np.zeros(1, dtype=np.int64),
        group_of=np.zeros(released, dtype=np.int64),
        scores=np.array([1.0 / max(released, known)]),
        notes=("no column tells anybody apart",),
    )


def invert_links(
    start: np.ndarray, named: np.ndarray, beliefs: np.ndarray, *, claim_of: np.ndarray, group_of: np.ndarray
) -> LinkClaims:
    """Claims of persons from what released records name: each record spreads over the persons that it ties.

    When the chances of a person add up to more than one, because several records named it, they are scaled to one. A
    person is believed as strongly as the record that believes it most.
    """
    people, records = np.bincount(claim_of), np.bincount(group_of)
    chance = np.repeat(1.0 / segment_sums(people[named], start), np.diff(start))
    group = np.repeat(np.arange(len(records)), np.diff(start))
    order = np.argsort(named, kind="stable")
    claims = np.append(0, np.cumsum(np.bincount(named, minlength=len(people))))
    chance, group = chance[order], group[order]
    total = segment_sums(chance * records[group], claims)
    weights = chance / np.repeat(np.maximum(total, 1.0), np.diff(claims))
    scores = np.zeros(len(people))
    np.maximum.at(scores, np.repeat(np.arange(len(people)), np.diff(claims)), beliefs[group])
    return LinkClaims(
        claim_of=claim_of, start=claims, candidates=group, group_of=group_of, weights=weights, scores=scores
    )
