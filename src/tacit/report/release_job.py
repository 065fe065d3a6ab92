"""A whole release job, the same from every face: check the place, run the plan, put the result there.

What a release job leaves behind.

    out/public/     the data file (several synthetic ones are numbered), report.html, trace.json: all that is published
    out/internal/   report.html, result.json, lineage.parquet, seed.txt, plan.toml, missing_codes.json, attempt.json,
                    learnt_from.parquet (the rows that a generator saw, where people were kept back)

When a requirement fails, the report goes to ``out/refused/<number>/internal`` and ``public/`` and ``internal/`` stay as they
are. A release that is approved takes their place, and they move to ``out/earlier/<number>``. Files in ``internal/`` that are
not of the above names (a key, say) are never touched; ``public/`` is ours as a whole.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from ..errors import TacitError
from ..files import write_text
from ..json_text import json_text
from ..plan.attack_findings import AttackFindings
from ..plan.curve import CurveFindings
from ..plan.job import plan_fingerprint, run
from ..plan.load import LoadedPlan
from ..plan.outcome import Outcome
from ..progress import Progress, report_progress
from ..release.scratch import remove_private_folder
from ..result import format_fact
from ..seed import written_seed
from ..study.results import Study
from .attack_page import attack_page
from .audience import Audience
from .blocks import Figure, Figures, Section, Table, Text
from .charts import line_chart, render_svg
from .commit import LEARNT, REPORT, TRACE, CommitResult, commit_job, open_output, refuse_foreign
from .map_page import map_page
from .page import laid_out, render
from .statement import Statement
from .words import format_percent, join_words, to_prose


def output_of(plan: LoadedPlan) -> Path:
    """The folder that a plan names for its result."""
    return plan.folder / plan.plan.output.directory


def run_release_job(
    plan: LoadedPlan,
    out: Path,
    *,
    seed: int | bytes | None,
    keep_rejected: bool = False,
    strict: bool = False,
    say: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> tuple[Outcome, CommitResult]:
    """Run a plan and publish what it found in ``out``; its inputs are never written over. ``strict``: only if nothing is uncovered."""
    fingerprint = plan_fingerprint(plan)
    with open_output(out, [plan.data_path, plan.folder / plan.name], fingerprint=fingerprint):
        outcome = run(plan, seed=seed, out=out, strict=strict, fingerprint=fingerprint, say=say, progress=progress)
        report_progress(progress, "publishing", 1.0)
        return outcome, place_outcome(outcome, out, keep_rejected=keep_rejected)


def publish(outcome: Outcome, out: str | Path, *, keep_rejected: bool = False) -> Path:
    """Write the reports and move data, reports and records of the run into ``out``; returns ``out``.

    Only a masked release that is approved gets into ``public/`` and ``internal/``, and the one before it is kept under
    ``earlier/``; the report of one that is not goes under ``refused/``, that of an audit under ``audits/``. With
    ``keep_rejected`` a data file that fails is kept beside its report, in ``rejected/``. The staged folder is removed.
    """
    return place_outcome(outcome, out, keep_rejected=keep_rejected).folder


def place_outcome(outcome: Outcome, out: str | Path, *, keep_rejected: bool = False) -> CommitResult:
    """What :func:`publish` does; returns where the result is."""
    if not isinstance(outcome, Outcome):
        raise TacitError(f"a {type(outcome).__name__} cannot be published", fix="publish what tacit.plan.run returned")
    target = Path(out)
    staged = outcome.staged
    if staged is not None and not all(file.is_file() for file in staged.files):
        raise TacitError("the staged data file is gone", fix="run the plan again: an outcome is published once")
    if outcome.masked is not None and staged is None:
        raise TacitError("the outcome has no staged data file", fix="publish what tacit.plan.run returned")
    refuse_foreign(target)
    try:
        return commit_job(
            target,
            lambda folder: _write_folders(outcome, folder, keep_rejected=keep_rejected),
            state=outcome.state if outcome.masked is not None else "audit",
            approved=outcome.masked is not None and outcome.passes,
            fingerprint=outcome.fingerprint,
            intruders=[f"{one.code}.{attack}" for one in outcome.intruders for attack in one.attacks],
        )
    finally:
        if staged is not None:
            remove_private_folder(staged.folder)


def write_page(
    found: Outcome | AttackFindings | CurveFindings | Study,
    path: str | Path,
    *,
    audience: Audience = "internal",
    command: str = "tacit explore PLAN",
) -> Path:
    """Write a report alone, of an audit, of attacks or of a study, to an HTML file.

    A page of that name is replaced at once or not at all. ``command`` is what made a study, for the way to write its points.
    """
    target = page_target(path)
    write_text(target, _render_page(found, audience, command), replace=True)
    return target


def page_target(path: str | Path) -> Path:
    """Where a page may be written, asked before the work for it begins."""
    target = Path(path)
    if target.is_dir() or target.suffix.lower() not in (".html", ".htm"):
        raise TacitError(f"the report {str(target)!r} is not an HTML file", fix="name one, e.g. report.html")
    if not target.parent.is_dir():
        raise TacitError(f"there is no folder {str(target.parent)!r}", fix="make it, or name another for the report")
    return target


def _render_page(found: Outcome | AttackFindings | CurveFindings | Study, audience: Audience, command: str) -> str:
    """An outcome for its audience; what attacks found is for internal eyes alone."""
    if isinstance(found, Outcome):
        return render(found, audience=audience)
    if audience != "internal":
        raise TacitError("the report of an attack points at people", fix="write it with audience='internal'")
    if isinstance(found, Study):
        return map_page(found, command=command)
    return attack_page(found) if isinstance(found, AttackFindings) else curve_page(found)


def _write_folders(outcome: Outcome, folder: Path, *, keep_rejected: bool) -> None:
    public, internal = folder / "public", folder / "internal"
    if outcome.masked is not None and outcome.passes:
        _write_public(outcome, public)
    _write_internal(outcome, internal)
    if outcome.staged is not None and not outcome.passes and keep_rejected:
        (internal / "rejected").mkdir()
        for file in outcome.staged.files:
            _link_or_copy(file, internal / "rejected")


def _write_public(outcome: Outcome, folder: Path) -> None:
    assert outcome.masked is not None and outcome.staged is not None
    page = folder / REPORT
    page.write_text(render(outcome, audience="public"), encoding="utf-8")
    (folder / TRACE).write_text(
        json_text([step.as_json(public=True) for step in outcome.masked.trace]) + "\n", encoding="utf-8"
    )
    # The staged files were private; what is published is as readable as the page beside it.
    for file in outcome.staged.files:
        _link_or_copy(file, folder).chmod(page.stat().st_mode)


def _write_internal(outcome: Outcome, folder: Path) -> None:
    files = {REPORT: render(outcome, audience="internal"), "result.json": json_text(outcome.as_json()) + "\n"}
    if outcome.seed is not None:
        files["seed.txt"] = written_seed(outcome.seed) + "\n"
    if outcome.plan_text:
        files["plan.toml"] = outcome.plan_text
    if outcome.missing_codes:
        files["missing_codes.json"] = json_text(outcome.missing_codes) + "\n"
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    _write_lineage(outcome, folder)


def _write_lineage(outcome: Outcome, folder: Path) -> None:
    """For each row of the released file, or files, that of the original, counted from 0, −1 for an invented one; and which
    rows of the original a generator has learnt from, where some were kept back."""
    import polars as pl

    made, learnt = outcome.synthesis, None
    if made is not None and made.rows is not None:
        learnt = pl.Series("row", made.rows)
        pl.DataFrame(learnt).write_parquet(folder / LEARNT)
    if outcome.masked is None or outcome.masked.lineage is None:
        return
    lineages = [one.rows() for one in ([outcome.masked] if made is None else made.files)]
    tables = [pl.DataFrame({"row": rows}) for rows in lineages]
    if learnt is not None:
        place = pl.when(pl.col("row") >= 0).then(pl.col("row"))
        tables = [one.select(pl.lit(learnt).gather(place).fill_null(-1)) for one in tables]
    if len(tables) > 1:
        tables = [one.with_columns(file=pl.lit(number)) for number, one in enumerate(tables, start=1)]
    pl.concat(tables).write_parquet(folder / "lineage.parquet")


def _link_or_copy(file: Path, folder: Path) -> Path:
    """The file in another folder without copying it where the system can."""
    target = folder / file.name
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)
    return target


def curve_page(found: CurveFindings) -> str:
    """The chart of every attack over the parameter, and the table behind it."""
    caption = "Share found by each attack, with its 95 % interval"
    caption += "" if found.required is None else f"; dashed: the bound of {format_percent(found.required)}"
    rows = [{**row, "attack": to_prose(str(row["attack"]))} for row in found.curve.as_json()]
    chart = line_chart(rows, title=f"{to_prose(found.method)}: {found.parameter}", bound=found.required)
    drawn = render_svg(chart, label=f"{caption}. The numbers are in the table below.")
    figure = Figure(svg=drawn, caption=caption, table=curve_table(found), open=True)
    said = f"The intruder knows {join_words(found.knows)} of everybody and has read what was done to the data. Each value is masked once: two runs differ by more than the intervals tell."
    section = Section(id="curve", title="Protection against attacks", blocks=(Text(said), Figures((figure,))))
    return laid_out(
        f"{found.title}: {found.parameter} of {to_prose(found.method)}",
        _curve_statement(found),
        (),
        [section],
        audience="internal",
    )


def curve_table(found: CurveFindings) -> Table:
    """A row for each value and attack."""
    rows = tuple(
        (
            str(row["parameter"]),
            to_prose(str(row["attack"])),
            format_percent(row["value"]),
            f"{format_percent(row['low'])} to {format_percent(row['high'], up=True)}",
            format_percent(row["baseline"]),
            format_percent(row["sure"]),
        )
        for row in found.curve.as_json()
    )
    head = (found.parameter, "Attack", "Re-identified", "95 % interval", "Guessing", "Sure")
    return Table(caption="Every attack that applies", head=head, rows=rows, numeric=frozenset(range(2, len(head))))


def _curve_statement(found: CurveFindings) -> Statement:
    worst = [(point.parameter, point.worst.result) for point in found.curve.points]
    shares = ", ".join(
        f"{format_percent(result.value)} at {format_fact(value)}" for value, result in worst if result is not None
    )
    reason = f"The worst attack at each value finds {shares}."
    reason += "" if found.flat_note is None else f" Note: {found.flat_note}."
    if found.required is None:
        return Statement(verdict="open", headline="No bound is required: choose by the curve.", reasons=(reason,))
    enough = [
        format_fact(value) for value, result in worst if result is not None and result.worst_case <= found.required
    ]
    said = f"The bound of {format_percent(found.required)} is met with {found.parameter} = {join_words(enough, 'or')}."
    none = f"The bound of {format_percent(found.required)} is met with none of the values."
    return Statement(verdict="holds" if enough else "fails", headline=said if enough else none, reasons=(reason,))
