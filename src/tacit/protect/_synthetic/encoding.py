"""Columns as a tree sees them: amounts by the bin they fall in, categories by their code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from .._numbers import as_numbers

DIGITS = 9
"""Digits in which processors agree on a sum, with a margin."""

BINS = 4096
"""Amounts with more values than this are told apart by so many quantiles: trees are grown faster, and hardly differ."""


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column of the records to learn from and of those to be made, as whole numbers; ``count`` of categories, else 0.

    Amounts are numbered in their order, with NaN where missing; categories arbitrarily, missing being one of them.
    """

    learn: np.ndarray
    new: np.ndarray
    count: int = 0


def encode_amounts(learn: pl.Series, new: pl.Series) -> CodedColumn:
    """Amounts by bins, cut at the values of the records to learn from or at their quantiles; O(n log n)."""
    before, after = as_numbers(learn), as_numbers(new)
    edges = np.unique(before[~np.isnan(before)])
    if len(edges) > BINS:
        edges = np.unique(np.quantile(before[~np.isnan(before)], np.linspace(0, 1, BINS), method="nearest"))

    def binned(values: np.ndarray) -> np.ndarray:
        places = np.searchsorted(edges, values, side="right").astype(float)
        places[np.isnan(values)] = np.nan
        return places

    return CodedColumn(binned(before), binned(after))


def encode_categories(learn: pl.Series, new: pl.Series) -> CodedColumn:
    """Categories by the same number in both; missing has a number, too. O(n)."""
    both = pl.concat([learn.alias("both"), new.cast(learn.dtype).alias("both")])
    number = both.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    return CodedColumn(number[: len(learn)], number[len(learn) :], int(number.max(initial=0)) + 1)


def order_of(codes: np.ndarray, count: int, target: np.ndarray, classes: int = 0) -> np.ndarray:
    """A place for each category in the order of what it tells of the target, so that one cut can set apart any of them.

    Of an amount (``classes`` 0) by its mean. Of a target with classes by the first principal component of its shares in
    each category; with two classes this is the share of one, and no other order has a better cut (Breiman et al. 1984,
    §4.2.2 and §9.4); with more it is the usual heuristic (Coppersmith, Hong and Hosking 1999). ``target`` may have
    several amounts side by side. Categories that no record has stand in the middle. O(n + count · classes²).
    """
    counts = np.bincount(codes, minlength=count).astype(float)
    if classes:
        sums = np.bincount(codes * classes + target, minlength=count * classes).reshape(count, classes)
    else:
        wide = target.reshape(len(target), -1)
        sums = np.column_stack([np.bincount(codes, each, minlength=count) for each in wide.T])
    overall = sums.sum(axis=0) / max(counts.sum(), 1.0)
    away = np.where(counts[:, None] > 0, sums / np.maximum(counts, 1.0)[:, None] - overall, 0.0)
    spread = (away * counts[:, None]).T @ away
    score = fix_signs(away @ np.linalg.eigh(spread)[1][:, -1])
    place = np.empty(count, dtype=np.int64)
    place[np.argsort(score, kind="stable")] = np.arange(count)
    return place


def fix_signs(scores: np.ndarray) -> np.ndarray:
    """Scores along principal axes, column by column, the same on every processor.

    An axis has two directions, and libraries take either: the largest score is made positive, the first of those that
    are as large. Scores that differ in their last digits only are made equal, so that these decide no order.

    >>> fix_signs(np.array([0.5, -1.0, 1.0 + 1e-15])).tolist()
    [-0.5, 1.0, -1.0]
    """
    wide = scores.reshape(len(scores), -1)
    largest = np.abs(wide).max(axis=0, initial=0.0).astype(np.float32).astype(float)
    shares = np.round(wide / np.where(largest > 0, largest, 1.0), DIGITS)
    first = np.argmax(np.round(np.abs(shares), DIGITS - 3), axis=0)
    sign = np.where(shares[first, np.arange(shares.shape[1])] < 0, -1.0, 1.0)
    turned: np.ndarray = (shares * sign * largest).reshape(scores.shape)
    return turned
