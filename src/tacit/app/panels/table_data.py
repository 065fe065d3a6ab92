"""The plan of the table as a panel reads it, its records, and a table as heat maps of a size that a page can show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...errors import TacitError
from ...json_text import to_plain_values
from ...plan.table.build import records_of
from ...plan.table.load import table_plan
from ...plan.table.loaded_plan import LoadedTablePlan
from ...plan.table.outcome import TableOutcome
from ...release.release import Release
from ...report.blocks import Heat
from ...report.table_heat import heat_maps
from .context import file_stamp

if TYPE_CHECKING:
    from .context import PanelContext


TABLE: Mapping[str, tuple[str, ...]] = {
    "table": ("title", "data", "table", "hierarchies", "rule", "mark", "intruder", "protect", "output")
}
"""All of a plan about tables."""
MOST = 5000
"""Cells that a page shows at once; reports and files have all."""


def table_of(bench: PanelContext, *, draft: bool = False) -> LoadedTablePlan:
    """The plan of the table."""
    text = bench.documents.get("table", "")
    if not text:
        raise TacitError("no table is described yet", code="bad_request", fix="choose its dimensions")
    return table_plan(text, folder=bench.folder, name="table.toml", draft=draft)


def table_records(bench: PanelContext, loaded: LoadedTablePlan) -> Release | None:
    """The records of the table, read once; None for a ready-made problem."""
    if loaded.ready_made:
        return None
    what = ["records", file_stamp(loaded.data_path), loaded.plan.data.model_dump(mode="json")]
    return bench.cached_records(what, lambda: records_of(loaded))


def draw_heat_maps(outcome: TableOutcome) -> dict[str, Any]:
    """The heat maps for internal eyes, the first whatever its size, and how many would be too much for a page."""
    every = list(heat_maps(outcome, "internal"))
    shown = list(_first_blocks(every))
    return {"blocks": [to_plain_values(asdict(one)) for one in shown], "left": len(every) - len(shown)}


def _first_blocks(blocks: list[Any]) -> Iterator[Any]:
    cells = 0
    for number, block in enumerate(blocks):
        cells += len(block.rows) * len(block.head) if isinstance(block, Heat) else 0
        if number and cells > MOST:
            return
        yield block
