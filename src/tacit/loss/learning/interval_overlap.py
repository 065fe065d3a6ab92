"""Overlap of confidence intervals: whether an analyst of the masked file comes to the same estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns, format_value
from ...interval import Z
from ...registry import Tags, describe
from ...release.common_level import as_numbers
from ...release.masked import release_of
from ...result import Result, Results
from .two_files import TwoFiles, at_masked_level, coded_alike

if TYPE_CHECKING:
    from ...release.masked import Masked
    from ...release.release import Release

Intervals: TypeAlias = Mapping[str, tuple[float, float]]

INTERCEPT = "intercept"

DEPENDENT = 1e-9
"""A column of which less than this share of its deviation is its own is a combination of the others."""

LEAST_SQUARES_ROUNDING = 1e-13
"""So is one whose own deviation is less than this share of its largest value: it may be rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """Columns of the same records, without gaps, as far as least squares needs them: any of them on any others.

    ``sides`` are the columns, in units of their largest value (``scales``) and less their mean (``middle``), turned so that
    only as many coordinates as columns are not 0: lengths and angles, and so all regressions, stay as they are.
    """

    records: int
    scales: Mapping[str, float]
    middle: Mapping[str, float]
    sides: Mapping[str, np.ndarray]

    @staticmethod
    def of(columns: Mapping[str, np.ndarray]) -> LeastSquares:
        """Summed in the order of the values, so that the order of the rows changes nothing. O(n log n + n · m²).

        >>> LeastSquares.of({"x": np.array([0.0, 1.0]), "y": np.array([0.0, 2.0])}).records
        2
        """
        order = np.lexsort(tuple(columns.values()))
        if not len(order):
            return LeastSquares(
                0, dict.fromkeys(columns, 1.0), dict.fromkeys(columns, 0.0), dict.fromkeys(columns, np.zeros(0))
            )
        scales = {name: float(np.abs(values).max()) or 1.0 for name, values in columns.items()}
        scaled = np.column_stack([values[order] / scales[name] for name, values in columns.items()])
        middle = scaled.mean(axis=0)
        triangle: np.ndarray = np.linalg.qr(scaled - middle, mode="r")  # type: ignore[assignment]
        means = dict(zip(columns, middle.tolist(), strict=True))
        return LeastSquares(len(order), scales, means, dict(zip(columns, triangle.T, strict=True)))

    def independent_terms(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those that are no linear combination of the intercept and the ones before them. O(m³)."""
        kept: list[str] = []
        basis: list[np.ndarray] = []
        for name in names:
            rest = self.sides[name]
            size = float(np.linalg.norm(rest))
            for _ in range(2):  # once more for what rounding left
                for one in basis:
                    rest = rest - one * (one @ rest)
            own = float(np.linalg.norm(rest))
            if own > max(DEPENDENT * size, LEAST_SQUARES_ROUNDING * sqrt(self.records)):
                kept.append(name)
                basis.append(rest / own)
        return tuple(kept)

    def regression(self, outcome: str, terms: Iterable[str]) -> Intervals | None:
        r"""The coefficients of the regression of the outcome on independent terms, with their 95 % intervals. O(m³).

        None where there are no more records than coefficients.

        .. math:: \hat\beta_j \pm t_{n-p}\, s \sqrt{[(X^\top X)^{-1}]_{jj}}

        >>> both = LeastSquares.of({"x": np.array([0.0, 1.0, 2.0, 3.0]), "y": np.array([0.0, 2.0, 2.0, 4.0])})
        >>> low, high = both.regression("y", ["x"])["x"]
        >>> round(low, 3), round(high, 3)
        (-0.017, 2.417)
        """
        from scipy.special import stdtrit

        terms = tuple(terms)
        left = self.records - len(terms) - 1
        if left < 1:
            return None
        wanted = self.sides[outcome]
        design = np.array([self.sides[name] for name in terms]).reshape(len(terms), len(wanted)).T
        unitary, upper = np.linalg.qr(design)
        slopes = np.linalg.solve(upper, unitary.T @ wanted)
        errors = wanted - design @ slopes
        inverse = np.linalg.inv(upper)
        # Back from the centred columns: the intercept is the mean of the outcome less the slopes times the means.
        middle = np.array([self.middle[name] for name in terms])
        found = np.append(self.middle[outcome] - middle @ slopes, slopes)
        lengths = np.append(
            np.hypot(sqrt(1 / self.records), np.linalg.norm(middle @ inverse)), np.linalg.norm(inverse, axis=1)
        )
        reach = float(stdtrit(left, 0.975)) * sqrt(float(errors @ errors) / left) * lengths
        units = [self.scales[outcome] / scale for scale in (1.0, *(self.scales[name] for name in terms))]
        ends = zip((INTERCEPT, *terms), found - reach, found + reach, units, strict=True)
        return {name: (float(low * unit), float(high * unit)) for name, low, high, unit in ends}


NAME = "interval overlap"


ROUNDING = 1e-12
"""An interval shorter than this share of its ends has no length."""

Term: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Its numbers in the masked file and in the original."""

OUTCOME = "\0"
"""Its name beside those of the terms, which no column has."""

MANY = 100
"""A column with more categories than these is no term of a regression."""


class Estimate(NamedTuple):
    """An estimate with its standard error; its 95 % interval is that of the normal distribution."""

    value: float
    error: float


@describe(tags=Tags(about="utility", kind="measure", whose="user"), upto=0)
def interval_overlap(
    release: Release | Masked,
    *,
    original: Release,
    lineage: np.ndarray | None = None,  # noqa: ARG001
    f: Callable[[pl.DataFrame], Mapping[str, tuple[float, float] | Estimate]] | None = None,
    outcome: str | None = None,
    on: str | Iterable[str] | None = None,
) -> Results:
    r"""How far the confidence intervals from the masked file miss those from the original, mean over all coefficients.

    .. math:: 1 - \max(0, IO), \qquad IO = \frac12 \left[
              \frac{\min(u, u') - \max(l, l')}{u - l} + \frac{\min(u, u') - \max(l, l')}{u' - l'} \right]

    0, each interval is that of the original; 1, they have nothing in common (IO, in ``facts``, is then negative:
    the gap in units of their lengths). Your own model is ``f``: it gets a file as a Polars frame and gives name →
    (low, high), or name → :class:`Estimate`. Without it, least squares of the ``outcome`` on the columns ``on``
    (categories as one 0/1 term each but the first, the original's values at the level of a generalised column),
    with t-intervals of 95 % for every coefficient, the intercept included. Without either, every confidential
    amount (else every amount in turn) on the other amounts, less those that are linear combinations of the ones before
    (told in ``facts``).

    Each file is estimated by itself, over its complete records; no records are paired, and ``lineage`` is not
    needed. A coefficient that the masked file does not yield (a column without spread, a category that is gone) is
    lost whole. An interval without length counts as covered (1) or not (0). The result for a coefficient has its
    name as ``column``.

    Utility, measured. O(n log n + n · m²) time for m terms, however many outcomes; or that of ``f``, twice.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r, m = (Release(pl.DataFrame({"pay": pay})) for pay in ([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]))
    >>> def mean(frame):
    ...     return {"mean pay": Estimate(frame["pay"].mean(), frame["pay"].std() / len(frame) ** 0.5)}
    >>> round(interval_overlap(m, original=r, f=mean)["mean pay"].value, 3)
    0.395

    References
    ----------
    Karr, Kohnen, Oganian, Reiter and Sanil (2006), A framework for evaluating the utility of data altered to protect
    confidentiality, The American Statistician 60, 224–232.
    """
    masked, original = release_of(release), release_of(original)
    if f is not None:
        if outcome is not None or on is not None:
            raise TacitError(
                "both f and a regression are given",
                code="conflicting_parameters",
                fix="give f=…, or outcome=… and on=…",
            )
        return _overlap_results(
            _compare_intervals(_call_model(f, original, "original"), _call_model(f, masked, "masked file")), {}
        )
    files = TwoFiles(masked, original, np.arange(masked.size), original.size)
    if (outcome is None) != (on is None):
        raise TacitError(
            "a regression needs an outcome and what explains it",
            code="missing_parameter",
            fix="outcome='pay', on=['age', 'sex']",
        )
    if outcome is not None:
        columns = check_columns(on)
        _check_regression(files, outcome, columns)
        return _overlap_results(_outcome_results(outcome, regress_both(files, outcome, columns)), {})
    found = in_turn(files, *_default_outcomes(files))
    parts = [part for one, each in found.items() for part in _outcome_results(one, each)]
    return _overlap_results(parts, {one: each.left_out for one, each in found.items()})


def overlap_share(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The overlap of two intervals as a share of their lengths, mean of both; negative when they are apart.

    >>> overlap_share((0.0, 2.0), (1.0, 3.0)), overlap_share((0.0, 1.0), (2.0, 3.0)), overlap_share((0.0, 4.0), (1.0, 2.0))
    (0.5, -1.0, 0.625)
    """
    common = min(first[1], second[1]) - max(first[0], second[0])
    lengths = first[1] - first[0], second[1] - second[0]
    least = ROUNDING * max(abs(end) for end in (*first, *second))
    return sum((common / length if length > least else float(common >= -least)) for length in lengths) / 2


def _default_outcomes(files: TwoFiles) -> tuple[list[str], list[str]]:
    """The outcomes, and all amounts."""
    own = (
        files.original_only().amounts()
    )  # of the original alone, so that every masked file of it is measured by the same
    amounts = [column for column in own if column in files.columns() and files.original.distinct(column) > 1]
    if not amounts:
        raise TacitError(
            "no common column holds varying amounts in the original",
            code="no_usable_column",
            fix="give your own model: f=…",
        )
    return [column for column in amounts if column in files.original.confidential] or amounts, amounts


def _outcome_results(outcome: str, found: RegressionPair) -> list[Result]:
    before, after = (
        {f"{outcome}: {term}": ends for term, ends in one.items()} for one in (found.original, found.masked)
    )
    return _compare_intervals(before, after)


def _check_regression(files: TwoFiles, outcome: str, on: tuple[str, ...]) -> None:
    for column in (outcome, *on):
        for release in (files.original, files.masked):
            check_columns(column, release.columns)
    if outcome in on:
        raise TacitError("cannot explain itself", code="unsuitable_column", column=outcome, fix="leave it out of on=…")
    if outcome not in files.amounts():
        raise TacitError(
            "holds no amounts in one of the files", code="wrong_kind", column=outcome, fix="give your own model: f=…"
        )


def _compare_intervals(before: Intervals, after: Intervals) -> list[Result]:
    return [_interval_result(name, ends, after.get(name)) for name, ends in before.items()]


def _interval_result(name: str, before: tuple[float, float], after: tuple[float, float] | None) -> Result:
    facts: dict[str, object] = {"interval of the original": before}
    value = 1.0
    if after is None:
        facts["the masked file determines it"] = False
    else:
        shared = overlap_share(before, after)
        facts |= {"interval of the masked file": after, "overlap": shared}
        value = 1.0 - max(0.0, shared)
    return Result(name=NAME, column=name, value=value, worse="high", about="utility", facts=facts)


def _overlap_results(parts: list[Result], left_out: Mapping[str, tuple[str, ...]]) -> Results:
    mean = sum(part.value for part in parts) / len(parts)
    facts: dict[str, object] = {"coefficients": len(parts)}
    facts |= {f"left out of {outcome}": list(terms) for outcome, terms in left_out.items() if terms}
    return Results((Result(name=NAME, value=mean, worse="high", about="utility", facts=facts), *parts))


def _call_model(f: Callable[[pl.DataFrame], Any], release: Release, which: str) -> Intervals:
    """What the user's model says of a file; its errors in our words, because theirs may quote cells."""
    frame = pl.DataFrame([release.series(column).alias(column) for column in release.columns])
    try:
        given = f(frame)
    except Exception as problem:
        raise TacitError(
            f"f fails on the {which} ({type(problem).__name__})",
            code="not_applicable",
            fix="try it on the frame itself",
        ) from None
    if not isinstance(given, Mapping) or not given:
        raise TacitError(
            f"f gives {format_value(given)} for the {which}",
            code="not_applicable",
            fix="return {'name': (low, high)} or {'name': Estimate(…)}",
        )
    return {str(name): _check_interval(str(name), one, which) for name, one in given.items()}


def _check_interval(name: str, given: Any, which: str) -> tuple[float, float]:
    try:
        first, second = (float(end) for end in given)
    except (TypeError, ValueError):
        first = second = float("nan")
    if isinstance(given, Estimate):
        first, second = first - Z * second, first + Z * second
    if not (isfinite(first) and isfinite(second) and first <= second):
        raise TacitError(
            f"f gives no interval named {name!r} for the {which}",
            code="out_of_range",
            fix="return (low, high) with low ≤ high, or Estimate(value, error), both finite",
        )
    return first, second


@dataclass(frozen=True, slots=True)
class RegressionPair:
    """The intervals from both files by coefficient, and the terms that are combinations of others in the original."""

    original: Intervals
    masked: Intervals
    left_out: tuple[str, ...]


def regress_both(files: TwoFiles, outcome: str, on: Iterable[str]) -> RegressionPair:
    """The regression in both files; refuses terms that are combinations of others in the original.

    Terms are amounts and dates as they are, of all else 0 or 1 for each category but the first, the original's at the
    level of the masked file. A coefficient that the masked file does not determine is not in its intervals.
    """
    terms = {column: _regression_terms(files, column) for column in on}
    columns = {term: column for column in on for term in terms[column]}
    sides = []
    for place, release in enumerate((files.masked, files.original)):
        known = {term: pair[place] for each in terms.values() for term, pair in each.items()}
        sides.append(_complete_records({**known, OUTCOME: as_numbers(release.series(outcome), outcome)}))
    found = _compared_design(sides[0], sides[1], OUTCOME, columns)
    if found.left_out:
        raise TacitError(
            "does not vary in the complete records, or is a linear combination of the other terms, in the original",
            code="no_variation",
            column=columns[found.left_out[0]],
            fix="leave it out of on=…",
        )
    return found


def in_turn(files: TwoFiles, outcomes: Iterable[str], columns: Sequence[str]) -> dict[str, RegressionPair]:
    """Each outcome on the other columns, all of them amounts in the original; what the masked file has labels of is lost.

    The complete records are the same for all, so that the files are gone through once. O(n log n + n · m²) time.
    """
    amounts = files.amounts()
    masked, original = (
        _complete_records({column: as_numbers(release.series(column), column) for column in shown})
        for release, shown in ((files.masked, [c for c in columns if c in amounts]), (files.original, columns))
    )
    return {
        outcome: _compared_design(masked, original, outcome, [column for column in columns if column != outcome])
        for outcome in outcomes
    }


def _complete_records(columns: Mapping[str, np.ndarray]) -> LeastSquares:
    """The records that have all columns."""
    known = ~np.logical_or.reduce([np.isnan(values) for values in columns.values()]) if columns else slice(0)
    return LeastSquares.of({name: values[known] for name, values in columns.items()})


def _compared_design(
    masked: LeastSquares, original: LeastSquares, outcome: str, terms: Iterable[str]
) -> RegressionPair:
    kept = original.independent_terms(terms)
    before = original.regression(outcome, kept)
    if before is None:
        raise TacitError(
            f"the original has {original.records:,} complete records for {len(kept) + 1} coefficients",
            code="not_applicable",
            fix="explain the outcome by fewer columns, or fill their gaps",
        )
    after = None
    if outcome in masked.sides:  # labels are no outcome
        after = masked.regression(outcome, masked.independent_terms(term for term in kept if term in masked.sides))
    return RegressionPair(before, after or {}, tuple(term for term in terms if term not in kept))


def _regression_terms(files: TwoFiles, column: str) -> dict[str, Term]:
    theirs, mine = at_masked_level(files, column)
    dates = theirs.dtype.is_temporal() and mine.dtype.is_temporal()
    if dates or (column in files.amounts() and theirs.dtype.is_numeric() and mine.dtype.is_numeric()):
        return {column: (as_numbers(theirs, column), as_numbers(mine, column))}
    masked, original = coded_alike(theirs, mine)
    present, rows = np.unique(original, return_index=True)
    rows = rows[present >= 0]
    if len(rows) > MANY:
        raise TacitError(
            f"has {len(rows):,} categories, too many for a regression",
            code="too_large",
            column=column,
            fix="leave it out, or recode it",
        )
    found: dict[str, Term] = {}
    for row in rows[1:]:
        pair = [np.where(side < 0, np.nan, (side == original[row]).astype(float)) for side in (masked, original)]
        found[f"{column}={mine[int(row)]}"] = (pair[0], pair[1])
    return found
