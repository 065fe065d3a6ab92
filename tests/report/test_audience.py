"""What the public may see: bins of ten records or more on a fixed grid, and no small count."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.per_record import Histogram, PerRecord
from tacit.report.audience import THRESHOLD, on_grid, regrid_histogram, safe_count
from tacit.report.sections.classes import GRID

sizes = st.lists(st.integers(min_value=1, max_value=5000), min_size=1, max_size=300)


@given(sizes)
def test_no_public_bin_holds_fewer_than_ten(found: list[int]) -> None:
    exact = PerRecord(array=np.array(found, dtype=float)).histogram(GRID)
    public = regrid_histogram(exact, GRID, "public")
    if len(found) < THRESHOLD:
        assert public is None
        return
    assert public is not None
    assert sum(public.counts) == len(found)
    assert set(public.edges) <= set(GRID)
    assert min(public.counts) >= THRESHOLD


@given(sizes)
def test_the_internal_bins_count_as_numpy_does(found: list[int]) -> None:
    internal = regrid_histogram(PerRecord(array=np.array(found, dtype=float)).histogram(GRID), GRID, "internal")
    expected = [sum(low <= size < high for size in found) for low, high in zip(GRID, GRID[1:], strict=False)]
    assert internal is not None
    assert list(internal.counts) == expected[: len(internal.counts)]
    assert sum(internal.counts) == len(found)


@given(sizes)
def test_a_detached_histogram_is_told_on_the_grid_and_never_by_its_extremes(found: list[int]) -> None:
    detached = PerRecord(array=np.array(found, dtype=float)).without_data().histogram(GRID)
    gridded = on_grid(detached, GRID)
    assert set(gridded.edges) <= set(GRID)
    ends = zip(gridded.edges, gridded.edges[1:], strict=False)
    assert list(gridded.counts) == [sum(low <= size < high for size in found) for low, high in ends]


def test_small_counts_are_for_internal_eyes() -> None:
    assert [safe_count(n, "public") for n in (0, 1, 9, 10)] == ["0", "fewer than 10", "fewer than 10", "10"]
    assert [safe_count(n, "internal") for n in (0, 1, 9, 10)] == ["0", "1", "9", "10"]


def test_a_file_of_few_records_has_no_public_chart() -> None:
    assert regrid_histogram(Histogram((1, 2, 3), (2, 3)), (1, 2, 3), "public") is None
    assert regrid_histogram(Histogram((1, 2, 3), (2, 3)), (1, 2, 3), "internal") == Histogram((1, 2, 3), (2, 3))
