"""The parameters of a linkage, by what the intruder has: nothing, the number of common people, or known pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...progress import part
from .em import START, em, shares
from .files import Files
from .model import Model
from .patterns import Patterns
from .plausible import doubts, matches
from .single import single

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed

__all__ = ["Estimate", "estimated", "floored", "from_known", "pair_levels", "stated"]

Estimate = Literal["em", "fixed", "single", "known"]
_ORDER = ("em", "fixed", "single")
MOST = 100_000
"""Patterns over which expectation and maximisation are iterated."""


def estimated(
    files: Files,
    patterns: Patterns,
    *,
    estimate: Estimate,
    prior: float | None = None,
    known: np.ndarray | None = None,
    seed: Seed | None = None,
    progress: Progress | None = None,
) -> tuple[Model, tuple[str, ...]]:
    """The model, and what a reader must know about how it came to be.

    "em" estimates everything from the counts; when that is implausible (:func:`.plausible.doubts`), "fixed" is tried: the
    prior is set, u is what all pairs show, only m is estimated. When that is too, "single" takes its place: everybody
    has one record in the release (:func:`.single.single`). "known" counts m in the ``known`` pairs of rows (intruder,
    release) of :class:`Files`. The prior is that everybody in the smaller file is in the other, unless given.
    """
    sizes = int(files.people.sum()), int(files.records.sum())
    usual = min(1.0, min(sizes) / max(1, patterns.pairs))
    start = stated(files, patterns, prior=usual if prior is None else prior, estimate=estimate)
    if estimate == "known":
        assert known is not None
        return from_known(files, patterns, known, start=start), ()
    columns = [one.column for one in files.comparisons]
    notes: list[str] = []
    ways = _ORDER[_ORDER.index(estimate) :]
    for place, way in enumerate(ways[:-1]):
        if len(patterns.counts) > MOST:
            notes.append(f"the estimate {way!r} was left out: {len(patterns.counts):,} patterns are too many for it")
            continue
        told = part(progress, place / len(ways), (place + 1) / len(ways))
        model = floored(patterns, em(patterns, replace(start, estimate=way), free=way == "em", progress=told))
        against = doubts(patterns, model, columns=columns, sizes=sizes)
        if not against:
            return model, tuple(notes)
        notes.append(f"the estimate {way!r} is implausible: {'; '.join(against)}")
    if notes:
        notes.append("the estimate 'single' was used instead: everybody is taken to have one record in the release")
    told = part(progress, 1.0 - 1.0 / len(ways), 1.0)
    return single(files, replace(start, estimate="single"), seed=seed, progress=told), tuple(notes)


def floored(patterns: Patterns, model: Model) -> Model:
    r"""The model with no chance below half a pair: m at least :math:`1/2M`, u at least :math:`1/2(C - M)`.

    M is the number of matches that the model finds, C that of all pairs. That none of M pairs disagrees on a column does
    not make it impossible, it makes it rarer than about one in M: without the floor the iteration drives m to 0, the
    weight to −40 bits, and one wrong cell would exclude a person who agrees on all else. Levels that no pair has at all
    stay 0 in u (:meth:`Model.weights`).
    """
    sizes = [len(one) for one in model.m]
    seen = [share > 0 for share in shares(patterns, sizes)]
    found = max(matches(patterns, model), 0.5)
    others = max(float(patterns.pairs) - found, 0.5)
    return replace(model, m=_at_least(model.m, 0.5 / found, seen), u=_at_least(model.u, 0.5 / others, seen))


def _at_least(chances: tuple[np.ndarray, ...], floor: float, seen: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Each column's chances, those of levels that occur raised to the floor, which the others pay for in proportion."""
    raised = []
    for chance, occurs in zip(chances, seen, strict=True):
        one = np.where(occurs, np.maximum(chance, min(floor, 1.0 / len(chance))), 0.0)
        raised.append(one / one.sum())
    return tuple(raised)


def stated(files: Files, patterns: Patterns, *, prior: float, estimate: str) -> Model:
    """Before any estimation: u as all pairs show it, m 0.1 for different values and equal shares of the rest."""
    sizes = [len(one.levels) + 1 for one in files.comparisons]
    m = tuple(np.append(1 - START, np.full(size - 1, START / (size - 1))) for size in sizes)
    return Model(m, shares(patterns, sizes), prior, estimate)


def from_known(files: Files, patterns: Patterns, known: np.ndarray, *, start: Model) -> Model:
    """Counts m in known pairs of rows, half a pair added to each level, and u in all pairs less the expected matches.

    The half keeps a level that no known pair has possible (Jeffreys' prior).
    """
    sizes = [len(one.levels) + 1 for one in files.comparisons]
    levels = pair_levels(files, known)
    m, u = [], []
    for column, everywhere in enumerate(shares(patterns, sizes)):
        seen = levels[levels[:, column] >= 0, column]
        counts = np.bincount(seen, minlength=sizes[column]) + 0.5
        m.append(counts / counts.sum())
        rest = np.maximum(everywhere - start.prior * m[-1], 1e-3 * everywhere)
        u.append(rest / rest.sum())
    return replace(start, m=tuple(m), u=tuple(u))


def pair_levels(files: Files, rows: np.ndarray) -> np.ndarray:
    """The level of every column for given pairs of rows (intruder, release); −1 where unknown."""
    mine, theirs = rows[:, 0], rows[:, 1]
    levels = np.zeros((len(rows), len(files.comparisons)), dtype=np.int64)
    bounds = files.columns
    for column, one in enumerate(files.comparisons):
        for step, k in enumerate(range(bounds[column], bounds[column + 1])):
            value = files.value[mine, k]
            levels[(files.low[theirs, k] <= value) & (value <= files.high[theirs, k]), column] = step + 1
        gaps = np.isnan(files.value[mine, k]), np.isnan(files.low[theirs, k])
        levels[gaps[0] | gaps[1], column] = -1
        if one.own:
            levels[gaps[0] & gaps[1], column] = len(one.levels)
    return levels
