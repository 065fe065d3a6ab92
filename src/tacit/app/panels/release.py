"""The release itself: the plan is run, and what holds is put into the project's output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ...models.verdict import Verdict
from ...plan.commit import REPORT, RESULT, TRACE, CommitResult
from ...plan.job import run
from ...plan.load import LoadedPlan
from ...plan.outcome import Outcome
from ...plan.publish import run_and_publish
from ...report import render
from ...report.statement import format_bound, format_margin, format_result, name_with_column, statement
from ...seed import read_seed
from .context import file_stamp
from .panel import PLAN

if TYPE_CHECKING:
    from .context import PanelContext


JOB: Mapping[str, tuple[str, ...]] = {"plan": ("title", *PLAN["plan"], "synth", "output")}
"""All of a plan that a release depends on."""
INTERNAL = {REPORT: "internal_report", RESULT: "result", "plan.toml": "plan", "cells.csv": "cells"}


def release_panel(bench: PanelContext) -> dict[str, Any]:
    """Run and publish the plan as ``tacit release`` does; with a seed it can be repeated, and is not for publication."""
    plan, seed = bench.whole_plan, str(bench.question.get("seed", "")).strip()
    outcome, placed = run_and_publish(
        plan, run, render=render, seed=read_seed(seed) if seed else None, progress=bench.progress
    )
    said = statement(outcome)
    return {
        "holds": outcome.passes,
        "verdict": said.verdict,
        "headline": said.headline,
        "reasons": list(said.reasons),
        "uncovered": list(said.uncovered),
        "state": outcome.state,
        "verdicts": [
            _verdict_values(outcome, verdict) | {"requirement": name}
            for name, verdict in _named_verdicts(plan, outcome)
        ],
        "notes": list(outcome.notes),
        "records": [outcome.original.size, outcome.masked.release.size if outcome.masked else 0],
        "seconds": outcome.seconds,
        "seed": seed,
        "files": list(files_of("plan", placed)),
        "folder": plan.plan.output.directory,
        "stamp": file_stamp(placed.internal / RESULT),
    }


def files_of(document: str, placed: CommitResult) -> Iterator[dict[str, Any]]:
    """The files of a result that somebody may want to open or save, with their addresses; figures and data first."""
    public, out = placed.public, placed.folder
    kinds: list[tuple[str, Path]] = []
    if public is not None:
        data = [file for file in sorted(public.rglob("*")) if file.is_file() and file.name not in (REPORT, TRACE)]
        kinds += [("data", file) for file in data]
        kinds += [("report", public / REPORT), ("trace", public / TRACE)]
    kinds += [(kind, placed.internal / name) for name, kind in INTERNAL.items()]
    for kind, file in kinds:
        if file.is_file():
            address = quote(f"/out/{document}/{file.relative_to(out).as_posix()}")
            yield {"kind": kind, "name": file.name, "address": address, "bytes": file.stat().st_size}


def _named_verdicts(plan: LoadedPlan, outcome: Outcome) -> Iterator[tuple[str, Verdict]]:
    """Every verdict with the name that its requirement has in the plan: models, bounds and attacks, in this order."""
    asked = plan.requirements
    return zip([*asked.models, *(one.measure for one in asked.bounds), *asked.attacks], outcome.verdicts, strict=True)


def _verdict_values(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    """A verdict in the words of the report."""
    return {
        "name": name_with_column(verdict.model, verdict.column),
        "state": "holds" if verdict.holds else "fails",
        "required": format_bound(verdict, outcome),
        "found": format_result(verdict, outcome),
        "margin": format_margin(verdict, outcome),
        "failing_records": verdict.failing_records,
        "failing_classes": verdict.failing_classes,
        "notes": list(verdict.notes),
        "by": verdict.by,
    }
