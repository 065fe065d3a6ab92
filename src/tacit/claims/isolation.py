"""How many predicates single somebody out: that exactly one person satisfies them, beside what chance gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, lgamma
from typing import TypeAlias

import numpy as np
import polars as pl

from ..errors import TacitError
from ..interval import wilson
from ..per_record import PerRecord
from ..release.codes import encode_column
from ..release.common_level import as_numbers, at_one_level
from ..release.hierarchy.cover import label_cover
from ..release.kinds import ORDERED
from ..release.release import Release
from ..result import Result
from .claims import PredicateClaims
from .gain import above_own


def right_predicates(claims: PredicateClaims, people: Release, others: Release | None = None) -> Result:
    r"""The share of the predicates made that hold for exactly one of the people.

    .. math:: \tfrac1m \sum_p \bigl[\, |\{x : p(x)\}| = 1 \,\bigr], \qquad
              baseline = \tfrac1m \sum_p n w_p (1 - w_p)^{n-1}

    The baseline is the chance that a predicate of weight w isolates one of n people drawn at random: up to 0.37 at w =
    1/n, so that to isolate is no disclosure by itself. ``others`` are people who are not in the release: the control is the
    share of the same predicates that isolate one of them. When the groups differ in size, both are counted for a random
    part of the larger one of the size of the smaller (the hypergeometric chance of exactly one). The same predicates are
    tried on both sides, so that differences are averaged pair by pair. The share is over the predicates that were made,
    also when more were asked for. ``per_record`` is 1 for each person who is singled out by one. O(conditions · log n) and
    the rows of each predicate's rarest condition.
    """
    found, who = _count_matches(claims, people)
    hits = (found == 1).astype(float)
    chance = by_chance(claims.weights, people.size)
    more, reach = above_own(hits, chance)
    facts: dict[str, object] = {
        "baseline": float(chance.mean()) if claims.predicate_count else 0.0,
        "above the baseline": more,
        "above the baseline, 95 % interval": reach,
        "predicates asked for": claims.asked,
        "predicates made": claims.predicate_count,
        "predicates that hold for nobody": int((found == 0).sum()),
        "people": people.size,
    }
    facts |= claims.facts
    facts |= {} if others is None else _control_facts(claims, found, people.size, others)
    notes = [*claims.notes, *_shortfall_notes(claims), *_small_control_notes(people, others)]
    facts |= {"notes": notes} if notes else {}
    singled = np.zeros(people.size)
    singled[who[who >= 0]] = 1.0
    facts["people singled out"] = int(singled.sum())
    return Result(
        name="singling out",
        id="singling_out",
        value=float(hits.mean()) if claims.predicate_count else 0.0,
        interval=wilson(float(hits.sum()), claims.predicate_count),
        worse="high",
        about="identity",
        facts=facts,
        per_record=PerRecord(array=singled, rows_of="original"),
    )


def by_chance(weights: np.ndarray, size: int) -> np.ndarray:
    """The chance that a predicate of each weight holds for exactly one of so many people drawn at random.

    >>> by_chance(np.array([0.0, 1 / 1000, 1.0]), 1000).round(3).tolist()
    [0.0, 0.368, 0.0]
    """
    found: np.ndarray = size * weights * (1.0 - weights) ** max(0, size - 1)
    return found


def is_interval_column(release: Release, column: str) -> bool:
    """Whether a condition on the column is an interval: numbers and dates as they were, not recoded."""
    plain = column not in release.levels and column not in release.mixed
    if not plain or release.types[column] not in ("integer", "number", "date", "datetime"):
        return False
    try:
        return release.kind(column) in ORDERED
    except TacitError:  # whole numbers of which nobody said whether they are a code
        return False


def _shortfall_notes(claims: PredicateClaims) -> list[str]:
    if claims.predicate_count == claims.asked:
        return []
    return [
        f"{claims.predicate_count:,} of the {claims.asked:,} predicates asked for could be made (the others hold for no single "
        "released record); the share is over those made"
    ]


def _small_control_notes(people: Release, others: Release | None) -> list[str]:
    if others is None or others.size >= people.size:
        return []
    return [
        f"the control has {others.size:,} people, the original {people.size:,}: above the control is what a random part of "
        "the original of that size gives, which is less than all of it"
    ]


def _control_facts(claims: PredicateClaims, found: np.ndarray, size: int, others: Release) -> dict[str, object]:
    """The same predicates on people who are not in the release, at the same number of people."""
    theirs, _ = _count_matches(claims, others)
    common = min(size, others.size)
    inside, outside = _one_of(found, size, common), _one_of(theirs, others.size, common)
    more, reach = above_own(inside, outside)
    told: dict[str, object] = {
        "control": float(outside.mean()) if claims.predicate_count else 0.0,
        "above the control": more,
        "above the control, 95 % interval": reach,
    }
    return told if size == others.size else {**told, "people on either side of the control": common}


def _one_of(found: np.ndarray, size: int, drawn: int) -> np.ndarray:
    """The chance that exactly one of ``drawn`` of the ``size`` people satisfies a predicate that holds for ``found``."""

    def chance(count: int) -> float:
        if count == 0 or size - count < drawn - 1:
            return 0.0
        ways = _log_binomial(size - count, drawn - 1) - _log_binomial(size, drawn)
        return min(1.0, count * exp(ways))

    different, place = np.unique(found, return_inverse=True)
    return np.array([chance(int(count)) for count in different])[place] if len(found) else np.zeros(0)


def _log_binomial(all_of_them: int, some: int) -> float:
    """The logarithm of the binomial coefficient."""
    return lgamma(all_of_them + 1) - lgamma(some + 1) - lgamma(all_of_them - some + 1)


def _count_matches(claims: PredicateClaims, people: Release) -> tuple[np.ndarray, np.ndarray]:
    """For how many people each predicate holds, and for whom when it is one."""
    if people.size == 0:
        raise TacitError(
            "the file of the people has no rows", code="too_few_records", fix="check the file that was given"
        )
    index: list[ColumnIndex] = []
    allowed: list[Allowed] = [(0, 0)] * len(claims.column)
    for number, column in enumerate(claims.columns):
        if column not in people.columns:
            raise TacitError(
                "is not in the file of the people, so that nobody can say what is right",
                code="unknown_column",
                column=column,
                fix="give a file that has it, or leave it out of the predicates: among=…",
            )
        here = np.flatnonzero(claims.column == number)
        one, found = _column_conditions(claims, people, column, here)
        index.append(one)
        for place, codes in zip(here, found, strict=True):
            allowed[place] = codes
    return match_predicates(
        index,
        (
            [(int(claims.column[i]), allowed[i]) for i in range(claims.start[p], claims.start[p + 1])]
            for p in range(claims.predicate_count)
        ),
    )


def _column_conditions(
    claims: PredicateClaims, people: Release, column: str, here: np.ndarray
) -> tuple[ColumnIndex, list[Allowed]]:
    """A column of the people, and the codes of it that the conditions ``here`` allow."""
    dictionary = claims.release.codes(column).dictionary
    first, last = claims.first[here], claims.last[here]
    if column in claims.release.mixed:
        return _recoded_conditions(claims.release, people, column, first)
    _, mine = at_one_level(claims.release, people, column)
    coded = encode_column(mine)
    index = index_column(coded.codes, len(coded.dictionary))
    if is_interval_column(claims.release, column):
        if not mine.dtype.is_numeric() and not mine.dtype.is_temporal():
            raise _no_shared_value_error(column)
        ends = _interval_starts(as_numbers(dictionary, column))
        low, high = (np.searchsorted(as_numbers(coded.dictionary, column), ends[at]) for at in (first, last + 1))
        return index, list(zip(low.tolist(), high.tolist(), strict=True))
    place = {value: code for code, value in enumerate(coded.dictionary.cast(pl.String))}
    codes = [place.get(value, -1) for value in dictionary.cast(pl.String)]
    if len(place) and all(code < 0 for code in codes):
        raise _no_shared_value_error(column)
    return index, [(codes[at], codes[at] + 1) if codes[at] >= 0 else (0, 0) for at in first.tolist()]


def _recoded_conditions(
    release: Release, people: Release, column: str, labels: np.ndarray
) -> tuple[ColumnIndex, list[Allowed]]:
    """A locally recoded column: a label allows the values that it covers."""
    mine = people.codes(column)
    dictionary = release.codes(column).dictionary.cast(pl.String)
    found = label_cover(release.hierarchies.get(column), column, dictionary, mine.dictionary, partial=True)
    place = {label: at for at, label in enumerate(found.labels)}
    slices = [(found.begin[place[label]], found.end[place[label]]) for label in dictionary]
    return index_column(mine.codes, len(mine.dictionary)), [
        found.places[slices[at][0] : slices[at][1]] for at in labels.tolist()
    ]


def _interval_starts(values: np.ndarray) -> np.ndarray:
    """Where the interval around each of the sorted values begins; the last one is where that of the largest ends."""
    return np.concatenate([[-np.inf], values[:-1] + (values[1:] - values[:-1]) / 2, [np.inf]])


def _no_shared_value_error(column: str) -> TacitError:
    return TacitError(
        "has no value in the release that any of the people has",
        code="missing_values",
        column=column,
        fix="give the hierarchy by which it was recoded, or leave the column out of the predicates: among=…",
    )


Allowed: TypeAlias = tuple[int, int] | np.ndarray
"""The codes that a condition allows: those from the first number up to but not the second, or the ones listed."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnIndex:
    """A column's ``codes``, with the ``rows`` of code c from ``start[c]`` to ``start[c+1]``."""

    codes: np.ndarray
    rows: np.ndarray
    start: np.ndarray

    def count(self, allowed: Allowed) -> int:
        """How many rows have one of the codes."""
        if isinstance(allowed, tuple):
            return int(self.start[allowed[1]] - self.start[allowed[0]])
        return int((self.start[allowed + 1] - self.start[allowed]).sum())

    def rows_with(self, allowed: Allowed) -> np.ndarray:
        """The rows that have one of the codes."""
        if isinstance(allowed, tuple):
            return self.rows[self.start[allowed[0]] : self.start[allowed[1]]]
        parts = [self.rows[self.start[code] : self.start[code + 1]] for code in allowed]
        return np.concatenate([self.rows[:0], *parts])

    def filter_rows(self, rows: np.ndarray, allowed: Allowed) -> np.ndarray:
        """Those of the rows that have one of the codes."""
        codes = self.codes[rows]
        plain = isinstance(allowed, tuple)
        has = (codes >= allowed[0]) & (codes < allowed[1]) if plain else np.isin(codes, allowed)
        found: np.ndarray = rows[has]
        return found


def index_column(codes: np.ndarray, count: int) -> ColumnIndex:
    """The index of a column with ``count`` codes; a row with a code beyond them, or below 0, has no value. O(n log n)."""
    whole = codes.astype(np.int64)
    order = np.argsort(whole, kind="stable")
    start = np.searchsorted(whole[order], np.arange(count + 1), side="left")
    return ColumnIndex(whole, order, start)


def match_predicates(
    columns: Sequence[ColumnIndex], predicates: Iterable[Sequence[tuple[int, Allowed]]]
) -> tuple[np.ndarray, np.ndarray]:
    """For how many rows each predicate holds, and for which, when it is one (else −1).

    A predicate is a list of conditions (number of the column, allowed codes). Costs for each the rows of its rarest
    condition.

    >>> zip_, sex = index_column(np.array([0, 0, 1]), 2), index_column(np.array([0, 1, 1]), 2)
    >>> counts, rows = match_predicates([zip_, sex], [[(0, (0, 1)), (1, (1, 2))], [(1, (1, 2))]])
    >>> counts.tolist(), rows.tolist()
    ([1, 2], [1, -1])
    """
    counts, one = [], []
    for conditions in predicates:
        ordered = sorted(conditions, key=lambda condition: columns[condition[0]].count(condition[1]))
        rows = columns[ordered[0][0]].rows_with(ordered[0][1])
        for column, allowed in ordered[1:]:
            if not len(rows):
                break
            rows = columns[column].filter_rows(rows, allowed)
        counts.append(len(rows))
        one.append(int(rows[0]) if len(rows) == 1 else -1)
    return np.array(counts, dtype=np.int64), np.array(one, dtype=np.int64)
