"""Microaggregation, our way: groups of at least k like records at a small loss, for columns of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..errors import TacitError, names, typed, whole
from ..frozen import FrozenDict
from ..progress import part, report
from ..release.masked import Masked
from ..release.trace import Trace
from ..seed import generator
from .microaggregation.fuzzy import redrawn
from .microaggregation.given import aggregate_of, checked_aggregates, checked_groups, known_columns, one_of
from .microaggregation.grouped import Way, grouped
from .microaggregation.partition import partition
from .microaggregation.shown import Done, described, outcome, replaced
from .parameters import column_names, column_weights, number, seed_of, strata_names
from .totals import check_totals, checked_totals, with_totals
from .units import units

if TYPE_CHECKING:
    import polars as pl

    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from .microaggregation.centres import Aggregate
    from .microaggregation.grouped import Lacking
    from .microaggregation.partition import Effort

__all__ = ["Microaggregate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregate:
    r"""Replace the values of at least ``k`` like records by one value that stands for all of them (E-02, D-07).

    The groups are sought so that

    .. math:: SSE = \sum_g \sum_{i \in g} \lVert x_i - \bar x_g \rVert^2

    is small: of one column the optimum, else a partition of blocks that is improved by moving and exchanging records
    (``effort="high"``: longer). Distances are those of :func:`~tacit.protect.microaggregation.embedding.embedded`:
    numbers and dates by standard deviations, ordinal values by places, nominal ones equal or not, or along their
    hierarchy; ``weights`` make a column count more or less. A group shows the mean of numbers and dates, rounded to
    their type, the median of ordinal values, the mode of nominal ones, and of those with a hierarchy the member's value
    that is nearest to all (E-16); ``aggregate={"income": "median", "town": "mode"}`` says otherwise. No value of a
    category is invented.

    ``groups="together"`` makes one grouping of all columns, ``"each"`` one per column (individual ranking: little
    loss, and little protection), ``[["income", "rent"], ["age"]]`` one per list. With ``strata`` groups stay within
    a stratum. Columns that are equal within every household are grouped by household, apart from the others. A total of
    ``totals`` is computed anew from its parts.

    On quasi-identifiers, all of them together, it gives k-anonymity, provided that none is missing and that they are
    all of the person or all of the household: the k or more records of a group show the same values. Records with a
    missing value are left as they are and counted; ``missing="apart"`` groups those that lack the same columns, and
    leaves only patterns that fewer than k records have.

    Who knows the method can tell from the published centres which group a known record must be in. With
    ``randomised=m`` (E-08) a record takes one of the eight nearest centres by lot, with the memberships of fuzzy c-means
    for the fuzzifier m > 1 (1.5 little, 2 usual); centres that fewer than k records drew are given up, so that k holds
    as before, at a larger loss. Means are kept then on average only, and a seed is needed.

    Time O(n log n) and memory O(n · columns) about, more for small files and ``effort="high"``. Without a seed ties are
    broken by the same lots every time, never by the order of the file.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 10.0, 12.0, 14.0]}), quasi="pay")
    >>> r.protect(Microaggregate(columns="pay", k=2)).native()["pay"].to_list()
    [1.5, 1.5, 12.0, 12.0, 12.0]

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control,
    IEEE TKDE 14, 189–201. Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation,
    IEEE TKDE 15, 1043–1044. Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11, 195–212.
    """

    columns: str | Sequence[str]
    k: int
    groups: Literal["together", "each"] | Sequence[Sequence[str]] = "together"
    effort: Effort = "normal"
    strata: str | Sequence[str] | None = None
    weights: Mapping[str, float] = field(default_factory=FrozenDict)
    aggregate: Mapping[str, Aggregate] = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    missing: Lacking = "leave"
    randomised: float | None = None

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        whole("k", self.k, least=2)
        one_of("effort", self.effort, ("normal", "high"))
        one_of("missing", self.missing, ("leave", "apart"))
        if self.randomised is not None and (not number(self.randomised) or self.randomised <= 1):
            raise TacitError(
                f"randomised={typed(self.randomised)} is no fuzzifier", fix="give a number above 1, e.g. randomised=2"
            )
        checked = {
            "columns": columns,
            "groups": checked_groups(self.groups, columns),
            "strata": strata_names(self.strata, columns) or None,
            "weights": known_columns("weights", column_weights(self.weights), columns),
            "aggregate": known_columns("aggregate", checked_aggregates(self.aggregate), columns),
            "totals": checked_totals(self.totals, columns),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with values of groups; the outcome has the groups, their sizes, and the records left out."""
        columns = names(self.columns, release.columns)
        shown = {column: aggregate_of(release, column, self.aggregate) for column in columns}
        check_totals(release, self.totals)
        rng = self._lots(seed)
        jobs = [of for listed in self._listed() for of in units(release, listed, self.strata or ())]
        changes: dict[str, pl.Series] = {}
        done: list[Done] = []
        for place, of in enumerate(jobs):
            inside = part(progress, place / len(jobs), (place + 1) / len(jobs))
            report(inside, "microaggregate", 0.0)
            groups = grouped(release, of, way=self._way(rng), rng=rng, progress=inside)
            taken = groups.group if self.randomised is None else redrawn(groups, self.k, self.randomised, rng)
            done.append(Done(of, groups, taken))
            changes |= replaced(release, done[-1], shown, rng)
        report(progress, "microaggregate", 1.0)
        masked = with_totals(described(release.replaced(changes), release, columns), self.totals)
        return Masked(masked, (Trace.of(self, **outcome(release, done, randomised=self.randomised is not None)),))

    def _lots(self, seed: Seed | None) -> np.random.Generator:
        """Lots for ties, and for who takes which centre: the groups are those of the method without the latter."""
        if seed is None and self.randomised is None:
            return generator(0)
        return generator(seed_of(self, seed, without=("randomised",)))

    def _listed(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each grouping."""
        if isinstance(self.groups, str):
            return (tuple(self.columns),) if self.groups == "together" else tuple((one,) for one in self.columns)
        return tuple(map(tuple, self.groups))

    def _way(self, rng: np.random.Generator) -> Way:
        def divide(points: np.ndarray, progress: Progress | None) -> np.ndarray:
            from ..kernels.univariate_groups import univariate

            if points.shape[1] == 1:
                return univariate(points[:, 0], self.k)
            return partition(points, self.k, effort=self.effort, rng=rng, progress=progress)

        return Way(self.k, divide, self.weights, self.missing, tuple(self.strata or ()))
