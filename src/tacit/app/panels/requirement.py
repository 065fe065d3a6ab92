"""One requirement on the data after all steps: does it hold, by how much, and what stands in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...progress import report_progress
from .status import judge_requirement

if TYPE_CHECKING:
    from .context import PanelContext


def requirement_panel(bench: PanelContext) -> dict[str, Any]:
    """The verdict on the requirement that was asked for by its name in the plan."""
    name, masked = str(bench.question["requirement"]), bench.masked()
    report_progress(bench.progress, "judging", 0.9)
    content = bench.plan.plan.require.get(name)
    return {"name": name, "state": "gone"} if content is None else judge_requirement(bench, name, content, masked)
