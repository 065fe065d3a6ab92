"""p-sensitive k-anonymity: k records in every class, with p different values of every confidential column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import check_int
from ..registry import Tags, describe
from ..release.masked import release_of
from .by_column import check_thresholds, column_bounds, diversity_verdict, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .k_anonymity import KAnonymity
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="identity and attribute", kind="model", shown="proven"),
    example={"p": 2, "k": 5},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PSensitivity(CompactRepr):
    r"""Every class has at least ``k`` records and ``p`` different values of each confidential column.

    .. math:: \min_C |C| \ge k \quad\text{and}\quad \min_C |\{s_j : j \in C\}| \ge p

    ``columns`` sets p per column. The verdict is that of the worst part. O(n) per column after the classes.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N1"], "ill": ["flu", "acne"]}), quasi="zip", confidential="ill")
    >>> bool(PSensitivity(p=2, k=2).holds(r)), bool(PSensitivity(p=2, k=3).holds(r))
    (True, False)

    References
    ----------
    Truta, Vinay (2006), Privacy protection: p-sensitive k-anonymity property, ICDE Workshops.
    """

    p: int | None = None
    k: int
    columns: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)
        object.__setattr__(self, "columns", check_thresholds("p", self.p, self.columns, _check_threshold))

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """The same of every class."""
        found = column_bounds(release, self.p, self.columns)
        return (
            Demand(least=self.k),
            *(Demand(column=column, kind="distinct", bound=value) for column, value in found.items()),
        )

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst of k and the columns."""
        release = release_of(release)
        verdicts = [KAnonymity(k=self.k).holds(release)]
        for column, required in column_bounds(release, self.p, self.columns).items():
            numbers = release.matches_beside(column).spread(column, "distinct")
            verdicts.append(diversity_verdict("p-sensitivity", release, column, required, numbers))
        return worst_verdict(verdicts)


def _check_threshold(value: object) -> None:
    check_int("p", value, least=1)
