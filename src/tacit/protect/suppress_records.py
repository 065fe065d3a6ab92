"""Record suppression: the records that stay too rare are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, check_int
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("nothing", drops=True),
    family="remove",
    example={"k": 2},
    use="A handful of records is beyond help.",
    avoid="Many records would go, or the rare are the subject of the study.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressRecords:
    """Leave out the records that share their quasi-identifiers with fewer than ``k`` records.

    What is left is k-anonymous under the release's policy for missing values: the records that fail are removed and
    the others counted again until none fails. One round is enough for exact classes, which are removed whole; under
    ``missing="any"`` a removed record may have matched others (an independent count in the tests checks both). Weights are not adjusted. Where many records would go,
    generalise first: what is left out is not missing at random.

    Time O(n · quasi-identifiers) per round, memory O(n).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")
    >>> r.protect(SuppressRecords(k=2)).to_native()["zip"].to_list()
    ['N1', 'N1']

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    """

    k: int

    def __post_init__(self) -> None:
        check_int("k", self.k, least=2)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The shorter release; the outcome has the number of records removed."""
        release.capabilities.require("can_take_rows", "records cannot be suppressed")
        left, rows = release, np.arange(release.size)
        while True:
            report_progress(progress, "suppress_records", 0.5)
            sizes = left.matches().size()
            failing = sizes.below(self.k).records
            if not failing:
                break
            if failing == left.size:
                raise TacitError(
                    f"k={self.k} leaves none of the {release.size} records",
                    code="too_few_records",
                    parameter="k",
                    fix="use a smaller k, or generalise the quasi-identifiers first",
                )
            enough = sizes.per_record().values() >= self.k
            rows = rows[enough]
            left = left.take(np.flatnonzero(enough))
        report_progress(progress, "suppress_records", 1.0)
        removed = release.size - len(rows)
        trace = Trace.of(self, removed=Finding(removed, publishable=True, counts=True))
        return Masked(left, (trace,), lineage=rows if removed else None)
