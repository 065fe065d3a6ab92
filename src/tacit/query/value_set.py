"""Sets of values of one column: the leaves of a condition.

A column with codes has intervals of whole numbers, in which a missing value is the code NULL; a text without a list has
a finite set of texts or all but a finite set, in which a missing value is None. Equal sets are equal objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .column import NULL, Column

FURTHEST = 2**62
"""Codes of a column without declared bounds are cut to ± this; so NULL is next to none of them."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Whole numbers as sorted intervals, both ends included, with a gap between any two.

    >>> Codes.of([(5, 7), (1, 2), (3, 4)]), Codes.of([(1, 9)]) - Codes.of([(3, 4)])
    (Codes(intervals=((1, 7),)), Codes(intervals=((1, 2), (5, 9))))
    """

    intervals: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, intervals: Iterable[tuple[int, int]]) -> Codes:
        """The union of any intervals; those whose end is before their start are empty."""
        joined: list[tuple[int, int]] = []
        for first, last in sorted(one for one in intervals if one[0] <= one[1]):
            if joined and first <= joined[-1][1] + 1:
                joined[-1] = joined[-1][0], max(last, joined[-1][1])
            else:
                joined.append((first, last))
        return cls(tuple(joined))

    def __and__(self, other: Codes) -> Codes:
        """What both have. O(sizes of both)."""
        found: list[tuple[int, int]] = []
        mine, others, i, j = self.intervals, other.intervals, 0, 0
        while i < len(mine) and j < len(others):
            first, last = max(mine[i][0], others[j][0]), min(mine[i][1], others[j][1])
            if first <= last:
                found.append((first, last))
            i, j = (i + 1, j) if mine[i][1] < others[j][1] else (i, j + 1)
        return Codes(tuple(found))

    def __or__(self, other: Codes) -> Codes:
        """What either has."""
        return Codes.of(self.intervals + other.intervals)

    def __sub__(self, other: Codes) -> Codes:
        """What only this one has."""
        ends = [NULL - 1, *(end for interval in other.intervals for end in interval), -NULL]
        return self & Codes.of((ends[i] + 1, ends[i + 1] - 1) for i in range(0, len(ends), 2))

    @property
    def without_null(self) -> Codes:
        """The same without the missing value."""
        return self - Codes(((NULL, NULL),))

    @property
    def has_null(self) -> bool:
        """Whether a missing value is among them."""
        return bool(self.intervals) and self.intervals[0][0] == NULL

    def __len__(self) -> int:
        return len(self.intervals)

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """Where disjoint sets stand among each other."""
        return self.intervals[0]

    def holds(self, codes: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of the codes are in the set. O(n log size)."""
        if not self.intervals:
            return np.zeros(len(codes), dtype=bool)
        first, last = np.array(self.intervals, dtype=np.int64).T
        place = np.searchsorted(first, codes, side="right") - 1
        inside: npt.NDArray[np.bool_] = (place >= 0) & (codes <= last[np.maximum(place, 0)])
        return inside

    def as_json(self) -> dict[str, Any]:
        """Its intervals; the missing value is None."""
        plain = [list(one) for one in self.without_null.intervals]
        return {"codes": [None, *plain] if self.has_null else plain}


@dataclass(frozen=True, slots=True)
class Texts:
    """The listed texts, or with ``others`` all but these; None is the missing value.

    >>> Texts.of(["a", "b"]) & Texts.of(["b"], others=True)
    Texts(listed=('a',), others=False)
    """

    listed: tuple[str | None, ...] = ()
    others: bool = False

    @classmethod
    def of(cls, listed: Iterable[str | None], *, others: bool = False) -> Texts:
        """The set in its one form."""
        return cls(tuple(sorted(set(listed), key=_text_order)), others)

    def __and__(self, other: Texts) -> Texts:
        """What both have."""
        if self.others and other.others:
            return Texts.of(self.listed + other.listed, others=True)
        finite, rest = (other, self) if self.others else (self, other)
        excluded = set(rest.listed)
        return Texts(tuple(text for text in finite.listed if (text in excluded) != rest.others), False)

    def __or__(self, other: Texts) -> Texts:
        """What either has."""
        return ~(~self & ~other)

    def __sub__(self, other: Texts) -> Texts:
        """What only this one has."""
        return self & ~other

    def __invert__(self) -> Texts:
        """All that it lacks, the missing value included."""
        return Texts(self.listed, not self.others)

    @property
    def without_null(self) -> Texts:
        """The same without the missing value."""
        return self & Texts((None,), True)

    @property
    def has_null(self) -> bool:
        """Whether a missing value is among them."""
        return (None in self.listed) != self.others

    def __len__(self) -> int:
        return len(self.listed) + self.others

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """Where disjoint sets stand among each other: the only one with all others comes last."""
        return (1,) if self.others else (0, _text_order(self.listed[0]))

    def as_json(self) -> dict[str, Any]:
        """Its texts, and whether they are in or out."""
        return {"texts": list(self.listed), "others": self.others}


Values = Codes | Texts


def _text_order(text: str | None) -> tuple[bool, str]:
    return text is not None, text or ""


def column_domain(column: Column) -> Values:
    """All that a column can hold after its values were cut to the bounds, and the missing value."""
    if column.kind == "text":
        return Texts((), True)
    if not column.has_public_domain:
        return Codes.of([(NULL, NULL), (-FURTHEST, FURTHEST)])
    return Codes.of([(NULL, NULL), column.bounds()])


def values_from_json(given: dict[str, Any]) -> Values:
    """The set that ``as_json`` wrote."""
    if "texts" in given:
        return Texts.of(given["texts"], others=bool(given["others"]))
    return Codes.of((NULL, NULL) if one is None else (int(one[0]), int(one[1])) for one in given["codes"])
