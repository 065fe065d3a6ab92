"""What classes of records that look alike give away: posterior against prior, and whose value is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ...errors import TacitError
from ...per_record import PerRecord
from ...plan.outcome import Outcome
from ...release.release import Release
from ...result import Result
from ...risk.skewness import record_posteriors
from ..audience import Audience, regrid_histogram
from ..blocks import Block, Figure, Figures, Section, Table, Text
from ..charts import BEFORE, NOW, bar_chart, render_svg
from ..listed_rows import listed_rows
from ..words import format_percent, to_prose

GRID = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 1.0, 1 + 1e-9)
OPEN: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "inference": lambda need: np.where(need <= 1, 2.0 - need, 0.0),
    "background": lambda chance: np.where(chance >= 1, chance, 0.0),
    "similarity": lambda alike: alike,
    "skewness": lambda gain: np.where(gain >= 0.5, gain, 0.0),
}
"""Measure → how open each record is by it, from what it says of each; 0: not open."""
WHY = {
    "inference": "whose class shares a value, or is known to any one member",
    "background": "whose value is the only one left when what the intruder can rule out is gone",
    "similarity": "whose class has values of one group only",
    "skewness": "whose value is likelier by a half or more once the class is found",
}


def given_away(outcome: Outcome, audience: Audience) -> Section | None:
    """A pair of charts for each confidential column; for internal eyes the records that are open."""
    if outcome.synthesis is not None and outcome.synthesis.is_fully_synthetic:  # a group of made-up records is nobody's
        return None
    release = outcome.original if outcome.masked is None else outcome.masked.release
    blocks: list[Block] = [
        figures for column in release.confidential for figures in _posterior_charts(release, column, audience)
    ]
    if not blocks:
        return None
    said = (
        "Whoever finds the group of a person need not find the record: the values in the group tell what the person may "
        "have. The first chart of a column says how likely each record's own value is to somebody who knows the totals of the "
        "file (prior), the second to somebody who has found the group (posterior). Records whose value is certain are given away."
    )
    if audience == "internal":
        results = outcome.after if outcome.masked is not None else outcome.before
        blocks += [table for result in results if (table := _disclosed_records_table(result)) is not None]
    return Section(id="given-away", title="What groups give away", blocks=(Text(said), *blocks))


def _posterior_charts(release: Release, column: str, audience: Audience) -> Iterator[Figures]:
    try:
        prior, posterior, counted = record_posteriors(release, column)
    except TacitError:  # counted class by class in memory only
        return
    sides = (("prior", BEFORE, prior), ("posterior", NOW, posterior))
    figures = [
        figure
        for title, colour, chances in sides
        if (figure := _posterior_figure(f"{column}, {title}", chances[counted], colour, audience))
    ]
    if len(figures) == 2:
        yield Figures(tuple(figures))


def _posterior_figure(title: str, chances: np.ndarray, colour: str, audience: Audience) -> Figure | None:
    histogram = regrid_histogram(PerRecord(array=chances).histogram(GRID), GRID, audience)
    if histogram is None:
        return None
    labels = [_bin_label(low, high) for low, high in zip(histogram.edges, histogram.edges[1:], strict=False)]
    caption = f"Records by the chance of their own value: {title}"
    rows = tuple((label, f"{records:,}") for label, records in zip(labels, histogram.counts, strict=True))
    table = Table(caption=caption, head=("Chance", "Records"), rows=rows, numeric=frozenset({1}))
    drawn = render_svg(
        bar_chart(labels, histogram.counts, colour=colour), label=f"{caption}. The numbers are in the table below."
    )
    return Figure(svg=drawn, caption=caption, table=table)


def _bin_label(low: float, high: float) -> str:
    if low >= 1:
        return "certain"
    return f"{format_percent(low)} to {format_percent(min(high, 1.0))}"


def _disclosed_records_table(result: Result) -> Table | None:
    """The records of the release that a measure finds open, the most open first."""
    if result.id not in OPEN or result.per_record is None:
        return None
    name, column = result.id, result.column
    return listed_rows(
        OPEN[name](result.per_record.values()),
        lambda many: f"{to_prose(name)} of {column}: {many:,} records {WHY[name]}",
    )
