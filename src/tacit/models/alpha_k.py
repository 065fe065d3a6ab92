"""(α, k)-anonymity: k records in every class, no confidential value in more than a share α of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TacitError, check_int, format_value
from ..registry import Tags, describe
from ..release.masked import release_of
from .by_column import bound_verdict, check_thresholds, column_bounds, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .k_anonymity import KAnonymity
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="identity and attribute", kind="model", shown="proven"),
    example={"alpha": 0.5, "k": 5},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AlphaK(CompactRepr):
    r"""Every class has at least ``k`` records, and no confidential value has a share above ``alpha`` in it.

    .. math:: \min_C |C| \ge k \quad\text{and}\quad \max_C \max_v p_C(v) \le \alpha

    An intruder who finds the class guesses the value rightly with chance α at most. ``columns`` sets alpha per column.
    The verdict is that of the worst part. O(n) per column after the classes.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N1", "N1"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> bound_verdict = AlphaK(alpha=0.5, k=2).holds(Release(table, quasi="zip", confidential="ill"))
    >>> bound_verdict.holds, bound_verdict.found
    (False, 0.75)

    References
    ----------
    Wong, Li, Fu, Wang (2006), (α, k)-anonymity, KDD, 754–759.
    """

    alpha: float | None = None
    k: int
    columns: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)
        object.__setattr__(self, "columns", check_thresholds("alpha", self.alpha, self.columns, _check_threshold))

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """The same of every class."""
        found = column_bounds(release, self.alpha, self.columns)
        return (
            Demand(least=self.k),
            *(Demand(column=column, kind="largest", bound=value) for column, value in found.items()),
        )

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst of k and the columns."""
        release = release_of(release)
        verdicts = [KAnonymity(k=self.k).holds(release)]
        for column, required in column_bounds(release, self.alpha, self.columns).items():
            numbers = release.matches_beside(column).spread(column, "largest")
            verdicts.append(bound_verdict("(alpha, k)-anonymity", column, required, numbers, most=True))
        return worst_verdict(verdicts)


def _check_threshold(value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 1:
        raise TacitError(
            f"alpha={format_value(value)} is not a share",
            code="out_of_range",
            parameter="alpha",
            fix="alpha lies above 0 and is at most 1 (no bound), e.g. alpha=0.5",
        )
