"""A variant in figures: its steps, what they leave of the risk, what they cost, and what is required of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..project.steps import said_of, titled
from .status import judged
from .step import failure, figures

if TYPE_CHECKING:
    from .bench import Bench


def variant(bench: Bench) -> dict[str, Any]:
    """The figures of the documents that the question names, for a comparison."""
    problem = failure(bench, len(bench.steps))
    steps = [f"{titled(one)}: {said}" if (said := said_of(one)) else titled(one) for one in bench.plan.plan.protect]
    if problem is not None:
        return {"steps": steps, "failed": problem, "figures": None, "lights": []}
    masked = bench.masked()
    lights = [judged(bench, name, content, masked) for name, content in bench.plan.plan.require.items()]
    return {"steps": steps, "failed": None, "figures": figures(bench, len(bench.steps)), "lights": lights}
