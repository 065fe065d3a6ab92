"""Rank swapping: values exchanged between records that are near in rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._swapping.ranks import (
    Form,
    checked_ordered,
    order_by_value,
    pair_ranks,
    rank_extent,
    ranks_in,
    restore_type,
    round_up,
    sortable_values,
)
from ._totals import check_totals, checked_totals, with_totals
from ._units import Units, masking_units
from .parameters import column_names, make_rng, per_column, strata_names, value_for

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


PERCENT = "give a percentage of the records in (0, 100], e.g. percent=5"


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), exchanges=True, model="rank_swap"),
    family="exchange",
    suits={"continuous": 2, "ordinal": 1},
    example={"columns": ["income"], "percent": 5},
    use="Numbers or ordered categories whose own distribution must stay exact.",
    avoid="Analysts study relations between columns closely, or the reach is published (then form='distribution').",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class RankSwap:
    r"""Exchange each value with one at most ``percent`` of the records away in rank, or near it.

    Each column on its own is sorted, ties in random order. From the lowest on, each rank i whose value is still in
    place draws a rank ℓ > i whose value is, too; the two change places, and BOTH are done. (The source's sketch never
    marks them; taken literally, values drift far beyond the reach.) One value at most stays where it is. With
    :math:`p = percent \cdot n / 100` ranks, n the records that have a value, the ``form`` says how ℓ is drawn:

    * ``"uniform"``: uniformly in :math:`[i + 1, \min(n, i + \lfloor p \rfloor)]`. No rank moves by more than p.
      Whoever knows p intersects these ranges over the columns and is never wrong: sure links, in many columns.
    * ``"buckets"``: the ranks lie in buckets of ⌊p⌋. From bucket r, the bucket s ≥ r is drawn with chance
      :math:`2^{-(s-r+1)}/K` among those with a value still in place (K makes the chances sum to one), then ℓ uniformly
      in it.
    * ``"distribution"``: ℓ = i + r, r normal with mean p/2 and STANDARD DEVIATION p/2, in ranks, rounded. Draws
      below 1 or beyond the last rank are drawn again (computed from the cut-off law at once); where ℓ is done already,
      the nearest rank above i that is not takes its place, the higher of two.

    By the law of the last two every value can go anywhere, so that no range is sure to hold it and an intersection is
    often empty or wrong. Far moves are rare, though (a move over d buckets has a chance near 2⁻ᵈ, and below 2⁻⁵³ none
    comes up): an intruder who weighs likely against unlikely moves still learns something. Judge it with an attack.

    The values of each column are kept exactly, in every stratum if there are ``strata`` (then n and p are those of the
    stratum); what suffers is the relation between columns. ``percent`` is one number, or one for each column by name. A
    column that is equal within every household is swapped between households. Missing values stay where they are. A
    stratum in which p reaches no neighbour is left as it is, and the trace counts its values; an error when that
    is all of them. ``totals`` (total → parts) are computed anew from swapped parts.

    Time O(n log n) and memory O(n) per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0]}), confidential="pay")
    >>> sorted(r.protect(RankSwap(columns="pay", percent=50), seed=7).to_native()["pay"])
    [1.0, 2.0, 3.0, 4.0]

    References
    ----------
    Moore (1996), Controlled data-swapping techniques for masking public use microdata sets, US Bureau of the Census.
    Nin, Herranz and Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering
    64, 346–364.
    """

    columns: str | Sequence[str]
    percent: float | Mapping[str, float]
    form: Form = "uniform"
    strata: str | Sequence[str] | None = None
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        percent = per_column("percent", self.percent, columns, lambda value: 0 < value <= 100, PERCENT)
        object.__setattr__(self, "percent", percent)
        if self.form not in get_args(Form):
            raise TacitError(
                f"form={format_value(self.form)} is unknown",
                code="unknown_name",
                parameter="form",
                fix=suggest_alternative(str(self.form), get_args(Form)),
            )
        object.__setattr__(self, "strata", strata_names(self.strata or None, columns) or None)
        object.__setattr__(self, "totals", checked_totals(self.totals, columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with swapped values; the outcome has what ``percent`` is in ranks, and the values left alone."""
        rng = make_rng(self, seed)
        columns = check_columns(self.columns, release.columns)
        for column in columns:
            checked_ordered(release, column)
        check_totals(release, self.totals)
        parts = (
            masking_units(release, columns, self.strata or ())
            if release.household or self.strata or not release.size
            else ()
        )
        of = {column: part for part in parts for column in part.columns}
        changes: dict[str, np.ndarray | pl.Series] = {}
        ranks: dict[str, float] = {}
        left: dict[str, int] = {}
        for place, column in enumerate(columns):
            report_progress(progress, "rank_swap", place / len(columns))
            values, ranks[column], left[column] = self._swap_column(release, column, of.get(column), rng)
            changes[column] = restore_type(release, column, values)
        report_progress(progress, "rank_swap", 1.0)
        swapped = with_totals(release.with_columns(changes), self.totals)
        return Masked(swapped, (Trace.of(self, **self._make_findings(ranks, left)),))

    def _swap_column(
        self, release: Release, column: str, part: Units | None, rng: np.random.Generator
    ) -> tuple[np.ndarray, float, int]:
        """The column as numbers that are swapped, what ``percent`` is in ranks at most, and the values left alone.

        Without a part, every record is a unit and there are no strata: nothing is looked up for them.
        """
        from ..kernels.ranks import exchange_values

        percent = value_for(self.percent, column)
        values, valid = sortable_values(release, column)
        if part is not None and part.by_household:
            values, valid = values[part.first], valid[part.first]
        swapped, largest, left = values, 0.0, 0
        for known in _known_units(part if self.strata else None, valid):
            count = len(values) if known is None else len(known)
            ranks = ranks_in(percent, count)
            if ranks < 1 or count < 2:
                left += count
                continue
            order, ranked = order_by_value(values if known is None else values[known], rng)
            exchange_values(ranked, pair_ranks(self.form, count, percent, rng))
            if swapped is values:
                swapped = np.empty_like(values) if known is None else values.copy()
            swapped[order if known is None else known[order]] = ranked
            largest = max(largest, rank_extent(self.form, count, percent))
        if not largest:
            raise self._too_few(column, percent, int(valid.sum()))
        return swapped if part is None or not part.by_household else swapped[part.of_row], largest, left

    def _too_few(self, column: str, percent: float, values: int) -> TacitError:
        where = " in any stratum" if self.strata else ""
        advice = (
            "use coarser strata, or a larger percent"
            if self.strata
            else f"use percent={round_up(100 / max(values, 1))} or more"
        )
        return TacitError(
            f"has {values} values to rank, of which percent={percent:g} reaches no neighbour{where}",
            code="unsuitable_column",
            column=column,
            fix=advice if values > 1 else "rank swapping needs two values or more",
        )

    def _make_findings(self, ranks: dict[str, float], left: dict[str, int]) -> dict[str, Finding]:
        """What an intruder would need: the reach, the size of a bucket or the mean shift, the largest of the strata."""
        known_as = {"uniform": "reach", "buckets": "bucket", "distribution": "mean_shift"}[self.form]
        found = {known_as: Finding(ranks, publishable=True)}
        if self.strata:
            found["left_alone"] = Finding(left, publishable=True, counts=True)
        return found


def _known_units(part: Units | None, valid: np.ndarray) -> Iterator[np.ndarray | None]:
    """The units with a value, stratum by stratum; None for all units, which need no picking."""
    if part is None:
        return iter([None if valid.all() else np.flatnonzero(valid)])
    return (members[valid[members]] for members in part.strata())
