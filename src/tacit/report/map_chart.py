"""The risk–utility map as a chart: for notebooks with everything in it, for the page as a specification without data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ..study.results import Study
from .charts import BEFORE, LINES, PAGE
from .map_data import MapData

if TYPE_CHECKING:
    import altair as alt


SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
"""With five colours, thirty strategies look different."""
GREY = "#808890"
"""Of what was stopped: seen on white and on black."""
COMMON = {"hidden": [], "ink": "#202020", "ground": "#ffffff"}
"""Strategies that are not shown, the colour of lines and words, and that of the paper behind them."""
WHOLE = "x_shown == 0 && y_shown == 0"
WIDTH, HEIGHT = 560, 420


def risk_map(study: Study) -> alt.LayerChart:
    """Loss across, risk upwards: every candidate, the front as a line of steps, the chosen one, and the bounds.

    Two selects say which risk and which loss stand on the axes; a click on the legend shows one strategy alone.

    >>> from tacit.study.candidate import Candidate
    >>> from tacit.study.evaluation import Evaluation, Figure
    >>> from tacit.study.results import Point
    >>> from tacit.loss.score import WeightedMeasure
    >>> one = Point(
    ...     number=0,
    ...     candidate=Candidate(strategy="as it is", steps=()),
    ...     risk=0.9,
    ...     loss=0.0,
    ...     evaluation=Evaluation(
    ...         state="done", figures=(Figure("risk", "reidentification", 0.9), Figure("loss", "moments", 0.0))
    ...     ),
    ... )
    >>> study = Study(
    ...     title="Pay",
    ...     points=(one,),
    ...     front=(0,),
    ...     chosen=None,
    ...     nearest=0,
    ...     attacks=("distance",),
    ...     risk=(WeightedMeasure(name="reidentification", weight=1.0),),
    ...     loss=(WeightedMeasure(name="moments", weight=1.0),),
    ... )
    >>> [param["bind"]["labels"] for param in risk_map(study).to_dict()["params"] if "labels" in param.get("bind", {})]
    [['whole loss', 'moments'], ['whole risk', 're-identification']]
    """
    import altair as alt

    data = MapData.of(study)
    picked = alt.selection_point(fields=["strategy"], bind="legend", name="picked")
    points = alt.InlineData(values=[_row_in_words(row, data) for row in data.rows])
    chart = map_layers(points, data, picked, _tooltip_channels())
    return chart.add_params(
        alt.param(name="x_shown", value=0, bind=_axis_dropdown(data.loss, "Loss: ")),
        alt.param(name="y_shown", value=0, bind=_axis_dropdown(data.risk, "Risk: ")),
        *(alt.param(name=name, value=value) for name, value in COMMON.items()),
    ).properties(width=WIDTH, height=HEIGHT)


def map_specification(data: MapData) -> dict[str, Any]:
    """The same chart compiled for Vega and as wide as its place; the page puts its points in and sets its axes."""
    specification: dict[str, Any] = json.loads(_compile_vega(data.strategies, json.dumps(data.bounds)))
    return specification


@lru_cache(maxsize=16)  # the map of a study is drawn again with other points, seldom with other strategies or bounds
def _compile_vega(strategies: tuple[str, ...], bounds: str) -> str:
    import altair as alt
    import vl_convert

    data = MapData(risk=(), kinds=0, loss=(), strategies=strategies, rows=(), bounds=tuple(json.loads(bounds)))
    chart = map_layers(alt.NamedData(name="points"), data, None, {}).add_params(
        *(alt.param(name=name, value=value) for name, value in (("x_shown", 0), ("y_shown", 0), *COMMON.items()))
    )
    chart = chart.properties(
        width="container", height=HEIGHT, padding=4, autosize=alt.AutoSizeParams(type="fit-x", contains="padding")
    )
    config = json.loads(json.dumps(PAGE).replace('"currentColor"', '{"expr": "ink"}'))
    compiled = vl_convert.vegalite_to_vega(chart.to_json(validate=False), config=config)
    return json.dumps({name: part for name, part in compiled.items() if name != "$schema"})


@cache
def drawing_library() -> str:
    """Vega as one piece of script, 0.9 MB: it comes with vl-convert, so that nothing is fetched.

    The addresses of its editor and its manual are taken out, and so is what could end a script element.
    """
    import vl_convert

    found = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    bare = re.sub(r"https?://(?!www\.w3\.org/)[^\"'`\s)]*", "", found)
    return bare.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def strategy_style(place: int) -> tuple[str, str]:
    """Colour and shape of the strategy at a place in the list."""
    return LINES[place % len(LINES)], SHAPES[place % len(SHAPES)]


def map_layers(
    points: alt.NamedData | alt.InlineData, data: MapData, picked: Any, also: Mapping[str, Any]
) -> alt.LayerChart:
    """All layers of the map, by the parameters of :data:`COMMON`; ``also`` are further channels of the candidates' marks."""
    import altair as alt

    across, up = (
        _share_axis(alt.X, "x", "loss: less is better"),
        _share_axis(alt.Y, "y", "risk, estimated: less is better"),
    )
    base = alt.Chart().encode(x=across, y=up)
    drawn = [
        *_candidate_layers(base, data, picked, also),
        *_front_layers(base, data, picked, also),
        *_label_layers(base),
    ]
    placed = (
        alt.LayerChart(layer=drawn, data=points)
        .transform_calculate(x="datum.loss[x_shown]", y="datum.risk[y_shown]")
        .transform_filter("isValid(datum.x) && isValid(datum.y) && indexof(hidden, datum.strategy) < 0")
    )
    return alt.LayerChart(layer=[*_bound_layers(data), placed])


def _share_axis(channel: Any, field: str, title: str) -> Any:
    import altair as alt

    axis = alt.Axis(format="~%", title=title, tickCount=6, labelFlush=False, labelOverlap=True)
    return channel(f"{field}:Q", scale=alt.Scale(zero=True, nice=True), axis=axis)


def _candidate_layers(base: alt.Chart, data: MapData, picked: Any, also: Mapping[str, Any]) -> list[alt.Chart]:
    """Those that were stopped hollow and grey, those that were evaluated to the end by strategy."""
    stopped = base.transform_filter("datum.state == 'stopped'").mark_point(
        filled=False, stroke=GREY, strokeWidth=1.2, size=30, opacity=0.7
    )
    ended = base.transform_filter("datum.state == 'done' && !datum.front").mark_point(filled=True, size=45)
    return [
        stopped.encode(shape=_strategy_shape(data), **also),
        ended.encode(
            color=_strategy_colour(data, picked),
            shape=_strategy_shape(data),
            opacity=_picked_opacity(picked, 0.65),
            **also,
        ),
    ]


def _front_layers(base: alt.Chart, data: MapData, picked: Any, also: Mapping[str, Any]) -> list[alt.Chart]:
    """The least risk for every loss, as a line of steps, and its points."""
    front = base.transform_filter("datum.front")
    line = front.transform_filter(WHOLE).mark_line(
        interpolate="step-after", color=_colour_ref(), strokeWidth=1.6, opacity=0.75
    )
    large = front.mark_point(filled=True, size=150, stroke=_colour_ref(), strokeWidth=1.4)
    if picked is not None:
        large = large.add_params(picked)
    return [
        line,
        large.encode(
            color=_strategy_colour(data, picked),
            shape=_strategy_shape(data),
            opacity=_picked_opacity(picked, 1.0),
            **also,
        ),
    ]


def _label_layers(base: alt.Chart) -> list[alt.Chart]:
    """A ring and a word for the chosen point, or the nearest, and for the file as it is."""
    named = base.transform_filter("isValid(datum.label)")
    ring = named.mark_point(shape="circle", filled=False, size=420, stroke=_colour_ref(), strokeWidth=2.2, opacity=1)
    beside = {**_label_alignment("datum.x", 12), "dy": -18, "fontWeight": "bold"}
    word = named.mark_text(**beside, color=_colour_ref()).encode(text="label:N")
    # A rim in the colour of the paper keeps the word apart from the marks below it.
    rim = named.mark_text(
        **beside, color=_colour_ref("ground"), stroke=_colour_ref("ground"), strokeWidth=4, strokeJoin="round"
    )
    return [ring, rim.encode(text="label:N"), word]


def _colour_ref(name: str = "ink") -> Any:
    import altair as alt

    return alt.ExprRef(name)


def _label_alignment(value: str, apart: int) -> dict[str, Any]:
    """A word to the right of a place, to the left of one near the right end, so that it stays inside the map."""
    import altair as alt

    late = f"scale('x', {value}) > 0.6 * width"
    return {"align": alt.ExprRef(f"{late} ? 'right' : 'left'"), "dx": alt.ExprRef(f"{late} ? -{apart} : {apart}")}


def _bound_layers(data: MapData) -> list[alt.Chart]:
    """A dashed line for each bound on what stands on an axis, and the bound in words."""
    import altair as alt

    base = alt.Chart(alt.InlineData(values=list(data.bounds), name="bounds"))
    risk = base.transform_filter("datum.axis == 'risk' && datum.at == y_shown").encode(y="value:Q")
    loss = base.transform_filter("datum.axis == 'loss' && datum.at == x_shown").encode(x="value:Q")
    dashed: dict[str, Any] = {"color": BEFORE, "strokeDash": [6, 4], "strokeWidth": 2}
    return [
        risk.mark_rule(**dashed),
        loss.mark_rule(**dashed),
        # To the left, where no candidate loses so little at so little risk; the chosen one lies near the line.
        risk.mark_text(align="left", dy=-7, dx=4, color=_colour_ref()).encode(x=alt.value(0), text="label:N"),
        loss.mark_text(**_label_alignment("datum.value", 6), dy=8, color=_colour_ref()).encode(
            y=alt.value(0), text="label:N"
        ),
    ]


def _strategy_colour(data: MapData, picked: Any) -> alt.Color:
    import altair as alt

    colours = [strategy_style(place)[0] for place in range(len(data.strategies))]
    scale = alt.Scale(domain=list(data.strategies), range=colours)
    legend = None if picked is None else alt.Legend(title="strategy", symbolOpacity=1)
    return alt.Color("strategy:N", scale=scale, legend=legend)


def _strategy_shape(data: MapData) -> alt.Shape:
    import altair as alt

    shapes = [strategy_style(place)[1] for place in range(len(data.strategies))]
    return alt.Shape("strategy:N", scale=alt.Scale(domain=list(data.strategies), range=shapes), legend=None)


def _picked_opacity(picked: Any, shown: float) -> Any:
    import altair as alt

    return alt.value(shown) if picked is None else alt.when(picked).then(alt.value(shown)).otherwise(alt.value(0.05))


HINTS = ("number", "strategy", "parameters", "state", "risks", "attacks", "losses", "requirements")


def _tooltip_channels() -> dict[str, Any]:
    """A notebook has the hints of the chart; the page has its own."""
    import altair as alt

    return {"tooltip": [alt.Tooltip(f"{name}:N") for name in HINTS]}


def _axis_dropdown(names: Sequence[str], title: str) -> alt.BindRadioSelect:
    import altair as alt

    return alt.binding_select(options=list(range(len(names))), labels=list(names), name=title)


def _row_in_words(row: dict[str, Any], data: MapData) -> dict[str, Any]:
    """A row with its parts in words."""
    risk, loss = list(zip(data.risk, row["risk"], strict=True)), list(zip(data.loss, row["loss"], strict=True))
    parts = {"risks": risk[: data.kinds + 1], "attacks": risk[data.kinds + 1 :], "losses": loss}
    said = {
        name: ", ".join(f"{part} {value:.2%}" for part, value in shares if value is not None)
        for name, shares in parts.items()
    }
    met = "met" if row["holds"] else "; ".join(row["missed"]) or "not known"
    return {**row, **said, "requirements": met}
