"""The parameters of a linkage, by what the intruder has: nothing, the number of common people, or known pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...progress import report_progress, sub_progress
from ...seed import make_generator, seed_or_default
from .comparison import Files
from .em import START, LevelCounts, Model, finite_log, level_shares, log_ratios, match_posterior, run_em
from .patterns import Patterns, pattern_levels, pattern_strides

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


PEOPLE = 500

CELLS = 100_000_000
"""At most so many people, and comparisons of cells, are used: there are few parameters to estimate."""

ROWS = 1_000_000
"""Patterns of single people that are kept."""

STEPS = 200

CLOSE = 1e-4

SMALL = 0.5
"""Pairs added to each level, so that one which the sample lacks stays possible (Jeffreys' prior)."""


def estimate_single_match(
    files: Files, start: Model, *, seed: Seed | None = None, progress: Progress | None = None
) -> Model:
    r"""The most likely m when each of the intruder's people has exactly one record in the release.

    Expectation and maximisation over all pairs forget that a person matches one record: where columns depend on each
    other they find all pairs that are alike. Here the chance that record a is person b is

    .. math:: g_{ab} = \frac{2^{w(a, b)}}{\sum_{a'} 2^{w(a', b)}},

    so that each person gives one match, and m are the shares of the levels under g. u and the prior stay. A random sample
    of the people is enough (``seed``). Time O(sample · n + steps · sample · patterns).
    """
    asked = np.flatnonzero(files.end > files.begin)
    compared = int((files.end - files.begin)[asked].mean()) if len(asked) else 0
    room = max(1, CELLS // max(1, compared * len(files.comparisons)))
    if len(asked) > min(room, PEOPLE):
        asked = make_generator(seed_or_default(seed)).choice(asked, min(room, PEOPLE), replace=False)
    if not len(asked):
        return start
    person, levels, counts = _patterns_by_person(files, asked, sub_progress(progress, 0.0, 0.8))
    counted, many = LevelCounts(levels, start), np.log(counts)
    first = np.flatnonzero(np.diff(person, prepend=-1))
    people = files.people_counts[asked[: len(first)]].astype(float)
    m, other = np.concatenate(start.m), finite_log(np.concatenate(start.u))
    step, moved = 0, np.inf
    while step < STEPS and moved > CLOSE:
        report_progress(progress, "estimating weights", 0.8 + 0.2 * step / STEPS)
        step += 1
        weight = counted.totals(finite_log(m) - other) + many
        chance = np.exp(weight - np.maximum.reduceat(weight, first)[person])
        chance *= (people / np.add.reduceat(chance, first))[person]
        new = counted.shares(counted.sums(chance) + SMALL, m)
        moved, m = float(np.abs(new - m).max(initial=0.0)), new
    return replace(start, m=counted.split(m), steps=step, converged=moved <= CLOSE)


def _patterns_by_person(
    files: Files, asked: np.ndarray, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The patterns of each person with all records, as far as there is room: whose, which, with how many records."""
    from ...kernels.agreement_scan import pattern_keys

    pairs, stride = files.scan_pairs(), pattern_strides(files.state_counts)
    whose, found, counts = [], [], []
    listed = 0
    for place, q in enumerate(asked):
        if listed > ROWS:
            break
        report_progress(progress, "estimating weights", place / len(asked))
        keys, many = _count_keys(pattern_keys(pairs, stride, q), files.record_counts[files.begin[q] : files.end[q]])
        listed += len(keys)
        whose.append(np.full(len(keys), place))
        found.append(keys)
        counts.append(many)
    return np.concatenate(whose), pattern_levels(np.concatenate(found), files), np.concatenate(counts)


def _count_keys(keys: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur and how many records have each; in a table where that is no longer than the list."""
    if keys.max(initial=0) < len(keys):
        counts = np.bincount(keys, weights=records)
        found = np.flatnonzero(counts)
        return found, counts[found]
    found, place = np.unique(keys, return_inverse=True)
    return found, np.bincount(place, weights=records)


Estimate = Literal["em", "fixed", "single", "known"]

_ORDER = ("em", "fixed", "single")

MOST = 100_000
"""Patterns over which expectation and maximisation are iterated."""

SLACK = 1.05
"""Estimated matches may exceed the possible ones by this factor, for the error of estimation."""


def estimate_model(
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
    sizes = int(files.people_counts.sum()), int(files.record_counts.sum())
    usual = min(1.0, min(sizes) / max(1, patterns.pairs))
    start = initial_model(files, patterns, prior=usual if prior is None else prior, estimate=estimate)
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
        told = sub_progress(progress, place / len(ways), (place + 1) / len(ways))
        model = floor_chances(patterns, run_em(patterns, replace(start, estimate=way), free=way == "em", progress=told))
        against = estimate_doubts(patterns, model, columns=columns, sizes=sizes)
        if not against:
            return model, tuple(notes)
        notes.append(f"the estimate {way!r} is implausible: {'; '.join(against)}")
    if notes:
        notes.append("the estimate 'single' was used instead: everybody is taken to have one record in the release")
    told = sub_progress(progress, 1.0 - 1.0 / len(ways), 1.0)
    return estimate_single_match(files, replace(start, estimate="single"), seed=seed, progress=told), tuple(notes)


def floor_chances(patterns: Patterns, model: Model) -> Model:
    r"""The model with no chance below half a pair: m at least :math:`1/2M`, u at least :math:`1/2(C - M)`.

    M is the number of matches that the model finds, C that of all pairs. That none of M pairs disagrees on a column does
    not make it impossible, it makes it rarer than about one in M: without the floor the iteration drives m to 0, the
    weight to −40 bits, and one wrong cell would exclude a person who agrees on all else. Levels that no pair has at all
    stay 0 in u (:meth:`Model.weights`).
    """
    sizes = [len(one) for one in model.m]
    seen = [share > 0 for share in level_shares(patterns, sizes)]
    found = max(expected_matches(patterns, model), 0.5)
    others = max(float(patterns.pairs) - found, 0.5)
    return replace(model, m=_at_least(model.m, 0.5 / found, seen), u=_at_least(model.u, 0.5 / others, seen))


def _at_least(chances: tuple[np.ndarray, ...], floor: float, seen: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Each column's chances, those of levels that occur raised to the floor, which the others pay for in proportion."""
    raised = []
    for chance, occurs in zip(chances, seen, strict=True):
        one = np.where(occurs, np.maximum(chance, min(floor, 1.0 / len(chance))), 0.0)
        raised.append(one / one.sum())
    return tuple(raised)


def initial_model(files: Files, patterns: Patterns, *, prior: float, estimate: str) -> Model:
    """Before any estimation: u as all pairs show it, m 0.1 for different values and equal shares of the rest."""
    sizes = [len(one.levels) + 1 for one in files.comparisons]
    m = tuple(np.append(1 - START, np.full(size - 1, START / (size - 1))) for size in sizes)
    return Model(m, level_shares(patterns, sizes), prior, estimate)


def from_known(files: Files, patterns: Patterns, known: np.ndarray, *, start: Model) -> Model:
    """Counts m in known pairs of rows, half a pair added to each level, and u in all pairs less the expected matches.

    The half keeps a level that no known pair has possible (Jeffreys' prior).
    """
    sizes = [len(one.levels) + 1 for one in files.comparisons]
    levels = pair_levels(files, known)
    m, u = [], []
    for column, everywhere in enumerate(level_shares(patterns, sizes)):
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


def expected_matches(patterns: Patterns, model: Model) -> float:
    """How many pairs the model takes for pairs of one person: the sum of their chances."""
    return float(match_posterior(log_ratios(patterns, model), model.prior) @ patterns.counts)


def estimate_doubts(
    patterns: Patterns, model: Model, *, columns: Sequence[str], sizes: tuple[int, int]
) -> tuple[str, ...]:
    """Why the estimate cannot be right; empty when nothing speaks against it.

    Two files without doubles cannot have more common people than the smaller file has records, and should have one at
    least; a pair of the same person agrees more often than a pair of two, in every column; the iteration has ended.
    Columns that depend on each other are what breaks the first: the iteration then finds the pairs that are similar
    (of the same branch, the same region) instead of the pairs that are the same.
    """
    found = []
    most, believed = min(sizes), max(expected_matches(patterns, model), model.prior * patterns.pairs)
    if believed > SLACK * most:
        found.append(f"it finds {believed:,.0f} matching pairs where at most {most:,} are possible")
    if believed < 0.5:
        found.append("it finds no matching pair")
    if not model.converged:
        found.append(f"it has not converged after {model.steps:,} steps")
    against = [name for name, weight in zip(columns, model.weights(), strict=True) if _has_negative_agreement(weight)]
    if against:
        found.append(f"agreeing on {', '.join(against)} would speak against a link")
    return tuple(found)


def _has_negative_agreement(weight: np.ndarray) -> bool:
    return bool(weight[-1] < -1e-9)
