"""A whole release job, the same from every face: check the place, run the plan, put the result there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..plan.job import plan_fingerprint, run
from ..plan.load import LoadedPlan
from ..plan.outcome import Outcome
from ..progress import Progress, report
from .commit import Placed, open_output
from .publish import place_outcome

__all__ = ["output_of", "released"]


def output_of(plan: LoadedPlan) -> Path:
    """The folder that a plan names for its result."""
    return plan.folder / plan.plan.output.directory


def released(
    plan: LoadedPlan,
    out: Path,
    *,
    seed: int | bytes | None,
    keep_rejected: bool = False,
    strict: bool = False,
    say: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> tuple[Outcome, Placed]:
    """Run a plan and publish what it found in ``out``; its inputs are never written over. ``strict``: only if nothing is uncovered."""
    fingerprint = plan_fingerprint(plan)
    with open_output(out, [plan.data_path, plan.folder / plan.name], fingerprint=fingerprint):
        outcome = run(plan, seed=seed, out=out, strict=strict, fingerprint=fingerprint, say=say, progress=progress)
        report(progress, "publishing", 1.0)
        return outcome, place_outcome(outcome, out, keep_rejected=keep_rejected)
