"""One column after the other, each given those before it: the steps of sequential synthesis by trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ...errors import TacitError
from ...progress import report
from ..numbers import as_numbers, from_numbers
from .coded import Coded, amounts, categories, order_of, steady
from .part import Made, Part, readable

if TYPE_CHECKING:
    from ...progress import Progress


GROWN_ON = 200_000
"""Of more records so many, drawn at random, grow the tree; all of them are then dealt to its leaves."""

CLASSES = 40
"""A target with more categories is told apart by a few scores instead of one by one."""

SCORES = 6


def in_sequence(
    part: Part,
    order: Sequence[str],
    predictors: Mapping[str, Sequence[str]],
    leaf: int,
    smooth: bool,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Made:
    """New values of the targets in the given order; what is made is told to the columns after it."""
    told = {column: _coded(part, column, part.known[column]) for column in part.given}
    made: dict[str, pl.Series] = {}
    captured: dict[str, list[str]] = {}
    for place, column in enumerate(order):
        report(progress, "synth_trees", place / len(order))
        by = _predictors(column, list(told), predictors)
        made[column] = _column(part, column, [told[name] for name in by], leaf, smooth, rng)
        told[column] = _coded(part, column, made[column])
        captured[readable(column)] = [readable(name) for name in by]
    report(progress, "synth_trees", 1.0)
    return Made(made, {"order": [readable(column) for column in order], "predictors": captured})


def _predictors(column: str, told: Sequence[str], predictors: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The columns that this one is made from: those named for it, which must be there by then, or all that are."""
    for name in predictors.get(column, ()):
        if name not in told:
            raise TacitError(
                f"is to be made from {name!r}, which is not there when it is made",
                column=column,
                fix=f"put {name!r} before it in order, or leave it out (columns of a household are made before its people's)",
            )
    return predictors.get(column, told)


def _coded(part: Part, column: str, new: pl.Series) -> Coded:
    return (amounts if part.amount(column) else categories)(part.learn[column], new)


def _column(
    part: Part, column: str, predictors: Sequence[Coded], leaf: int, smooth: bool, rng: np.random.Generator
) -> pl.Series:
    """New values of one column: first who has none, then the values of the others."""
    values = part.learn[column]
    some = values.is_not_null().to_numpy()
    lacking = part.holes[column] if column in part.holes else _lacking(part, predictors, some, leaf, rng)
    if lacking.all():
        return pl.Series(column, [None] * part.count, dtype=values.dtype)
    if some.sum() < leaf:
        raise TacitError(
            f"has {some.sum()} values to draw from, fewer than leaf={leaf}",
            column=column,
            fix="use a smaller leaf, choose more records, or leave the column out",
        )
    known, wanted = np.flatnonzero(some), np.flatnonzero(~lacking)
    seen = [Coded(one.learn[known], one.new[wanted], one.count) for one in predictors]
    drawn = _values(part, column, values.gather(known), seen, leaf, smooth, len(wanted), rng)
    place = np.zeros(part.count, dtype=np.int64)
    place[wanted] = np.arange(len(wanted)) + 1
    return pl.concat([pl.Series(column, [None], dtype=drawn.dtype), drawn]).gather(place)


def _values(
    part: Part,
    column: str,
    values: pl.Series,
    predictors: Sequence[Coded],
    leaf: int,
    smooth: bool,
    count: int,
    rng: np.random.Generator,
) -> pl.Series:
    """Values for ``count`` records from the leaves of a tree, none missing."""
    if part.amount(column):
        target, classes = as_numbers(values), 0
    else:
        of = categories(values, values)
        target, classes = of.learn - 1, of.count - 1
    if predictors:
        chosen, leaves = donors(predictors, target, classes, leaf, rng)
    else:
        chosen, leaves = rng.integers(0, len(values), count), np.zeros(len(values), dtype=np.int64)
    if smooth and part.kinds[column] in ("continuous", "date"):
        return from_numbers(smoothed(target, leaves, chosen, leaf, rng), column, values.dtype)
    return values.gather(chosen)


def _lacking(
    part: Part, predictors: Sequence[Coded], some: np.ndarray, leaf: int, rng: np.random.Generator
) -> np.ndarray:
    """Which of the new records have no value: drawn as a column of two categories."""
    if some.all():
        return np.zeros(part.count, dtype=bool)
    if not predictors:
        chosen = rng.integers(0, len(some), part.count)
    else:
        chosen, _ = donors(predictors, some.astype(np.int64), 2, leaf, rng)
    lacking: np.ndarray = ~some[chosen]
    return lacking


def smoothed(
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
    down, up = _reach(values, leaves)
    alone = (down == 0) & (up == 0)
    if alone.any():
        wide = _reach(distinct, np.zeros(len(distinct), dtype=np.int64))
        down, up = (np.where(alone, side[of_row], own) for side, own in zip(wide, (down, up), strict=True))
    made = values[drawn] - down[drawn] + rng.random(len(drawn)) * (down + up)[drawn]
    low, high = distinct[0], distinct[-1]
    inside = np.clip(np.where(made < low, 2 * low - made, np.where(made > high, 2 * high - made, made)), low, high)
    kept: np.ndarray = np.where(counts[of_row][drawn] < common, inside, values[drawn])
    return kept


def _reach(values: np.ndarray, leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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


def donors(
    predictors: Sequence[Coded], target: np.ndarray, classes: int, leaf: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """For each new record one of the records learnt from, drawn from those in its leaf; and the leaf of the latter.

    The tree has the usual criterion, least squares of an amount (``classes`` 0) or the Gini index of classes, and splits
    while both sides keep ``leaf`` records. The draw is with replacement, all leaves at once.
    """
    new = len(predictors[0].new)
    if classes > CLASSES:
        target, classes = _scores(predictors, target, classes), 0
    sides = [_sides(one, target, classes) for one in predictors if _varies(one)]
    if not sides or _same(target):
        return rng.integers(0, len(target), new), np.zeros(len(target), dtype=np.int64)
    learn, wanted = (np.column_stack(side).astype(np.float32) for side in zip(*sides, strict=True))
    tree = _grown(learn, target, classes, leaf, rng)
    return _dealt(tree.apply(learn), tree.apply(wanted), rng)


def _sides(one: Coded, target: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """A predictor of both kinds of records as a tree cuts it."""
    if not one.count:
        return one.learn, one.new
    place = order_of(one.learn, one.count, target, classes)
    return place[one.learn], place[one.new]


def _grown(learn: np.ndarray, target: np.ndarray, classes: int, leaf: int, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    tree = kind(min_samples_leaf=leaf, random_state=int(rng.integers(2**31)))
    if len(target) > GROWN_ON:
        some = rng.choice(len(target), GROWN_ON, replace=False)
        learn, target = learn[some], target[some]
    return tree.fit(learn, target)


def _dealt(learn: np.ndarray, new: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A record of the same leaf for each new one."""
    order = np.argsort(learn, kind="stable")
    size = np.bincount(learn)
    start = np.cumsum(size) - size
    return order[start[new] + rng.integers(0, size[new])], learn


def _varies(one: Coded) -> bool:
    return len(one.learn) > 0 and bool((one.learn != one.learn[0]).any())


def _same(target: np.ndarray) -> bool:
    return bool((target == target[0]).all())


def _scores(predictors: Sequence[Coded], target: np.ndarray, classes: int) -> np.ndarray:
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
    scores: np.ndarray = steady(means @ axes[:SCORES].T)[target]
    return scores
