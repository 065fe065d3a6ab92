"""How many records look alike, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from ...per_record import Histogram
from ...plan.outcome import Outcome
from ...result import Result, format_fact
from ..audience import Audience, regrid_histogram, safe_count
from ..blocks import Block, Figure, Figures, Section, Table, Text
from ..charts import BEFORE, NOW, bar_chart, render_svg
from ..statement import name_with_column
from ..words import join_words

GRID = (1, 2, 3, 5, 10, 20, 50, 100, 1000, inf)


def classes_section(outcome: Outcome, audience: Audience) -> Section | None:
    """Charts of the class sizes and a table of the risk measures."""
    blocks: list[Block] = []
    sized = list(_class_size_histograms(outcome, audience))
    if sized:
        said = f"Records that agree in {join_words(outcome.original.quasi)} cannot be told apart by them."
        first = (
            "no bar stands for fewer than 10" if audience == "public" else "those that are alone are in the first bar"
        )
        blocks.append(Text(f"{said} The larger its group, the safer a record; {first}."))
        bins = [histogram for _, _, histogram in sized]
        most = max(n for histogram in bins for n in histogram.counts)
        drawn = zip(sized, _as_long(bins) if audience == "internal" else bins, strict=True)
        blocks.append(
            Figures(
                tuple(_class_size_figure(title, histogram, colour, most) for (title, colour, _), histogram in drawn)
            )
        )
    table = measures_table(outcome, audience)
    if table is not None:
        blocks += [table, _facts_table(outcome)] if audience == "internal" else [table]
    return Section(id="classes", title="How many records look alike", blocks=tuple(blocks)) if blocks else None


def _class_size_histograms(outcome: Outcome, audience: Audience) -> Iterator[tuple[str, str, Histogram]]:
    """Title, colour and bins of each file that has class sizes to show."""
    sides = (("Before", BEFORE, outcome.before), ("After", NOW, outcome.after))
    for title, colour, results in sides if outcome.masked else (("In the file", NOW, outcome.before),):
        sizes = next((result.per_record for result in results if result.id == "k_anonymity"), None)
        histogram = regrid_histogram(sizes.histogram(GRID), GRID, audience) if sizes is not None else None
        if histogram is not None:
            yield title, colour, histogram


def _as_long(bins: list[Histogram]) -> list[Histogram]:
    """Histograms on the same bins, so that before and after stand row by row; only where their bins are alike."""
    longest = max(bins, key=lambda histogram: len(histogram.counts))
    if any(histogram.edges != longest.edges[: len(histogram.edges)] for histogram in bins):
        return bins
    return [Histogram(longest.edges, (*h.counts, *[0] * (len(longest.counts) - len(h.counts)))) for h in bins]


def _class_size_figure(title: str, histogram: Histogram, colour: str, most: int) -> Figure:
    labels = [_bin_label(low, high) for low, high in zip(histogram.edges, histogram.edges[1:], strict=False)]
    caption = f"{title}: records by the number of records that look the same"
    rows = tuple((label, format_fact(records)) for label, records in zip(labels, histogram.counts, strict=True))
    table = Table(caption=caption, head=("Records alike", "Records"), rows=rows, numeric=frozenset({1}))
    drawn = render_svg(
        bar_chart(labels, histogram.counts, colour=colour, most=most),
        label=f"Bar chart. {caption}. Its numbers are in the table below.",
    )
    return Figure(svg=drawn, caption=caption, table=table)


def _bin_label(low: float, high: float) -> str:
    if high == inf:
        return f"{format_fact(low)} and more"
    return format_fact(low) if high == low + 1 else f"{format_fact(low)}–{format_fact(high - 1)}"


def measures_table(outcome: Outcome, audience: Audience) -> Table | None:
    """Every risk measure before and after."""
    if not outcome.before:
        return None
    after = {(result.name, result.column): result for result in outcome.after}
    both = bool(outcome.after)
    rows = tuple(
        (
            name_with_column(result.name, result.column),
            *_measure_cells(result, after.get((result.name, result.column)), both, audience),
        )
        for result in outcome.before
    )
    head = ("Measure", "Before", "After", "Better is") if both else ("Measure", "Value", "Better is")
    return Table(caption="Risk measures", head=head, rows=rows, numeric=frozenset(range(1, len(head) - 1)))


def _facts_table(outcome: Outcome) -> Table:
    """Every number of every measure."""
    sides = (("before", outcome.before), ("after", outcome.after)) if outcome.after else (("", outcome.before),)
    rows = tuple(
        (f"{title}: {name}" if title else name, value)
        for title, results in sides
        for result in results
        for name, value in result.rows()
    )
    return Table(
        caption="Everything that was measured", head=("Number", "Value"), rows=rows, numeric=frozenset({1}), folded=True
    )


def _measure_cells(before: Result, after: Result | None, both: bool, audience: Audience) -> tuple[str, ...]:
    """A public page leaves out the worst class of the original in a confidential column: it may be one person's value."""
    first = "not shown" if audience == "public" and before.about == "attribute" else _format_result(before, audience)
    better = "more" if before.worse == "low" else "less"
    return (first, _format_result(after, audience) if after else "–", better) if both else (first, better)


def _format_result(result: Result, audience: Audience) -> str:
    counts = result.kind == "measure" and isinstance(result.value, int)
    return safe_count(int(result.value), audience) if counts else format_fact(result.value)
