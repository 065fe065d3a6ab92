"""The risk–utility map as a picture whose points are links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..study.results import Study
from .map_chart import COMMON, HEIGHT, WIDTH, map_layers, strategy_style
from .map_data import MapData
from .svg_links import Link, linked_svg

if TYPE_CHECKING:
    import altair as alt


ON_PAGE = {**COMMON, "ink": "currentColor", "ground": "transparent"}
COLUMNS = 2
"""Strategies beside each other in the legend."""
LONGEST = 300
"""Pixels of a name in the legend."""
WIDER = 3
"""Pixels that a letter may be wider in the font of the page than in the one that the legend is laid out by."""


def map_picture(study: Study, *, label: str, links: Mapping[int, Link]) -> str:
    """Loss across and risk upwards, as in :func:`~.map_chart.risk_map`; every candidate that has a place is a link."""
    import altair as alt

    data = MapData.of(study)
    points = alt.InlineData(values=[row for row in data.rows if row["number"] in links])
    chart = map_layers(points, data, None, {"href": alt.Href("number:Q")})
    drawn = alt.LayerChart(layer=[*chart.layer, _legend_layer(data)]).add_params(
        *(alt.param(name=name, value=value) for name, value in (("x_shown", 0), ("y_shown", 0), *ON_PAGE.items()))
    )
    apart = drawn.resolve_scale(color="independent", shape="independent")  # the other layers have no legend
    return linked_svg(apart.properties(width=WIDTH, height=HEIGHT), label=label, links=links)


def _legend_layer(data: MapData) -> alt.Chart:
    """A layer without marks that says how each strategy looks."""
    import altair as alt

    names = list(data.strategies)
    looks = [strategy_style(place) for place in range(len(names))]
    room = 18 + WIDER * max(len(name) for name in names)
    legend = alt.Legend(
        title=None,
        orient="bottom",
        columns=COLUMNS,
        symbolOpacity=1,
        labelLimit=LONGEST,
        symbolSize=80,
        columnPadding=room,
    )
    base = alt.Chart(alt.InlineData(values=[{"strategy": name} for name in names])).mark_point(filled=True, size=0)
    looked: alt.Chart = base.encode(
        color=alt.Color("strategy:N", scale=alt.Scale(domain=names, range=[c for c, _ in looks]), legend=legend),
        shape=alt.Shape("strategy:N", scale=alt.Scale(domain=names, range=[s for _, s in looks]), legend=legend),
    )
    return looked
