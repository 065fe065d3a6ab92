"""Rounding: numbers and dates replaced by multiples of a base, the nearest or one of the two beside them by lot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Trace
from ..seed import child_seed, draw_rows
from ._bounds import Bounds, at_bounds, check_bounds, checked_bounds
from ._numbers import as_numbers, checked_numeric, from_numbers, masked_dtypes
from ._row_by_row import row_by_row
from ._totals import check_totals, checked_totals, with_totals
from .parameters import column_names, drop_metadata, is_number, seed_of

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


PERIODS = {"week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
"""Bases of dates that are no fixed number of days."""
LEAST = 1e-100
"""So many parts of one can be counted."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="rounding"),
    family="coarser",
    suits={"date": 3},
    example={"columns": ["income"], "base": 1000, "form": "random"},
    use="The last digits of amounts or dates name people, and nobody needs them; random rounding keeps sums.",
    avoid="Single records stand far apart, such as turnovers: the rounded value still names them.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    r"""Round to multiples of ``base``: to the nearest, or up or down at random so that the mean is kept.

    ``base`` is one number or one for each column; dates are counted in days and moments in seconds since 1970, or rounded
    to the first day of a ``"week"``, ``"month"``, ``"quarter"`` or ``"year"``. With :math:`l \le x < u` the multiples
    beside x,

    .. math:: x' = u \text{ with probability } \frac{x - l}{u - l}, \text{ else } l \qquad (\texttt{form="random"})

    so that :math:`E[x'] = x` and :math:`\operatorname{var}(x') = (x - l)(u - x) \le base^2/4`: sums stay unbiased.
    ``form="nearest"`` is deterministic (halves go up) and off by base/2 at most; small numbers all become 0. ``bounds``
    cut off what rounding put beyond them; ``totals`` are computed anew from their parts, so they are sums of multiples.
    Columns keep their type, missing stays missing. Columns that are equal within every household are rounded once.

    Rounding hides little where the base is small beside the distances between records: measure it. It is for microdata;
    tables are rounded so that they stay additive, which is another task. O(n) time per column, row by row, on every engine.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 26.0, 1049.9]}), confidential="pay")
    >>> r.protect(Round(columns="pay", base=50)).to_native()["pay"].to_list()
    [0.0, 50.0, 1050.0]

    References
    ----------
    Willenborg and de Waal (2001), Elements of statistical disclosure control, Lecture Notes in Statistics 155, Springer.
    """

    columns: str | Sequence[str]
    base: float | str | Mapping[str, float | str]
    form: Literal["nearest", "random"] = "nearest"
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        if self.form not in ("nearest", "random"):
            raise TacitError(
                f"cannot be rounded with form={format_value(self.form)}",
                code="unsuitable_column",
                column=columns[0],
                fix="form is 'nearest' or 'random'",
            )
        made = {
            "columns": columns,
            "base": _checked_base(self.base, columns),
            "totals": checked_totals(self.totals, columns),
            "bounds": checked_bounds(self.bounds, columns),
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with rounded values."""
        own = seed_of(self, seed) if self.form == "random" else 0
        columns = check_columns(self.columns, release.columns)
        checked_numeric(release, columns)
        check_totals(release, self.totals)
        check_bounds(release, self.bounds)
        report_progress(progress, "round", 0.0)
        types = masked_dtypes(release, columns)
        make = {}
        for column in columns:
            base = self.base[column] if isinstance(self.base, Mapping) else self.base
            _check_fit(column, base, types[column])
            draw = child_seed(own, column) if self.form == "random" else None
            make[column] = _Rounding(column, base, types[column], self.bounds.get(column, (None, None)), draw)
        rounded = with_totals(row_by_row(release, make, types), self.totals)
        report_progress(progress, "round", 1.0)
        return Masked(
            drop_metadata(rounded, columns, hierarchies=False), (Trace.of(self, **at_bounds(rounded, self.bounds)),)
        )


@dataclass(frozen=True)
class _Rounding:
    """The row kernel of one column; without a seed, to the nearest."""

    column: str
    base: float | str
    dtype: Any
    bounds: tuple[float | str | None, float | str | None]
    seed: bytes | None

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.Series:
        """The rounded values of a batch."""
        given = batch[self.column]
        values = as_numbers(given, start)
        low, high = self._adjacent_multiples(given, values)
        with np.errstate(invalid="ignore", divide="ignore"):  # beyond 2⁵³ bases there is nothing to round
            up = (values - low) / (high - low)
        if self.seed is None:
            chosen = up >= 0.5
        else:
            chosen = draw_rows(self.seed, start, len(values), lambda rng, count: rng.random(count)) < up
        return from_numbers(np.where(chosen, high, low), self.column, self.dtype, self.bounds)

    def _adjacent_multiples(self, given: pl.Series, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The multiples of the base below and above each value."""
        if isinstance(self.base, str):
            below = given.dt.truncate(PERIODS[self.base])
            return as_numbers(below), as_numbers(below.dt.offset_by(PERIODS[self.base]))
        # Of a base such as 0.1 the multiples are 3/10, not 3 · 0.1 = 0.30000000000000004.
        parts = round(1 / self.base)
        if self.base < 1 and 1 / self.base == parts:
            steps = np.floor(values * parts)
            return steps / parts, (steps + 1) / parts
        steps = np.floor(values / self.base)
        return steps * self.base, (steps + 1) * self.base


def _checked_base(given: object, columns: Sequence[str]) -> Any:
    if not isinstance(given, Mapping):
        _check_one(given, columns[0])
        return given
    for column in columns:
        if column not in given:
            raise TacitError(
                "has no base",
                code="missing_parameter",
                column=column,
                fix="name every column in base, or give one for all",
            )
    for column, base in given.items():
        if column not in columns:
            raise TacitError(
                "has a base and is not among the columns",
                code="column_not_chosen",
                column=str(column),
                fix=suggest_alternative(column, columns),
            )
        _check_one(base, column)
    return FrozenDict(given)


def _check_one(base: object, column: str) -> None:
    if not (isinstance(base, str) and base in PERIODS) and not (is_number(base) and base >= LEAST):  # type: ignore[operator]
        raise TacitError(
            f"cannot be rounded to base={format_value(base)}",
            code="unsuitable_column",
            column=column,
            fix=f"give a number above 0, or for dates one of {', '.join(PERIODS)}",
        )


def _check_fit(column: str, base: float | str, dtype: Any) -> None:
    """Whole numbers and days need a whole base, and calendar periods need dates."""
    dated = dtype == pl.Date or isinstance(dtype, pl.Datetime)
    if isinstance(base, str) and not dated:
        raise TacitError(
            f"holds no dates to round to the {base}",
            code="wrong_kind",
            column=column,
            fix="give a number, e.g. base=50",
        )
    if not isinstance(base, str) and (dtype.is_integer() or dtype == pl.Date) and not float(base).is_integer():
        raise TacitError(
            f"holds {'days' if dated else 'whole numbers'}, which have no multiples of {base:g}",
            code="not_whole_number",
            column=column,
            fix="give a whole base",
        )
