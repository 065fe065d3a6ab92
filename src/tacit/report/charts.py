"""All drawing: charts for notebooks (see :func:`tacit.report.plot`), and the same charts as inline SVG for the page.

A chart is drawn from bins and summary numbers, never from records. The SVG has no script and no reference to
anything outside; its text takes the colour of the page, its marks keep a contrast of 3 : 1 on white and on black.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from ..claims.roc import Roc
from ..per_record import Histogram
from ..result import Result, format_fact
from ..risk.disclosure_curve import DisclosureCurve

if TYPE_CHECKING:
    import altair as alt


BEFORE, NOW = "#a0703f", "#3a7fc1"
"""Ochre and blue differ for every kind of colour vision, and in lightness from white and black alike."""
LINES = [NOW, BEFORE, "#4a8a4a", "#8a5fb0", "#b04a6a"]
"""Colours of several lines; their marks differ in shape too."""
WIDTH, STEP = 230, 26
DRAWN = 150
"""Points of a curve in log scale."""
LETTER = 8
"""Room for a letter: the reader's fonts are not known when the chart is laid out, so none is measured."""
LONGEST = 44
"""Letters of a label: longer ones are cut off, or the bars would be left without room; tables have them in full."""

PAGE: Mapping[str, Any] = {
    "background": "transparent",
    "aria": False,
    "font": "system-ui, sans-serif",
    "axis": {
        "labelColor": "currentColor",
        "titleColor": "currentColor",
        "labelFontSize": 13,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "domain": False,
        "ticks": False,
        "gridColor": "currentColor",
        "gridOpacity": 0.15,
    },
    "legend": {"labelColor": "currentColor", "labelFontSize": 13},
    "text": {"color": "currentColor", "fontSize": 13},
    "view": {"stroke": None},
}


def bin_labels(histogram: Histogram) -> tuple[str, ...]:
    """Each bin in words, with as many digits as tell them apart.

    >>> bin_labels(Histogram((0.0, 0.5, 1.0, float("inf")), (3, 4, 5)))
    ('0 to 0.5', '0.5 to 1', '1 and more')
    """
    pairs = list(zip(histogram.edges, histogram.edges[1:], strict=False))
    for digits in (4, 8, 17):
        labels = tuple(
            f"{low:.{digits}g} {'and more' if high == inf else f'to {high:.{digits}g}'}" for low, high in pairs
        )
        if len(set(labels)) == len(labels):
            break
    return labels


def bar_chart(
    labels: Sequence[str], counts: Sequence[int], *, colour: str = NOW, most: int | None = None
) -> alt.LayerChart:
    """A bar per bin with its number of records; ``most`` gives two charts the same scale."""
    import altair as alt

    rows = [{"bin": label, "records": count} for label, count in zip(labels, counts, strict=True)]
    top = max(most or 0, *counts, 1)
    written_out = LETTER * (len(f"{top:,}") + 1)
    scale = alt.Scale(domain=[0, top * WIDTH / (WIDTH - written_out)])
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("records:Q", axis=None, scale=scale), y=_row_axis("bin", labels)
    )
    written = base.mark_text(align="left", dx=4).encode(text=alt.Text("records:Q", format=","))
    return alt.LayerChart(layer=[base.mark_bar(color=colour), written]).properties(width=WIDTH, height=alt.Step(STEP))


def interval_chart(named: Sequence[tuple[str, Result]], *, bound: float | None = None) -> alt.LayerChart:
    """A dot and an interval per result, guessing as a tick beside it, and the required ``bound`` as a dashed line."""
    import altair as alt

    rows = [_result_row(name, result) for name, result in named]
    base = alt.Chart(alt.InlineData(values=rows)).encode(y=_row_axis("name", [name for name, _ in named]))
    shares = all(result.about != "utility" and result.value <= 1 for _, result in named)
    axis = alt.Axis(format="~%" if shares else "~g", tickCount=4, title=None)
    value = base.mark_circle(color=NOW, size=110, opacity=1).encode(x=alt.X("value:Q", axis=axis))
    spread = base.mark_rule(color=NOW, strokeWidth=3).encode(x="low:Q", x2="high:Q")
    guess = (
        base.transform_filter("isValid(datum.baseline)")
        .mark_tick(color=BEFORE, thickness=3, size=18, opacity=1)
        .encode(x="baseline:Q")
    )
    layers = [spread, guess, value]
    if bound is not None:
        line = alt.Chart(alt.InlineData(values=[{"bound": bound}])).mark_rule(
            color=BEFORE, strokeDash=[5, 4], strokeWidth=2
        )
        layers.append(line.encode(x="bound:Q"))
    return alt.LayerChart(layer=layers).properties(width=WIDTH, height=alt.Step(2 * STEP))


def line_chart(rows: Sequence[Mapping[str, Any]], *, title: str, bound: float | None = None) -> alt.LayerChart:
    """A line and intervals for each attack over the values of a parameter, and the required ``bound`` as a dashed line.

    Each row has ``parameter``, ``attack``, ``value``, ``low`` and ``high``; attacks differ by colour and by shape.
    """
    import altair as alt

    values = list(dict.fromkeys(str(row["parameter"]) for row in rows))
    shown = [{**row, "parameter": str(row["parameter"])} for row in rows]
    across = alt.X("parameter:N", sort=values, title=title, axis=alt.Axis(labelAngle=0))
    names = max(len(str(row["attack"])) for row in rows)
    legend = alt.Legend(
        title=None, orient="bottom", symbolOpacity=1, columnPadding=18, labelLimit=LETTER * names + LETTER
    )
    base = alt.Chart(alt.InlineData(values=shown)).encode(
        x=across, color=alt.Color("attack:N", scale=alt.Scale(range=LINES), legend=legend)
    )
    share = alt.Y("value:Q", axis=alt.Axis(format="~%", tickCount=5, title=None))
    layers = [
        base.mark_rule(strokeWidth=2, opacity=0.6).encode(y="low:Q", y2="high:Q"),
        base.mark_line(strokeWidth=2).encode(y=share),
        base.mark_point(filled=True, size=80, opacity=1).encode(y=share, shape=alt.Shape("attack:N", legend=None)),
    ]
    if bound is not None:
        line = alt.Chart(alt.InlineData(values=[{"bound": bound}])).mark_rule(
            color=BEFORE, strokeDash=[5, 4], strokeWidth=2
        )
        layers.append(line.encode(y="bound:Q"))
    return alt.LayerChart(layer=layers).properties(width=2 * WIDTH, height=WIDTH)


def disclosure_chart(curve: DisclosureCurve) -> alt.LayerChart:
    """The share disclosed against the width of the interval, each column beside the same intervals dealt out at random."""
    rows = [
        {"parameter": format_fact(point.percent), "attack": name, "value": share, "low": share, "high": share}
        for point in curve.points
        for name, share in ((point.column, point.share), (f"{point.column}, at random", point.baseline))
    ]
    return line_chart(rows, title="p, per cent of the values" if curve.by == "rank" else "p, per cent of the deviation")


def roc_curve(found: Roc) -> alt.LayerChart:
    """Members found against false alarms, both in log scale, so that the few who are surely found are seen; dashed: chance."""
    import altair as alt

    least = 1 / max(found.others, found.members, 10)
    steps = np.geomspace(least, 1.0, DRAWN)  # between the points of a curve lie lines, which log scales bend
    shares = np.maximum(np.interp(steps, found.false, found.found), least)
    points = [{"false": float(false), "found": float(share)} for false, share in zip(steps, shares, strict=True)]
    log = alt.Scale(type="log", domain=[least, 1])
    across = alt.X("false:Q", scale=log, title="others taken for members", axis=alt.Axis(format="~%", tickCount=4))
    up = alt.Y("found:Q", scale=log, title="members found", axis=alt.Axis(format="~%", tickCount=4))
    curve = alt.Chart(alt.InlineData(values=points)).mark_line(color=NOW, strokeWidth=2.5)
    ends = [{"false": end, "found": end} for end in (least, 1)]
    chance = alt.Chart(alt.InlineData(values=ends)).mark_line(color=BEFORE, strokeDash=[5, 4], strokeWidth=2)
    layers = [chance.encode(x=across, y=up), curve.encode(x=across, y=up)]
    return alt.LayerChart(layer=layers).properties(width=1.4 * WIDTH, height=1.4 * WIDTH)


def _row_axis(field: str, labels: Sequence[str]) -> alt.Y:
    import altair as alt

    room = LETTER * (1 + min(LONGEST, max(len(label) for label in labels)))  # capitals of a short code are wider
    cut = f"length(datum.label) > {LONGEST} ? slice(datum.label, 0, {LONGEST - 1}) + '…' : datum.label"
    axis = alt.Axis(labelPadding=6, minExtent=room, labelLimit=room, labelExpr=cut)
    return alt.Y(f"{field}:N", sort=None, title=None, axis=axis)


def _result_row(name: str, result: Result) -> dict[str, object]:
    low, high = result.interval or (result.value, result.value)
    return {"name": name, "value": result.value, "low": low, "high": high, "baseline": result.facts.get("baseline")}


def render_svg(chart: alt.LayerChart, *, label: str) -> str:
    """The chart as inline SVG with an accessible name; namespaces are left to HTML, so no address is in the page."""
    return _compile_svg(chart.to_json(validate=False)).replace(
        "<svg", f'<svg role="img" aria-label="{escape(label)}"', 1
    )


@lru_cache(maxsize=64)  # the public and the internal page of a release share a third of their charts
def _compile_svg(chart: str) -> str:
    import vl_convert

    drawn = str(vl_convert.vegalite_to_svg(chart, config=dict(PAGE)))
    return re.sub(r' (xmlns(:\w+)?|version|class|role|aria-\w+|pointer-events)="[^"]*"', "", drawn)
