"""For each of the intruder's rows the released rows of the highest weight, all ties, without a matrix of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...progress import report_progress
from .comparison import Files
from .em import Model
from .estimate import pair_levels

if TYPE_CHECKING:
    from ...progress import Progress


CHUNK = 256
FINER = 1e-6
"""By how much a stricter level that the model weighs less than a weaker one is put above it: it decides between equals."""


@dataclass(frozen=True, slots=True, eq=False)
class BestLinks:
    """The rows ``found[start[q]:start[q+1]]`` of the release for row q of the intruder, and their total ``weight``."""

    start: np.ndarray
    found: np.ndarray
    weight: np.ndarray


def monotone_weights(model: Model) -> tuple[np.ndarray, ...]:
    """The weights of the levels, made to rise with agreement; all 0 where agreeing never speaks for a link.

    In small files a near level may come out above exact agreement by chance: equal records must win over near ones still.
    """
    return tuple(_make_monotone(weight) for weight in model.weights())


def _make_monotone(weight: np.ndarray) -> np.ndarray:
    risen: np.ndarray = np.maximum.accumulate(weight)
    return risen + FINER * np.cumsum(risen > weight) if risen[-1] > risen[0] else np.zeros(len(weight))


def best_links(
    files: Files, model: Model, *, extra: np.ndarray | None = None, progress: Progress | None = None
) -> BestLinks:
    """The released rows of the highest total weight for each of the intruder's rows; none where its block is empty.

    A pair loses in each column what it weighs less than exact agreement, which is never negative: so the pair of the
    highest weight is the nearest one, and a level that is missed costs the same whatever the values. Each level is one
    condition of the nearest-neighbour search, a tolerance two (:class:`tacit.kernels.nearest.Costs`); another block
    costs more than all columns together. With ``extra`` (:func:`.probabilistic.rarity`) the costs depend on the values,
    and the pairs of distinct rows are compared one by one, in O(n·m) time.
    """
    asked = np.flatnonzero(files.end > files.begin)
    sizes, weight = np.zeros(len(files.value), dtype=np.int64), np.zeros(len(files.value))
    if not len(asked):
        return BestLinks(np.zeros(len(sizes) + 1, dtype=np.int64), np.empty(0, dtype=np.int64), weight)
    weights = monotone_weights(model)
    if extra is None:
        start, found = _search_nearest(files, weights, asked, progress)
        sizes[asked] = np.diff(start)
        weight[asked] = _total_weight(files, weights, np.column_stack([asked, found[start[:-1]]]))
    else:
        sizes[asked], found, weight[asked] = _scan_all(files, weights, extra, asked, progress)
    return BestLinks(np.append(0, np.cumsum(sizes)), found.astype(np.int64), weight)


def _total_weight(files: Files, weights: tuple[np.ndarray, ...], rows: np.ndarray) -> np.ndarray:
    levels = pair_levels(files, rows)
    total = np.zeros(len(rows))
    for column, weight in enumerate(weights):
        total += np.append(weight, 0.0)[levels[:, column]]
    return total


def _search_nearest(
    files: Files, weights: tuple[np.ndarray, ...], asked: np.ndarray, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    from ...kernels.nearest import CODE, FLOOR, Costs, nearest_points

    conditions = [one for column in range(len(weights)) for one in _search_columns(files, column, weights[column])]
    if files.blocks is not None:
        bar = 1.0 + 2.0 * sum(one.price + one.missing for one in conditions)
        conditions.append(_SearchColumn(*files.blocks, floor=False, price=bar, missing=bar, both=bar))
    if not conditions:
        every = np.arange(len(files.low))
        return np.arange(len(asked) + 1) * len(every), np.tile(every, len(asked))
    points = np.column_stack([one.release for one in conditions])
    queries = np.column_stack([one.intruder[asked] for one in conditions])
    prices = (np.array([getattr(one, name) for one in conditions]) for name in ("price", "missing", "both"))
    kinds = np.array([FLOOR if one.floor else CODE for one in conditions])

    def told(share: float) -> None:
        report_progress(progress, "linking by weight", share)

    return nearest_points(points, queries, Costs(kinds, *prices), told=told)


@dataclass(frozen=True, slots=True, eq=False)
class _SearchColumn:
    """A column of the search and what it costs to miss it, or to have a gap on one side, or on both."""

    release: np.ndarray
    intruder: np.ndarray
    floor: bool
    price: float
    missing: float
    both: float


def _search_columns(files: Files, column: int, weight: np.ndarray) -> Iterator[_SearchColumn]:
    """The levels of a column that weigh more than the one below; a gap costs all of what exact agreement weighs."""
    one, first = files.comparisons[column], files.columns[column]
    steps = np.diff(weight)
    for place in np.flatnonzero(steps > 0):
        level, price = one.levels[place], float(steps[place])
        missing = max(float(weight[-1]), 0.0) * price / float(steps.sum())
        low, high, value = (side[:, first + place] for side in (files.low, files.high, files.value))
        if level.is_equality:
            yield _SearchColumn(low, value, False, price, missing, 0.0 if one.own else missing)
        else:
            half = missing / 2
            yield _SearchColumn(low, value, True, price, half, 0.0 if one.own else half)
            yield _SearchColumn(-high, -value, True, price, half, 0.0 if one.own else half)


def _scan_all(
    files: Files, weights: tuple[np.ndarray, ...], extra: np.ndarray, asked: np.ndarray, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    from ...kernels.agreement_scan import best_pairs

    score = np.zeros((len(weights), max((one.state_count for one in files.comparisons), default=1)))
    for column, (one, weight) in enumerate(zip(files.comparisons, weights, strict=True)):
        score[column, one.unknown : one.unknown + len(weight)] = weight
    pairs, parts = files.scan_pairs(), []
    for at in range(0, len(asked), CHUNK):
        report_progress(progress, "linking by weight", at / len(asked))
        parts.append(best_pairs(pairs, score, extra, asked[at : at + CHUNK]))
    sizes, found, weight = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sizes, found, weight
