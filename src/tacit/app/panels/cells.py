"""The table as it is, before anything is protected: its figures, and the cells that disclose by the rules."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from ...plan.table.build import problem_of
from ...plan.table.methods import CellKey
from ...plan.table.outcome import TableOutcome
from ...progress import report_progress
from ...tables.rules.bounds import no_negatives
from .table_data import draw_heat_maps, table_of, table_records

if TYPE_CHECKING:
    from .context import PanelContext


def cells_panel(bench: PanelContext) -> dict[str, Any]:
    """How many cells there are, which of them are unsafe and by which rules, and the table itself."""
    loaded = table_of(bench, draft=True)
    if not loaded.plan.table.by and not loaded.plan.table.linked and not loaded.ready_made:
        return {"cells": 0}
    read = table_records(bench, loaded)
    report_progress(bench.progress, "building the table", 0.5)
    keyed = bench.seed if isinstance(loaded.way, CellKey) else None
    problem = problem_of(loaded, seed=keyed, records=read)
    outcome = TableOutcome(title="", problem=problem, protected=None, judged=loaded.has_rules)
    why = Counter(problem.why.get(int(cell), "") for cell in problem.primaries)
    return {
        "cells": problem.size,
        "sums": len(problem.table.equations),
        "empty": int((problem.table.values == 0).sum()),
        "unsafe": len(problem.primaries),
        "judged": loaded.has_rules,
        "why": [[reason, number] for reason, number in why.most_common() if reason],
        "negative": not problem.table.is_frequency and not no_negatives(problem.table),
        "maps": draw_heat_maps(outcome),
    }
