"""How re-identification falls with protection, as one HTML page."""

from __future__ import annotations

from ..plan.curve import CurveFindings
from ..result import shown
from .blocks import Figure, Figures, Section, Table, Text
from .charts import lines, svg
from .page import laid_out
from .statement import Statement
from .words import joined, percent, readable

__all__ = ["curve_page", "curve_table"]


def curve_page(found: CurveFindings) -> str:
    """The chart of every attack over the parameter, and the table behind it."""
    caption = "Share found by each attack, with its 95 % interval"
    caption += "" if found.required is None else f"; dashed: the bound of {percent(found.required)}"
    rows = [{**row, "attack": readable(str(row["attack"]))} for row in found.curve.as_json()]
    chart = lines(rows, title=f"{readable(found.method)}: {found.parameter}", bound=found.required)
    drawn = svg(chart, label=f"{caption}. The numbers are in the table below.")
    figure = Figure(svg=drawn, caption=caption, table=curve_table(found), open=True)
    said = f"The intruder knows {joined(found.knows)} of everybody and has read what was done to the data. Each value is masked once: two runs differ by more than the intervals tell."
    section = Section(id="curve", title="Protection against attacks", blocks=(Text(said), Figures((figure,))))
    return laid_out(
        f"{found.title}: {found.parameter} of {readable(found.method)}",
        _statement(found),
        (),
        [section],
        audience="internal",
    )


def curve_table(found: CurveFindings) -> Table:
    """A row for each value and attack."""
    rows = tuple(
        (
            str(row["parameter"]),
            readable(str(row["attack"])),
            percent(row["value"]),
            f"{percent(row['low'])} to {percent(row['high'], up=True)}",
            percent(row["baseline"]),
            percent(row["sure"]),
        )
        for row in found.curve.as_json()
    )
    head = (found.parameter, "Attack", "Re-identified", "95 % interval", "Guessing", "Sure")
    return Table(caption="Every attack that applies", head=head, rows=rows, numeric=frozenset(range(2, len(head))))


def _statement(found: CurveFindings) -> Statement:
    worst = [(point.parameter, point.worst.result) for point in found.curve.points]
    shares = ", ".join(f"{percent(result.value)} at {shown(value)}" for value, result in worst if result is not None)
    reason = f"The worst attack at each value finds {shares}."
    reason += "" if found.flat is None else f" Note: {found.flat}."
    if found.required is None:
        return Statement(verdict="open", headline="No bound is required: choose by the curve.", reasons=(reason,))
    enough = [shown(value) for value, result in worst if result is not None and result.worst_case <= found.required]
    said = f"The bound of {percent(found.required)} is met with {found.parameter} = {joined(enough, 'or')}."
    none = f"The bound of {percent(found.required)} is met with none of the values."
    return Statement(verdict="holds" if enough else "fails", headline=said if enough else none, reasons=(reason,))
