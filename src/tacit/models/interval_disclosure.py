"""Interval disclosure as a requirement: few original numbers lie near their masked ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import Note, TacitError, format_value
from ..registry import Tags, describe
from ..release.masked import release_of
from ..risk.interval_disclosure import interval_disclosure
from ..risk.intervals import By, checked_by, checked_percent
from .by_column import check_thresholds, confidential_results, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    import numpy as np

    from ..release.masked import Masked
    from ..release.release import Release
    from ..result import Result


@describe(
    tags=Tags(about="attribute", kind="model"),
    example={"at_most": 0.3, "percent": 10},
    needs=("original",),
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class IntervalDisclosure(CompactRepr):
    r"""At most a share of the original numbers lies in the interval of its masked one, in every column.

    .. math:: \max_V \frac{|\{x : V(x) \in I_p(V'(x))\}|}{|X|} \le t

    with the intervals of :func:`tacit.risk.interval_disclosure`: ``percent`` wide, ``by`` rank or deviation. ``at_most``
    is t for the confidential columns of the original (where it has none, for all that the measure takes): an intruder
    who knows the quasi-identifiers learns nothing from them. ``columns`` sets t for a column, of any role; with
    ``columns`` alone only those are judged. The original is data, so an argument of :meth:`holds`, never part of the
    model. The verdict is that of the worst column; where not even random intervals of that width stay within the bound,
    a note says so. O(n log n) per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([10, 20, 30, 40, 50], [12, 35, 31, 39, 80]))
    >>> print(IntervalDisclosure(percent=40, at_most=0.5).holds(m, original=r))
    interval disclosure of pay  does not hold
    required                    0.5
    found                       0.6
    failing                     3 records

    References
    ----------
    Torra (2022), Guide to Data Privacy, Springer.
    """

    at_most: float | None = None
    percent: float
    by: By = "rank"
    columns: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_percent(self.percent)
        checked_by(self.by)
        object.__setattr__(self, "columns", check_thresholds("at_most", self.at_most, self.columns, _check_threshold))

    def demands(self, release: Release) -> tuple[Demand, ...]:  # noqa: ARG002 - of no release
        """None: it is about values, not about classes."""
        return ()

    def holds(
        self, release: Release | Masked, *, original: Release | Masked | None = None, lineage: np.ndarray | None = None
    ) -> Verdict:
        """The verdict on the worst column of the masked file, beside its original."""
        verdicts = []
        if self.at_most is not None:
            found = interval_disclosure(release, original=original, lineage=lineage, percent=self.percent, by=self.by)
            assert original is not None
            kept = confidential_results(found, release_of(original))
            verdicts += [self._judge_result(one, self.at_most) for one in kept if one.column not in self.columns]
        if self.columns:
            named = interval_disclosure(
                release,
                original=original,
                lineage=lineage,
                percent=self.percent,
                by=self.by,
                columns=list(self.columns),
            )
            verdicts += [self._judge_result(one, self.columns[one.column or ""]) for one in named]
        return worst_verdict(verdicts)

    def _judge_result(self, result: Result, required: float) -> Verdict:
        baseline = result.facts["baseline"]
        assert isinstance(baseline, float) and result.per_record is not None
        beyond = baseline > required
        said = f"{result.column!r}: intervals dealt out at random hold more than {required:g} of the values"
        told = Note(said, code="unreachable_by_chance", column=result.column)
        failing = int(result.per_record.values().sum()) if result.value > required else 0
        return Verdict(
            holds=result.value <= required,
            model="interval disclosure",
            id="interval_disclosure",
            column=result.column,
            required=required,
            found=result.value,
            margin=required - result.value,
            failing_records=failing,
            notes=(told,) if beyond else (),
        )


def _check_threshold(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise TacitError(
            f"at_most={format_value(value)} is not a share",
            code="out_of_range",
            parameter="at_most",
            fix="give a number from 0 to 1, e.g. at_most=0.3",
        )
