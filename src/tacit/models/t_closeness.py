"""t-closeness with equal, ordered or tree distances between the values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TacitError, format_value
from ..registry import Tags, describe
from ..release.masked import release_of
from ..risk.t_closeness import Distance, checked_distance, distance_and_tree
from .by_column import bound_verdict, check_thresholds, column_bounds, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="attribute", kind="model", shown="proven"),
    example={"t": 0.5},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class TCloseness(CompactRepr):
    r"""No class is further than ``t`` from the whole file in any confidential column; ``columns`` sets t per column.

    .. math:: \max_C d(p_C, q) \le t

    with the distance of :func:`tacit.risk.t_closeness`, by ``form`` or, without it, by the kind of the column. The
    verdict is that of the worst column. O(n log n) per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> TCloseness(t=0.2).holds(Release(table, quasi="zip", confidential="ill")).found
    0.25

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness, ICDE, 106–115.
    """

    t: float | None = None
    columns: Mapping[str, float] = field(default_factory=dict)
    form: Distance | None = None

    def __post_init__(self) -> None:
        checked_distance(self.form)
        object.__setattr__(self, "columns", check_thresholds("t", self.t, self.columns, _check_threshold))

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """The same of every class."""
        found = column_bounds(release, self.t, self.columns)
        return tuple(
            Demand(column=column, kind=distance_and_tree(release, column, self.form)[0], bound=value)
            for column, value in found.items()
        )

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst column."""
        release = release_of(release)
        verdicts = []
        for column, required in column_bounds(release, self.t, self.columns).items():
            chosen, tree = distance_and_tree(release, column, self.form)
            numbers = release.matches_beside(column).spread(column, chosen, tree=tree)
            verdicts.append(bound_verdict("t-closeness", column, required, numbers, most=True))
        return worst_verdict(verdicts)


def _check_threshold(value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise TacitError(
            f"t={format_value(value)} is not a distance",
            code="out_of_range",
            parameter="t",
            fix="t lies between 0 (no class differs) and 1 (no bound)",
        )
