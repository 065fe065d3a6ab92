"""What of a record a model is learnt from: amounts in stated steps and labels, in an order that no file decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ...errors import TacitError, check_columns
from ...release.common_level import as_numbers
from ...result import format_fact
from .grid import Grid, grid_cells, usual_step

if TYPE_CHECKING:
    from ...release.release import Release


DAY_0 = date(1970, 1, 1)
MANY = 100
"""A column with more labels than these is no feature: it is nearly an identifier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A column of numbers, read in steps from a stated origin: :math:`u = x / step - origin`; dates as days since 1970."""

    column: str
    step: float
    origin: int
    days: bool = False

    def format_steps(self, steps: float) -> str:
        """The number that lies so many steps from 0, as text."""
        if self.days:
            return (DAY_0 + timedelta(days=round(steps * self.step))).isoformat()
        return format_fact(steps * self.step)

    def format_width(self, steps: float = 1) -> str:
        """How much so many steps are, as text."""
        return format_fact(abs(steps) * self.step) + (" days" if self.days else "")

    def to_steps(self, release: Release) -> np.ndarray:
        """In steps from the origin; NaN where missing."""
        return as_numbers(release.series(self.column), self.column) / self.step - self.origin

    def to_cells(self, release: Release) -> np.ndarray:
        """The cell of the grid in which each number lies; NaN where missing."""
        return grid_cells(as_numbers(release.series(self.column), self.column), self.step)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"column": self.column, "step": self.step, "origin": self.origin, "days": self.days}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """A column of labels, sorted; a missing one is a label of its own, None, where the file has any."""

    column: str
    labels: tuple[str | None, ...]

    def codes(self, release: Release) -> np.ndarray:
        """The place of each record's label; −1 for one that the design does not have."""
        place = {label: number for number, label in enumerate(self.labels)}
        coded = release.codes(self.column)
        labels = [*coded.dictionary.cast(pl.String).to_list(), *([None] if coded.has_missing else [])]
        found: np.ndarray = np.array([place.get(label, -1) for label in labels], dtype=np.int64)[coded.codes]
        return found

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"column": self.column, "labels": list(self.labels)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The features in the order of their names, and the target if there is one; all that a reader of a model needs."""

    features: tuple[Amount | Labels, ...]
    target: Amount | Labels | None = None

    def columns(self, *, every_label: bool) -> list[tuple[Amount | Labels, int]]:
        """The columns of the matrix: an amount is one, labels are one each (but for the first, unless ``every_label``)."""
        found: list[tuple[Amount | Labels, int]] = []
        for feature in self.features:
            first = 0 if every_label else 1
            places = range(first, len(feature.labels)) if isinstance(feature, Labels) else range(1)
            found += [(feature, place) for place in places]
        return found

    def cell_matrix(self, release: Release) -> np.ndarray:
        """A matrix of whole numbers: the cells of amounts, 0 or 1 for every label. NaN where an amount is missing."""
        return self._build_matrix(release, cells=True)

    def scaled_matrix(self, release: Release) -> np.ndarray:
        """A matrix of amounts in steps, and of 0 or 1 for every label but the first of its column."""
        return self._build_matrix(release, cells=False)

    def _build_matrix(self, release: Release, *, cells: bool) -> np.ndarray:
        found = []
        for feature in self.features:
            if isinstance(feature, Amount):
                found.append(feature.to_cells(release) if cells else feature.to_steps(release))
            else:
                codes = feature.codes(release)
                found += [(codes == place).astype(float) for place in range(0 if cells else 1, len(feature.labels))]
        return np.column_stack(found) if found else np.zeros((release.size, 0))

    def target_values(self, release: Release) -> np.ndarray:
        """The target of each record, in steps or as the place of its label; NaN where it is missing."""
        if isinstance(self.target, Labels):
            codes = self.target.codes(release).astype(float)
            return np.where(codes < 0, np.nan, codes)
        return np.zeros(release.size) if self.target is None else self.target.to_steps(release)

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        target = None if self.target is None else self.target.to_dict()
        return {"features": [one.to_dict() for one in self.features], "target": target}


def read_design(plain: Mapping[str, Any]) -> Design:
    """The design that :meth:`Design.plain` wrote."""

    def side(one: Mapping[str, Any]) -> Amount | Labels:
        if "labels" in one:
            return Labels(column=one["column"], labels=tuple(one["labels"]))
        return Amount(column=one["column"], step=float(one["step"]), origin=int(one["origin"]), days=one["days"])

    target = plain["target"]
    return Design(features=tuple(map(side, plain["features"])), target=None if target is None else side(target))


def checked_on(on: object) -> tuple[str, ...] | None:
    """The features as a tuple of names, or None for all."""
    return None if on is None else check_columns(on)  # type: ignore[arg-type]


def feature_columns(release: Release, on: tuple[str, ...] | None, *, but: str | None = None) -> tuple[str, ...]:
    """The named columns, else all but the target, identifiers, household and weight; sorted."""
    if on is not None:
        found = check_columns(on, release.columns)
    else:
        left = {*release.identifiers, release.household, release.weight, but}
        found = tuple(column for column in release.columns if column not in left)
    if but in found:
        raise TacitError(
            "is the target and a feature", code="unsuitable_column", column=but, fix="leave it out of on=…"
        )
    if not found:
        raise TacitError(
            "no column is left to learn from", code="no_usable_column", fix="name some with on=['age', 'sex']"
        )
    return tuple(sorted(found))


def is_amount(release: Release, column: str) -> bool:
    """Whether a column holds numbers or days that mean amounts: whole numbers do unless another kind is declared."""
    declared = release.declared_kinds.get(column)
    numbers = release.types[column] not in ("text", "boolean")
    return numbers and declared not in ("nominal", "code", "geographic")


def design_of(
    release: Release, columns: tuple[str, ...], grid: Grid, *, target: Amount | Labels | None = None
) -> Design:
    """The features of a release; steps that the grid does not state are read off the file (:func:`usual_step`)."""
    return Design(features=tuple(side_of(release, column, grid) for column in columns), target=target)


def side_of(release: Release, column: str, grid: Grid, *, most: int = MANY) -> Amount | Labels:
    """One column as amounts or labels."""
    check_columns(column, release.columns)
    valid = release.valid(column)
    if not valid.any():
        raise TacitError(
            "has no value at all", code="missing_values", column=column, fix="leave it out with on=…, or fill it"
        )
    if is_amount(release, column):
        numbers = as_numbers(release.series(column), column)[valid]
        step = grid.get(column) or usual_step(numbers)
        days = release.types[column] in ("date", "datetime")
        return Amount(column=column, step=step, origin=round(float(np.median(numbers)) / step), days=days)
    found: list[str | None] = sorted(release.series(column).drop_nulls().cast(pl.String).unique().to_list())
    if len(found) > most:
        raise TacitError(
            f"has {len(found):,} different labels, more than {most}",
            code="out_of_range",
            column=column,
            fix="leave it out, or recode it",
        )
    return Labels(column=column, labels=(*found, *([] if valid.all() else [None])))
