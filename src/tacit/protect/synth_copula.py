"""Synthetic records by a normal copula of columns of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ._bounds import Bounds
from ._noise.scores import Scale, scale_of
from ._numbers import as_numbers, from_numbers
from ._swapping.copula import conditional_law, nearest_semidefinite, refuse_determined
from ._synthetic.assembly import synthesise_release
from ._synthetic.encoding import encode_categories, order_of
from ._synthetic.params import settle_params
from ._synthetic.part import Part, SyntheticValues, readable_name
from ._synthetic.row_selection import Where

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

FEWEST = 10
"""Of fewer records no correlation can be estimated."""

MEMBERS = 500
"""Second, third … members of households have correlations of their own if there are so many of them."""

TERMS = 60
"""Terms of the series for correlations of cut variables."""

SMOOTH = 0.999
"""A column whose scores have this share of the variance of a normal variable is as good as not cut."""

ROUNDS = 2
"""How often categories are put in order anew, by the scores that the last order gave."""

LARGEST = 0.9999

GRID = np.tanh(np.linspace(-np.arctanh(LARGEST), np.arctanh(LARGEST), 801))

POWERS = GRID[:, None] ** np.arange(1, TERMS + 1)

LEAST = 1e-6
"""The smallest eigenvalue that a matrix of correlations is given."""

SWEEPS = 20
"""Rounds of Gibbs sampling; the variables behind a handful of columns mix within a few."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), synthetic=True),
    family="synthetic",
    example={"columns": ["visits", "education", "sex"]},
    use="Distributions of all columns and how they go together two by two suffice, and copies must be unlikely.",
    avoid="Relations are not monotone, or hold among three columns and more: synth_trees.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SynthCopula:
    r"""Make records anew that have the distribution of each column and one correlation of every two.

    Behind each column j stands a standard normal variable :math:`Z_j`: an amount is its quantile,
    :math:`x = \hat F_j^{-1}(\Phi(Z_j))`, smoothed between the values of the data; an ordered column has as many cuts
    as it has values but one, placed by their shares. Categories without an order are put in the one that tells most of
    the other columns (the first principal component of the means of their scores) and cut likewise. The correlations of
    the variables come from the data, pair by pair: those of normal scores for two amounts, polyserial and polychoric ones
    by moments where columns are cut (Mehler's expansion; in the docstring of
    :func:`tacit.protect._synthetic.copula.correlations`). If they are no correlation matrix together, eigenvalues
    below 0 are cut off, and the trace says by how much an entry moved. New records are normal draws with these
    correlations; in a partial synthesis they are drawn given the columns that stay, whose variables are first drawn where
    the values say that they lie.

    **What is captured**: the distribution of every column, and one number for every two. What is not monotone, holds for
    three columns together, or ties a category to something other than its place in the order, is not promised. Amounts
    lie between those of the data, so that exact numbers do not come back (whole numbers and days are rounded). One
    person's record hardly moves a correlation: in this, the copula is safer than trees, and coarser.

    Which values are missing is one more variable of each column in a full synthesis. ``columns``, ``rows``, ``where``,
    ``totals``, ``bounds`` and ``fewest`` are those of all generators (:mod:`tacit.protect._synthetic.params`). Time
    O(n · columns² · rounds of sampling), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"age": range(100), "pay": [a * a % 70 + 3 * a for a in range(100)], "sex": list("fm") * 50})
    >>> m = Release(table).protect(SynthCopula(rows=2000, fewest=1), seed=7)
    >>> round(table.select(pl.corr("age", "pay")).item(), 1), round(m.to_native().select(pl.corr("age", "pay")).item(), 1)
    (1.0, 1.0)

    References
    ----------
    Nelsen (2006), An introduction to copulas, Springer, 2nd edition. Olsson (1979), Maximum likelihood estimation of the
    polychoric correlation coefficient, Psychometrika 44, 443–460. Kendall (1941), Relations connected with the tetrachoric
    series and its generalization, Biometrika 32, 196–198.
    """

    columns: str | Sequence[str] | None = None
    rows: int | None = None
    where: Where = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)
    fewest: int = 5

    def __post_init__(self) -> None:
        settle_params(self)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The synthetic release; the outcome has the columns whose correlations were kept."""
        return synthesise_release(
            self, release, _draw_part, fewest=self.fewest, members=MEMBERS, seed=seed, progress=progress
        )


def _draw_part(part: Part, rng: np.random.Generator, progress: Progress | None) -> SyntheticValues:
    if part.learn.height < FEWEST:
        raise TacitError(
            f"{part.learn.height} records are too few to estimate correlations",
            code="too_few_records",
            fix=f"give {FEWEST} or more, or choose more with where",
        )
    report_progress(progress, "synth_copula", 0.0)
    made = by_copula(part, rng)
    report_progress(progress, "synth_copula", 1.0)
    return made


@dataclass(frozen=True, eq=False)
class Latent:
    r"""Code k of a column is the stretch :math:`(\tau_k, \tau_{k+1}]` of a standard normal Z; −1 is missing.

    ``score[k]`` is the mean of Z there, and ``terms[j]`` the coefficient :math:`E[s(Z) h_j(Z)]` of the scores on the j-th
    normalised Hermite polynomial, from j = 1 on.
    """

    codes: np.ndarray
    cuts: np.ndarray
    score: np.ndarray
    terms: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """Which records have a value."""
        return self.codes >= 0

    @property
    def scores(self) -> np.ndarray:
        """The score of every record, 0 where missing."""
        return np.where(self.known, np.append(self.score, 0.0)[self.codes], 0.0)

    @property
    def is_smooth(self) -> bool:
        """Whether hardly anything is lost by taking the scores for the variable itself."""
        return float((self.terms**2).sum()) >= SMOOTH

    def shown_by(self, codes: np.ndarray) -> Latent:
        """The same variable in other records, of which these are the codes."""
        return replace(self, codes=codes)

    def codes_of(self, drawn: np.ndarray) -> np.ndarray:
        """The codes of draws of the normal variable."""
        return np.searchsorted(self.cuts[1:-1], drawn, side="left")


def latent_of(codes: np.ndarray, count: int) -> Latent:
    """The cuts of codes 0 … count − 1 in this order, by their shares among the records that have one; O(n + count)."""
    from scipy.special import ndtri

    sizes = np.bincount(codes[codes >= 0], minlength=count).astype(float)
    share = np.concatenate([[0.0], np.cumsum(sizes) / max(sizes.sum(), 1.0)])
    share[-1] = 1.0
    cuts = ndtri(share)
    held = np.diff(share)
    ends = _hermite_terms(cuts)
    # ∫ h_j φ over a stretch is a difference of −h_{j−1} φ/√j at its ends
    parts = -np.diff(ends, axis=1) / np.sqrt(np.arange(1, TERMS + 1))[:, None]
    score = np.divide(parts[0], held, out=np.zeros(count), where=held > 0)
    return Latent(codes, cuts, score, parts @ score)


def _hermite_terms(cuts: np.ndarray) -> np.ndarray:
    r"""Normalised Hermite polynomials times the density, :math:`h_0 φ, h_1 φ, …`, at the cuts; 0 at infinity."""
    finite = np.where(np.isfinite(cuts), cuts, 0.0)
    found = np.zeros((TERMS, len(cuts)))
    found[0] = np.where(np.isfinite(cuts), np.exp(-(finite**2) / 2) / np.sqrt(2 * np.pi), 0.0)
    found[1] = finite * found[0]
    for j in range(2, TERMS):
        found[j] = (finite * found[j - 1] - np.sqrt(j - 1) * found[j - 2]) / np.sqrt(j)
    return found


@dataclass(frozen=True, eq=False)
class _Column:
    """A column by the place of its values: of the records to learn from, and of those to be made if it is given."""

    values: pl.Series
    learn: np.ndarray
    new: np.ndarray
    ordered: bool
    scale: Scale | None = None

    def with_order(self, place: np.ndarray) -> _Column:
        """The same column with its values at other places."""
        moved = [np.where(codes >= 0, place[codes], -1) for codes in (self.learn, self.new)]
        return _Column(self.values.gather(np.argsort(place)), moved[0], moved[1], self.ordered)

    def latent(self) -> Latent:
        """The normal variable behind the column."""
        return latent_of(self.learn, len(self.values))

    def values_at(self, drawn: np.ndarray, latent: Latent) -> pl.Series:
        """The values at draws of the variable; amounts lie between those of the data, and inside their range."""
        if self.scale is None:
            return self.values.gather(latent.codes_of(drawn))
        low, high = self.scale.score[0], self.scale.score[-1]
        inside = np.where(drawn < low, 2 * low - drawn, np.where(drawn > high, 2 * high - drawn, drawn))
        return from_numbers(self.scale.values(np.clip(inside, low, high)), self.values.name, self.values.dtype)


def by_copula(part: Part, rng: np.random.Generator) -> SyntheticValues:
    """New values of the targets by a normal copula; see :class:`SynthCopula`."""
    columns = _in_order({name: _read_column(part, name, rng) for name in (*part.targets, *part.given)})
    latent = {name: one.latent() for name, one in columns.items()}
    lacking = {
        name: latent_of((columns[name].learn < 0).astype(np.int64), 2)
        for name in part.targets
        if name not in part.holes and (columns[name].learn < 0).any()
    }
    of_targets = [*(latent[name] for name in part.targets), *lacking.values()]
    correlation, moved = latent_correlations([*of_targets, *(latent[name] for name in part.given)])
    law = conditional_law(correlation, len(of_targets))
    if part.given:
        refuse_determined(part.targets, law.explained[: len(part.targets)])
    drawn = rng.standard_normal((part.count, len(of_targets))) @ law.root.T
    if part.given:
        there = [latent[name].shown_by(columns[name].new) for name in part.given]
        drawn += draw_latent(there, correlation[len(of_targets) :, len(of_targets) :], rng) @ law.slope
    scores = dict(zip([*part.targets, *(("lacking", name) for name in lacking)], drawn.T, strict=True))
    values = {}
    for name in part.targets:
        gone = (
            lacking[name].codes_of(scores["lacking", name]) == 1
            if name in lacking
            else np.zeros(part.count, dtype=bool)
        )
        values[name] = _with_holes(columns[name], latent[name], scores[name], gone)
    return SyntheticValues(values, _captured_findings(part, list(lacking), moved))


def _with_holes(column: _Column, latent: Latent, drawn: np.ndarray, gone: np.ndarray) -> pl.Series:
    if not len(column.values):
        return column.values.clear(len(drawn))
    made = column.values_at(drawn, latent)
    return pl.select(pl.when(~pl.Series(gone)).then(made)).to_series().alias(column.values.name)


def _captured_findings(part: Part, lacking: Sequence[str], moved: float) -> Mapping[str, object]:
    return {
        "correlations": list(part.targets),
        "given": [readable_name(name) for name in part.given],
        "missing": list(lacking),
        "repaired_by": float(f"{moved:.2g}"),
    }


def _read_column(part: Part, name: str, rng: np.random.Generator) -> _Column:
    learn = part.learn[name]
    new = part.known[name] if name in part.given else learn.clear()
    if not part.is_amount_column(name):
        of = encode_categories(learn, new)
        both = pl.concat([learn, new.cast(learn.dtype)]).drop_nulls().unique().sort()
        return _Column(both, of.learn - 1, of.new - 1, part.kinds[name] == "ordinal")
    numbers = as_numbers(learn)
    known = ~np.isnan(numbers)
    distinct = np.unique(numbers[known])
    scale = None
    if part.kinds[name] != "ordinal" and len(distinct) > 1:
        scale = scale_of(numbers[known], rng.random(int(known.sum())))[1]
    values = from_numbers(distinct, name, learn.dtype)
    return _Column(values, _nearest_values(distinct, numbers), _nearest_values(distinct, as_numbers(new)), True, scale)


def _nearest_values(distinct: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """The place of the value that is nearest to each number, −1 for none."""
    if not len(distinct):
        return np.full(len(numbers), -1)
    right = np.minimum(np.searchsorted(distinct, numbers), len(distinct) - 1)
    left = np.maximum(right - 1, 0)
    place = np.where(numbers - distinct[left] < distinct[right] - numbers, left, right)
    return np.where(np.isnan(numbers), -1, place)


def _in_order(columns: dict[str, _Column]) -> dict[str, _Column]:
    """The columns, those without an order of their own in the one that tells most of the others."""
    scores = {name: one.latent().scores for name, one in columns.items()}
    for _ in range(ROUNDS):
        for name, one in columns.items():
            others = [score for other, score in scores.items() if other != name]
            known = one.learn >= 0
            if one.ordered or not others or not known.any():
                continue
            place = order_of(one.learn[known], len(one.values), np.column_stack(others)[known])
            columns[name] = one.with_order(place)
            scores[name] = columns[name].latent().scores
    return columns


def latent_correlations(columns: Sequence[Latent]) -> tuple[np.ndarray, float]:
    r"""The correlations of the variables behind the columns, and how far one had to be moved to make them a matrix.

    With scores :math:`s_x` and :math:`s_y` of two columns (the means of a normal variable between its cuts), Mehler's
    expansion has

    .. math:: E[s_x s_y] = \sum_{j \ge 1} \rho^j\, a_j b_j, \qquad a_j = E[s_x(Z) h_j(Z)],\; b_j = E[s_y(Z) h_j(Z)],

    which grows with ρ; the ρ at which it equals the mean product in the data is taken. Of two columns that are not cut
    this is the correlation of normal scores, of one cut and one that is not a closed form of the polyserial, and of two
    cut columns a moment estimate of the polychoric correlation. Each pair over the records that have both values; 0 where
    there is none, or a column has one value. O(n · columns²).
    """
    found = np.eye(len(columns))
    scores, known = [one.scores for one in columns], [one.known for one in columns]
    for i, j in combinations(range(len(columns)), 2):
        both = int((known[i] & known[j]).sum())
        curve = POWERS @ (columns[i].terms * columns[j].terms)
        if both < 2 or curve[-1] - curve[0] <= 1e-9:
            continue
        product = float(scores[i] @ scores[j]) / both  # 0 where a value is missing
        found[i, j] = found[j, i] = np.interp(product, np.maximum.accumulate(curve), GRID)
    repaired = nearest_semidefinite(found, least=LEAST)
    return repaired, float(np.abs(repaired - found).max())


def draw_latent(columns: Sequence[Latent], correlation: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A draw of the variables behind the columns, given their values: records × columns.

    A variable that is not cut is known; the others are drawn in turn, each from its normal law given all others, cut
    to the stretch that its value holds (Gibbs sampling; Geweke 1991). Of a missing value all is possible.
    O(sweeps · n · columns²).
    """
    made = np.column_stack([_initial_draws(one, rng) for one in columns])
    open_ = [place for place, one in enumerate(columns) if not (one.is_smooth and one.known.all())]
    if not open_:
        return made
    precision = np.linalg.inv(correlation)
    for _ in range(SWEEPS if len(columns) > 1 else 1):
        for place in open_:
            width = 1 / np.sqrt(precision[place, place])
            mean = made[:, place] - made @ precision[:, place] / precision[place, place]
            low, high = _code_bounds(columns[place])
            drawn = mean + width * _cut_normal((low - mean) / width, (high - mean) / width, rng)
            fixed = columns[place].known & columns[place].is_smooth
            made[:, place] = np.where(fixed, made[:, place], drawn)
    return made


def _initial_draws(one: Latent, rng: np.random.Generator) -> np.ndarray:
    if one.is_smooth:
        return np.where(one.known, one.scores, rng.standard_normal(len(one.codes)))
    return _cut_normal(*_code_bounds(one), rng)


def _code_bounds(one: Latent) -> tuple[np.ndarray, np.ndarray]:
    known, place = one.known, np.maximum(one.codes, 0)
    return np.where(known, one.cuts[place], -np.inf), np.where(known, one.cuts[place + 1], np.inf)


def _cut_normal(low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draws of a standard normal variable between the ends, by its distribution function, on the side with less mass."""
    from scipy.special import ndtr, ndtri

    turned = low > 0  # far out on the right ndtr is 1, so it is done on the left
    first, last = np.where(turned, -high, low), np.where(turned, -low, high)
    share = ndtr(first) + rng.random(len(low)) * (ndtr(last) - ndtr(first))
    found = np.clip(ndtri(np.clip(share, 1e-300, 1 - 1e-16)), first, last)
    drawn: np.ndarray = np.where(turned, -found, found)
    return drawn
