"""The Census file (1,080 × 13) as the study's benches use it."""

from __future__ import annotations

from typing import Any

import polars as pl
from bars import ROOT

import tacit

FILE = ROOT.parent / "shared" / "data" / "census.csv"
RISK = {"reidentification": 1, "interval_disclosure": {"weight": 1, "percent": 10}}
LOSS = {"squared_error": 1, "moments": 1, "hellinger": 1}
ATTACKS = ["distance", "transparency"]
"""Distance linkage, and what is told by the trace: for rank swapping the intersection of all columns' swaps."""


def census() -> tacit.Release | None:
    """The file with all columns known to the intruder; None where it is not beside the project."""
    if not FILE.is_file():
        return None
    frame = pl.read_csv(FILE)
    return tacit.Release(frame, quasi=frame.columns, kinds=dict.fromkeys(frame.columns, "continuous"))


def by_method(columns: list[str], **parameters: Any) -> list[dict[str, Any]]:
    """Microaggregation, rank swapping and noise, each on two halves of the columns with a parameter of its own."""
    halves = columns[: len(columns) // 2], columns[len(columns) // 2 :]
    return [
        {"name": method, "steps": [{"method": method, "columns": half, **given} for half in halves]}
        for method, given in parameters.items()
    ]
