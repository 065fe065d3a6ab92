"""Which engine holds the data of a job, and which methods are not available there.

``anonymise`` tries four methods and takes the one that loses least. Three of them search in memory, which DuckDB does not: the same
plan recodes a file on Polars and blanks cells on DuckDB, and ``engine = "auto"`` chooses by the size of the file. The models hold in
both cases; what is left of the data differs, so a job says it before it masks anything and again with its result.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ..protect.anonymise import Anonymise
from ..protect.candidates import IN_MEMORY, MAKERS
from ..release.release import Release
from .load import LoadedPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineUse:
    """The engine that the plan asks for, the one that was taken, and the methods of its steps that are not available there.

    >>> print(EngineUse(asked="auto", taken="duckdb", unavailable=("mondrian",)))
    the data are on duckdb (engine = "auto" chose by size), where anonymise cannot try mondrian: on polars the same plan may mask \
the file otherwise
    """

    asked: str
    taken: str
    unavailable: tuple[str, ...] = ()

    @property
    def code(self) -> str | None:
        """``engine_methods`` when the same plan may mask the file otherwise on another engine."""
        return "engine_methods" if self.unavailable else None

    def __str__(self) -> str:
        chosen = ' (engine = "auto" chose by size)' if self.asked == "auto" else ""
        held = f"the data are on {self.taken}{chosen}"
        if not self.unavailable:
            return held
        listed = ", ".join(self.unavailable)
        return f"{held}, where anonymise cannot try {listed}: on polars the same plan may mask the file otherwise"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {"unavailable": list(self.unavailable), "code": self.code, "text": str(self)}


def engine_use(plan: LoadedPlan, original: Release) -> EngineUse:
    """What the steps of a plan can do on the engine that holds the data."""
    named = [name for step in plan.steps if isinstance(step, Anonymise) for name in step.methods or MAKERS]
    lacking = [name for name in dict.fromkeys(named) if name in IN_MEMORY and not original.capabilities.in_memory]
    return EngineUse(asked=plan.plan.data.engine, taken=original.engine, unavailable=tuple(lacking))
