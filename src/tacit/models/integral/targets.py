"""The columns that a learner predicts or describes: labels, amounts, and what is refused as either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import TacitError, check_columns
from .design import Amount, Design, Labels, feature_columns, is_amount, side_of
from .grid import Grid

if TYPE_CHECKING:
    from ...release.release import Release


def labels_of(release: Release, column: str) -> Labels:
    """A target of at least two labels; a missing one is no label."""
    check_columns(column, release.columns)
    if is_amount(release, column) and column not in release.declared_kinds and release.types[column] != "integer":
        raise TacitError(
            "holds amounts, not labels",
            code="wrong_kind",
            column=column,
            fix="use Linear, or declare its kind, e.g. kinds={…: 'nominal'}",
        )
    found = side_of(release.with_metadata(kinds={**release.declared_kinds, column: "nominal"}), column, {})
    known = tuple(label for label in found.labels if label is not None)  # type: ignore[union-attr]
    if len(known) < 2:
        raise TacitError(
            "has one value only: there is nothing to predict",
            code="no_variation",
            column=column,
            fix="name another target",
        )
    return Labels(column=column, labels=known)


def amount_of(release: Release, column: str, grid: Grid) -> Amount:
    """A target of numbers."""
    check_columns(column, release.columns)
    if not is_amount(release, column) or release.types[column] in ("date", "datetime"):
        raise TacitError(
            "holds no amounts",
            code="wrong_kind",
            column=column,
            fix="use Tree or Logistic for labels, or name another column",
        )
    found = side_of(release, column, grid)
    numbers = release.series(column).drop_nulls()
    if numbers.n_unique() < 2:
        raise TacitError(
            "has one value only: there is nothing to predict",
            code="no_variation",
            column=column,
            fix="name another target",
        )
    return found  # type: ignore[return-value]


def numbers_only(release: Release, on: tuple[str, ...] | None) -> tuple[str, ...]:
    """The named columns, which must hold amounts, or all that do."""
    if on is None:
        every = feature_columns(release, None)
        on = tuple(column for column in every if is_amount(release, column) and release.valid(column).any())
    wrong = next((column for column in check_columns(on, release.columns) if not is_amount(release, column)), None)
    if wrong is not None:
        raise TacitError(
            "holds no amounts", code="wrong_kind", column=wrong, fix="name columns of numbers or dates with on=…"
        )
    return feature_columns(release, on)


def class_labels(design: Design) -> tuple[str, ...]:
    """The labels of the target."""
    assert isinstance(design.target, Labels)
    return tuple(str(label) for label in design.target.labels)
