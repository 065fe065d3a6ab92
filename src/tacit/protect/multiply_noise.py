"""Multiplicative noise: every value times a random factor around 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import narwhals as nw
import numpy as np

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.engines.table import few_rows
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import child_seed
from ._bounds import Bounds, at_bounds, check_bounds, checked_bounds
from ._checks import refuse_empty
from ._noise.engine_moments import no_shared_columns
from ._noise.factors import FACTORS, Factors
from ._noise.parts import check_overflow, parts_of, replace_columns
from ._noise.rows import MultiplyNoiseRows
from ._numbers import checked_numeric, masked_dtypes
from ._totals import check_totals, checked_totals, with_totals
from .parameters import column_names, drop_metadata, per_column, seed_of, value_for

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="multiplied_noise"),
    family="noise",
    example={"columns": ["income"], "spread": 0.05},
    use="Skewed amounts of which the large ones need most protection, such as turnovers of firms; signs and zeros stay.",
    avoid="Many values are zero or near it (they hardly move), or the column has no natural zero, like a temperature.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class MultiplyNoise:
    r"""Multiply every value by a random factor with mean 1, so that large values move most.

    .. math:: X' = X \cdot e, \qquad \mathrm{E}(e) = 1, \qquad \mathrm{E}(X'^2) = (1 + \mathrm{Var}(e))\,\mathrm{E}(X^2)

    ``distribution`` is the law of the factor:

    * ``"lognormal"`` (the default, because it keeps signs): :math:`e = \exp(\sigma z - \sigma^2 / 2)` with
      :math:`\sigma^2 = \ln(1 + spread^2)`, of mean exactly 1 and standard deviation exactly ``spread``;
    * ``"normal"``: 1 + spread · z; it can turn a sign, about never for a spread below 0.2;
    * ``"bounded"``: the factor is away from 1 by at least ``least`` and at most ``most``, uniformly in between, upwards
      or downwards alike. No value moves by less than ``least`` of itself, none by more than ``most``; the spread follows:
      :math:`Var(e) = (least^2 + least \cdot most + most^2)/3`.

    Means are kept in expectation. Zeros stay zero, and the outcome counts them: who has nothing is not protected. With
    ``together=True`` a record has one factor for all the columns: ratios and totals of the columns stay exact, and one
    known value gives the others away. Missing values stay missing; whole numbers come back rounded (small ones may come
    back as they were); ``bounds`` cut off. A column that is equal within every household gets one factor for all its members.

    Row by row on any engine, with the same result on each. Time and memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [100.0, 200.0, 0.0]}), confidential="pay")
    >>> m = r.protect(MultiplyNoise(columns="pay", distribution="bounded", least=0.05, most=0.1), seed=7)
    >>> [5 <= abs(new - old) / old * 100 <= 10 if old else new for new, old in zip(m.to_native()["pay"], r.to_native()["pay"])]
    [True, True, 0.0]

    References
    ----------
    Kim and Winkler (2003), Multiplicative noise for masking continuous data, Research Report Series (Statistics 2003-01),
    US Bureau of the Census.
    Evans, Zayatz and Slanta (1998), Using noise for disclosure limitation of establishment tabular data, Journal of
    Official Statistics 14, 537–551.
    """

    columns: str | Sequence[str]
    spread: float | Mapping[str, float] | None = None
    distribution: Literal["lognormal", "normal", "bounded"] = "lognormal"
    least: float | None = None
    most: float | None = None
    together: bool = False
    bounds: Bounds = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        if self.distribution not in tuple(FACTORS):
            raise TacitError(
                f"distribution={format_value(self.distribution)} is unknown",
                code="unknown_name",
                parameter="distribution",
                fix=suggest_alternative(str(self.distribution), FACTORS),
            )
        if self.distribution == "bounded":
            self._check_ends(columns[0])
        else:
            self._check_spread(columns)
        object.__setattr__(self, "bounds", checked_bounds(self.bounds, columns))
        object.__setattr__(self, "totals", checked_totals(self.totals, columns))
        if not isinstance(self.together, bool):
            raise TacitError(
                f"together={format_value(self.together)} is neither true nor false",
                code="not_boolean",
                parameter="together",
                fix="together=True",
            )
        if self.together and isinstance(self.spread, Mapping):
            raise TacitError(
                f"together={format_value(self.together)} with a spread by column: a record has one factor for all of them",
                code="invalid_parameter",
                parameter="together",
                fix="give one spread, or leave together out",
            )

    def _check_ends(self, column: str) -> None:
        if self.least is None or self.most is None:
            raise TacitError(
                "distribution='bounded' lacks least or most",
                code="missing_parameter",
                parameter="distribution",
                fix="e.g. least=0.05, most=0.15",
            )
        for name, end in (("least", self.least), ("most", self.most)):
            per_column(name, end, (column,), lambda share: 0 <= share < 1, f"give shares of the value: {name}=0.1")
        if self.spread is not None or not self.least < self.most:
            raise TacitError(
                "distribution='bounded' takes least below most, and no spread",
                code="invalid_parameter",
                parameter="distribution",
                fix="e.g. least=0.05, most=0.15",
            )

    def _check_spread(self, columns: tuple[str, ...]) -> None:
        if self.least is not None or self.most is not None:
            raise TacitError(
                "least and most are of distribution='bounded'",
                code="invalid_parameter",
                fix="leave them out, or say 'bounded'",
            )
        if self.spread is None:
            raise TacitError(
                f"distribution={self.distribution!r} lacks its spread",
                code="missing_parameter",
                parameter="distribution",
                fix="give the standard deviation of the factor, e.g. spread=0.1, or distribution='bounded' with least and most",
            )
        found = per_column(
            "spread", self.spread, columns, lambda s: 0 < s <= 10, "give the standard deviation of the factor, e.g. 0.1"
        )
        object.__setattr__(self, "spread", found)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with multiplied values; the outcome counts the zeros, which stay."""
        key = seed_of(self, seed)
        columns = check_columns(self.columns, release.columns)
        checked_numeric(release, columns, dates=False)
        check_totals(release, self.totals)
        check_bounds(release, self.bounds)
        refuse_empty(release)
        report_progress(progress, "multiply_noise", 0.0)
        zeros = few_rows(release.scan().select(*((nw.col(name) == 0).cast(nw.Int64).sum() for name in columns)))[0]
        counts = {name: int(count or 0) for name, count in zip(columns, zeros, strict=True)}
        masked = (self._in_memory if release.capabilities.in_memory else self._by_row)(release, columns, key)
        report_progress(progress, "multiply_noise", 1.0)
        masked = with_totals(drop_metadata(masked, columns, hierarchies=False), self.totals)
        found = {"zeros": Finding(counts, publishable=True, counts=True), **at_bounds(masked, self.bounds)}
        return Masked(masked, (Trace.of(self, **found),))

    def _make_factors(self, columns: Sequence[str], seed: int | bytes) -> Factors:
        if self.distribution == "bounded":
            ends = [(float(self.least or 0), float(self.most or 0)) for _ in columns]
        else:
            ends = [(0.0, value_for(self.spread, column)) for column in columns]
        streams = tuple(child_seed(seed, "record" if self.together else column) for column in columns)
        return Factors(self.distribution, streams, tuple(ends))

    def _by_row(self, release: Release, columns: tuple[str, ...], seed: int | bytes) -> Release:
        no_shared_columns(release, columns)
        types = masked_dtypes(release, columns)
        return release.map_batches(
            columns, MultiplyNoiseRows(self._make_factors(columns, seed), types, self.bounds), types
        )

    def _in_memory(self, release: Release, columns: tuple[str, ...], seed: int | bytes) -> Release:
        made: dict[str, np.ndarray] = {}
        for part in parts_of(release, columns, (), seed):
            values = check_overflow(part.columns, part.values(release))
            masked = self._make_factors(part.columns, part.seed).multiply_columns(values, 0)
            made |= {name: part.to_rows(one) for name, one in zip(part.columns, masked, strict=True)}
        return replace_columns(release, made, self.bounds)
