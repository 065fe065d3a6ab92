"""Additive noise: a random amount on every value, in proportion to how much its column varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import FEWEST, Finding, Trace
from ._bounds import Bounds, at_bounds, check_bounds, checked_bounds
from ._checks import refuse_empty
from ._noise.draws import LAWS
from ._noise.engine_moments import engine_moments, no_shared_columns, strata_of
from ._noise.in_memory import on_scores, outlier_widening, restore_moments
from ._noise.moments import group_moments
from ._noise.parts import check_overflow, parts_of, replace_columns
from ._noise.plan import NoiseParams, NoiseSummary, noise_findings, plan_noise
from ._noise.rows import AddNoiseRows
from ._numbers import checked_numeric, masked_dtypes
from ._totals import check_totals, checked_totals, with_totals
from .parameters import column_names, drop_metadata, is_number, per_column, seed_of, strata_names, value_for

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from ._noise.parts import Part


Form = Literal["correlated", "uncorrelated", "transformed", "nonlinear"]
ROUNDED_AWAY = 0.2
"""Normal noise with this standard deviation changes one whole number in eighty."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="added_noise"),
    family="noise",
    suits={"continuous": 3},
    example={"columns": ["income", "visits"], "variance": 0.1},
    use="Amounts are analysed by means, covariances or regressions, and analysts can be told the variance added.",
    avoid="Values must look real one by one, or a few large ones tower above all: multiply_noise, or code the top first.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class AddNoise:
    r"""Add to every value a random amount whose variance is ``variance`` times that of the column.

    .. math:: X' = X + \varepsilon, \qquad \mathrm{Var}(X') = (1 + k)\,\mathrm{Var}(X), \qquad k = variance

    for all columns or by column. ``form`` says how the amounts of one record hang together:

    * ``"correlated"`` (the default, because it keeps correlations at no price): the covariance of the noise is
      :math:`D^{1/2} \Sigma D^{1/2}` with :math:`D` the variances asked for and :math:`\Sigma` the covariance of the data.
      Correlations are kept in expectation. Exact linear relations between columns with the same variance (a total and its
      parts) stay exact, up to the rounding of whole numbers; declare them in ``totals`` to have them kept in any case.
    * ``"uncorrelated"``: each column by itself; correlations are drawn towards 0 by the factor 1/(1 + k).
    * ``"transformed"``: correlated noise, then :math:`\bar x + (X' - \bar x)/\sqrt{1 + k}`: means and covariances are
      kept in expectation, and exactly with ``exact=True``, by one more linear map of the masked records (not in
      strata with fewer than three complete records or a column that does not vary, which it would give back as they
      were: the outcome counts their records).
    * ``"nonlinear"``: correlated noise on the normal scores of the columns, mapped back through their quantiles:
      the margins are approximately kept, and no value leaves the range by much.

    ``distribution`` is the law of the independent draws behind the noise. In ``strata`` means and covariances are those
    of the stratum; one in which a column does not vary uses those of all records (counted in the outcome). With
    ``outliers=3`` records beyond the bulk of the data get more noise, in proportion to how far out they lie and at most
    3 times as wide. Covariances are those of the records that have all the columns. Missing values stay missing; whole
    numbers and dates come back rounded, and noise that rounding would take away again is refused; ``bounds`` cut off
    what comes out below or above, and the outcome counts what lies at them. A column that is equal within every
    household gets the same amount for all its members, drawn apart from the columns of the persons.

    Uncorrelated, correlated and transformed noise on numbers goes row by row on any engine, with the same result on
    each; dates and the rest need the columns in memory. Time O(n · columns²), memory O(n · columns) there.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 4.0, 5.0]}), confidential="pay")
    >>> m = r.protect(AddNoise(columns="pay", variance=0.1), seed=7)
    >>> abs(m.to_native()["pay"] - r.to_native()["pay"]).max() < 3
    True

    References
    ----------
    Kim (1986), A method for limiting disclosure in microdata based on random noise and transformation, Proceedings of the
    Section on Survey Research Methods, American Statistical Association, 303–308.
    Brand (2002), Microdata protection through noise addition, in Inference Control in Statistical Databases, LNCS 2316,
    97–116.
    """

    columns: str | Sequence[str]
    variance: float | Mapping[str, float]
    form: Form = "correlated"
    distribution: Literal["normal", "uniform", "laplace"] = "normal"
    exact: bool = False
    outliers: float | None = None
    strata: str | Sequence[str] | None = None
    bounds: Bounds = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        variance = per_column(
            "variance",
            self.variance,
            columns,
            lambda k: 0 < k <= 1e6,
            "give a share of the column's variance, e.g. 0.1",
        )
        object.__setattr__(self, "variance", variance)
        object.__setattr__(self, "strata", strata_names(self.strata, columns) or None)
        object.__setattr__(self, "bounds", checked_bounds(self.bounds, columns))
        object.__setattr__(self, "totals", checked_totals(self.totals, columns))
        for name, known in (("form", get_args(Form)), ("distribution", tuple(LAWS))):
            given = getattr(self, name)
            if given not in known:
                raise TacitError(
                    f"{name}={format_value(given)} is unknown",
                    code="unknown_name",
                    parameter=name,
                    fix=suggest_alternative(str(given), known),
                )
        self._check_together()

    def _check_together(self) -> None:
        if not isinstance(self.exact, bool) or (self.exact and self.form != "transformed"):
            raise TacitError(
                f"exact={format_value(self.exact)} does not go with form={self.form!r}",
                code="conflicting_parameters",
                parameter="exact",
                fix="exact=True keeps means and covariances exactly with form='transformed'",
            )
        if self.outliers is not None and not (is_number(self.outliers) and 1 < self.outliers <= 1e3):
            raise TacitError(
                f"outliers={format_value(self.outliers)} says not how much wider their noise may be",
                code="too_large",
                parameter="outliers",
                fix="e.g. outliers=3",
            )
        if self.form == "nonlinear" and (self.strata or self.outliers is not None):
            raise TacitError(
                "form='nonlinear' takes neither strata nor outliers",
                code="conflicting_parameters",
                parameter="form",
                fix="leave them out (normal scores have no outliers), or use form='transformed'",
            )
        if self.form == "transformed" and not self.exact and isinstance(self.variance, Mapping):
            raise TacitError(
                "form='transformed' keeps covariances only with one variance for all columns",
                code="invalid_parameter",
                parameter="form",
                fix="give one number, or exact=True",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with noise; the outcome has the covariance of the noise, which corrected estimates need."""
        key = seed_of(self, seed)
        columns = check_columns(self.columns, release.columns)
        check_columns(self.strata, release.columns)
        refuse_empty(release)
        checked_numeric(release, columns)
        check_totals(release, self.totals)
        check_bounds(release, self.bounds)
        report_progress(progress, "add_noise", 0.0)
        separable = self.form != "nonlinear" and not self.exact and self.outliers is None
        timed = any(release.types[column] in ("date", "datetime") for column in columns)
        by_row = separable and not timed and not release.capabilities.in_memory
        masked, found = (self._by_row if by_row else self._in_memory)(release, columns, key)
        report_progress(progress, "add_noise", 1.0)
        masked = with_totals(drop_metadata(masked, columns, hierarchies=False), self.totals)
        return Masked(masked, (Trace.of(self, **found, **at_bounds(masked, self.bounds)),))

    def _noise_params(self, columns: Sequence[str]) -> NoiseParams:
        return NoiseParams(self.form, self.distribution, tuple(value_for(self.variance, column) for column in columns))

    def _by_row(
        self, release: Release, columns: tuple[str, ...], seed: int | bytes
    ) -> tuple[Release, dict[str, Finding]]:
        """Moments by aggregates on the engine, then batch after batch."""
        no_shared_columns(release, columns)
        strata, types = strata_of(release, check_columns(self.strata)), masked_dtypes(release, columns)
        noise, said = plan_noise(
            self._noise_params(columns), columns, lambda part: engine_moments(release, part, strata), seed
        )
        self._check_rounding(release, said)
        read = (*columns, *check_columns(self.strata))
        masked = release.map_batches(read, AddNoiseRows(noise, types, self.bounds, strata), types)
        return masked, noise_findings([said], bool(self.strata))

    def _in_memory(
        self, release: Release, columns: tuple[str, ...], seed: int | bytes
    ) -> tuple[Release, dict[str, Finding]]:
        parts = parts_of(release, columns, check_columns(self.strata), seed)
        made: dict[str, np.ndarray] = {}
        said, more = list[NoiseSummary](), dict[str, Finding]()
        for part in parts:
            masked, known, findings = self._mask_part(part, part.values(release))
            made |= {name: part.to_rows(one) for name, one in zip(part.columns, masked, strict=True)}
            self._check_rounding(release, known)
            said.append(known)
            more = _merge_findings(more, findings)
        shared = [name for part in parts if part.rows is not None for name in part.columns]
        if shared:
            more["by_household"] = Finding(shared, publishable=True)
        return replace_columns(release, made, self.bounds), noise_findings(said, bool(self.strata)) | more

    def _check_rounding(self, release: Release, said: NoiseSummary) -> None:
        """Refuse noise that the rounding of whole numbers or days takes away again."""
        if self.form == "nonlinear":  # on the scale of the scores
            return
        for column, spread in zip(said.columns, np.sqrt(np.diag(said.covariance)), strict=True):
            if release.types[column] in ("integer", "date") and spread < ROUNDED_AWAY:
                raise TacitError(
                    f"comes back rounded, and of noise with a standard deviation below {ROUNDED_AWAY} hardly any is left",
                    code="too_few_records",
                    column=column,
                    fix="give it a larger variance, or exchange its values (rank_swap, pram for codes)",
                )

    def _mask_part(
        self, part: Part, values: list[np.ndarray]
    ) -> tuple[list[np.ndarray], NoiseSummary, dict[str, Finding]]:
        wanted = self._noise_params(part.columns)
        if self.form == "nonlinear":
            return *on_scores(wanted, part.columns, check_overflow(part.columns, values), part.seed), {}
        wide, square = None, 1.0
        more: dict[str, Finding] = {}
        if self.outliers is not None:
            wide = outlier_widening(check_overflow(part.columns, values), part.group, self.outliers)
            square = float((wide**2).mean())
            more["outliers"] = Finding(int((wide > 1).sum()), publishable=True, counts=True)
            by_column = dict.fromkeys(part.columns, square)
            more["mean_square_of_widening"] = Finding(by_column, publishable=len(wide) >= FEWEST)
        noise, said = plan_noise(
            wanted,
            part.columns,
            lambda chosen: group_moments(
                chosen, [values[part.columns.index(name)] for name in chosen], part.group, part.groups
            ),
            part.seed,
            square,
        )
        masked = noise.add_to(values, 0, part.group, widen=wide, reuse=True)
        if self.exact:
            masked, left = restore_moments(masked, values, part.group)
            more["not_exact"] = Finding(left, publishable=True, counts=True)
        return masked, said, more


def _merge_findings(one: Mapping[str, Finding], other: Mapping[str, Finding]) -> dict[str, Finding]:
    """Findings of the columns of persons and of those of households: counts add up, the rest is by column."""

    def both(first: Finding, second: Finding) -> Finding:
        value = first.value + second.value if first.counts else {**first.value, **second.value}
        return Finding(value, publishable=first.publishable and second.publishable, counts=first.counts)

    return {**other, **{name: both(found, other[name]) if name in other else found for name, found in one.items()}}
