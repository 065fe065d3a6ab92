"""The covariance before a step of noise, from that after it: one inverse for each published form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TacitError, check_columns
from ...release.step_effects import may_change_column, published_outcome
from .steps import by_column

if TYPE_CHECKING:
    from ...release.release import Release
    from ...release.trace import Trace


ADDED_NOISE, MULTIPLIED_NOISE = "added_noise", "multiplied_noise"
NOISE = (ADDED_NOISE, MULTIPLIED_NOISE)
"""Masking models whose covariances can be corrected."""
ROUNDED = 1.0 / 12.0
"""Variance that rounding to whole numbers adds (Sheppard)."""
FLATNESS = {"uniform": 0.4}
"""Var(ε²) of a law over that of normal noise, where it is less: 4/5 σ⁴ and not 2 σ⁴."""


@dataclass(frozen=True, slots=True, eq=False)
class SecondMoments:
    """Means and covariances of the columns; ``within`` is the part of the covariance inside the strata."""

    mean: np.ndarray
    total: np.ndarray
    within: np.ndarray


Undo = Callable[[SecondMoments], SecondMoments]


@dataclass(frozen=True, slots=True, eq=False)
class StepInverse:
    """How to get behind a step, and what is to be said of it.

    ``share`` is the covariance of its noise as a share of that of the very sample, where that is how it is undone; None
    where the noise has a published covariance, or does not depend on the sample. ``inside``: of the sample inside strata.
    ``exact`` are the pairs of columns whose covariance the noise left as it was. ``flatness`` is the variance of squared
    noise, compared with that of normal noise, for laws with thinner tails. ``shrunk`` is 1 less the factor by which values
    were drawn towards the sample's mean, for pairs of columns; 0 where they were not.
    """

    undo: Undo
    notes: tuple[str, ...]
    exact: np.ndarray
    share: np.ndarray | None = None
    inside: bool = False
    flatness: float = 1.0
    shrunk: np.ndarray | None = None

    def noise_base(self, second: SecondMoments) -> np.ndarray:
        """The covariance that the noise is a share of."""
        return second.within if self.inside else second.total


def undo_of(step: Trace, columns: Sequence[str], release: Release) -> StepInverse:
    """How to get behind the step; refuses steps that cannot be undone."""
    for column in columns:
        if column in (step.parameters.get("totals") or {}):
            raise TacitError(
                f"was computed anew from its parts in the step {step.method}",
                code="already_masked",
                column=column,
                fix="estimate the covariances of the parts, and add them up",
            )
    if step.model not in NOISE:
        changed = next(column for column in columns if may_change_column(step, column, release))
        raise TacitError(
            f"was changed by the step {step.method}, which nothing published about it can undo on average",
            code="already_masked",
            column=changed,
            fix="leave the column out: corrected are add_noise and multiply_noise, and counts of categories after pram",
        )
    listed = check_columns(step.parameters.get("columns"))
    if not listed:
        raise _unpublished_error(step, "columns", columns[0])
    masks = np.array([column in listed for column in columns])
    whole = masks & np.array([release.types[column] == "integer" for column in columns])
    make = _invert_additive if step.model == ADDED_NOISE else _invert_multiplicative
    way = make(step, columns, masks, whole)
    return replace(way, notes=(*way.notes, *_bounded_noise_notes(step, columns)))


def _invert_additive(step: Trace, columns: Sequence[str], masks: np.ndarray, whole: np.ndarray) -> StepInverse:
    strata, published = bool(step.parameters.get("strata")), _published_covariance(step, columns, masks)
    kept, share, exact = _kept_shares(step, columns, masks)
    rounding = ROUNDED * np.diag(whole.astype(float))
    notes = _borrowed_strata_note(step) if strata else []
    if published is None and step.parameters.get("form") != "transformed":
        notes.append("the covariance of the noise was not published: variances are deflated by 1 + variance")
        if set(columns) & set(_by_household(step)):
            notes.append("noise by household follows the variance between households: the correction is approximate")

    def undo(found: SecondMoments) -> SecondMoments:
        total, within = found.total - rounding, found.within - rounding
        base = within if strata else total
        removed = base * (1.0 - kept) if published is None else published
        return SecondMoments(found.mean, total - removed, within - removed)

    flatness = FLATNESS.get(str(step.parameters.get("distribution")), 1.0)
    shrunk = (
        np.where(exact, 0.0, 1.0 - 1.0 / (kept * (1.0 + share)))
        if step.parameters.get("form") == "transformed"
        else None
    )
    return StepInverse(undo, tuple(notes), exact, share if published is None else None, strata, flatness, shrunk)


def _kept_shares(step: Trace, columns: Sequence[str], masks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By how much each covariance after the noise is to be multiplied to be that before it.

    Beside it the covariance of the noise as a share of the data's, and which covariances the noise left exactly as they were.
    """
    form = step.parameters.get("form", "correlated")
    first = columns[int(np.argmax(masks))]
    if form == "nonlinear":
        raise TacitError(
            "has noise of form='nonlinear', added on the scale of normal scores: covariances cannot be corrected",
            code="unsuitable_column",
            column=first,
            fix="take the naive estimates and say so; margins are about kept, correlations drawn towards 0",
        )
    known = np.array(
        [_relative_noise_variance(step, column) if one else 0.0 for column, one in zip(columns, masks, strict=True)]
    )
    together = np.outer(masks, masks) & _drawn_together(step, columns)
    share = np.sqrt(np.outer(known, known)) * (together if form != "uncorrelated" else np.eye(len(columns)))
    if form != "transformed":
        return 1.0 / (1.0 + share), share, np.zeros_like(together)
    stretch = np.sqrt(np.outer(1.0 + known, 1.0 + known))
    exact = bool(step.parameters.get("exact"))
    if exact and len(set(known[masks])) > 1 and not masks.all():
        raise TacitError(
            "has noise of form='transformed', exact, with a variance of its own for each column: its relation to "
            "columns without that noise cannot be corrected",
            code="missing_parameter",
            column=first,
            fix="estimate the columns that were masked together, whose covariances are kept",
        )
    kept: np.ndarray = np.where(together & exact, 1.0, stretch / (1.0 + share))
    return kept, share, together & exact


def _invert_multiplicative(step: Trace, columns: Sequence[str], masks: np.ndarray, whole: np.ndarray) -> StepInverse:
    variance = np.array(
        [_factor_variance(step, column) if one else 0.0 for column, one in zip(columns, masks, strict=True)]
    )
    share = np.diag(variance)
    if step.parameters.get("together"):
        share = np.sqrt(np.outer(variance, variance))
    notes = ("whole numbers came back rounded from the multiplication: the correction is approximate",)

    def undo(found: SecondMoments) -> SecondMoments:
        raw = np.outer(found.mean, found.mean)
        total = (found.total + raw) / (1.0 + share) - raw
        return SecondMoments(found.mean, total, found.within + (total - found.total))

    return StepInverse(undo, notes if whole.any() else (), np.zeros((len(columns), len(columns)), dtype=bool))


def _factor_variance(step: Trace, column: str) -> float:
    least, most = step.parameters.get("least"), step.parameters.get("most")
    if step.parameters.get("distribution") == "bounded" and least is not None and most is not None:
        return (float(least) ** 2 + float(least) * float(most) + float(most) ** 2) / 3.0
    spread = by_column(step.parameters.get("spread"), column)
    if spread is None:
        raise _unpublished_error(step, "spread", column)
    return spread**2


def _relative_noise_variance(step: Trace, column: str) -> float:
    """The variance of the noise as a share of the column's, the wider noise of outliers included."""
    variance = by_column(step.parameters.get("variance"), column)
    if variance is None:
        raise _unpublished_error(step, "variance", column)
    if step.parameters.get("outliers") is None:
        return variance
    wider = by_column(published_outcome(step, "mean_square_of_widening"), column)
    if wider is None:
        raise _unpublished_error(step, "mean_square_of_widening", column)
    return variance * wider


def _unpublished_error(step: Trace, name: str, column: str) -> TacitError:
    return TacitError(
        f"was changed by {step.method}, of which {name} was not published",
        code="already_masked",
        column=column,
        fix=f"ask the publisher for {name} of the step",
    )


def _published_covariance(step: Trace, columns: Sequence[str], masks: np.ndarray) -> np.ndarray | None:
    """The published covariance of the noise, 0 for columns without any; None where it was not published."""
    said = published_outcome(step, "noise_covariance")
    form = step.parameters.get("form", "correlated")
    if not isinstance(said, Mapping) or step.parameters.get("strata") or form not in ("correlated", "uncorrelated"):
        return None
    if any(one and column not in said for column, one in zip(columns, masks, strict=True)):
        return None
    found = np.array([[_matrix_entry(said, row, column) for column in columns] for row in columns])
    return found if np.isfinite(found).all() else None


def _matrix_entry(said: Mapping[str, Any], row: str, column: str) -> float:
    return float(said[row].get(column, 0.0)) if row in said and column in said else 0.0


def _drawn_together(step: Trace, columns: Sequence[str]) -> np.ndarray:
    """Which pairs of columns have noise from the same draws: those of households are drawn apart."""
    shared = _by_household(step)
    side = np.array([column in shared for column in columns])
    found: np.ndarray = side[:, None] == side[None, :]
    return found


def _by_household(step: Trace) -> tuple[str, ...]:
    return check_columns(published_outcome(step, "by_household"))


def _borrowed_strata_note(step: Trace) -> list[str]:
    count = published_outcome(step, "strata_with_overall_moments")
    if count == 0:
        return []
    return [f"{count or 'some'} strata had noise by the covariance of all records: the correction is approximate"]


def _bounded_noise_notes(step: Trace, columns: Sequence[str]) -> list[str]:
    """Noise that was cut off at a bound is no longer what was published."""
    counts = published_outcome(step, "at_bounds") or {}
    bounds = step.parameters.get("bounds") or {}
    return [
        f"{column}: {counts.get(column, 'some')} values lie at a bound, where noise was cut off: the correction is approximate"
        for column in columns
        if column in bounds and counts.get(column) != 0
    ]
