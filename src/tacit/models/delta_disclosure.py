"""δ-disclosure privacy: the share of no value changes by more than a factor 2^δ, in either direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ..errors import TacitError, format_value, suggest_alternative
from ..registry import Tags, describe
from ..release.masked import release_of
from .by_column import bound_verdict, check_thresholds, column_bounds, fail_infinite_classes, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="attribute", kind="model", shown="proven"),
    example={"columns": {"diagnosis": 3.0}, "absent": "ignored"},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DeltaDisclosure(CompactRepr):
    r"""In every class the share of each value is within a factor 2^delta of its share in the file.

    .. math:: \max_C \max_v \Bigl|\log_2 \frac{p_C(v)}{q(v)}\Bigr| \le \delta

    δ is in bits; times ln 2 it is the natural logarithm. A class that lacks a value of the file says that nobody in it
    has that value: by the definition its δ is infinite and the model fails (``absent="infinite"``). ARX looks only at the
    values that a class has (``absent="ignored"``), which can fail for a union of classes that each hold. The definition
    asks for *less than* δ; here, as in all models, a bound that is met exactly holds. O(n) per column after the classes.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> r = Release(table, quasi="zip", confidential="ill")
    >>> bool(DeltaDisclosure(delta=1.0, absent="ignored").holds(r)), bool(DeltaDisclosure(delta=1.0).holds(r))
    (True, False)

    References
    ----------
    Brickell, Shmatikov (2008), The cost of privacy: destruction of data-mining utility in anonymized data publishing, KDD, 70–78.
    """

    delta: float | None = None
    columns: Mapping[str, float] = field(default_factory=dict)
    absent: Literal["infinite", "ignored"] = "infinite"

    def __post_init__(self) -> None:
        if self.absent not in ("infinite", "ignored"):
            raise TacitError(
                f"absent={format_value(self.absent)} is unknown",
                code="unknown_name",
                parameter="absent",
                fix=suggest_alternative(str(self.absent), ("infinite", "ignored")),
            )
        object.__setattr__(self, "columns", check_thresholds("delta", self.delta, self.columns, _check_threshold))

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """The same of every class."""
        extra = float(self.absent == "infinite")
        found = column_bounds(release, self.delta, self.columns)
        return tuple(Demand(column=column, kind="ratio", extra=extra, bound=value) for column, value in found.items())

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst column; ``found`` is over the values present, also where an absent one fails."""
        release = release_of(release)
        verdicts = []
        for column, required in column_bounds(release, self.delta, self.columns).items():
            judged = bound_verdict(
                "delta-disclosure", column, required, release.matches_beside(column).spread(column, "ratio"), most=True
            )
            if self.absent == "infinite":
                numbers = release.matches_beside(column).spread(column, "ratio", 1.0)
                judged = fail_infinite_classes(judged, numbers, "lack a value of the file, which fails for any delta")
            verdicts.append(judged)
        return worst_verdict(verdicts)


def _check_threshold(value: object) -> None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise TacitError(
            f"delta={format_value(value)} is not a number above 0",
            code="wrong_kind",
            parameter="delta",
            fix="e.g. delta=1: no share more than doubles or halves",
        )
