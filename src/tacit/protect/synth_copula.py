"""Synthetic records by a normal copula of columns of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError
from ..frozen import FrozenDict
from ..progress import report
from ..release.masked import Masked
from .bounds import Bounds
from .synthetic.assembled import synthesised
from .synthetic.chosen import Where
from .synthetic.copula import by_copula
from .synthetic.given import settle
from .synthetic.part import Made, Part

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


FEWEST = 10
"""Of fewer records no correlation can be estimated."""
MEMBERS = 500
"""Second, third … members of households have correlations of their own if there are so many of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthCopula:
    r"""Make records anew that have the distribution of each column and one correlation of every two (L-01).

    Behind each column j stands a standard normal variable :math:`Z_j`: an amount is its quantile,
    :math:`x = \hat F_j^{-1}(\Phi(Z_j))`, smoothed between the values of the data; an ordered column has as many cuts
    as it has values but one, placed by their shares. Categories without an order are put in the one that tells most of
    the other columns (the first principal component of the means of their scores) and cut likewise. The correlations of
    the variables come from the data, pair by pair: those of normal scores for two amounts, polyserial and polychoric ones
    by moments where columns are cut (Mehler's expansion; in the docstring of
    :func:`tacit.protect.synthetic.copula.correlations`). If they are no correlation matrix together, eigenvalues
    below 0 are cut off, and the trace says by how much an entry moved. New records are normal draws with these
    correlations; in a partial synthesis they are drawn given the columns that stay, whose variables are first drawn where
    the values say that they lie.

    **What is captured**: the distribution of every column, and one number for every two. What is not monotone, holds for
    three columns together, or ties a category to something other than its place in the order, is not promised. Amounts
    lie between those of the data, so that exact numbers do not come back (whole numbers and days are rounded). One
    person's record hardly moves a correlation: in this, the copula is safer than trees, and coarser.

    Which values are missing is one more variable of each column in a full synthesis. ``columns``, ``rows``, ``where``,
    ``totals``, ``bounds`` and ``fewest`` are those of all generators (:mod:`tacit.protect.synthetic.given`). Time
    O(n · columns² · rounds of sampling), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"age": range(100), "pay": [a * a % 70 + 3 * a for a in range(100)], "sex": list("fm") * 50})
    >>> m = Release(table).protect(SynthCopula(rows=2000, fewest=1), seed=7)
    >>> round(table.select(pl.corr("age", "pay")).item(), 1), round(m.native().select(pl.corr("age", "pay")).item(), 1)
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
        settle(self)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The synthetic release; the outcome has the columns whose correlations were kept."""
        return synthesised(self, release, _draw, fewest=self.fewest, members=MEMBERS, seed=seed, progress=progress)


def _draw(part: Part, rng: np.random.Generator, progress: Progress | None) -> Made:
    if part.learn.height < FEWEST:
        raise TacitError(
            f"{part.learn.height} records are too few to estimate correlations",
            fix=f"give {FEWEST} or more, or choose more with where",
        )
    report(progress, "synth_copula", 0.0)
    made = by_copula(part, rng)
    report(progress, "synth_copula", 1.0)
    return made
