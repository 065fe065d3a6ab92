"""What a released label stands for: the values of the domain that it covers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ...errors import TacitError
from .base import TOP, Hierarchy
from .nodes import label_values

INTERVAL = r"^\[(.+), (.+)\]$"
SET = r"^\{(.+)\}$"


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Label i of ``labels`` covers the values ``domain[places[begin[i]:end[i]]]``; the slices may overlap."""

    labels: pl.Series
    domain: pl.Series
    begin: np.ndarray
    end: np.ndarray
    places: np.ndarray

    @property
    def sizes(self) -> np.ndarray:
        """How many values of the domain each label covers."""
        found: np.ndarray = self.end - self.begin
        return found

    def totals(self, weights: np.ndarray) -> np.ndarray:
        """For each label the sum of weights, one per value of the domain, over the values that it covers."""
        summed = np.concatenate([[0.0], np.cumsum(weights[self.places])])
        found: np.ndarray = summed[self.end] - summed[self.begin]
        return found

    def of(self, label: str) -> pl.Series:
        """The values that a label covers."""
        place = self.labels.to_list().index(label)
        return self.domain.gather(self.places[self.begin[place] : self.end[place]])


def domain_of(hierarchy: Hierarchy | None, present: pl.Series) -> pl.Series:
    """The values over which losses are counted, as values of the column's own type, in order.

    Those of the hierarchy's file and those present in the data. A row of the file that is no value of the column's type
    stays in it as missing, at the end, because it counts.
    """
    known = present.drop_nulls().rename("value")
    if hierarchy is None:
        return known.unique().sort()
    listed = hierarchy.domain(present).rename("value")
    if listed.dtype != known.dtype:
        listed = _parse_texts(listed.cast(pl.String), known.dtype)
    values = pl.concat([listed.drop_nulls(), known]).unique().sort()
    odd = pl.Series("value", [None] * listed.null_count(), dtype=known.dtype)
    return pl.concat([values, odd]) if len(odd) else values


def _parse_texts(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Texts of a hierarchy's file as values; missing where they are none."""
    if dtype == pl.Boolean:
        return texts == "true"
    if dtype == pl.Date:
        return texts.str.to_date(strict=False)
    if isinstance(dtype, pl.Datetime):
        return texts.str.to_datetime(strict=False, time_unit=dtype.time_unit, time_zone=dtype.time_zone)
    return texts.cast(dtype, strict=False)


def label_cover(
    hierarchy: Hierarchy | None, column: str, shown: pl.Series, domain: pl.Series, *, partial: bool = False
) -> Cover:
    """For each different label of a locally recoded column the values of the domain (see :func:`domain_of`) it covers.

    A label is a value as it is written, a label of any level of the hierarchy, ``*``, a closed interval ``[17, 23]``
    between two values with an order, or a set ``{a, b}`` of values; it is read in this order. A text that the hierarchy
    uses at two levels for different values cannot be read, and is refused; so is a text that is none of these, unless
    the domain is ``partial``, as that of somebody who knows some of the values: then a label may cover none of them.
    O((labels + height · domain) log domain) time; memory besides O(height · domain + members of sets), because
    intervals are slices of the domain.

    >>> import polars as pl
    >>> found = label_cover(None, "age", pl.Series(["7", "[7, 9]", "*"]), pl.Series([3, 7, 8, 9]))
    >>> found.labels.to_list(), found.sizes.tolist(), found.of("[7, 9]").to_list()
    (['*', '7', '[7, 9]'], [4, 1, 3], [7, 8, 9])
    """
    labels = shown.drop_nulls().cast(pl.String).unique().sort().alias("label")
    known, places = _known_labels(hierarchy, column, domain)
    found = labels.to_frame().join(known, on="label", how="left", maintain_order="left")
    if found.height > len(labels):
        raise TacitError(
            "has a hierarchy that uses the same text at two levels for different values",
            code="unsuitable_column",
            column=column,
            fix="give the labels of different levels different names, and no value the name '*'",
        )
    if domain.dtype.is_numeric() or domain.dtype.is_temporal():
        unread = found.filter(pl.col("begin").is_null())["label"]
        found = found.update(_interval_slices(unread, domain.drop_nulls(), partial=partial), on="label")
    found, places = _with_sets(found, domain, places, partial=partial)
    if found["begin"].null_count() and not partial:
        raise TacitError(
            "has a label that is no value, no label of its hierarchy, no interval and no set",
            code="out_of_range",
            column=column,
            fix="measure the release that the method gave back, beside the original that it was made from",
        )
    begin, end = (found[name].fill_null(0).to_numpy() for name in ("begin", "end"))
    return Cover(labels, domain, begin, end, places)


def _known_labels(hierarchy: Hierarchy | None, column: str, domain: pl.Series) -> tuple[pl.DataFrame, np.ndarray]:
    """Text → slice of the places, one row for every different set of values that it names."""
    size = len(domain)
    place = np.arange(size)
    blocks: list[pl.DataFrame] = [pl.DataFrame({"label": domain.cast(pl.String), "place": place})]
    for level in range(1, hierarchy.height) if hierarchy is not None else ():
        named = label_values(hierarchy, column, level, domain)  # type: ignore[arg-type]
        blocks.append(pl.DataFrame({"label": named, "place": place}).sort("label", "place"))
    blocks.append(pl.DataFrame({"label": pl.Series([TOP] * size, dtype=pl.String), "place": place}))
    every = pl.concat(block.with_columns(block=pl.lit(number)) for number, block in enumerate(blocks))
    every = every.with_columns(at=pl.int_range(pl.len(), dtype=pl.Int64))
    slices = (
        every.drop_nulls("label")
        .group_by("block", "label", maintain_order=True)
        .agg(begin=pl.col("at").min(), end=pl.col("at").max() + 1, first=pl.col("place").min())
        .with_columns(size=pl.col("end") - pl.col("begin"))
    )
    # of two nodes of a tree with a value in common and the same number of values, both cover the same ones
    different = slices.unique(["label", "first", "size"], keep="first", maintain_order=True)
    return different.select("label", "begin", "end"), every["place"].to_numpy()


def _interval_slices(labels: pl.Series, values: pl.Series, *, partial: bool) -> pl.DataFrame:
    """The slices between the two ends of each label that is an interval; of values, unless the domain is partial."""
    low, high = (_parse_texts(labels.str.extract(INTERVAL, end), values.dtype) for end in (1, 2))
    begin = values.search_sorted(low, side="left").cast(pl.Int64)
    end = values.search_sorted(high, side="right").cast(pl.Int64)
    read = low.is_not_null() & high.is_not_null() & (low <= high)
    if not partial:
        read &= low.is_in(values.implode()) & high.is_in(values.implode())
    return pl.DataFrame({"label": labels, "begin": begin, "end": end}).filter(read)


def _with_sets(
    found: pl.DataFrame, domain: pl.Series, places: np.ndarray, *, partial: bool
) -> tuple[pl.DataFrame, np.ndarray]:
    """The slices of the labels that are sets of values, whose places are written behind the others."""
    values = pl.DataFrame({"member": domain.cast(pl.String), "place": np.arange(len(domain))}).drop_nulls()
    members = (
        found.filter(pl.col("begin").is_null())
        .select("label", member=pl.col("label").str.extract(SET, 1).str.split(", "))
        .drop_nulls()
        .explode("member")
        .join(values, on="member", how="left", maintain_order="left")
    )
    if not partial:
        members = members.filter(pl.col("place").is_not_null().all().over("label"))
    members = members.drop_nulls("place").with_columns(at=pl.int_range(pl.len(), dtype=pl.Int64) + len(places))
    slices = members.group_by("label").agg(begin=pl.col("at").min(), end=pl.col("at").max() + 1)
    return found.update(slices, on="label"), np.concatenate([places, members["place"].to_numpy()])
