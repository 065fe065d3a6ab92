"""ℓ-diversity: distinct, entropy (also with Grassberger's estimate) and recursive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import TacitError, check_int, format_value
from ..registry import Tags, describe
from ..release.masked import release_of
from ..risk.l_diversity import Form, checked_form
from .by_column import check_thresholds, column_bounds, diversity_verdict, worst_verdict
from .compact_repr import CompactRepr
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="attribute", kind="model", shown="proven"),
    example={"columns": {"diagnosis": 2}},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LDiversity(CompactRepr):
    r"""Every class has at least ``l`` well represented values of each confidential column; ``columns`` sets l per column.

    .. math:: \min_C \ell(C) \ge \ell

    with the ℓ(C) of :func:`tacit.risk.l_diversity`: ``form="distinct"`` counts the values, ``"entropy"`` asks
    :math:`H(C) \ge \ln \ell`, ``"grassberger"`` the same of an estimate of the entropy that corrects for few records (and
    at least ℓ different values), ``"recursive"`` is (c, ℓ)-diversity and needs ``c``.
    ``c`` bounds the most frequent value: it is less than c times as frequent as the values from the l-th on together.
    The verdict is that of the worst column; columns without a threshold are not judged. O(n) per column after the classes.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1"], "ill": ["flu", "acne"]})
    >>> bool(LDiversity(l=2).holds(Release(table, quasi="zip", confidential="ill")))
    True
    >>> LDiversity(l=2, form="recursive", c=1.0).holds(Release(table, quasi="zip", confidential="ill")).found
    1

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), ℓ-diversity, ACM TKDD 1(1), 3.
    Stammler, Katzenbeisser, Hamacher (2016), Correcting finite sampling issues in entropy ℓ-diversity, PSD, LNCS 9867.
    """

    l: float | None = None  # noqa: E741 - the name that the literature and every user know
    columns: Mapping[str, float] = field(default_factory=dict)
    form: Form = "distinct"
    c: float | None = None

    def __post_init__(self) -> None:
        checked_form(self.form, self.c)
        object.__setattr__(self, "columns", check_thresholds("l", self.l, self.columns, self._check_threshold))

    def _check_threshold(self, value: object) -> None:
        if self.form in ("distinct", "recursive"):
            check_int("l", value, least=1)
        elif not isinstance(value, int | float) or isinstance(value, bool) or not 1 <= value < float("inf"):
            raise TacitError(
                f"l={format_value(value)} is not a number from 1 on",
                code="wrong_kind",
                parameter="l",
                fix="e.g. l=2 or l=2.5",
            )

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """The same of every class."""
        extra = float(self.c or 0.0)
        found = column_bounds(release, self.l, self.columns)
        return tuple(Demand(column=column, kind=self.form, extra=extra, bound=value) for column, value in found.items())

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst column."""
        release = release_of(release)
        name = "l-diversity" if self.form == "distinct" else f"{self.form} l-diversity"
        verdicts = []
        for column, required in column_bounds(release, self.l, self.columns).items():
            numbers = release.matches_beside(column).spread(column, self.form, float(self.c or 0.0))
            verdicts.append(diversity_verdict(name, release, column, required, numbers))
        return worst_verdict(verdicts)
