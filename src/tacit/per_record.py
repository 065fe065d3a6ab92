"""The vector behind a result: one value per record, kept where the data are and shown as a histogram."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .errors import TacitError

if TYPE_CHECKING:
    import narwhals as nw
    import numpy as np


RowsOf: TypeAlias = Literal["release", "original", "intruder"]
BINS = 20


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of records between edges; bin i is [edge i, edge i+1), the last one closed."""

    edges: tuple[float, ...]
    counts: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain lists."""
        return {"edges": list(self.edges), "counts": list(self.counts)}

    def merge_bins(self, threshold: int) -> Histogram:
        """Neighbouring bins merged until each holds at least ``threshold`` records, for a public page.

        >>> Histogram((0, 1, 2, 3), (2, 9, 20)).merge_bins(10)
        Histogram(edges=(0, 2, 3), counts=(11, 20))
        """
        edges, counts, running = [self.edges[0]], [], 0
        for edge, count in zip(self.edges[1:], self.counts, strict=True):
            running += count
            if running >= threshold:
                edges.append(edge)
                counts.append(running)
                running = 0
        if not counts:
            return Histogram((self.edges[0], self.edges[-1]), (running,))
        return Histogram((*edges[:-1], self.edges[-1]), (*counts[:-1], counts[-1] + running))


class PerRecord:
    """One value per row of the release, the original or the intruder's file.

    Made from an array (or the call that computes it when it is first asked for), from a lazy Narwhals column (never
    collected unless ``values()`` is called; or the call that makes it), or detached from the data, when only the
    histogram is left.
    """

    __slots__ = ("_array", "_frame", "_histogram", "rows_of")

    def __init__(
        self,
        *,
        rows_of: RowsOf = "release",
        array: np.ndarray | Callable[[], np.ndarray] | None = None,
        frame: nw.LazyFrame[Any] | Callable[[], nw.LazyFrame[Any]] | None = None,
        histogram: Histogram | None = None,
    ) -> None:
        self.rows_of, self._array, self._frame, self._histogram = rows_of, array, frame, histogram

    def values(self) -> np.ndarray:
        """The values as an array, in row order; collects them from a lazy engine."""
        import numpy as np

        if self._array is not None:
            if callable(self._array):
                self._array = self._array()
            return self._array
        frame = self._lazy_frame()
        if frame is None:
            raise TacitError(
                "this result is detached from its data",
                code="invalid_parameter",
                fix="measure the release again to see its records",
            )
        collected = frame.sort("row").select("value").collect(backend="pyarrow")
        return np.asarray(collected["value"].to_numpy(), dtype=np.float64)

    def frame(self) -> nw.LazyFrame[Any]:
        """A lazy frame with columns ``row`` and ``value``, on the engine that holds the data."""
        import narwhals as nw

        frame = self._lazy_frame()
        if frame is not None:
            return frame
        import polars as pl

        values = self.values()
        return nw.from_native(pl.LazyFrame({"row": range(len(values)), "value": values}))

    def histogram(self, edges: Sequence[float] | None = None) -> Histogram:
        """Records per bin; twenty bins of equal width between the extremes unless ``edges`` are given."""
        if self._histogram is not None:
            return self._histogram
        return self._count_bins(edges) if self._array is not None else self._counted_lazily(edges)

    def without_data(self) -> PerRecord:
        """The same without its hold on the data: the histogram alone."""
        return PerRecord(rows_of=self.rows_of, histogram=self.histogram())

    def _lazy_frame(self) -> nw.LazyFrame[Any] | None:
        if callable(self._frame):
            self._frame = self._frame()
        return self._frame

    def _count_bins(self, edges: Sequence[float] | None) -> Histogram:
        import numpy as np

        values = self.values()
        if len(values) == 0:
            return Histogram((0.0, 1.0), (0,))
        bounds = _equal_width_edges(float(values.min()), float(values.max())) if edges is None else list(edges)
        counts, _ = np.histogram(values, bins=np.asarray(bounds, dtype=float))
        return Histogram(tuple(bounds), tuple(int(count) for count in counts))

    def _counted_lazily(self, edges: Sequence[float] | None) -> Histogram:
        import narwhals as nw

        frame = self._lazy_frame()
        if frame is None:
            return Histogram((0.0, 1.0), (0,))
        value = nw.col("value")
        if edges is None:
            ends = frame.select(low=value.min(), high=value.max()).collect(backend="pyarrow").rows()[0]
            edges = _equal_width_edges(float(ends[0]), float(ends[1])) if ends[0] is not None else [0.0, 1.0]
        place = (
            nw.sum_horizontal(*((value >= edge).cast(nw.Int64) for edge in edges[1:-1]))
            if len(edges) > 2
            else nw.lit(0)
        )
        binned = frame.select(bin=place).group_by("bin").agg(nw.len().alias("count"))
        found = {int(row[0]): int(row[1]) for row in binned.select("bin", "count").collect(backend="pyarrow").rows()}
        return Histogram(tuple(edges), tuple(found.get(place, 0) for place in range(len(edges) - 1)))


def _equal_width_edges(low: float, high: float) -> list[float]:
    if high <= low:
        return [low, low + 1.0]
    return [low + (high - low) * step / BINS for step in range(BINS)] + [high]
