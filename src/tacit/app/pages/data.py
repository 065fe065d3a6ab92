"""The page Data: open a file, see what is in it, say what each column is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...examples import ALL as EXAMPLES
from ...release.files.formats import Format, format_of
from ...release.files.typing import ORDERS, THOUSANDS
from ..project.column_references import named_columns
from ..project.copies import list_unused_copies
from .page import View

SPELLINGS = {
    "separator": (";", ",", "\\t", "|"),
    "encoding": ("windows-1252", "utf-16", "latin-1", "utf-8"),
    "decimal": (",", "."),
    "thousands": tuple(THOUSANDS),
    "dates": ORDERS,
}
"""How a CSV file may be written; what else stands in a plan is offered too."""


def data_context(view: View) -> Mapping[str, Any]:
    """The examples to try, how the file is read, and whether it could not be."""
    reading = view.raw.get("data", {})
    form = _known_format(str(reading.get("path", "")))
    return {
        "examples": tuple(EXAMPLES),
        "reading": reading,
        "spellings": SPELLINGS if form is None or "separator" in form.options else {},
        "sheets": form is not None and "sheet" in form.options,
        "gone": _missing_columns(view),
        "copies": [path.relative_to(view.project.folder).as_posix() for path in list_unused_copies(view.project)],
        "unread": bool(view.raw) and view.desk.show("look").state == "failed",
    }


def _missing_columns(view: View) -> tuple[str, ...]:
    """The columns that the plan names and the file, as far as it was read, does not have."""
    columns = view.columns.names
    return tuple(one for one in named_columns(view.raw, view.table) if one not in columns) if columns else ()


def _known_format(path: str) -> Format | None:
    try:
        return format_of(Path(path)) if path else None
    except TacitError:
        return None  # the panel that reads it says so
