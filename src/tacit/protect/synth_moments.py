"""Synthetic numbers whose means and covariances are exactly those of the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, names, typed
from ..frozen import FrozenDict
from ..progress import report
from ..release.masked import Masked
from .bounds import Bounds
from .numbers import checked_numeric
from .parameters import column_names, number
from .synthetic.assembled import synthesised
from .synthetic.chosen import Where
from .synthetic.given import settle, wanted
from .synthetic.moments import same_moments
from .synthetic.part import Made, Part

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["SynthMoments"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthMoments:
    r"""Make columns of numbers anew with exactly the means and covariances that they had (IPSO, L-01).

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
    (:mod:`tacit.protect.synthetic.given`); a full synthesis needs columns of numbers alone. Linear relations among the
    columns stay. Time O(n · columns²), memory O(n · columns).

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"age": range(20, 80), "pay": [a**2 / 10 for a in range(60)]}), confidential="pay")
    >>> new, old = r.protect(SynthMoments(columns="pay"), seed=7).native(), r.native()
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
        settle(self)
        if not number(self.similarity) or not 0 <= self.similarity < 1:
            raise TacitError(
                f"similarity={typed(self.similarity)} is no number from 0 to below 1",
                fix="similarity=0 for values that are drawn anew, 0.5 for some of the person's own",
            )
        if self.given is not None:
            object.__setattr__(self, "given", column_names(self.given))
        for column in self.given or ():
            if self.columns is None or column in self.columns:
                raise TacitError("is given and made anew", column=column, fix="leave it out of one of the two")
        if self.similarity and self.columns is None and not self.where:
            raise TacitError(
                f"similarity={typed(self.similarity)} is to a person's own values, and a full synthesis has nobody",
                fix="name the columns, or leave similarity out",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with new numbers; the outcome has the largest deviation of a mean or covariance."""
        names(self.given, release.columns)
        checked_numeric(release, wanted(self, release).targets)

        def draw(part: Part, rng: np.random.Generator, progress: Progress | None) -> Made:
            report(progress, "synth_moments", 0.0)
            made = same_moments(part, self.given, self.similarity, rng)
            report(progress, "synth_moments", 1.0)
            return made

        return synthesised(self, release, draw, seed=seed, progress=progress)
