"""Trees whose leaves hold the records that new ones are drawn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .coded import Coded, order_of, steady

__all__ = ["donors"]

GROWN_ON = 200_000
"""Of more records so many, drawn at random, grow the tree; all of them are then dealt to its leaves."""
CLASSES = 40
"""A target with more categories is told apart by a few scores instead of one by one."""
SCORES = 6


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
