"""Synthetic records by sequential trees: each column drawn from the leaf of a tree on the columns before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value
from ..frozen import FrozenDict
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ._bounds import Bounds
from ._numbers import as_numbers, from_numbers
from ._synthetic.assembly import synthesise_release
from ._synthetic.encoding import CodedColumn, encode_amounts, encode_categories, fix_signs, order_of
from ._synthetic.params import settle_params
from ._synthetic.part import Part, SyntheticValues, readable_name
from ._synthetic.row_selection import Where
from .parameters import column_names

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

GROWN_ON = 200_000
"""Of more records so many, drawn at random, grow the tree; all of them are then dealt to its leaves."""

CLASSES = 40
"""A target with more categories is told apart by a few scores instead of one by one."""

SCORES = 6


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), synthetic=True),
    family="synthetic",
    example={"leaf": 5, "columns": ["visits", "diagnosis", "birth"]},
    use="Analysts need records that look real, of any kinds of columns, and relations between them; nobody's records.",
    avoid="A guarantee for every person is needed, or the file is so small that a leaf is most of it.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SynthTrees:
    r"""Make records anew, column by column, each from the leaf of a tree on the columns before it.

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
    (:mod:`tacit.protect._synthetic.params`). ``order`` is the order of the columns, that of the table if nothing is
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
        check_int("leaf", self.leaf, least=1)
        settle_params(self)
        if not isinstance(self.smooth, bool):
            raise TacitError(
                f"smooth={format_value(self.smooth)} is neither yes nor no",
                code="not_boolean",
                parameter="smooth",
                fix="smooth=True or smooth=False",
            )
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
            check_columns(column, release.columns)
        return synthesise_release(
            self,
            release,
            self._draw_part,
            fewest=self.fewest,
            members=max(FEWEST, 4 * self.leaf),
            seed=seed,
            progress=progress,
        )

    def _draw_part(self, part: Part, rng: np.random.Generator, progress: Progress | None) -> SyntheticValues:
        return in_sequence(part, self._column_order(part), self.predictors, self.leaf, self.smooth, rng, progress)

    def _column_order(self, part: Part) -> tuple[str, ...]:
        """The columns of the part as asked for; the others after them, those with many categories last."""
        asked = [column for column in self.order or () if column in part.targets]
        many = {
            column: 0 if part.is_amount_column(column) else part.learn[column].n_unique() for column in part.targets
        }
        rest = [column for column in part.targets if column not in asked]
        return (*asked, *sorted(rest, key=lambda column: many[column] if many[column] > MANY else 0))


FEWEST = 100
"""Second, third … members of households have trees of their own if there are so many of them (and four leaves)."""

MANY = 40
"""A column with more categories than this comes last: it tells little of each, and its trees are the slowest."""


def _checked_predictors(given: object) -> FrozenDict[str, tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise TacitError(
            f"predictors={format_value(given)} are not given by column",
            code="missing_parameter",
            parameter="predictors",
            fix="e.g. predictors={'pay': ['age', 'sex']}",
        )
    found = {
        str(column): check_columns(listed if isinstance(listed, str) else tuple(listed))
        for column, listed in given.items()
    }
    for column, listed in found.items():
        if column in listed:
            raise TacitError(
                "is among its own predictors", code="unsuitable_column", column=column, fix="name other columns"
            )
    return FrozenDict(found)


def in_sequence(
    part: Part,
    order: Sequence[str],
    predictors: Mapping[str, Sequence[str]],
    leaf: int,
    smooth: bool,
    rng: np.random.Generator,
    progress: Progress | None,
) -> SyntheticValues:
    """New values of the targets in the given order; what is made is told to the columns after it."""
    told = {column: _encode_column(part, column, part.known[column]) for column in part.given}
    made: dict[str, pl.Series] = {}
    captured: dict[str, list[str]] = {}
    for place, column in enumerate(order):
        report_progress(progress, "synth_trees", place / len(order))
        by = _predictors_of(column, list(told), predictors)
        made[column] = _draw_column(part, column, [told[name] for name in by], leaf, smooth, rng)
        told[column] = _encode_column(part, column, made[column])
        captured[readable_name(column)] = [readable_name(name) for name in by]
    report_progress(progress, "synth_trees", 1.0)
    return SyntheticValues(made, {"order": [readable_name(column) for column in order], "predictors": captured})


def _predictors_of(column: str, told: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The columns that this one is made from: those named for it, which must be there by then, or all that are."""
    for name in predictors.get(column, ()):
        if name not in told:
            raise TacitError(
                f"is to be made from {name!r}, which is not there when it is made",
                code="wrong_type",
                column=column,
                fix=f"put {name!r} before it in order, or leave it out (columns of a household are made before its people's)",
            )
    return predictors.get(column, told)


def _encode_column(part: Part, column: str, new: pl.Series) -> CodedColumn:
    return (encode_amounts if part.is_amount_column(column) else encode_categories)(part.learn[column], new)


def _draw_column(
    part: Part, column: str, predictors: Sequence[CodedColumn], leaf: int, smooth: bool, rng: np.random.Generator
) -> pl.Series:
    """New values of one column: first who has none, then the values of the others."""
    values = part.learn[column]
    some = values.is_not_null().to_numpy()
    lacking = part.holes[column] if column in part.holes else _draw_missing(part, predictors, some, leaf, rng)
    if lacking.all():
        return pl.Series(column, [None] * part.count, dtype=values.dtype)
    if some.sum() < leaf:
        raise TacitError(
            f"has {some.sum()} values to draw from, fewer than leaf={leaf}",
            code="too_few_records",
            column=column,
            fix="use a smaller leaf, choose more records, or leave the column out",
        )
    known, wanted = np.flatnonzero(some), np.flatnonzero(~lacking)
    seen = [CodedColumn(one.learn[known], one.new[wanted], one.count) for one in predictors]
    drawn = _draw_values(part, column, values.gather(known), seen, leaf, smooth, len(wanted), rng)
    place = np.zeros(part.count, dtype=np.int64)
    place[wanted] = np.arange(len(wanted)) + 1
    return pl.concat([pl.Series(column, [None], dtype=drawn.dtype), drawn]).gather(place)


def _draw_values(
    part: Part,
    column: str,
    values: pl.Series,
    predictors: Sequence[CodedColumn],
    leaf: int,
    smooth: bool,
    count: int,
    rng: np.random.Generator,
) -> pl.Series:
    """Values for ``count`` records from the leaves of a tree, none missing."""
    if part.is_amount_column(column):
        target, classes = as_numbers(values), 0
    else:
        of = encode_categories(values, values)
        target, classes = of.learn - 1, of.count - 1
    if predictors:
        chosen, leaves = draw_donors(predictors, target, classes, leaf, rng)
    else:
        chosen, leaves = rng.integers(0, len(values), count), np.zeros(len(values), dtype=np.int64)
    if smooth and part.kinds[column] in ("continuous", "date"):
        return from_numbers(smooth_amounts(target, leaves, chosen, leaf, rng), column, values.dtype)
    return values.gather(chosen)


def _draw_missing(
    part: Part, predictors: Sequence[CodedColumn], some: np.ndarray, leaf: int, rng: np.random.Generator
) -> np.ndarray:
    """Which of the new records have no value: drawn as a column of two categories."""
    if some.all():
        return np.zeros(part.count, dtype=bool)
    if not predictors:
        chosen = rng.integers(0, len(some), part.count)
    else:
        chosen, _ = draw_donors(predictors, some.astype(np.int64), 2, leaf, rng)
    lacking: np.ndarray = ~some[chosen]
    return lacking


def smooth_amounts(
    values: np.ndarray, leaves: np.ndarray, drawn: np.ndarray, common: int, rng: np.random.Generator
) -> np.ndarray:
    """New amounts for the donors ``drawn``: anywhere up to half-way to the neighbours in their leaf.

    A donor's mass is spread evenly between the midpoints to the next smaller and the next larger amount in its leaf (at
    the ends as far outwards as inwards, reflected at the range of the column): a kernel as wide as the data are thin, by
    which crowded amounts move a little and lone ones far. A donor whose leaf has no other amount takes the neighbours in
    the whole column. An amount that ``common`` records or more share (no income at all, a minimum wage) is no secret
    of one of them, and stays. O(n log n) time.
    """
    distinct, of_row, counts = np.unique(values, return_inverse=True, return_counts=True)
    down, up = _midpoint_distances(values, leaves)
    alone = (down == 0) & (up == 0)
    if alone.any():
        wide = _midpoint_distances(distinct, np.zeros(len(distinct), dtype=np.int64))
        down, up = (np.where(alone, side[of_row], own) for side, own in zip(wide, (down, up), strict=True))
    made = values[drawn] - down[drawn] + rng.random(len(drawn)) * (down + up)[drawn]
    low, high = distinct[0], distinct[-1]
    inside = np.clip(np.where(made < low, 2 * low - made, np.where(made > high, 2 * high - made, made)), low, high)
    kept: np.ndarray = np.where(counts[of_row][drawn] < common, inside, values[drawn])
    return kept


def _midpoint_distances(values: np.ndarray, leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far down and up to the midpoints of each amount and its neighbours in the leaf; 0 where there are none."""
    order = np.lexsort((values, leaves))
    ranked, leaf = values[order], leaves[order]
    other = np.append(True, (np.diff(leaf) != 0) | (np.diff(ranked) != 0))
    place, each = np.cumsum(other) - 1, np.flatnonzero(other)
    half = np.where(np.diff(leaf[each]) == 0, np.diff(ranked[each]) / 2, np.nan)
    down, up = np.append(np.nan, half), np.append(half, np.nan)
    down, up = np.where(np.isnan(down), up, down), np.where(np.isnan(up), down, up)
    found = np.empty((2, len(values)))
    found[:, order] = np.nan_to_num(np.stack([down, up]))[:, place]
    return found[0], found[1]


def draw_donors(
    predictors: Sequence[CodedColumn], target: np.ndarray, classes: int, leaf: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """For each new record one of the records learnt from, drawn from those in its leaf; and the leaf of the latter.

    The tree has the usual criterion, least squares of an amount (``classes`` 0) or the Gini index of classes, and splits
    while both sides keep ``leaf`` records. The draw is with replacement, all leaves at once.
    """
    new = len(predictors[0].new)
    if classes > CLASSES:
        target, classes = _category_scores(predictors, target, classes), 0
    sides = [_encode_predictor(one, target, classes) for one in predictors if _is_varying(one)]
    if not sides or _is_constant(target):
        return rng.integers(0, len(target), new), np.zeros(len(target), dtype=np.int64)
    learn, wanted = (np.column_stack(side).astype(np.float32) for side in zip(*sides, strict=True))
    tree = _fit_tree(learn, target, classes, leaf, rng)
    return _draw_from_leaves(tree.apply(learn), tree.apply(wanted), rng)


def _encode_predictor(one: CodedColumn, target: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """A predictor of both kinds of records as a tree cuts it."""
    if not one.count:
        return one.learn, one.new
    place = order_of(one.learn, one.count, target, classes)
    return place[one.learn], place[one.new]


def _fit_tree(learn: np.ndarray, target: np.ndarray, classes: int, leaf: int, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    tree = kind(min_samples_leaf=leaf, random_state=int(rng.integers(2**31)))
    if len(target) > GROWN_ON:
        some = rng.choice(len(target), GROWN_ON, replace=False)
        learn, target = learn[some], target[some]
    return tree.fit(learn, target)


def _draw_from_leaves(learn: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A record of the same leaf for each new one."""
    order = np.argsort(learn, kind="stable")
    size = np.bincount(learn)
    start = np.cumsum(size) - size
    return order[start[new] + rng.integers(0, size[new])], learn


def _is_varying(one: CodedColumn) -> bool:
    return len(one.learn) > 0 and bool((one.learn != one.learn[0]).any())


def _is_constant(target: np.ndarray) -> bool:
    return bool((target == target[0]).all())


def _category_scores(predictors: Sequence[CodedColumn], target: np.ndarray, classes: int) -> np.ndarray:
    """Amounts in the place of many categories: what the predictors tell of each, by its leading directions.

    The Gini index of a split is the squared distance between the shares of the classes on both sides. Classes in whose
    records the predictors have the same means cannot be told apart by them, so the means of a class, turned to principal
    axes, stand for it; O(n · predictors).
    """
    counts = np.maximum(np.bincount(target, minlength=classes), 1).astype(float)
    parts = []
    for one in predictors:
        rank = np.nan_to_num(one.learn, nan=-1.0)
        if one.count:
            rank = np.bincount(one.learn, minlength=one.count).argsort().argsort()[one.learn].astype(float)
        parts.append((rank - rank.mean()) / (rank.std() or 1.0))
    means = np.column_stack([np.bincount(target, part, minlength=classes) / counts for part in parts])
    _, _, axes = np.linalg.svd(means * np.sqrt(counts)[:, None], full_matrices=False)
    scores: np.ndarray = fix_signs(means @ axes[:SCORES].T)[target]
    return scores
