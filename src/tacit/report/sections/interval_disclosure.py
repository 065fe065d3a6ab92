"""How near the released numbers are to the true ones: interval disclosure against the width of the interval."""

from __future__ import annotations

from ...plan.outcome import Outcome
from ...result import format_fact
from ..audience import Audience
from ..blocks import Figure, Figures, Section, Table, Text
from ..charts import disclosure_chart, render_svg
from ..words import format_percent

SAID = (
    "Somebody whose record is found is not told the true number where it was changed, but one near it. A value counts as "
    "disclosed when it lies among the p % of released values around the released one. Where the line lies near that of "
    "intervals dealt out at random, nothing is told."
)


def interval_disclosure_section(outcome: Outcome, _audience: Audience) -> Section | None:
    """The curve of each confidential number beside chance."""
    if outcome.curve is None:
        return None
    points = outcome.curve.points
    caption = "Share of the people whose number is disclosed, by the width of the interval"
    table = Table(
        caption=caption,
        head=("Column", "p %", "Disclosed", "At random"),
        rows=tuple(
            (point.column, format_fact(point.percent), format_percent(point.share), format_percent(point.baseline))
            for point in points
        ),
        numeric=frozenset({1, 2, 3}),
    )
    drawn = render_svg(disclosure_chart(outcome.curve), label=f"{caption}. The numbers are in the table below.")
    figure = Figure(svg=drawn, caption=caption, table=table)
    return Section(
        id="near", title="How near released numbers are to the true ones", blocks=(Text(SAID), Figures((figure,)))
    )
