"""The models that a release satisfies or not: k-anonymity, ℓ-diversity, t-closeness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ..errors import TacitError, typed, unknown_column, whole
from ..frozen import FrozenDict
from ..release.masked import release_of
from ..risk.k_anonymity import k_anonymity
from ..risk.l_diversity import l_diversity
from ..risk.t_closeness import t_closeness
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release
    from ..result import Result

__all__ = ["KAnonymity", "LDiversity", "TCloseness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity:
    r"""Every record shares its quasi-identifiers with at least k − 1 others (D-01).

    .. math:: \min_i |\{j : q_j = q_i\}| \ge k

    One grouping of the release, O(n·m).

    >>> import polars as pl
    >>> from tacit import Release
    >>> print(KAnonymity(k=2).holds(Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")))
    k-anonymity  does not hold
    required     2
    found        1
    failing      1 classes with 1 records

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    """

    k: int

    def __post_init__(self) -> None:
        whole("k", self.k, least=1)

    def demands(self, release: Release) -> tuple[Demand, ...]:  # noqa: ARG002 - the same of every release
        """At least k records in every class."""
        return (Demand(least=self.k),)

    def holds(self, release: Release | Masked) -> Verdict:
        """Whether it does; with k above the number of records it cannot."""
        release = release_of(release)
        found = k_anonymity(release).value
        failing = release.matches().size().below(self.k)
        notes = (
            (f"k is above the {release.size} records of the release: no protection can reach it",)
            if self.k > release.size
            else ()
        )
        return Verdict(
            holds=found >= self.k,
            model="k-anonymity",
            required=self.k,
            found=found,
            margin=found - self.k,
            failing_classes=failing.classes,
            failing_records=failing.records,
            notes=notes,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LDiversity:
    r"""Every class has at least l different values of each confidential column (D-03); ``columns`` sets l per column.

    .. math:: \min_C |\{s_j : j \in C\}| \ge \ell

    The verdict is that of the worst column; columns without a threshold are not judged. O(n) per column after the classes.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1"], "ill": ["flu", "acne"]})
    >>> bool(LDiversity(l=2).holds(Release(table, quasi="zip", confidential="ill")))
    True

    References
    ----------
    Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam (2007), ℓ-diversity, ACM TKDD 1(1), 3.
    """

    l: int | None = None  # noqa: E741 - the name that the literature and every user know
    columns: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _by_column(self.columns))
        for value in _thresholds("l", self.l, self.columns):
            whole("l", value, least=1)

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst column."""
        release = release_of(release)
        results = {result.column: result for result in l_diversity(release)}

        def judged(column: str, result: Result, required: float) -> Verdict:
            failing = release.matches().distinct(column).below(required)
            return _verdict("l-diversity", result, required, result.value - required, failing)

        return _worst(results, self.l, self.columns, judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class TCloseness:
    r"""No class is further than t from the whole file in any confidential column (D-04); ``columns`` sets t per column.

    .. math:: \max_C d(p_C, q) \le t

    with the distance of :func:`tacit.risk.t_closeness`. The verdict is that of the worst column. O(n log n) per column.

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
    form: Literal["variational", "ordered"] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", _by_column(self.columns))
        for value in _thresholds("t", self.t, self.columns):
            if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
                raise TacitError(
                    f"t={typed(value)} is not a distance", fix="t lies between 0 (no class differs) and 1 (no bound)"
                )

    def holds(self, release: Release | Masked) -> Verdict:
        """The verdict on the worst column."""
        release = release_of(release)
        results = {result.column: result for result in t_closeness(release, form=self.form)}

        def judged(column: str, result: Result, required: float) -> Verdict:
            form: Any = result.facts["distance"]
            failing = release.matches().distance(column, form).above(required)
            return _verdict("t-closeness", result, required, required - result.value, failing)

        return _worst(results, self.t, self.columns, judged)


def _verdict(model: str, result: Result, required: float, margin: float, failing: Any) -> Verdict:
    return Verdict(
        holds=failing.classes == 0,
        model=model,
        column=result.column,
        required=required,
        found=result.value,
        margin=margin,
        failing_classes=failing.classes,
        failing_records=failing.records,
    )


def _worst(
    results: Mapping[str | None, Result],
    general: float | None,
    columns: Mapping[str, float],
    judged: Callable[[str, Result, float], Verdict],
) -> Verdict:
    known = [column for column in results if column]
    for column in columns:
        if column not in known:
            raise unknown_column(column, known)
    required = {column: columns.get(column, general) for column in known}
    verdicts = [judged(column, results[column], need) for column, need in required.items() if need is not None]
    return min(verdicts, key=lambda verdict: (verdict.holds, verdict.margin))


def _by_column(columns: object) -> FrozenDict[str, float]:
    if not isinstance(columns, Mapping):
        raise TacitError(
            f"thresholds by column are not given as {type(columns).__name__}", fix="e.g. columns={'income': 3}"
        )
    return FrozenDict(columns)


def _thresholds(name: str, general: float | None, columns: Mapping[str, float]) -> list[float]:
    if general is None and not columns:
        raise TacitError(f"no {name} is given", fix=f"give {name}=… or columns={{'column': {name}}}")
    return [*([] if general is None else [general]), *columns.values()]
