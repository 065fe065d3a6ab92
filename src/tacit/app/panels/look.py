"""What a file holds: its size, its columns, and the first rows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from ...release.files.formats import format_of
from ...release.suggest import detect_csv_conventions

if TYPE_CHECKING:
    from .context import PanelContext


ROWS = 12
LONGEST = 60
"""Characters of a cell that are shown."""


def look_panel(bench: PanelContext) -> dict[str, Any]:
    """Sizes, columns with type and kind, and a few rows, for the eyes of whoever opened the file."""
    started = time.monotonic()
    table = bench.table
    kinds = table.kinds
    head = table.scan().head(ROWS).collect("polars").to_native()
    return {
        "file": bench.plan.data_path.name,
        "spelling": detect_csv_conventions(table).as_json()
        if "separator" in format_of(bench.plan.data_path).options
        else None,
        "rows": table.size,
        "engine": table.engine,
        "columns": [
            {"name": name, "type": str(kind), "kind": kinds.get(name), "label": table.labels.get(name, "")}
            for name, kind in table.types.items()
        ],
        "head": [[_cell_text(value) for value in row] for row in head.select(list(table.columns)).rows()],
        "seconds": time.monotonic() - started,
    }


def _cell_text(value: object) -> str | None:
    if value is None:
        return None
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
