"""The outcome in a terminal: the statement, then the requirements, risks, attacks and losses as short tables."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, cast

from ..plan.job_outcome import JobOutcome
from ..plan.outcome import Outcome
from .blocks import Table
from .sections.attacks import attacks_table
from .sections.attribute_disclosure import learnt_table
from .sections.classes import measures_table
from .sections.loss import losses_table
from .sections.membership import presence_table
from .sections.next_steps import next_steps
from .sections.requirements import requirements_table
from .sections.synthetic import worst_table
from .sections.utility import tables_table, teaching_table
from .statement import statement

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..plan.graph.outcome import GraphOutcome
    from ..plan.rules_job import RulesOutcome
    from ..plan.table.outcome import TableOutcome


NAME = 15
"""A column of names up to so many letters is never broken: the numbers make room."""
TONE = {"holds": "bold green", "fails": "bold red", "open": "bold yellow"}


def summary(outcome: JobOutcome, *, width: int = 88, colour: bool = False) -> str:
    """What the report says, as text of at most ``width`` columns; ``colour`` adds terminal colours.

    It is for whoever ran the job, so small counts are shown.
    """
    # A summary of microdata must not load the packages of tables and networks.
    if outcome.kind == "table":
        from .table_statement import table_summary

        return table_summary(cast("TableOutcome", outcome))
    if outcome.kind == "graph":
        from .graph_statement import graph_summary

        return graph_summary(cast("GraphOutcome", outcome))
    if outcome.kind == "rules":
        from .rules_page import rules_summary

        return rules_summary(cast("RulesOutcome", outcome))
    return _microdata_summary(cast("Outcome", outcome), width=width, colour=colour)


def _microdata_summary(outcome: Outcome, *, width: int, colour: bool) -> str:
    from rich.console import Console

    written = StringIO()
    console = Console(
        file=written, width=width, force_terminal=colour, no_color=not colour, highlight=False, markup=False
    )
    for part in _summary_parts(outcome):
        console.print(part)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()) + "\n"


def _summary_parts(outcome: Outcome) -> Iterator[RenderableType]:
    from rich.text import Text

    said = statement(outcome)
    yield Text(said.headline, style=TONE[said.verdict])
    yield from (Text(reason) for reason in said.reasons)
    if said.uncovered:
        yield Text("Not covered by any requirement:", style="bold yellow")
        yield from (Text(f"· {gap}") for gap in said.uncovered)
    tables = (
        requirements_table(outcome),
        measures_table(outcome, "internal"),
        attacks_table(outcome.attacks),
        learnt_table(outcome.learnt),
        presence_table(outcome.presence),
        worst_table(outcome),
        tables_table(outcome),
        teaching_table(outcome),
        losses_table(outcome, "internal"),
    )
    for table in tables:
        if table is not None:
            yield Text(f"\n{table.caption}", style="bold")
            yield _laid_out(table)
    yield Text("Next steps", style="bold")
    yield from (Text(f"· {step}") for step in next_steps(outcome))
    yield from (Text(f"Note: {note}") for note in outcome.notes)


def _laid_out(table: Table) -> RenderableType:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    laid = RichTable(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(table.head):
        number = place in table.numeric
        whole = not number and max(len(row[place]) for row in (table.head, *table.rows)) <= NAME
        laid.add_column(Text(head), justify="right" if number else "left", no_wrap=whole)
    for row in table.rows:
        laid.add_row(*(Text(cell, style=_cell_colour(cell)) for cell in row))
    return laid


def _cell_colour(cell: str) -> str:
    return {"✓": "green", "✗": "red"}.get(cell[:1], "")
