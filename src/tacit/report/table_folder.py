"""What a job on tables leaves behind: ``public/`` with the files of figures and a page, ``internal/`` with all the rest."""

from __future__ import annotations

from pathlib import Path

from ..json_text import json_text
from ..plan.table.job import protect_table, table_fingerprint
from ..plan.table.loaded_plan import LoadedTablePlan
from ..plan.table.outcome import TableOutcome
from ..progress import Progress, report_progress
from ..seed import written_seed
from ..tables.files.write import write_internal, write_table
from .commit import FORMATS, REPORT, TRACE, CommitResult, commit_job, open_output
from .table_page import table_page


def released_table(
    loaded: LoadedTablePlan,
    out: Path,
    *,
    seed: int | bytes | None,
    strict: bool = False,
    progress: Progress | None = None,
) -> tuple[TableOutcome, CommitResult]:
    """Do the whole job of a plan about tables, the same from every face; its inputs are never written over."""
    fingerprint = table_fingerprint(loaded)
    with open_output(out, loaded.inputs, fingerprint=fingerprint):
        outcome = protect_table(loaded, seed=seed, out=out, fingerprint=fingerprint, strict=strict, progress=progress)
        report_progress(progress, "publishing", 1.0)
        return outcome, publish_table(outcome, out)


def publish_table(outcome: TableOutcome, out: str | Path) -> CommitResult:
    """Write the reports and files of a job and move them into ``out`` at once; returns where they are.

    Figures appear in ``public/`` only when the audit found the table protected; suppressed ones never do.
    """
    return commit_job(
        Path(out),
        lambda folder: _write_folders(outcome, folder),
        state=outcome.state,
        approved=outcome.passes,
        fingerprint=outcome.fingerprint,
        intruders=[one.name for one in outcome.after],
    )


def _write_folders(outcome: TableOutcome, folder: Path) -> None:
    public, internal = folder / "public", folder / "internal"
    if outcome.passes:
        _write_figures(outcome, public)
        (public / REPORT).write_text(table_page(outcome, audience="public"), encoding="utf-8")
        (public / TRACE).write_text(json_text(outcome.trace) + "\n", encoding="utf-8")
    (internal / REPORT).write_text(table_page(outcome, audience="internal"), encoding="utf-8")
    (internal / "result.json").write_text(json_text(outcome.as_json()) + "\n", encoding="utf-8")
    outcome.cells().write_csv(internal / "cells.csv")
    if outcome.also:
        (internal / FORMATS).mkdir()
    for form in outcome.also:
        place = internal / FORMATS / f"{Path(outcome.file).stem}.{form}"
        write_internal(outcome.problem, outcome.hidden, place, form=form)
    if outcome.plan_text:
        (internal / "plan.toml").write_text(outcome.plan_text, encoding="utf-8")
    if outcome.seed is not None:
        (internal / "seed.txt").write_text(written_seed(outcome.seed) + "\n", encoding="utf-8")


def _write_figures(outcome: TableOutcome, public: Path) -> None:
    """One file, or for a linked set one for each table in a folder of their own."""
    table = outcome.problem.table.with_values(outcome.figures)
    if len(table.parts) < 2:
        write_table(table, outcome.hidden, public / outcome.file, form=outcome.form)
        return
    folder = public / "tables"
    folder.mkdir()
    for name, cells in table.parts.items():
        write_table(table, outcome.hidden, folder / f"{name}{Path(outcome.file).suffix}", cells=cells)
