"""The moments of columns that stay with their engine: two aggregates, and nothing else comes back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import combinations_with_replacement
from operator import and_
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl

from ...errors import TacitError
from ...release.engines.table import few_rows
from .moments import Frame, Moments, frame_of, none_known, of_sums

if TYPE_CHECKING:
    from ...release.release import Release


def strata_of(release: Release, strata: Sequence[str]) -> pl.DataFrame | None:
    """The strata that the table has, one row each, in a fixed order."""
    if not strata:
        return None
    found: pl.DataFrame = release.scan().select(*strata).unique().collect(backend="polars").to_native()
    return found.sort(list(strata))


def engine_moments(
    release: Release, columns: Sequence[str], strata: pl.DataFrame | None
) -> tuple[list[Moments], Moments]:
    """The moments of each stratum and of all records; O(n · columns²) time on the engine, memory for the strata only."""
    keys = [] if strata is None else strata.columns
    known = reduce(and_, (~nw.col(column).is_null() for column in columns))
    rows = release.scan().filter(known).select(*keys, *(nw.col(column).cast(nw.Float64) for column in columns))
    ends = [nw.col(column).min().alias(f"low {column}") for column in columns]
    ends += [nw.col(column).max().alias(f"high {column}") for column in columns]
    (count, *limits) = few_rows(rows.select(nw.len().alias("rows"), *ends))[0]
    if not count:
        raise none_known(columns)
    low, high = np.array(limits, dtype=float).reshape(2, -1)
    frame = frame_of(columns, int(count), low, high)
    terms = _product_terms(columns, frame)
    parts = rows.with_columns(**terms)
    wanted = [nw.len().alias("rows"), *ends, *(nw.col(name).sum() for name in terms)]
    if strata is None:
        return _moments_from_rows(columns, few_rows(parts.select(*wanted)), frame)
    found: pl.DataFrame = parts.group_by(*keys).agg(*wanted).collect(backend="polars").to_native()
    placed = strata.join(found, on=keys, how="left", nulls_equal=True, maintain_order="left")
    return _moments_from_rows(columns, placed.drop(keys).rows(), frame)


def _product_terms(columns: Sequence[str], frame: Frame) -> dict[str, nw.Expr]:
    """Both exact parts of every product of two columns, and of every column itself."""
    high, low = frame.steps
    placed: list[Any] = [
        (nw.col(column) - float(centre)) * float(scale)
        for column, centre, scale in zip(columns, frame.centre, frame.scale, strict=True)
    ]
    found: dict[str, nw.Expr] = {}
    for i, j in combinations_with_replacement(range(len(columns) + 1), 2):
        if i == len(columns):
            continue
        term = placed[i] if j == len(columns) else placed[i] * placed[j]
        coarse = (term + high) - high
        found[f"{i} {j} coarse"] = coarse
        found[f"{i} {j} fine"] = ((term - coarse) + low) - low
    return found


def _moments_from_rows(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], frame: Frame
) -> tuple[list[Moments], Moments]:
    """A stratum without any known value has nothing but nulls."""
    width = len(frame.centre)
    table = np.array([[0.0 if cell is None else float(cell) for cell in row] for row in rows])
    counts, ends = table[:, 0].astype(int), table[:, 1 : 1 + 2 * width].reshape(len(rows), 2, width)
    sums = table[:, 1 + 2 * width :].reshape(len(rows), -1, 2)
    each = [of_sums(frame, int(n), part, low >= high) for n, part, (low, high) in zip(counts, sums, ends, strict=True)]
    if not all(one.precise for one in each):
        raise TacitError(
            f"a stratum varies in {' or '.join(columns)} by less than a millionth of what all records do",
            code="out_of_range",
            fix="read the table with engine='polars', which takes the variance of such a stratum by itself",
        )
    return each, of_sums(frame, int(counts.sum()), sums.sum(axis=0), frame.reach == 0)


def no_shared_columns(release: Release, columns: Sequence[str]) -> None:
    """Refuse, on an engine, columns that are equal within every household: row by row they would come out different."""
    if release.household is None:
        return
    cells = [nw.col(column).n_unique().alias(column) for column in columns]
    houses = release.scan().filter(~nw.col(release.household).is_null()).group_by(release.household).agg(*cells)
    most = few_rows(houses.select(*(nw.col(column).max() for column in columns)))[0]
    for column, different in zip(columns, most, strict=True):
        if different is not None and different <= 1:
            refused, instead = (
                "cannot stay equal within households",
                "describe the release without its household column",
            )
            raise release.capabilities.unsupported("in_memory", refused, column=column, instead=instead)
