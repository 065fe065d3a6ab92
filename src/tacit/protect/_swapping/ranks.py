"""Values in the order of their ranks, and the laws by which ranks change places."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context
from math import floor
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.kinds import ORDERED

if TYPE_CHECKING:
    from ...release.release import Release


Form = Literal["uniform", "buckets", "distribution"]

ROUNDING = 1e-9
"""So that 0.29 % of 10 000, which comes out as 28.999…, is 29 ranks."""


def checked_ordered(release: Release, column: str) -> None:
    """Refuse a column whose values have no order."""
    if release.kind(column) not in ORDERED:
        raise TacitError(
            f"is {release.kind(column)} and has no ranks",
            code="no_order",
            column=column,
            fix=f"if its values have an order, say kinds={{{column!r}: 'ordinal'}}",
        )


def sortable_values(release: Release, column: str) -> tuple[np.ndarray, np.ndarray]:
    """The column as an array that sorts like its values, and which rows have one; O(n) for numbers and dates."""
    series = release.series(column)
    valid = series.is_not_null().to_numpy()
    if _by_number(series.dtype):
        physical = series.to_physical()
        return (physical if valid.all() else physical.fill_null(0)).to_numpy(), valid
    return release.codes(column).codes, valid


def restore_type(release: Release, column: str, values: np.ndarray) -> pl.Series:
    """What :func:`sortable_values` made of the column, back in its type; what was missing is."""
    series = release.series(column)
    if _by_number(series.dtype):
        made = pl.Series(column, values).cast(series.dtype)
    else:
        codes = release.codes(column)
        made = codes.dictionary.extend_constant(None, 1).gather(values).alias(column).cast(series.dtype)
    if not series.null_count():
        return made
    return made.to_frame().select(pl.when(series.is_not_null()).then(pl.col(column)))[column]


def _by_number(dtype: pl.DataType) -> bool:
    return dtype.is_float() or dtype.is_integer() or dtype.is_temporal()


def order_by_value(values: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The places of the values from the lowest to the highest, ties in random order, and the values so; O(n log n)."""
    from ...kernels.ranks import mix_ties

    order = np.argsort(values)
    ranked = values[order]
    equal = ranked[1:] == ranked[:-1]
    ties = int(np.count_nonzero(equal))
    if ties:
        # The fast sort leaves ties in an order that depends on the processor: the same seed would mix them differently.
        order = np.argsort(values, kind="stable")
        mix_ties(order, equal, rng.random(ties))
    return order, ranked


def ranks_in(percent: float, count: int) -> int:
    """How many ranks a percentage of the values is."""
    return floor(percent * count / 100 + ROUNDING)


def round_up(least: float) -> str:
    """A number to advise: the next one up with three digits, since one that is rounded down would not do.

    >>> round_up(100 / 3), round_up(0.01)
    ('33.4', '0.01')
    """
    return f"{float(Context(prec=3, rounding=ROUND_CEILING).create_decimal(repr(least))):g}"


def rank_extent(form: Form, count: int, percent: float) -> float:
    """What the percentage means in ranks: the reach, the size of a bucket, or the mean (and spread) of the shifts."""
    if form == "distribution":
        return percent * count / 200
    return min(ranks_in(percent, count), count - (form == "uniform"))


def pair_ranks(form: Form, count: int, percent: float, rng: np.random.Generator) -> np.ndarray:
    """With which rank each of ``count`` ranks changes places, by the law that :class:`RankSwap` describes."""
    from ...kernels.ranks import aimed_pairs, bucket_pairs, neighbour_pairs

    if form == "uniform":
        return neighbour_pairs(count, rank_extent(form, count, percent), rng.random(count // 2))  # type: ignore[no-any-return]
    if form == "buckets":
        return bucket_pairs(count, rank_extent(form, count, percent), rng.random(count // 2), rng.random(count // 2))  # type: ignore[no-any-return]
    return aimed_pairs(count, _draw_shifts(count, percent, rng))  # type: ignore[no-any-return]


def _draw_shifts(count: int, percent: float, rng: np.random.Generator) -> np.ndarray:
    """A normal shift for every rank, cut to what its rank can do: from 1 to the ranks above it."""
    from scipy.special import ndtr, ndtri

    middle = rank_extent("distribution", count, percent)
    room = np.arange(count - 1, -1, -1)
    low, high = ndtr((0.5 - middle) / middle), ndtr((room + 0.5 - middle) / middle)
    shifts = middle + middle * ndtri(low + rng.random(count) * (high - low))
    whole: np.ndarray = np.clip(np.rint(shifts), 1, np.maximum(room, 1)).astype(np.int64)
    return whole
