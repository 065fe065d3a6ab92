"""A file under the names and in the units of a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import polars as pl

from ...errors import TacitError
from ...release.release import Release


class ColumnConversion(Protocol):
    """What turns one of their columns into one of ours."""

    @property
    def theirs(self) -> str:
        """Their name."""

    @property
    def ours(self) -> str:
        """Our name."""

    @property
    def how(self) -> str:
        """From what it was found."""

    @property
    def scale(self) -> float:
        """What numbers are multiplied by."""

    @property
    def shift(self) -> float:
        """What is added to them."""

    @property
    def form(self) -> str | None:
        """How dates are written."""

    @property
    def values(self) -> Mapping[str, str]:
        """Our value for each of theirs, as lower-case text."""


def convert_file(pairs: Sequence[ColumnConversion], release: Release, file: Release) -> Release:
    """The matched columns with our names, units and types, all as quasi-identifiers. O(cells)."""
    lacking = next((pair.theirs for pair in pairs if pair.theirs not in file.columns), None)
    if lacking is not None:
        raise TacitError(
            "was matched but is not in this file",
            code="unknown_column",
            column=lacking,
            fix="give the file that was matched",
        )
    frame = pl.DataFrame({pair.ours: _convert_column(pair, release, file.series(pair.theirs)) for pair in pairs})
    plain = Release(frame)
    kinds = {
        name: kind
        for name, kind in release.declared_kinds.items()
        if name in frame.columns and plain.types[name] == release.types[name]
    }
    return Release(frame, quasi=frame.columns, kinds=kinds, missing=release.missing or file.missing)


def _convert_column(pair: ColumnConversion, release: Release, cells: pl.Series) -> pl.Series:
    if release.levels.get(pair.ours):
        return _parse_dates(cells, pair.form) if pair.how == "dates" else cells
    ours = release.series(pair.ours)
    if pair.how == "dates":
        return _parse_dates(cells, pair.form).cast(ours.dtype if ours.dtype in (pl.Date, pl.Datetime) else pl.Date)
    if pair.how in ("same values", "other codes"):
        return _map_values(cells, ours, pair.values)
    numbers = cells.cast(pl.Float64, strict=False)
    if pair.scale != 1 or pair.shift != 0:
        numbers = numbers * pair.scale + pair.shift
    if ours.dtype.is_integer() and (numbers.round() - numbers).abs().max() in (None, 0.0):
        return numbers.cast(pl.Int64, strict=False)
    return numbers


def _parse_dates(cells: pl.Series, form: str | None) -> pl.Series:
    if cells.dtype in (pl.Date, pl.Datetime) or form is None:
        return cells
    return cells.cast(pl.String).str.to_date(form, strict=False)


def _map_values(cells: pl.Series, ours: pl.Series, codes: Mapping[str, str]) -> pl.Series:
    """Their cells as our values, whatever the case; a value that we do not have stays itself where the types allow it."""
    lower = cells.cast(pl.String).str.strip_chars().str.to_lowercase()
    if codes:
        lower = lower.replace_strict(dict(codes), default=None, return_dtype=pl.String)
    present = ours.drop_nulls().unique(maintain_order=True).sort()
    keys = present.cast(pl.String).str.strip_chars().str.to_lowercase()
    known = dict(zip(keys.to_list(), present.to_list(), strict=True))
    mapped = lower.replace_strict(known, default=None, return_dtype=ours.dtype)
    return mapped.fill_null(cells) if not codes and cells.dtype == ours.dtype else mapped
