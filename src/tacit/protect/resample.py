"""Resampling: values replaced by what stands at their rank in samples drawn from the column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._bounds import Bounds, at_bounds, check_bounds, checked_bounds
from ._numbers import as_numbers, checked_numeric, from_numbers, masked_dtypes
from ._totals import check_totals, checked_totals, with_totals
from ._units import Units, masking_units
from .parameters import column_names, drop_metadata, make_rng, strata_names

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


FEWEST_TO_DRAW = 3
"""Of two values in a stratum a sample is one of them, or both."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="resample"),
    family="noise",
    example={"columns": ["income"], "draws": 3},
    use="Amounts whose order and mean must hold, and whose exact values must not.",
    avoid="Records are close together: each stays near its value, so that a link by distance still finds it.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Resample:
    r"""Give each record the mean of what stands at its rank in ``draws`` samples from the column.

    t = ``draws`` samples of size n are drawn with replacement from the n values of a column and sorted; the averages of
    the i-th smallest take the place of the i-th smallest value. With :math:`x_{(1)} \le \dots \le x_{(n)}`,

    .. math:: E[x'_{(i)}] = \sum_j x_{(j)} \Pr\!\left(\tfrac{j-1}{n} < B_i \le \tfrac{j}{n}\right),
              \qquad B_i \sim \mathrm{Beta}(i, n-i+1)

    and its variance, that of :math:`x_{(J)}` under these probabilities, is divided by t. The order of the records is kept
    (equal values in random order), and the mean of the column in expectation, with standard error
    :math:`\sigma/\sqrt{nt}`; extremes are drawn inwards. One draw gives values of other records, many draws give a
    smooth column that no longer varies at random: little is hidden in the dense middle of a column in either case, so
    measure it. Each column on its own, in every stratum if there are ``strata``; columns that are equal within every
    household by household. Whole numbers, dates and moments are rounded to their type; missing stays missing.

    Time O(n log n + n · draws) and memory O(n) per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [10.0, 20.0, 30.0, 1000.0]}), confidential="pay")
    >>> r.protect(Resample(columns="pay", draws=3), seed=7).to_native()["pay"].is_sorted()
    True

    References
    ----------
    Heer (1993), A bootstrap procedure to preserve statistical confidentiality in contingency tables, in: Proceedings of
    the International Seminar on Statistical Confidentiality, Eurostat, 261–271.
    Domingo-Ferrer and Mateo-Sanz (1999), On resampling for statistical confidentiality in contingency tables, Computers
    and Mathematics with Applications 38, 13–32.
    """

    columns: str | Sequence[str]
    draws: int
    strata: str | Sequence[str] | None = None
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        check_int("draws", self.draws, least=1)
        made = {
            "columns": columns,
            "strata": strata_names(self.strata or None, columns) or None,
            "totals": checked_totals(self.totals, columns),
            "bounds": checked_bounds(self.bounds, columns),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with resampled values; the outcome has the size of the smallest part that was drawn from."""
        rng = make_rng(self, seed)
        columns = check_columns(self.columns, release.columns)
        checked_numeric(release, columns)
        check_totals(release, self.totals)
        check_bounds(release, self.bounds)
        types = masked_dtypes(release, columns)
        changes: dict[str, pl.Series] = {}
        smallest: dict[str, int] = {}
        for of in masking_units(release, columns, self.strata or ()):
            for column in of.columns:
                report_progress(progress, "resample", len(changes) / len(columns))
                values = as_numbers(release.series(column))[of.first]
                made, smallest[column] = self._resample_units(column, values, of, rng)
                bounds = self.bounds.get(column, (None, None))
                changes[column] = from_numbers(made[of.of_row], column, types[column], bounds)
        report_progress(progress, "resample", 1.0)
        resampled = with_totals(release.with_columns(changes), self.totals)
        outcome = {"smallest": Finding(smallest, publishable=True, counts=True)}
        return Masked(
            drop_metadata(resampled, columns, hierarchies=False),
            (Trace.of(self, **outcome, **at_bounds(resampled, self.bounds)),),
        )

    def _resample_units(
        self, column: str, values: np.ndarray, of: Units, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        """The new values of the units, NaN where missing, and the size of the smallest part."""
        made, sizes = values.copy(), []
        for stratum in of.strata():
            known = stratum[~np.isnan(values[stratum])]
            if not len(known):
                continue
            sizes.append(len(known))
            mixed = rng.permutation(known)
            ranked = mixed[np.argsort(values[mixed], kind="stable")]
            made[ranked] = _mean_of_samples(values[ranked], self.draws, rng)
        if not sizes or min(sizes) < FEWEST_TO_DRAW:
            raise TacitError(
                f"has {min(sizes, default=0)} values to draw from{' in a stratum' if self.strata else ''}",
                code="unsuitable_column",
                column=column,
                fix=f"resampling needs {FEWEST_TO_DRAW} or more: use coarser strata, or leave the column out",
            )
        return made, min(sizes)


def _mean_of_samples(ranked: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """The means, rank by rank, of sorted samples with replacement: a sample is how often each value is drawn."""
    count = len(ranked)
    total = np.zeros(count)
    for _ in range(draws):
        often = np.bincount(rng.integers(0, count, count), minlength=count)
        total += np.repeat(ranked, often)
    return total / draws
