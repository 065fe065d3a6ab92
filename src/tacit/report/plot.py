"""The chart of whatever was found, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ..claims.roc import Roc
from ..dp.game import Game
from ..errors import TacitError
from ..per_record import Histogram, PerRecord
from ..result import Result, format_fact
from ..risk.disclosure_curve import DisclosureCurve
from ..study.results import Study
from .charts import BEFORE, NOW, WIDTH, bar_chart, bin_labels, disclosure_chart, interval_chart, roc_curve
from .map_chart import risk_map

if TYPE_CHECKING:
    import altair as alt


def plot(
    found: Result | Sequence[Result] | PerRecord | Histogram | Roc | DisclosureCurve | Study | Game,
) -> alt.LayerChart:
    """The chart of a result (records per bin, or its value and interval), of several, of a histogram, curve, study or game.

    >>> plot(Histogram((0, 1, 2), (3, 4))).to_dict()["layer"][0]["mark"]["type"]
    'bar'
    """
    if isinstance(found, Result):
        found = (found,) if found.per_record is None else found.per_record
    if isinstance(found, PerRecord):
        found = found.histogram()
    if isinstance(found, Histogram):
        return bar_chart(bin_labels(found), found.counts)
    if isinstance(found, Roc):
        return roc_curve(found)
    if isinstance(found, DisclosureCurve):
        return disclosure_chart(found)
    if isinstance(found, Study):
        return risk_map(found)
    if isinstance(found, Game):
        return two_distributions(found)
    if isinstance(found, Sequence) and found and all(isinstance(part, Result) for part in found):
        return interval_chart([(part.name if part.column is None else part.column, part) for part in found])
    raise TacitError(
        f"a {type(found).__name__} has no chart",
        code="invalid_data",
        fix="plot a Result, several Results, a PerRecord, a Histogram, a curve, a Study or a Game",
    )


def two_distributions(found: Game) -> alt.LayerChart:
    """Both distributions over one another, as curves or as steps of whole numbers; dashed: the true answers.

    Where they overlap the adversary cannot tell the databases apart: half of what lies under both is its error.
    """
    import altair as alt

    at, *chances = found.curves()
    names = [
        f"with {name}, true answer {format_fact(answer)}"
        for name, answer in zip(("D", "D′"), found.answers, strict=True)
    ]
    rows = [
        {"answer": float(x), "chance": float(y), "database": name}
        for name, heights in zip(names, chances, strict=True)
        for x, y in zip(at, heights, strict=True)
    ]
    colour = alt.Color(
        "database:N",
        scale=alt.Scale(domain=names, range=[NOW, BEFORE]),
        legend=alt.Legend(title=None, orient="bottom", direction="vertical", labelLimit=0),
    )
    shape: Literal["linear", "step"] = "linear" if found.law == "laplace" else "step"
    drawn = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_area(opacity=0.45, interpolate=shape, line={"strokeWidth": 2})
        .encode(
            x=alt.X("answer:Q", title="published answer"),
            y=alt.Y("chance:Q", axis=alt.Axis(title=None, tickCount=4, format="~g"), stack=None),
            color=colour,
        )
    )
    ends = [{"at": answer, "database": name} for name, answer in zip(names, found.answers, strict=True)]
    true = alt.Chart(alt.InlineData(values=ends)).mark_rule(strokeDash=[5, 4], strokeWidth=2)
    layers = [drawn, true.encode(x="at:Q", color=colour)]
    return alt.LayerChart(layer=layers).properties(width=2 * WIDTH, height=WIDTH)
