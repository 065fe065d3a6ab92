"""One column before and after: two charts of one scale, and the figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...loss.distributions.column_comparison import ColumnComparison, compare_column
from ...per_record import Histogram
from ...report.charts import BEFORE, NOW, bar_chart, bin_labels, render_svg
from ..texts import texts
from .step import step_counts, step_failure

if TYPE_CHECKING:
    from .context import PanelContext


def column_panel(bench: PanelContext) -> dict[str, Any]:
    """The distribution in the original and after a step, under the same labels."""
    name = str(bench.question["column"])
    _, count = step_counts(bench, str(bench.question.get("after", "last")))
    problem = step_failure(bench, count)
    if problem is not None:
        return {"column": name, "how": "unreached", "failed": problem}
    found = compare_column(bench.masked(count), original=bench.original, column=name)
    if found.how == "dropped":
        return {"column": name, "how": found.how}
    return {"column": name, "how": found.how, **_draw_charts(found), "numbers": [list(one) for one in found.numbers]}


def _draw_charts(found: ColumnComparison) -> dict[str, Any]:
    rows = _table_rows(found)
    labels = [label for label, _, _ in rows]
    most = max([1, *(count for _, *pair in rows for count in pair)])
    say = texts().protect
    charts = [
        render_svg(
            bar_chart(labels, counts, colour=colour, most=most), label=f"{title}: {found.column}. {say.chart_table}"
        )
        for title, colour, counts in (
            (say.before, BEFORE, [before for _, before, _ in rows]),
            (say.after, NOW, [after for _, _, after in rows]),
        )
    ]
    return {"before": charts[0], "after": charts[1], "rows": [list(row) for row in rows]}


def _table_rows(found: ColumnComparison) -> list[tuple[str, int, int]]:
    """Label, records before and after; what is rarer and what is missing come last, where there is any."""
    say = texts().protect
    labels = bin_labels(Histogram(found.edges, found.before)) if found.how == "ranges" else found.labels
    from_day = say.from_day if found.how == "dates" else ""
    rows = [(f"{from_day}{label}", b, a) for label, b, a in zip(labels, found.before, found.after, strict=True)]
    rows += [(say.other_values, *found.other)] if any(found.other) else []
    return rows + ([(say.no_value, *found.missing)] if any(found.missing) else [])
