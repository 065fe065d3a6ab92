"""The same guess for everybody: what the column alone gives away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...claims.claims import ValueClaims
from ...errors import TacitError
from .target import no_target, target_of

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...progress import Progress
    from ...release.release import Release
    from ...seed import Seed

__all__ = ["Usual"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """Say of everybody the most frequent released value, or the mean: what no look at the person can be blamed for (B-04).

    Equally frequent values share the claim. Time O(n).

    >>> import polars as pl
    >>> from tacit import Release
    >>> from tacit.claims import Scenario
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N2", "N2"], "ill": ["flu", "flu", "gout"]}), quasi="zip", confidential="ill")
    >>> Usual().claims(r, Scenario.worst_case(r)).codes.tolist()
    [0]
    """

    column: str | None = None

    def applies(self, release: Release, scenario: Scenario) -> str | None:
        """None when the attack can be made, else why not."""
        return no_target(release, scenario, self.column)

    def claims(
        self,
        release: Release,
        scenario: Scenario,
        *,
        seed: Seed | None = None,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,  # noqa: ARG002 - it is soon done
    ) -> ValueClaims:
        """One claim that everybody shares."""
        why_not = self.applies(release, scenario)
        if why_not:
            raise TacitError(f"there is no usual value: {why_not}", fix="name a column of the release, column=…")
        target = target_of(release, self.column)
        everybody = np.zeros(scenario.file.size, dtype=np.int64)
        if target.codes is None:
            assert target.numbers is not None
            middle = np.array([np.sort(target.numbers[target.known()]).mean()])
            return ValueClaims(
                column=target.column, start=np.array([0, 1]), numbers=middle, shares=np.ones(1), claim_of=everybody
            )
        counts = np.bincount(target.codes[target.known()], minlength=target.count)
        most = np.flatnonzero(counts == counts.max())
        return ValueClaims(
            column=target.column,
            start=np.array([0, len(most)]),
            codes=most,
            shares=np.full(len(most), 1.0 / len(most)),
            claim_of=everybody,
        )
