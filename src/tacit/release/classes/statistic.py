"""A number per equivalence class, asked only for its extremes, its failing classes and its per-record view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import narwhals as nw
import numpy as np

from ...per_record import PerRecord
from ..engines.table import ROW, few_rows


@dataclass(frozen=True, slots=True)
class FailureCounts:
    """How many classes, and how many records in them, miss a requirement."""

    classes: int
    records: int


class Statistic(Protocol):
    """A number per class, on any engine."""

    @property
    def smallest(self) -> float:
        """The smallest over the classes."""

    @property
    def largest(self) -> float:
        """The largest over the classes."""

    @property
    def total(self) -> float:
        """The sum over the records."""

    def below(self, threshold: float) -> FailureCounts:
        """Classes and records with a number below the threshold."""

    def above(self, threshold: float) -> FailureCounts:
        """Classes and records with a number above the threshold, rounding apart."""

    def per_record(self) -> PerRecord:
        """The class's number for each record."""

    def tally(self) -> dict[float, FailureCounts]:
        """Each number that occurs, with its classes and records; for whole numbers (at most √(2n) sizes)."""


ROUNDING = 1e-12
"""A sum of shares is exact to about n·2⁻⁵³; differences below this are rounding, not disclosure."""


@dataclass(frozen=True, slots=True, eq=False)
class ArrayStatistic:
    """In memory: ``per_class[c]``, with the size of each class and the class of each record."""

    per_class: np.ndarray
    sizes: np.ndarray
    of_record: np.ndarray

    @property
    def smallest(self) -> float:
        """The smallest over the classes."""
        return _to_number(self.per_class.min().item())

    @property
    def largest(self) -> float:
        """The largest over the classes."""
        return _to_number(self.per_class.max().item())

    @property
    def total(self) -> float:
        """The sum over the records."""
        return _to_number((self.per_class @ self.sizes).item())

    def below(self, threshold: float) -> FailureCounts:
        """Classes and records with a number below the threshold."""
        return self._count_failing(self.per_class < threshold - ROUNDING)

    def above(self, threshold: float) -> FailureCounts:
        """Classes and records with a number above the threshold, rounding apart."""
        return self._count_failing(self.per_class > threshold + ROUNDING)

    def per_record(self) -> PerRecord:
        """The class's number for each record."""
        return PerRecord(array=lambda: self.per_class[self.of_record])

    def tally(self) -> dict[float, FailureCounts]:
        """Each number that occurs, with its classes and records."""
        found, place = np.unique(self.per_class, return_inverse=True)
        classes, records = np.bincount(place), np.bincount(place, weights=self.sizes)
        return {
            value.item(): FailureCounts(int(c), int(r)) for value, c, r in zip(found, classes, records, strict=True)
        }

    def _count_failing(self, failing: np.ndarray) -> FailureCounts:
        return FailureCounts(int(failing.sum()), int(self.sizes[failing].sum()))


@dataclass(frozen=True, eq=False)
class LazyStatistic:
    """On a lazy engine: a frame with one row per class (``size``, ``value``), and the call for one with a row per record.

    The second is made when it is asked for, because only that needs the rows numbered.
    """

    classes: nw.LazyFrame[Any]
    make_records: Callable[[], nw.LazyFrame[Any]]

    @cached_property
    def records(self) -> nw.LazyFrame[Any]:
        """A row per record with its number and the ``value`` of its class."""
        return self.make_records()

    @cached_property
    def _extremes_and_total(self) -> tuple[float, float, float]:
        """The smallest, the largest and the total, in one query."""
        value, total = nw.col("value"), (nw.col("value") * nw.col("size")).sum().cast(nw.Float64)
        found = self.classes.select(value.min().alias("low"), value.max().alias("high"), total.alias("total"))
        low, high, whole = map(_to_number, few_rows(found)[0])
        return low, high, whole

    @property
    def smallest(self) -> float:
        """The smallest over the classes."""
        return self._extremes_and_total[0]

    @property
    def largest(self) -> float:
        """The largest over the classes."""
        return self._extremes_and_total[1]

    @property
    def total(self) -> float:
        """The sum over the records."""
        return self._extremes_and_total[2]

    def below(self, threshold: float) -> FailureCounts:
        """Classes and records with a number below the threshold."""
        return self._count_failing(nw.col("value") < threshold - ROUNDING)

    def above(self, threshold: float) -> FailureCounts:
        """Classes and records with a number above the threshold, rounding apart."""
        return self._count_failing(nw.col("value") > threshold + ROUNDING)

    def per_record(self) -> PerRecord:
        """The class's number for each record, never collected unless its values are asked for."""
        return PerRecord(frame=lambda: self.records.select(nw.col(ROW).alias("row"), "value"))

    def tally(self) -> dict[float, FailureCounts]:
        """Each number that occurs, with its classes and records."""
        grouped = self.classes.group_by("value").agg(nw.len().alias("n"), nw.col("size").sum().alias("records"))
        rows = few_rows(grouped.select("value", "n", "records"))
        return {_to_number(value): FailureCounts(int(n), int(records)) for value, n, records in sorted(rows)}

    def _count_failing(self, failing: nw.Expr) -> FailureCounts:
        kept = self.classes.filter(failing).select(nw.len().alias("n"), nw.col("size").sum().alias("records"))
        classes, records = few_rows(kept)[0]
        return FailureCounts(int(classes), int(records or 0))


def _to_number(value: Any) -> float:
    return int(value) if float(value).is_integer() and not isinstance(value, float) else float(value)
