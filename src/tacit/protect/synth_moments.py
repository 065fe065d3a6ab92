"""Synthetic numbers whose means and covariances are exactly those of the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ._bounds import Bounds
from ._numbers import as_numbers, checked_numeric, from_numbers
from ._swapping.copula import refuse_determined
from ._synthetic.assembly import synthesise_release
from ._synthetic.encoding import encode_categories
from ._synthetic.params import resolve_targets, settle_params
from ._synthetic.part import MEMBER, SIZE, Part, SyntheticValues, readable_name
from ._synthetic.row_selection import Where
from .parameters import column_names, is_number

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


CATEGORIES = 20
"""Columns with more categories are not among the given unless they are named: each takes a parameter."""

SINGULAR = 1e-10
"""Directions with less than this share of the largest spread are exact linear relations."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), synthetic=True),
    family="synthetic",
    example={"columns": ["income"]},
    use="Regressions and all else that rests on means and covariances must come out exactly, with nobody's amounts.",
    avoid="Shapes of distributions, zeros, whole numbers or relations that are not linear matter.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SynthMoments:
    r"""Make columns of numbers anew with exactly the means and covariances that they had (IPSO).

    Information preserving statistical obfuscation: with Y the ``columns`` and X those that are ``given`` (and a column of
    ones), the regression :math:`Y = X\hat B + R` is all that a normal model can learn of Y. New values are

    .. math:: Y' = X\hat B + E, \qquad X'E = 0, \quad E'E = R'R,

    with E drawn uniformly from all matrices that have these products. Every estimate that rests on means, variances and
    covariances – regressions among all these columns, their standard errors, principal components, factor models – comes
    out as from the original, to rounding; that much is the promise, and the trace has the ``largest_deviation`` (in
    standard deviations and correlations) as measured on the result. Nothing else is kept: the new values are normal, so
    that shapes, zeros, bounds and relations that are not linear are lost.

    ``similarity`` d in [0, 1) mixes in the record's own residual, :math:`Y' = X\hat B + dR + \sqrt{1-d^2}\,E` with E also
    at right angles to R, which keeps the same moments: 0 is IPSO, and the nearer to 1, the nearer are the values to the
    person's own.

    ``given`` are all other columns of numbers and dates and those with at most 20 categories, if nothing is said (a
    category is a 0/1 column; a missing number is the mean, with a 0/1 column of its own). Moments are those of the records
    that have all ``columns``; the others get draws from the fitted law, and missing stays missing. There must be more
    records than columns. Whole numbers and dates come back rounded, ``bounds`` cut off, and moments then hold but for
    that. Columns equal within every household are made once for each, weighted by its people; their relations to columns
    of the people are kept approximately. The other parameters are those of all generators
    (:mod:`tacit.protect._synthetic.params`); a full synthesis needs columns of numbers alone. Linear relations among the
    columns stay. Time O(n · columns²), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": range(20, 80), "pay": [a**2 / 10 for a in range(60)]}), confidential="pay")
    >>> new, old = r.protect(SynthMoments(columns="pay"), seed=7).to_native(), r.to_native()
    >>> round(new["pay"].mean(), 9) == round(old["pay"].mean(), 9), (new["pay"] == old["pay"]).any()
    (True, False)

    References
    ----------
    Burridge (2003), Information preserving statistical obfuscation, Statistics and Computing 13, 321–327. Muralidhar and
    Sarathy (2008), Generating sufficiency-based non-synthetic perturbed data, Transactions on Data Privacy 1, 17–33.
    """

    columns: str | Sequence[str] | None = None
    given: str | Sequence[str] | None = None
    similarity: float = 0.0
    rows: int | None = None
    where: Where = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        settle_params(self)
        if not is_number(self.similarity) or not 0 <= self.similarity < 1:
            raise TacitError(
                f"similarity={format_value(self.similarity)} is no number from 0 to below 1",
                code="wrong_kind",
                parameter="similarity",
                fix="similarity=0 for values that are drawn anew, 0.5 for some of the person's own",
            )
        if self.given is not None:
            object.__setattr__(self, "given", column_names(self.given))
        for column in self.given or ():
            if self.columns is None or column in self.columns:
                raise TacitError(
                    "is given and made anew",
                    code="unsuitable_column",
                    column=column,
                    fix="leave it out of one of the two",
                )
        if self.similarity and self.columns is None and not self.where:
            raise TacitError(
                f"similarity={format_value(self.similarity)} is to a person's own values, and a full synthesis has nobody",
                code="invalid_parameter",
                parameter="similarity",
                fix="name the columns, or leave similarity out",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with new numbers; the outcome has the largest deviation of a mean or covariance."""
        check_columns(self.given, release.columns)
        checked_numeric(release, resolve_targets(self, release).targets)

        def draw(part: Part, rng: np.random.Generator, progress: Progress | None) -> SyntheticValues:
            report_progress(progress, "synth_moments", 0.0)
            made = same_moments(part, self.given, self.similarity, rng)
            report_progress(progress, "synth_moments", 1.0)
            return made

        return synthesise_release(self, release, draw, seed=seed, progress=progress)


def same_moments(
    part: Part, given: Sequence[str] | None, similarity: float, rng: np.random.Generator
) -> SyntheticValues:
    """New values of the targets with the sufficient statistics of the old ones; see :class:`SynthMoments`."""
    by = _explanatory_columns(part, given)
    targets = np.column_stack([as_numbers(part.learn[column]) for column in part.targets])
    middle, unit = _target_scale(part.targets, targets)
    given_old, given_new = _design_matrices(part, by)
    weight_old, weight_new = _household_weights(part)
    lacking = _missing_values(part, targets, rng)
    fit = _Fit.of((targets - middle) / unit, given_old, weight_old, similarity)
    refuse_determined(part.targets, fit.explained_share())
    made = fit.draw_targets(given_new, weight_new, np.asarray(~lacking.any(axis=1)), rng) * unit + middle
    made[lacking] = np.nan
    values = {
        column: from_numbers(made[:, place], column, _target_dtype(part, column))
        for place, column in enumerate(part.targets)
    }
    rounded = np.column_stack([as_numbers(values[column]) for column in part.targets])
    before = _weighted_moments(np.column_stack([(targets - middle) / unit, given_old[:, 1:]]), weight_old)
    after = _weighted_moments(np.column_stack([(rounded - middle) / unit, given_new[:, 1:]]), weight_new)
    captured = {
        "moments": list(part.targets),
        "given": [readable_name(column) for column in by],
        "largest_deviation": float(f"{np.abs(after - before).max():.2g}"),
    }
    return SyntheticValues(values, captured)


@dataclass(frozen=True, eq=False)
class _Fit:
    """The regression of the targets on the given columns, over the records that have all targets."""

    coefficients: np.ndarray
    residuals: np.ndarray
    axes: np.ndarray
    spread: np.ndarray
    similarity: float
    degrees: int
    people: float

    @staticmethod
    def of(targets: np.ndarray, given: np.ndarray, weight: np.ndarray, similarity: float) -> _Fit:
        whole = ~np.isnan(targets).any(axis=1)
        root = np.sqrt(weight[whole])[:, None]
        x, y = given[whole] * root, targets[whole] * root
        coefficients, _, rank, _ = np.linalg.lstsq(x, y, rcond=SINGULAR)
        residuals = y - x @ coefficients
        needed = int(rank) + y.shape[1] * (2 if similarity else 1) + 1
        if len(y) < needed:
            raise TacitError(
                f"{len(y)} records have all of the columns, and {needed} are needed to keep their means and covariances",
                code="too_few_records",
                fix="name fewer columns, or fewer given ones: there must be more records than columns",
            )
        _, spread, axes = np.linalg.svd(residuals, full_matrices=False)
        free = spread > SINGULAR * max(1.0, np.sqrt(len(y)))
        return _Fit(
            coefficients,
            residuals,
            axes[free],
            spread[free],
            similarity,
            len(y) - int(rank),
            float(weight[whole].sum()),
        )

    def explained_share(self) -> np.ndarray:
        """The share of each target, which have variance 1, that the given columns explain."""
        return np.asarray(1 - (self.residuals**2).sum(axis=0) / self.people)

    def draw_targets(
        self, given: np.ndarray, weight: np.ndarray, whole: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """New targets: what the given columns explain, and new residuals, at right angles to them."""
        noise = rng.standard_normal((len(given), len(self.spread)))
        made = noise * self.spread / np.sqrt(self.degrees)  # records that lack a target: a draw from the fitted law
        root = np.sqrt(weight[whole])[:, None]
        x = given[whole] * root
        among = x if not self.similarity else np.column_stack([x, self.residuals])
        needed = among.shape[1] + len(self.spread)
        if len(x) < needed:
            raise TacitError(
                f"{len(x)} new records cannot have these means and covariances: {needed} are needed",
                code="too_few_records",
                fix="ask for more rows, or name fewer columns",
            )
        free = _at_right_angles(noise[whole] * root, among)
        stretched = np.sqrt((weight[whole].sum() - 1) / (self.people - 1))
        made[whole] = free * self.spread * stretched / root
        values: np.ndarray = made @ self.axes
        if self.similarity:
            values *= np.sqrt(1 - self.similarity**2)
            values[whole] += self.similarity * self.residuals / root
        explained: np.ndarray = given @ self.coefficients + values
        return explained


def _at_right_angles(noise: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Orthonormal directions at right angles to some columns, uniform over all such; projected twice for precision."""
    basis, spread, _ = np.linalg.svd(among, full_matrices=False)
    basis = basis[:, spread > SINGULAR * spread[0]]
    for _ in range(2):
        noise = noise - basis @ (basis.T @ noise)
    turned, upper = np.linalg.qr(noise)
    turned = turned - basis @ (basis.T @ turned)
    found: np.ndarray = np.linalg.qr(turned)[0] * np.where(np.diagonal(upper) < 0, -1.0, 1.0)
    return found


def _explanatory_columns(part: Part, named: Sequence[str] | None) -> list[str]:
    """The columns that explain the targets: those named, or the amounts and the columns with few categories."""
    if named is not None:
        return [column for column in part.given if column in named]
    return [
        column
        for column in part.given
        if (part.is_amount_column(column) or part.learn[column].n_unique() <= CATEGORIES)
        and part.learn[column].n_unique() > 1
    ]


def _design_matrices(part: Part, by: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The given columns of old and new records as numbers, after a column of ones."""
    blocks = [
        (_standardised_amounts if part.is_amount_column(column) else _dummy_columns)(
            part.learn[column], part.known[column]
        )
        for column in by
    ]
    old = np.column_stack([np.ones(part.learn.height), *(block[0] for block in blocks)])
    new = np.column_stack([np.ones(part.count), *(block[1] for block in blocks)])
    return old, new


def _standardised_amounts(old: pl.Series, new: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """Standard deviations from the mean; a missing amount is the mean, and has a column that says so."""
    before, after = as_numbers(old), as_numbers(new)
    known = before[~np.isnan(before)]
    centre, unit = known.mean(), known.std() or 1.0
    sides = [np.column_stack([np.nan_to_num((side - centre) / unit), np.isnan(side)]) for side in (before, after)]
    width = 2 if sides[0][:, 1].any() or sides[1][:, 1].any() else 1
    return sides[0][:, :width], sides[1][:, :width]


def _dummy_columns(old: pl.Series, new: pl.Series) -> tuple[np.ndarray, np.ndarray]:
    """A column for each category but the first; missing is one."""
    of = encode_categories(old, new)
    names = np.unique(of.learn)[1:]
    return (of.learn[:, None] == names).astype(float), (of.new[:, None] == names).astype(float)


def _household_weights(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """A household counts as often as it has people, so that the moments are those of people's columns."""
    if SIZE in part.given and MEMBER not in part.given:
        return as_numbers(part.learn[SIZE]), as_numbers(part.known[SIZE])
    return np.ones(part.learn.height), np.ones(part.count)


def _missing_values(part: Part, targets: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which values of the new records are missing: as they were, or in a full synthesis as in a record drawn at random."""
    if part.holes:
        return np.column_stack([part.holes[column] for column in part.targets])
    missing = np.isnan(targets)
    return (
        missing[rng.integers(0, len(missing), part.count)]
        if missing.any()
        else np.zeros((part.count, missing.shape[1]), bool)
    )


def _target_scale(columns: Sequence[str], targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of every target; one without spread has nothing to be drawn."""
    middle, unit = np.nanmean(targets, axis=0), np.nanstd(targets, axis=0)
    for column, spread in zip(columns, unit, strict=True):
        if not spread > 0:
            raise TacitError(
                "has one value only, which would come back",
                code="no_variation",
                column=column,
                fix="leave it out of the columns",
            )
    return middle, unit


def _weighted_moments(columns: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Means and covariances over the records that have all columns, as one matrix."""
    whole = ~np.isnan(columns).any(axis=1)
    some, of = columns[whole], weight[whole]
    mean = of @ some / of.sum()
    away = some - mean
    return np.vstack([mean, (away * of[:, None]).T @ away / (of.sum() - 1)])


def _target_dtype(part: Part, column: str) -> pl.DataType:
    dtype = part.learn.schema[column]
    return pl.Int64() if dtype.is_integer() else dtype
