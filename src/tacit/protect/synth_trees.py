"""Synthetic records by sequential trees: each column drawn from the leaf of a tree on the columns before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..errors import TacitError, names, typed, whole
from ..frozen import FrozenDict
from ..release.masked import Masked
from .bounds import Bounds
from .parameters import column_names
from .synthetic.assembled import synthesised
from .synthetic.chosen import Where
from .synthetic.given import settle
from .synthetic.part import Made, Part
from .synthetic.sequence import in_sequence

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthTrees:
    r"""Make records anew, column by column, each from the leaf of a tree on the columns before it (L-01).

    The joint distribution is taken apart as

    .. math:: p(x_1, \dots, x_p) = p(x_1) \prod_{j > 1} p(x_j \mid x_1, \dots, x_{j-1}).

    The first column is drawn from its own distribution. For every other a classification or regression tree (CART) is
    grown on the original records, with splits as long as both sides keep ``leaf`` records; a new record goes down the
    tree by the values that it has already, and takes the value of a record drawn from the leaf it ends in.

    **leaf** decides protection and has no default: in a leaf of one a new record takes the value of the one original
    record that agrees with it, column after column, and ends up a copy. 5 is usual, more is safer and blurs finer
    relations.

    **What is captured**: what cuts along the columns can tell of a column, given those before it. Nothing is promised of
    other relations. No guarantee is made of any person either: measure copies and membership on the result.

    ``columns``, ``rows``, ``where``, ``totals``, ``bounds`` and ``fewest`` say what is made anew and what must hold
    (:mod:`tacit.protect.synthetic.given`). ``order`` is the order of the columns, that of the table if nothing is
    said, with categories of more than 40 values last; columns that are not named in it follow. ``predictors`` names, for
    some columns, the only ones that they are made from. With ``smooth`` amounts and dates move to anywhere half-way to
    their neighbours in the leaf, so that no exact number comes back (whole numbers and days are rounded, which may bring
    one back); what ``leaf`` records or more share, such as an income of 0, stays. Which values are missing is drawn by
    a tree of its own in a full synthesis, and stays in a partial one. Columns equal within every household are made once
    for the household, and tell of its members; in a full synthesis each member is drawn given the one before.

    Time O(n · log n · columns²), memory O(n · columns); trees are grown on 200 000 records of a larger file.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"sex": list("fm") * 50, "pay": [2000 + 10 * i + 900 * (i % 2) for i in range(100)]})
    >>> m = Release(table, confidential="pay").protect(SynthTrees(leaf=10, rows=1000), seed=7)
    >>> m.release.size, m.trace[0].outcome["captured"].value["predictors"]
    (1000, {'sex': [], 'pay': ['sex']})

    References
    ----------
    Reiter (2005), Using CART to generate partially synthetic public use microdata, Journal of Official Statistics 21,
    441–462. Nowok, Raab and Dibben (2016), synthpop: bespoke creation of synthetic data in R, Journal of Statistical
    Software 74(11). Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees, Wadsworth.
    """

    leaf: int
    columns: str | Sequence[str] | None = None
    rows: int | None = None
    where: Where = field(default_factory=FrozenDict)
    order: str | Sequence[str] | None = None
    predictors: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    smooth: bool = True
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    bounds: Bounds = field(default_factory=FrozenDict)
    fewest: int = 5

    def __post_init__(self) -> None:
        whole("leaf", self.leaf, least=1)
        settle(self)
        if not isinstance(self.smooth, bool):
            raise TacitError(f"smooth={typed(self.smooth)} is neither yes nor no", fix="smooth=True or smooth=False")
        if self.order is not None:
            object.__setattr__(self, "order", column_names(self.order))
        object.__setattr__(self, "predictors", _checked_predictors(self.predictors))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The synthetic release; the outcome has the order of the columns and the predictors of each."""
        for column in (
            *(self.order or ()),
            *self.predictors,
            *(one for each in self.predictors.values() for one in each),
        ):
            names(column, release.columns)
        return synthesised(
            self,
            release,
            self._draw,
            fewest=self.fewest,
            members=max(FEWEST, 4 * self.leaf),
            seed=seed,
            progress=progress,
        )

    def _draw(self, part: Part, rng: np.random.Generator, progress: Progress | None) -> Made:
        return in_sequence(part, self._order(part), self.predictors, self.leaf, self.smooth, rng, progress)

    def _order(self, part: Part) -> tuple[str, ...]:
        """The columns of the part as asked for; the others after them, those with many categories last."""
        asked = [column for column in self.order or () if column in part.targets]
        many = {column: 0 if part.amount(column) else part.learn[column].n_unique() for column in part.targets}
        rest = [column for column in part.targets if column not in asked]
        return (*asked, *sorted(rest, key=lambda column: many[column] if many[column] > MANY else 0))


FEWEST = 100
"""Second, third … members of households have trees of their own if there are so many of them (and four leaves)."""
MANY = 40
"""A column with more categories than this comes last: it tells little of each, and its trees are the slowest."""


def _checked_predictors(given: object) -> FrozenDict[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise TacitError(
            f"predictors={typed(given)} are not given by column", fix="e.g. predictors={'pay': ['age', 'sex']}"
        )
    found = {
        str(column): names(listed if isinstance(listed, str) else tuple(listed)) for column, listed in given.items()
    }
    for column, listed in found.items():
        if column in listed:
            raise TacitError("is among its own predictors", column=column, fix="name other columns")
    return FrozenDict(found)
