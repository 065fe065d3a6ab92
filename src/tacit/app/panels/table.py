"""The protected table: the job of ``tacit table protect``, with what everybody can still compute of it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...json_text import to_plain_values
from ...plan.commit import RESULT
from ...plan.publish import run_and_publish
from ...plan.table.job import protect_table
from ...plan.table.methods import Suppress
from ...report import render
from ...report.table_page import finding_sections
from ...report.table_statement import table_figures, table_statement
from ...seed import read_seed
from .context import file_stamp
from .release import files_of
from .table_data import draw_heat_maps, table_of

if TYPE_CHECKING:
    from .context import PanelContext


def table_panel(bench: PanelContext) -> dict[str, Any]:
    """Protect, audit and publish the table; a seed makes ways that draw at random repeatable."""
    loaded, seed = table_of(bench), str(bench.question.get("seed", "")).strip()
    outcome, placed = run_and_publish(
        loaded, protect_table, render=render, seed=read_seed(seed) if seed else None, progress=bench.progress
    )
    said = table_statement(outcome)
    return {
        "holds": outcome.passes,
        "verdict": said.verdict,
        "uncovered": list(said.uncovered),
        "headline": said.headline,
        "reasons": list(said.reasons),
        "figures": table_figures(outcome, "internal"),
        "maps": draw_heat_maps(outcome),
        "left_out": isinstance(loaded.way, Suppress),
        "sections": [to_plain_values(asdict(section)) for section in finding_sections(outcome)],
        "seconds": outcome.seconds,
        "seed": "" if isinstance(loaded.way, Suppress) else seed,
        "files": list(files_of("table", placed)),
        "folder": loaded.plan.output.directory,
        "stamp": file_stamp(placed.internal / RESULT),
    }
