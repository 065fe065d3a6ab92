"""Estimation when everybody has one record in the other file: the records of a person compete with each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...progress import part, report
from ...seed import generator
from .em import LevelCounts, log
from .files import Files
from .model import Model
from .patterns import pattern_levels, strides

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed

__all__ = ["single"]

PEOPLE = 500
CELLS = 100_000_000
"""At most so many people, and comparisons of cells, are used: there are few parameters to estimate."""
ROWS = 1_000_000
"""Patterns of single people that are kept."""
STEPS = 200
CLOSE = 1e-4
SMALL = 0.5
"""Pairs added to each level, so that one which the sample lacks stays possible (Jeffreys' prior)."""


def single(files: Files, start: Model, *, seed: Seed | None = None, progress: Progress | None = None) -> Model:
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
        asked = generator(0 if seed is None else seed).choice(asked, min(room, PEOPLE), replace=False)
    if not len(asked):
        return start
    person, levels, counts = _patterns(files, asked, part(progress, 0.0, 0.8))
    counted, many = LevelCounts(levels, start), np.log(counts)
    first = np.flatnonzero(np.diff(person, prepend=-1))
    people = files.people[asked[: len(first)]].astype(float)
    m, other = np.concatenate(start.m), log(np.concatenate(start.u))
    step, moved = 0, np.inf
    while step < STEPS and moved > CLOSE:
        report(progress, "estimating weights", 0.8 + 0.2 * step / STEPS)
        step += 1
        weight = counted.totals(log(m) - other) + many
        chance = np.exp(weight - np.maximum.reduceat(weight, first)[person])
        chance *= (people / np.add.reduceat(chance, first))[person]
        new = counted.shares(counted.sums(chance) + SMALL, m)
        moved, m = float(np.abs(new - m).max(initial=0.0)), new
    return replace(start, m=counted.split(m), steps=step, converged=moved <= CLOSE)


def _patterns(files: Files, asked: np.ndarray, progress: Progress | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The patterns of each person with all records, as far as there is room: whose, which, with how many records."""
    from ...kernels.agreement_scan import pattern_keys

    pairs, stride = files.scanned(), strides(files.states)
    whose, found, counts = [], [], []
    listed = 0
    for place, q in enumerate(asked):
        if listed > ROWS:
            break
        report(progress, "estimating weights", place / len(asked))
        keys, many = _counted(pattern_keys(pairs, stride, q), files.records[files.begin[q] : files.end[q]])
        listed += len(keys)
        whose.append(np.full(len(keys), place))
        found.append(keys)
        counts.append(many)
    return np.concatenate(whose), pattern_levels(np.concatenate(found), files), np.concatenate(counts)


def _counted(keys: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The keys that occur and how many records have each; in a table where that is no longer than the list."""
    if keys.max(initial=0) < len(keys):
        counts = np.bincount(keys, weights=records)
        found = np.flatnonzero(counts)
        return found, counts[found]
    found, place = np.unique(keys, return_inverse=True)
    return found, np.bincount(place, weights=records)
