"""A variant in figures: its steps, what they leave of the risk, what they cost, and what is required of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..project.steps import said_of, step_title
from .status import judge_requirement
from .step import step_failure, step_figures

if TYPE_CHECKING:
    from .context import PanelContext


def variant_panel(bench: PanelContext) -> dict[str, Any]:
    """The figures of the documents that the question names, for a comparison."""
    problem = step_failure(bench, len(bench.steps))
    steps = [
        f"{step_title(one)}: {said}" if (said := said_of(one)) else step_title(one) for one in bench.plan.plan.protect
    ]
    if problem is not None:
        return {"steps": steps, "failed": problem, "figures": None, "lights": []}
    masked = bench.masked()
    lights = [judge_requirement(bench, name, content, masked) for name, content in bench.plan.plan.require.items()]
    return {"steps": steps, "failed": None, "figures": step_figures(bench, len(bench.steps)), "lights": lights}
