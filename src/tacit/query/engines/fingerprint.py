"""What tells one version of a data set from another: the owner's word, the declarations, and the content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

from ..column import Schema


def content_of(path: Path) -> str:
    """The SHA-256 of a file. O(size)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def version_of(schema: Schema, contents: Mapping[str, str]) -> str:
    """The owner's word and sixteen digits that change with the content of any table or with any declaration."""
    declared = {
        "columns": [
            [c.name, c.kind, list(c.values), c.low, c.high, str(c.step), c.confidential]
            for c in schema.columns.values()
        ],
        "unit": schema.unit,
        "rows": schema.rows,
        "joins": dict(schema.joins),
        "contents": dict(contents),
    }
    text = json.dumps(declared, sort_keys=True, ensure_ascii=False)
    return f"{schema.version}+{hashlib.sha256(text.encode()).hexdigest()[:16]}"
