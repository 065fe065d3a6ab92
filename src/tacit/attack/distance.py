"""Distance-based record linkage: everybody is taken for the nearest record of the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..claims import LinkClaims, Scenario
from ..errors import TacitError
from ..progress import report
from .columns import compared

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["Distance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    r"""Link each known person to the nearest released record; ties make an anonymity set (C-04).

    Somebody has a list of people with some of the columns that the release has (a voters' register, a neighbour's
    knowledge) and looks for each of them in the release, in which values may have been changed. The distance is

    .. math:: d^2(a, b) = \sum_v \delta_v(a_v, b_v), \quad
              \delta_v = \frac{(a_v - b_v)^2}{\sigma_v^2} \text{ for numbers and dates},
              \quad \delta_v = \frac{1[a_v \ne b_v]}{\sigma_v^2} \text{ for all else},

    :math:`\sigma_v^2` the usual difference of two random records in the column when ``standardise``, else 1. A value
    that was generalised is compared at its published level; a missing cell on either side costs the usual difference,
    so that it speaks neither for nor against. All records within 1e-12 (relative) of the smallest distance are
    candidates, each equally likely: the order of a file tells nothing. A link by distance is never a sure one.

    Time about O((n + m) log n) in few columns, up to O(n·m) in many; memory O(n + m + candidates).

    References
    ----------
    Pagliuca and Seri (1999), Some results of individual ranking method on the system of enterprise accounts annual survey.
    Domingo-Ferrer and Torra (2003), Disclosure risk assessment in statistical data protection, JCAM 164, 285–293.
    """

    standardise: bool = True

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        if not [column for column in scenario.knows if column in release.columns]:
            return "the release has none of the columns that the intruder knows"
        return None

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> LinkClaims:
        """Which released records are nearest to each of the intruder's."""
        from ..kernels.nearest import Costs, distinct_rows, nearest

        for name, file in (("release", release), ("intruder's file", scenario.file)):
            if file.size == 0:
                raise TacitError(f"the {name} has no rows", fix="check the file or the filter that made it")
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(why_not, fix="name columns that the release has")
        columns = [compared(release, scenario.file, column) for column in scenario.knows if column in release.columns]
        usual = np.array([column.usual_difference() for column in columns])
        weight = (
            np.where(usual > 0, 1 / np.where(usual > 0, usual, 1), 0.0) if self.standardise else np.ones(len(columns))
        )
        nominal = np.array([column.nominal for column in columns])
        costs = Costs(nominal, weight, weight * usual, weight * usual)
        points = np.column_stack([column.release for column in columns])
        queries = np.column_stack([column.intruder for column in columns])
        group_of, first = distinct_rows(points)
        claim_of, asked = distinct_rows(queries)
        start, candidates = nearest(
            points[first], queries[asked], costs, told=lambda share: report(progress, "linking by distance", share)
        )
        return LinkClaims(claim_of=claim_of, start=start, candidates=candidates, group_of=group_of)
