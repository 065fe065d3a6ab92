"""One requirement on the data after all steps: does it hold, by how much, and what stands in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...progress import report
from .status import judged

if TYPE_CHECKING:
    from .bench import Bench


def requirement(bench: Bench) -> dict[str, Any]:
    """The verdict on the requirement that was asked for by its name in the plan."""
    name, masked = str(bench.question["requirement"]), bench.masked()
    report(bench.progress, "judging", 0.9)
    content = bench.plan.plan.require.get(name)
    return {"name": name, "state": "gone"} if content is None else judged(bench, name, content, masked)
