"""Values of some columns in a new order, drawn given the ranks of other columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...errors import TacitError
from .copula import drawn, midranks, refuse_determined
from .ranked import sortable

if TYPE_CHECKING:
    from ...release.release import Release
    from ..units import Units

__all__ = ["Reordered", "reordered"]

PER_COLUMN = 20
"""Records with both values that correlations need for each column; with as few as the columns they would be perfect, and give every
value back to its record."""


class Reordered(NamedTuple):
    """New arrays by column, and for each the share explained and the values put in random order or left alone."""

    values: dict[str, np.ndarray]
    explained: dict[str, float]
    at_random: dict[str, int]
    left_alone: dict[str, int]


def reordered(release: Release, part: Units, given: Sequence[str], rng: np.random.Generator) -> Reordered:
    """The columns of a part in their new order, stratum by stratum, as :class:`DataShuffle` describes."""
    own = [_of_units(*sortable(release, column), part, mean=False) for column in part.columns]
    other = [_of_units(*sortable(release, column), part, mean=True) for column in given]
    new = {column: values.copy() for column, (values, _) in zip(part.columns, own, strict=True)}
    at_random, left, weighed = (dict.fromkeys(part.columns, 0) for _ in range(3))
    explained = dict.fromkeys(part.columns, 0.0)
    for members in part.strata():
        mine = [(values[members], valid[members]) for values, valid in own]
        theirs = [(values[members], valid[members]) for values, valid in other]
        scores, shares = _scores(mine, theirs, part.columns, rng)
        for place, (column, (values, valid)) in enumerate(zip(part.columns, mine, strict=True)):
            known = members[valid]
            new[column][known[np.argsort(scores[valid, place])]] = np.sort(values[valid])
            left[column] += len(known) if len(known) < 2 else 0
            if shares is None:
                at_random[column] += len(known) if len(known) > 1 else 0
            else:
                explained[column] += float(shares[place]) * len(known)
                weighed[column] += len(known)
    for column, (_, valid) in zip(part.columns, own, strict=True):
        _check(column, int(valid.sum()), at_random[column] + left[column], left[column], len(own) + len(other))
        explained[column] = round(explained[column] / max(weighed[column], 1), 3)
    return Reordered({column: values[part.of_row] for column, values in new.items()}, explained, at_random, left)


def _of_units(values: np.ndarray, valid: np.ndarray, part: Units, *, mean: bool) -> tuple[np.ndarray, np.ndarray]:
    """A column by unit: of households the first row, or the mean rank of the members."""
    if not part.by_household:
        return values, valid
    if not mean:
        return values[part.first], valid[part.first]
    count = np.bincount(part.of_row, weights=valid)
    total = np.bincount(part.of_row, weights=np.where(valid, midranks(values, valid), 0.0))
    return total / np.maximum(count, 1), count > 0


def _scores(
    mine: Sequence[tuple[np.ndarray, np.ndarray]],
    theirs: Sequence[tuple[np.ndarray, np.ndarray]],
    columns: Sequence[str],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray | None]:
    """New scores of a stratum, and the share of each that is explained; None where it is too small for that."""
    both = (*mine, *theirs)
    known = np.column_stack([valid for _, valid in both])
    noise = rng.standard_normal((len(known), len(mine)))
    if len(both) == 1:
        return noise, np.zeros(1)
    if (known.T.astype(float) @ known).min() < PER_COLUMN * len(both):
        return noise, None
    ranks = np.column_stack([midranks(values, valid) for values, valid in both])
    scores, explained = drawn(ranks, known, noise)
    refuse_determined(columns, explained)
    return scores, explained


def _check(column: str, count: int, lost: int, left: int, wide: int) -> None:
    """Something must have been shuffled, and its correlations kept."""
    if left == count:
        raise TacitError(
            f"has {count} values, no two of them in one stratum", column=column, fix="use coarser strata, or none"
        )
    if lost == count:
        raise TacitError(
            f"has {count} values, too few for the correlations of {wide} columns",
            column=column,
            fix=f"name fewer columns or coarser strata: {PER_COLUMN} records are needed for each column",
        )
