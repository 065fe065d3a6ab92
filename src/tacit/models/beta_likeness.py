"""β-likeness: no value becomes more likely than before by more than a factor 1 + β."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TacitError, format_value
from ..registry import Tags, describe
from ..release.classes.spread import Spread
from ..release.masked import release_of
from ..risk.beta_likeness import Likeness, checked_likeness
from .by_column import bound_verdict, check_thresholds, column_bounds, fail_infinite_classes, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="attribute", kind="model", shown="proven"),
    example={"columns": {"diagnosis": 2.0}},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BetaLikeness(CompactRepr):
    r"""In no class is a value's share above its share in the file by more than beta, relatively.

    .. math:: \frac{p_C(v) - q(v)}{q(v)} \le \beta \quad\text{(basic)}, \qquad
              \frac{p_C(v) - q(v)}{q(v)} \le \min(\beta, -\ln q(v)) \quad\text{(enhanced)}

    Unlike t it bounds what is learnt of rare values too. The enhanced form also keeps frequent values from becoming
    certain. ``columns`` sets beta per column; the verdict is that of the worst. O(n) per column after the classes.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> BetaLikeness(beta=1.0).holds(Release(table, quasi="zip", confidential="ill")).found
    1.0

    References
    ----------
    Cao, Karras (2012), Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 1388–1399.
    """

    beta: float | None = None
    columns: Mapping[str, float] = field(default_factory=dict)
    form: Likeness = "basic"

    def __post_init__(self) -> None:
        checked_likeness(self.form)
        object.__setattr__(self, "columns", check_thresholds("beta", self.beta, self.columns, _check_threshold))

    @property
    def _spread_kind(self) -> Spread:
        return "gain" if self.form == "basic" else "enhanced"

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """The same of every class."""
        found = column_bounds(release, self.beta, self.columns)
        return tuple(Demand(column=column, kind=self._spread_kind, bound=value) for column, value in found.items())

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst column; ``found`` is the largest gain, also where −ln q is what fails."""
        release = release_of(release)
        verdicts = []
        for column, required in column_bounds(release, self.beta, self.columns).items():
            judged = bound_verdict(
                "beta-likeness", column, required, release.matches_beside(column).spread(column, "gain"), most=True
            )
            if self.form == "enhanced":
                numbers = release.matches_beside(column).spread(column, "enhanced")
                judged = fail_infinite_classes(
                    judged, numbers, "have a gain above -ln(share in the file), which fails for any beta"
                )
            verdicts.append(judged)
        return worst_verdict(verdicts)


def _check_threshold(value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise TacitError(
            f"beta={format_value(value)} is not a number above 0",
            code="wrong_kind",
            parameter="beta",
            fix="e.g. beta=1: no share more than doubles",
        )
