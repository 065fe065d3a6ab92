"""What few people hold, taken out of the records before a generator learns from them.

A generator shows what it learnt. A category that one person has comes back only if that person was learnt from; the highest pay, or
the edge of the bin that ends at it, is that person's pay. No protection by distribution covers either, so that by default nothing
that fewer than ``fewest`` people (households, where there are any) hold is learnt:

- a rare category joins the other rare ones in ``"other"``, where these are of ``fewest`` people together, and else a common category
  that is drawn by lot;
- amounts and dates are top- and bottom-coded: whoever is among the 2·``fewest`` highest or lowest gets a value by lot, in their order, between
  those that ``fewest`` and twice as many people reach (or the first of them, where as many people have it); a rare level of an ordinal column
  joins the nearest common one;
- in a full synthesis missing values of fewer people get a value of the column by lot.

The parameter is published. Which columns had something rare is not: it depends on single people.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

OTHER = "other"
"""The category of all rare ones together."""
MOSTLY = 0.9
"""Levels of an ordinal column join their neighbours where so many people hold common ones; else its ends are cut off alone."""


@dataclass(frozen=True, slots=True, eq=False)
class RareHandling:
    """The records to learn from, and how many values of each column were coded, for internal eyes."""

    learn: pl.DataFrame
    coded: Mapping[str, int]


def code_rare(
    learn: pl.DataFrame,
    kinds: Mapping[str, str],
    amounts: Collection[str],
    *,
    fewest: int,
    units: np.ndarray,
    full: bool,
    rng: np.random.Generator,
) -> RareHandling:
    """The columns of ``learn`` without what fewer than ``fewest`` of the ``units`` hold; O(n log n · columns)."""
    made, coded = [], {}
    for series in learn.get_columns():
        new = _fill_rare_missing(series, fewest, units, rng) if full else series
        if series.name not in amounts:
            new = _merge_rare(new, fewest, units, rng)
        elif kinds.get(series.name) == "ordinal" and (levels := _merge_rare_levels(new, fewest, units)) is not None:
            new = levels
        else:
            new = _code_extremes(new, fewest, units, rng)
        made.append(new)
        changed = int(new.ne_missing(series).sum())
        if changed:
            coded[series.name] = changed
    return RareHandling(pl.DataFrame(made), coded)


def _count_holders(values: pl.Series, units: np.ndarray) -> tuple[pl.Series, np.ndarray]:
    """The different values, in order, and of how many units each is."""
    counts = (
        pl.DataFrame({"value": values, "unit": units})
        .drop_nulls("value")
        .group_by("value")
        .agg(pl.col("unit").n_unique())
        .sort("value")
    )
    return counts["value"], counts["unit"].to_numpy()


def _fill_rare_missing(series: pl.Series, fewest: int, units: np.ndarray, rng: np.random.Generator) -> pl.Series:
    gone = series.is_null().to_numpy()
    known = np.flatnonzero(~gone)
    if not gone.any() or not len(known) or len(np.unique(units[gone])) >= fewest:
        return series
    place = np.arange(len(series))
    place[gone] = rng.choice(known, int(gone.sum()))
    return series.gather(place)


def _merge_rare(series: pl.Series, fewest: int, units: np.ndarray, rng: np.random.Generator) -> pl.Series:
    values, holders = _count_holders(series, units)
    rare = holders < fewest
    if not rare.any():
        return series
    old = values.filter(pl.Series(rare))
    among = series.is_in(old.implode()).fill_null(value=False).to_numpy()
    if series.dtype == pl.String and len(np.unique(units[among])) >= fewest:
        new = pl.Series([OTHER] * len(old))
    elif rare.all():
        return series
    else:
        common = np.flatnonzero(~rare)
        new = values.gather(rng.choice(common, len(old), p=holders[common] / holders[common].sum()))
    return series.replace(old, new)


def _merge_rare_levels(series: pl.Series, fewest: int, units: np.ndarray) -> pl.Series | None:
    """Rare levels at the nearest common one; None where too few people hold common ones."""
    values, holders = _count_holders(series, units)
    rare = holders < fewest
    if not len(values) or holders[~rare].sum() < MOSTLY * holders.sum():
        return None
    numbers = values.to_physical().cast(pl.Float64).to_numpy()
    common = np.flatnonzero(~rare)
    nearest = common[np.abs(numbers[rare][:, None] - numbers[common][None]).argmin(axis=1)]
    return series.replace(values.filter(pl.Series(rare)), values.gather(nearest))


def _code_extremes(series: pl.Series, fewest: int, units: np.ndarray, rng: np.random.Generator) -> pl.Series:
    """The ends of a column that fewer than ``fewest`` units reach, coded; unchanged where there are too few records to cut."""
    known = np.flatnonzero(series.is_not_null().to_numpy())
    numbers = series.to_physical().cast(pl.Float64).to_numpy()
    order = known[np.argsort(numbers[known], kind="stable")]
    made = numbers.copy()
    for way, sign in ((order, -1), (order[::-1], 1)):
        ends = [_reach_position(units[way], count) for count in (fewest, 2 * fewest)]
        if ends[0] is None or 2 * ends[0] + 2 > len(order):
            return series
        near, inner = (numbers[way[ends[0] if one is None else one]] for one in ends)
        if inner != near and len(np.unique(units[known[numbers[known] == near]])) < fewest:
            own = known[sign * (numbers[known] - inner) > 0]
            drawn = np.sort(near + rng.random(len(own)) * (inner - near))
            made[own[np.argsort(numbers[own], kind="stable")]] = drawn  # the order of all is kept
        else:  # many hold it: it is nobody's own
            made[known[sign * (numbers[known] - near) > 0]] = near
    coded = made != numbers
    changed = pl.Series(series.name, made).fill_nan(None)
    whole = changed if series.dtype.is_float() else changed.round(0).cast(series.to_physical().dtype)
    return (
        pl.select(pl.when(pl.Series(coded & ~np.isnan(made))).then(whole.cast(series.dtype)).otherwise(series))
        .to_series()
        .alias(series.name)
    )


def _reach_position(units: np.ndarray, fewest: int) -> int | None:
    """The place of the record with which so many units have been met; None where there are fewer."""
    first = np.sort(np.unique(units, return_index=True)[1])
    return int(first[fewest - 1]) if len(first) >= fewest else None
