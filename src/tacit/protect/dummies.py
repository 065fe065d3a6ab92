"""How many invented records of which confidential values each class needs to be t-close."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import TacitError
from ..progress import report
from ..risk.t_closeness import distances

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.classes.arrays import ArrayClasses
    from ..release.release import Release

__all__ = ["Invented", "invented"]

TIMES = 10
"""Dummies per record of the file beyond which the search is given up."""

CELLS = 50_000_000
"""Counts of a value in a class that are kept in memory."""

SLACK = 1e-9
"""How much below t a class must come, so that rounding elsewhere cannot put it above."""


class Invented(NamedTuple):
    """For each dummy its class and its codes, one per confidential column (−1: none); and the rounds it took."""

    group: np.ndarray
    codes: np.ndarray
    rounds: int


def invented(
    release: Release,
    classes: ArrayClasses,
    columns: tuple[str, ...],
    form: str | None,
    t: float,
    *,
    progress: Progress | None,
) -> Invented:
    """Dummies after which every class is within t of the file that has them.

    Rounds: the classes too far from the file, the furthest first, get rows, each with the value of every column that
    helps most, until they are near the file as it is by then; their rows change it, so in the next round all classes are
    measured anew. Dummies are never taken back.
    """
    from ..kernels.dummies import added

    tally, bounds = _tallies(release, classes, columns)
    ordered = np.array([distances(release, column, form)[0] == "ordered" for column in columns])  # type: ignore[arg-type]
    known = np.array([len(release.codes(column).dictionary) for column in columns])
    groups, rows = [np.zeros(0, np.int64)], [np.zeros((0, len(columns)), np.int64)]
    count, rounds, most = 0, 0, TIMES * release.size
    whole = tally.sum(axis=0)
    while True:
        failing = _failing(tally, bounds, _share(whole, bounds), ordered, known, t)
        if not len(failing):
            return Invented(np.concatenate(groups), np.concatenate(rows), rounds)
        for place, group in enumerate(failing):
            report(progress, "dummy_records", place / len(failing))
            share = _share(whole, bounds)
            before = tally[group].copy()
            new = added(tally[group], bounds, share, ordered, known, t - SLACK, most - count)
            groups.append(np.full(len(new), group))
            rows.append(new)
            whole += tally[group] - before
            count += len(new)
            if count >= most:
                raise TacitError(
                    f"t={t} needs more than {TIMES} dummies for every record of the release",
                    fix="use a larger t, or generalise the quasi-identifiers first, so that classes are larger",
                )
        rounds += 1


def _tallies(release: Release, classes: ArrayClasses, columns: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Classes × codes of all columns side by side, and where each column begins; missing counts under "own" alone."""
    parts, bounds = [], [0]
    for column in columns:
        codes = release.codes(column)
        width = codes.count if release.missing == "own" else len(codes.dictionary)
        if not len(codes.dictionary):
            raise TacitError("has no value at all", column=column, fix="leave it out of the confidential columns")
        if classes.count * codes.count > CELLS:
            raise TacitError(
                f"has {len(codes.dictionary)} values in {classes.count} classes: too many to count",
                column=column,
                fix="recode it into fewer values, or generalise the quasi-identifiers first",
            )
        group, value, number = classes.histogram(column)
        tally = np.zeros((classes.count, codes.count), dtype=np.int64)
        tally[group, value] = number
        parts.append(tally[:, :width])
        bounds.append(bounds[-1] + width)
    return np.ascontiguousarray(np.concatenate(parts, axis=1)), np.array(bounds)


def _share(whole: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The distribution of every column in the whole file."""
    share: np.ndarray = whole.astype(float)
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        share[low:high] /= max(1.0, share[low:high].sum())
    return share


def _failing(
    tally: np.ndarray, bounds: np.ndarray, share: np.ndarray, ordered: np.ndarray, known: np.ndarray, t: float
) -> np.ndarray:
    """The classes that lie too far from the file in some column, the furthest first."""
    from ..kernels.dummies import far

    distance = np.zeros(len(tally))
    for j, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        for group in range(len(tally)):
            part = tally[group, low:high]
            distance[group] = max(distance[group], far(part, part.sum(), share[low:high], ordered[j], known[j]))
    failing = np.flatnonzero(distance > t - SLACK)
    furthest: np.ndarray = failing[np.argsort(-distance[failing], kind="stable")]
    return furthest
