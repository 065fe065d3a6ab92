"""The chart of the game of differential privacy: the published answer with one database and with its neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..dp.game import Game
from ..result import shown
from .charts import BEFORE, NOW, WIDTH

if TYPE_CHECKING:
    import altair as alt

__all__ = ["two_distributions"]


def two_distributions(found: Game) -> alt.LayerChart:
    """Both distributions over one another, as curves or as steps of whole numbers; dashed: the true answers.

    Where they overlap the adversary cannot tell the databases apart: half of what lies under both is its error.
    """
    import altair as alt

    at, *chances = found.curves()
    names = [
        f"with {name}, true answer {shown(answer)}" for name, answer in zip(("D", "D′"), found.answers, strict=True)
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
