"""Which values each masked cell leaves open for the value that it was made from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from ...release.hierarchy.cover import Cover, domain_of, label_cover
from ...release.hierarchy.nodes import label_values
from ...release.pairs import Pairs


@dataclass(frozen=True, slots=True, eq=False)
class LeftOpen:
    """Original record i shows the label ``label[i]`` of ``cover``; −1 when it shows nothing any more.

    ``known`` says which original records had a value at all, ``value`` is its place in the domain.
    """

    cover: Cover
    label: np.ndarray
    known: np.ndarray
    value: np.ndarray


def left_open(pairs: Pairs, column: str) -> LeftOpen:
    """What the masked cells of a quasi-identifier leave open.

    A label of a level or of a local recoding leaves open the values under it, counted over the hierarchy's file, else
    over the values of the original. In other columns, when each original value became one masked value (recoding, top
    coding), the values merged into it; otherwise nothing was generalised, and a cell leaves open only itself.
    """
    codes = pairs.original.codes(column)
    present = codes.dictionary
    known = codes.codes < len(present)
    label = np.full(pairs.original.size, -1, dtype=np.int64)
    if column not in pairs.masked.columns:
        shown, found = np.zeros(0, dtype=np.int64), _identity_cover(present)
        rows = shown
    else:
        kept = pairs.masked.valid(column)[pairs.of_masked]
        rows, masked_rows = pairs.of_original[kept], pairs.of_masked[kept]
        shown, found = _shown_labels(pairs, column, rows, masked_rows)
    label[rows] = shown
    value = (
        _positions_in(found.domain, present)[np.minimum(codes.codes, max(0, len(present) - 1))]
        if len(present)
        else label
    )
    return LeftOpen(found, label, known, value)


def _shown_labels(pairs: Pairs, column: str, rows: np.ndarray, masked_rows: np.ndarray) -> tuple[np.ndarray, Cover]:
    """The label that each kept record shows, and what the labels cover."""
    codes, after = pairs.original.codes(column), pairs.masked.codes(column)
    if column in pairs.masked.mixed and column not in pairs.original.mixed:
        hierarchy = pairs.masked.hierarchies.get(column)
        found = label_cover(hierarchy, column, after.dictionary, domain_of(hierarchy, codes.dictionary))
        return _positions_in(found.labels, after.dictionary.cast(pl.String))[after.codes[masked_rows]], found
    if column in pairs.masked.levels and column not in pairs.original.levels:
        return _by_level(pairs, column, rows)
    return _by_merging(pairs, column, rows, masked_rows)


def _by_level(pairs: Pairs, column: str, rows: np.ndarray) -> tuple[np.ndarray, Cover]:
    hierarchy, level = pairs.masked.hierarchies[column], pairs.masked.levels[column]
    codes = pairs.original.codes(column)
    domain = domain_of(hierarchy, codes.dictionary)
    named = label_values(hierarchy, column, level, domain)
    found = _cover_by_labels(named, domain)
    place = _positions_in(found.labels, label_values(hierarchy, column, level, codes.dictionary))
    return np.append(place, -1)[np.minimum(codes.codes[rows], len(codes.dictionary))], found


def _by_merging(pairs: Pairs, column: str, rows: np.ndarray, masked_rows: np.ndarray) -> tuple[np.ndarray, Cover]:
    """From the pairs that occur."""
    before, after = pairs.original.codes(column), pairs.masked.codes(column)
    old, new = before.codes[rows], after.codes[masked_rows]
    had = old < len(before.dictionary)
    became = np.full(len(before.dictionary), -1, dtype=np.int64)
    became[old[had]] = new[had]
    if (became[old[had]] != new[had]).any():
        return np.minimum(old, max(0, len(before.dictionary) - 1)), _identity_cover(before.dictionary)
    found = _cover_by_labels(pl.Series(became), before.dictionary)
    place = _positions_in(found.labels, pl.Series(became))
    return np.append(place, -1)[old], found


def _identity_cover(values: pl.Series) -> Cover:
    """Every value a label of itself."""
    places = np.arange(len(values))
    return Cover(values, values, places, places + 1, places)


def _cover_by_labels(labels: pl.Series, domain: pl.Series) -> Cover:
    """What each label covers when every value of the domain has one."""
    frame = pl.DataFrame({"label": labels, "place": np.arange(len(labels))}).sort("label", "place", nulls_last=True)
    counts = frame.drop_nulls().group_by("label", maintain_order=True).len()
    ends = np.cumsum(counts["len"].to_numpy()).astype(np.int64)
    starts = ends - counts["len"].to_numpy().astype(np.int64)
    return Cover(counts["label"], domain, starts, ends, frame["place"].to_numpy())


def _positions_in(among: pl.Series, values: pl.Series) -> np.ndarray:
    """Where each value stands in a series of different values."""
    known = pl.DataFrame({"value": among, "place": np.arange(len(among))})
    found = pl.DataFrame({"value": values}).join(known, on="value", how="left", maintain_order="left")
    return found["place"].fill_null(-1).to_numpy()
