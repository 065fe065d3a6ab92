"""Data shuffling: confidential values in a new order that keeps their rank correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._swapping.copula import draw_scores, midranks, refuse_determined
from ._swapping.profiles import checked_names
from ._swapping.ranks import checked_ordered, restore_type, sortable_values
from ._totals import check_totals, checked_totals, with_totals
from ._units import masking_units
from .parameters import column_names, make_rng, strata_names

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from ._units import Units


PER_COLUMN = 20
"""Records with both values that correlations need for each column; with as few as the columns they would be perfect, and give every
value back to its record."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="data_shuffle"),
    family="exchange",
    example={"columns": ["income"], "given": ["visits", "birth"]},
    use="Confidential amounts beside columns that are published as they are: nobody keeps more of them than these tell.",
    avoid="Relations are not monotone, or analysts need columns that are neither shuffled nor given.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DataShuffle:
    r"""Give the values of confidential columns a new order that keeps their rank correlations (data shuffling).

    Values are replaced by ranks and those by normal scores :math:`z = \Phi^{-1}((rank - 1/2)/n)`. The correlations of
    scores follow from the rank correlations as :math:`R = 2 \sin(\pi R_{Spearman}/6)`. With X the ``columns`` and S the
    columns that are ``given`` (published as they are), new scores are drawn from the law of X given S,

    .. math:: Z'_X = R_{XS} R_{SS}^{-1} Z_S + e, \qquad e \sim N(0,\; R_{XX} - R_{XS} R_{SS}^{-1} R_{SX}),

    and the record whose new score has rank i gets the i-th smallest of the ORIGINAL values. Given S, the new values do
    not depend on the record's own: whoever sees them learns no more about it than S tells already.

    Kept exactly: the values of each column. Kept up to sampling error of order :math:`1/\sqrt n`: rank correlations
    among the columns, and between them and ``given``. NOT kept: relations that are not monotone, joint behaviour in the
    tails, relations with columns that are neither shuffled nor given (these become as weak as S explains), ties
    between columns (two equal columns stay alike, not equal). A column that is determined by ``given`` would come
    back as it was and is refused.

    Columns have an order; for nominal columns shuffle within ``strata``, which are treated each on its own. Strata with
    fewer than 20 records for each column (that have the values of any two) are too small for correlations: their values are put in a random order, and
    the trace counts them; the values of strata of one record stay, counted too. An error when that is all of them. A missing value stays missing, a
    missing given value counts as the middle of its column. Singular correlations (a total among its parts) are
    handled: what is not positive is cut off, and the inverse is the pseudo-inverse. Columns that are equal within every
    household are shuffled between households, apart from the others, given the means of the members' scores.

    Time O(n log n · columns + n · columns²), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": range(20, 80), "pay": [a * 100 + a % 7 for a in range(60)]}))
    >>> masked = r.protect(DataShuffle(columns="pay"), seed=7)
    >>> sorted(masked.to_native()["pay"]) == sorted(r.to_native()["pay"])
    True

    References
    ----------
    Muralidhar and Sarathy (2006), Data shuffling: a new masking approach for numerical data, Management Science 52,
    658–670.
    """

    columns: str | Sequence[str]
    given: str | Sequence[str] | None = None
    strata: str | Sequence[str] | None = None
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "given", checked_names("given", self.given) if self.given else None)
        object.__setattr__(self, "strata", strata_names(self.strata or None, columns) or None)
        for column in self.given or ():
            if column in columns or column in (self.strata or ()):
                raise TacitError(
                    "is given and also shuffled or a stratum",
                    code="conflicting_parameters",
                    column=column,
                    fix="leave it out of one of the two",
                )
        object.__setattr__(self, "totals", checked_totals(self.totals, columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with shuffled values; the outcome has the share of each column that ``given`` explains."""
        rng = make_rng(self, seed)
        columns, given = check_columns(self.columns, release.columns), check_columns(self.given, release.columns)
        for column in (*columns, *given):
            checked_ordered(release, column)
        check_totals(release, self.totals)
        changes: dict[str, np.ndarray | pl.Series] = {}
        found: dict[str, dict[str, float]] = {"explained": {}, "at_random": {}, "left_alone": {}}
        parts = masking_units(release, columns, self.strata or ())
        for place, part in enumerate(parts):
            report_progress(progress, "data_shuffle", place / len(parts))
            made = shuffle_columns(release, part, given, rng)
            changes |= {column: restore_type(release, column, values) for column, values in made.values.items()}
            for name, by_column in found.items():
                by_column |= getattr(made, name)
        report_progress(progress, "data_shuffle", 1.0)
        outcome = {name: Finding(by, publishable=True, counts=name != "explained") for name, by in found.items()}
        return Masked(with_totals(release.with_columns(changes), self.totals), (Trace.of(self, **outcome),))


class ShuffledColumns(NamedTuple):
    """New arrays by column, and for each the share explained and the values put in random order or left alone."""

    values: dict[str, np.ndarray]
    explained: dict[str, float]
    at_random: dict[str, int]
    left_alone: dict[str, int]


def shuffle_columns(release: Release, part: Units, given: Sequence[str], rng: np.random.Generator) -> ShuffledColumns:
    """The columns of a part in their new order, stratum by stratum, as :class:`DataShuffle` describes."""
    own = [_of_units(*sortable_values(release, column), part, mean=False) for column in part.columns]
    other = [_of_units(*sortable_values(release, column), part, mean=True) for column in given]
    new = {column: values.copy() for column, (values, _) in zip(part.columns, own, strict=True)}
    at_random, left, weighed = (dict.fromkeys(part.columns, 0) for _ in range(3))
    explained = dict.fromkeys(part.columns, 0.0)
    for members in part.strata():
        mine = [(values[members], valid[members]) for values, valid in own]
        theirs = [(values[members], valid[members]) for values, valid in other]
        scores, shares = _stratum_scores(mine, theirs, part.columns, rng)
        for place, (column, (values, valid)) in enumerate(zip(part.columns, mine, strict=True)):
            known = members[valid]
            new[column][known[np.argsort(scores[valid, place])]] = np.sort(values[valid])
            left[column] += len(known) if len(known) < 2 else 0
            if shares is None:
                at_random[column] += len(known) if len(known) > 1 else 0
            else:
                explained[column] += float(shares[place]) * len(known)
                weighed[column] += len(known)
    for column, (_, valid) in zip(part.columns, own, strict=True):
        _check_shuffled(column, int(valid.sum()), at_random[column] + left[column], left[column], len(own) + len(other))
        explained[column] = round(explained[column] / max(weighed[column], 1), 3)
    return ShuffledColumns({column: values[part.of_row] for column, values in new.items()}, explained, at_random, left)


def _of_units(values: np.ndarray, valid: np.ndarray, part: Units, *, mean: bool) -> tuple[np.ndarray, np.ndarray]:
    """A column by unit: of households the first row, or the mean rank of the members."""
    if not part.by_household:
        return values, valid
    if not mean:
        return values[part.first], valid[part.first]
    count = np.bincount(part.of_row, weights=valid)
    total = np.bincount(part.of_row, weights=np.where(valid, midranks(values, valid), 0.0))
    return total / np.maximum(count, 1), count > 0


def _stratum_scores(
    mine: Sequence[tuple[np.ndarray, np.ndarray]],
    theirs: Sequence[tuple[np.ndarray, np.ndarray]],
    columns: Sequence[str],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray | None]:
    """New scores of a stratum, and the share of each that is explained; None where it is too small for that."""
    both = (*mine, *theirs)
    known = np.column_stack([valid for _, valid in both])
    noise = rng.standard_normal((len(known), len(mine)))
    if len(both) == 1:
        return noise, np.zeros(1)
    if (known.T.astype(float) @ known).min() < PER_COLUMN * len(both):
        return noise, None
    ranks = np.column_stack([midranks(values, valid) for values, valid in both])
    scores, explained = draw_scores(ranks, known, noise)
    refuse_determined(columns, explained)
    return scores, explained


def _check_shuffled(column: str, count: int, lost: int, left: int, wide: int) -> None:
    """Something must have been shuffled, and its correlations kept."""
    if left == count:
        raise TacitError(
            f"has {count} values, no two of them in one stratum",
            code="unsuitable_column",
            column=column,
            fix="use coarser strata, or none",
        )
    if lost == count:
        raise TacitError(
            f"has {count} values, too few for the correlations of {wide} columns",
            code="too_few_records",
            column=column,
            fix=f"name fewer columns or coarser strata: {PER_COLUMN} records are needed for each column",
        )
