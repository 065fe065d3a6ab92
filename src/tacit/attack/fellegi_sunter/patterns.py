"""How many pairs of records agree how far on which columns: all that estimation needs to know of two files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError
from ...progress import report_progress
from ...seed import make_generator, seed_or_default
from .comparison import Files

if TYPE_CHECKING:
    from ...progress import Progress
    from ...seed import Seed


BUDGET = 4_000_000_000
"""Comparisons of cells that are made; beyond them a sample of the intruder's records is taken. Some seconds."""
REFINED = 20
"""What a row costs in each state of the classes, in comparisons of cells."""
SORTED = 800
"""What a pair costs when its pattern is listed and sorted, in comparisons of cells."""
DENSE = 1 << 22
"""Patterns that are counted in a table."""
LARGEST = 2**62
CHUNK = 256


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The agreement patterns that occur, and how many pairs of records have each.

    ``levels[i, c]`` is the level of column c in pattern i: −1 unknown, 0 different, then up to exact. The counts are
    exact unless only a ``sample`` (a share below 1) of the intruder's distinct rows was compared; then they are
    scaled up, and a share q of the pairs has a standard error of about sqrt(q / (rows sampled · records)) or, as the
    pairs of one row go together, up to sqrt(q / rows sampled).
    """

    levels: np.ndarray
    counts: np.ndarray
    pairs: int
    sample: float = 1.0


def count_patterns(
    files: Files, *, seed: Seed | None = None, budget: int = BUDGET, progress: Progress | None = None
) -> Patterns:
    r"""The exact number of pairs of every agreement pattern, over all pairs of the two files.

    Where agreeing is being equal at every level, no pair is visited: the number of pairs that agree at least so far,
    :math:`T(s) = \sum_{\text{classes}} a \cdot b`, is a sum over the classes that both files share, for each of the
    :math:`\prod_c (L_c + 1)` states :math:`s`; Möbius inversion over the levels gives the number that agree exactly
    so far. That a cell is missing is one more level: "known on both sides" stands between anything and agreeing. With
    tolerances, or when it is cheaper, the pairs of distinct rows are compared one by one; when both would take more
    than ``budget`` comparisons of cells, those of a random sample of the intruder's rows (``seed``).

    Time O(min(states · (n + m), n·m·columns, budget)), memory O(states + (n + m) · levels).

    References
    ----------
    Fellegi and Sunter (1969), A theory for record linkage, J. American Statistical Association 64, 1183–1210.
    """
    sizes = files.state_counts
    states = int(np.prod([float(size) for size in sizes])) if sizes else 1
    if states >= LARGEST:
        raise TacitError(
            f"{len(sizes)} columns are too many to be compared at once",
            code="too_large",
            fix="let the intruder know fewer",
        )
    classes = REFINED * states * (len(files.low) + len(files.value))
    pairs = max(1, files.row_pairs * (len(sizes) if states <= DENSE else SORTED))
    coded = all(level.is_equality for one in files.comparisons for level in one.levels)
    if coded and states <= DENSE and classes <= min(budget, pairs):
        report_progress(progress, "counting agreements", 0.0)
        return by_class(files)
    return by_pair(files, share=min(1.0, budget / pairs), seed=seed, progress=progress)


def by_class(files: Files) -> Patterns:
    """The counts by way of the classes that both files share, where agreeing is being equal; no pair is visited."""
    counts = _exact_counts(_at_least(files), files.state_counts)
    found = np.flatnonzero(counts)
    return Patterns(pattern_levels(found, files), counts[found], files.pair_count)


def _at_least(files: Files) -> np.ndarray:
    """Pairs that agree at least so far, by state; selective columns are handed over last, as the kernel likes it."""
    from ...kernels.agreement import agreeing_pairs

    rows, queries = len(files.low), len(files.value)
    second = np.arange(rows + queries) >= rows
    weight = np.append(files.record_counts, files.people_counts)
    bounds, columns, ends = files.columns, [], [0]
    for place, one in enumerate(files.comparisons):
        span = range(bounds[place], bounds[place + 1])
        columns += _condition_codes(files, span, own=one.own, unknown=one.unknown)
        ends.append(len(columns))
    varied = [int(columns[end - 1].max(initial=0)) for end in ends[1:]]
    order = np.argsort(varied, kind="stable")
    codes = [columns[k] for c in order for k in range(ends[c], ends[c + 1])]
    bounds = np.cumsum([0, *(ends[c + 1] - ends[c] for c in order)])
    table = np.ascontiguousarray(np.column_stack(codes)) if codes else np.empty((len(second), 0), dtype=np.int32)
    found = agreeing_pairs(table, weight, second, bounds.astype(np.int64), *_block_rows(files))
    shape = [files.state_counts[c] for c in order[::-1]]
    back = np.empty(len(order), dtype=np.int64)
    back[order[::-1]] = np.arange(len(order))
    return np.ascontiguousarray(found.reshape(shape).transpose(back[::-1])).reshape(-1)


def _condition_codes(files: Files, span: range, *, own: bool, unknown: bool) -> list[np.ndarray]:
    """The codes of each condition of a column: known or not where there are gaps, then its levels."""
    found = []
    for k in span:
        both = np.append(files.low[:, k], files.value[:, k])
        gaps = np.isnan(both)
        codes = np.unique(np.where(gaps, np.inf, both), return_inverse=True)[1].astype(np.int32)
        if not own:
            codes[gaps] = -1
        if unknown and k == span[0]:
            found.append(np.where(gaps, 1 if own else -1, 0).astype(np.int32))
        found.append(codes)
    return found


def _block_rows(files: Files) -> tuple[np.ndarray, np.ndarray]:
    """The rows of both files, block by block, and where each block starts; blocks without an intruder's row are left out."""
    rows = len(files.low)
    asked = np.flatnonzero(files.end > files.begin)
    order = asked[np.argsort(files.begin[asked], kind="stable")]
    starts, first, sizes = np.unique(files.begin[order], return_index=True, return_counts=True)
    listed, ends = [], [0]
    for start, place, size in zip(starts, first, sizes, strict=True):
        theirs = np.arange(start, files.end[order[place]])
        listed += [theirs, rows + order[place : place + size]]
        ends.append(ends[-1] + len(theirs) + int(size))
    joined = np.concatenate(listed) if listed else np.empty(0)
    return joined.astype(np.int32), np.array(ends, dtype=np.int32)


def _exact_counts(at_least: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray:
    """From "at least so far" to "exactly so far": along each column each state less the next one."""
    table = at_least.reshape(sizes[::-1])
    for axis in range(table.ndim):
        moved = np.moveaxis(table, axis, 0)
        moved[:-1] -= moved[1:]
    return table.reshape(-1)


def by_pair(
    files: Files, *, share: float = 1.0, seed: Seed | None = None, progress: Progress | None = None
) -> Patterns:
    """The counts by comparing all pairs of distinct rows, or those of a random ``share`` of the intruder's rows."""
    queries = np.flatnonzero(files.end > files.begin)
    if share < 1.0:
        drawn = max(1, int(share * len(queries)))
        queries = np.sort(make_generator(seed_or_default(seed)).choice(queries, drawn, replace=False))
    chunks = _query_chunks(queries, progress)
    few = float(np.prod([float(size) for size in files.state_counts])) <= DENSE
    found, counts = _in_table(files, chunks) if few else _list_patterns(files, chunks)
    if share < 1.0 and counts.sum():
        counts = counts * (files.pair_count / counts.sum())
    return Patterns(pattern_levels(found, files), counts, files.pair_count, sample=share)


def _query_chunks(queries: np.ndarray, progress: Progress | None) -> Iterator[np.ndarray]:
    for at in range(0, len(queries), CHUNK):
        report_progress(progress, "comparing pairs", at / len(queries))
        yield queries[at : at + CHUNK]


def _in_table(files: Files, chunks: Iterator[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The patterns that occur and their counts, through a table of all patterns."""
    from ...kernels.agreement_scan import pattern_counts

    pairs, stride = files.scan_pairs(), pattern_strides(files.state_counts)
    counts = np.zeros(int(np.prod(np.array(files.state_counts, dtype=np.int64))), dtype=np.int64)
    for chunk in chunks:
        pattern_counts(pairs, stride, (files.record_counts, files.people_counts), chunk, counts)
    found = np.flatnonzero(counts)
    return found, counts[found]


def _list_patterns(files: Files, chunks: Iterator[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The same where there may be too many patterns for a table: they are listed and sorted."""
    from ...kernels.agreement_scan import pattern_keys

    pairs, stride = files.scan_pairs(), pattern_strides(files.state_counts)
    found: list[np.ndarray] = [np.empty(0, dtype=np.int64)]
    counts: list[np.ndarray] = [np.empty(0)]
    for chunk in chunks:
        keys = np.concatenate([pattern_keys(pairs, stride, q) for q in chunk])
        many = np.concatenate(
            [files.record_counts[files.begin[q] : files.end[q]] * files.people_counts[q] for q in chunk]
        )
        listed, place = np.unique(keys, return_inverse=True)
        found.append(listed)
        counts.append(np.bincount(place, weights=many))
    listed, place = np.unique(np.concatenate(found), return_inverse=True)
    return listed, np.bincount(place, weights=np.concatenate(counts)).astype(np.int64)


def pattern_strides(sizes: tuple[int, ...]) -> np.ndarray:
    """What one state more of each column adds to the number of a pattern."""
    return np.cumprod([1, *sizes[:-1]]).astype(np.int64) if sizes else np.empty(0, dtype=np.int64)


def pattern_levels(found: np.ndarray, files: Files) -> np.ndarray:
    """The level of each column in each pattern number."""
    stride, sizes = pattern_strides(files.state_counts), np.array(files.state_counts, dtype=np.int64)
    states = found[:, None] // stride % sizes
    levels: np.ndarray = states - np.array([one.unknown for one in files.comparisons], dtype=np.int64)
    return levels.astype(np.int8)
