"""The hierarchy of a column as a file, to be used elsewhere."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import TacitError
from ...files import write_text
from ...release.hierarchy.table import as_file
from ...release.hierarchy_layout import rows_of
from ..project.atomic_files import disk_errors
from .levels import column_hierarchy

if TYPE_CHECKING:
    from .context import PanelContext


FILES = "groups"
"""The folder of a project with the hierarchies that were written for use elsewhere."""
LONGEST = 60
"""Characters of a column's name that are kept in that of a file."""


def hierarchy_file(bench: PanelContext) -> dict[str, Any]:
    """The hierarchy over the values of the column as a file that a plan can name, in the project's folder ``groups``."""
    column = column_hierarchy(bench)
    if column.built is None:
        raise column.problem or TacitError(
            "has no groups yet", code="unsuitable_column", column=column.name, fix="make some first"
        )
    rows = rows_of(column.found, column.built)
    name = f"{plain_name(column.name)}.csv"
    with disk_errors(bench.folder):
        (bench.folder / FILES).mkdir(exist_ok=True)
    write_text(bench.folder / FILES / name, as_file(rows), replace=True, private=True)
    return {"path": f"{FILES}/{name}", "name": name, "values": len(rows), "levels": column.built.height}


def plain_name(column: str) -> str:
    """A column's name as that of a file: other signs become lines, and a number keeps such names apart."""
    plain = re.sub(r"[^\w\-]", "_", Path(column).name).lstrip("_")[:LONGEST] or "column"
    return plain if plain == column else f"{plain}-{zlib.crc32(column.encode()):08x}"
