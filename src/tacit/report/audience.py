"""Who reads a page, and what of the records that reader may see.

A public page shows nothing about single records: counts of 1 to 9 become "fewer than 10", and histograms have fixed
bins, computed here, none of which holds fewer than 10 records. Bins between the extremes of the data are never
shown, because an extreme is the value of one record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from ..per_record import Histogram
from ..release.trace import FEWEST
from ..result import format_fact

Audience: TypeAlias = Literal["internal", "public"]
THRESHOLD = FEWEST
"""The smallest number of records that a public page counts."""


def safe_count(number: int, audience: Audience) -> str:
    """How many records or classes; small numbers only for internal eyes.

    >>> safe_count(3, "internal"), safe_count(3, "public"), safe_count(0, "public"), safe_count(1200, "public")
    ('3', 'fewer than 10', '0', '1,200')
    """
    return f"fewer than {THRESHOLD}" if audience == "public" and 0 < number < THRESHOLD else format_fact(number)


def regrid_histogram(histogram: Histogram, grid: Sequence[float], audience: Audience) -> Histogram | None:
    """The histogram on the grid, as far as its own bins allow; for the public merged and without empty ends.

    None when all bins together hold too few records for the public.

    >>> regrid_histogram(Histogram((1, 2, 3, 5, 10), (3, 0, 50, 0)), (1, 2, 3, 5, 10), "internal")
    Histogram(edges=(1, 2, 3, 5), counts=(3, 0, 50))
    >>> regrid_histogram(Histogram((1, 2, 3, 5, 10), (3, 0, 50, 0)), (1, 2, 3, 5, 10), "public")
    Histogram(edges=(1, 5), counts=(53,))
    """
    gridded = on_grid(histogram, grid)
    kept = [place for place, records in enumerate(gridded.counts) if records] or [0]
    first, last = (0 if audience == "internal" else kept[0]), kept[-1] + 1
    cut = Histogram(gridded.edges[first : last + 1], gridded.counts[first:last])
    if audience == "internal":
        return cut
    return cut.merge_bins(THRESHOLD) if sum(cut.counts) >= THRESHOLD else None


def on_grid(histogram: Histogram, grid: Sequence[float]) -> Histogram:
    """Counts between those edges of the grid that no filled bin of the histogram straddles.

    The last bin holds its upper end too, so that it straddles an edge there.
    """
    bins = [
        (low, high, n)
        for low, high, n in zip(histogram.edges, histogram.edges[1:], histogram.counts, strict=False)
        if n
    ]
    last = histogram.edges[-1]
    inner = [
        edge for edge in grid[1:-1] if not any(low < edge < high or low < edge == last == high for low, high, _ in bins)
    ]
    edges = (grid[0], *inner, grid[-1])
    counts = [sum(n for low, _, n in bins if low >= edge) for edge in edges[1:-1]]
    total = sum(n for _, _, n in bins)
    from_edge = [total, *counts, 0]
    return Histogram(edges, tuple(above - beyond for above, beyond in zip(from_edge, from_edge[1:], strict=False)))
