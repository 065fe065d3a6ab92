"""The page of whatever was found, for its audience, as text and as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from ..errors import TacitError
from ..files import write_text
from ..plan.attack_findings import AttackFindings
from ..plan.curve import CurveFindings
from ..plan.job_outcome import JobOutcome
from ..plan.outcome import Outcome
from ..plan.publish import publish_outcome
from ..study.results import Study
from .attack_page import attack_page, curve_page
from .audience import Audience
from .map_page import map_page
from .page import Page, lay_out, microdata_page

if TYPE_CHECKING:
    from ..plan.graph.outcome import GraphOutcome
    from ..plan.rules_job import RulesOutcome
    from ..plan.table.outcome import TableOutcome


def render(outcome: JobOutcome, audience: Audience) -> str:
    """The report on an outcome of any kind as HTML: the verdict first, then what it rests on.

    ``audience="public"`` shows nothing about single records; see :mod:`tacit.report.audience`. Of a release with a guarantee of
    differential privacy it shows nothing that was computed from the original.
    """
    if audience not in ("internal", "public"):
        raise TacitError(
            f"audience={audience!r} is unknown",
            code="unknown_name",
            parameter="audience",
            fix="use audience='internal' or audience='public'",
        )
    return lay_out(_build_page(outcome, audience))


def _build_page(outcome: JobOutcome, audience: Audience) -> Page:
    """The page of an outcome; one about microdata must not load the packages of the other kinds."""
    if isinstance(outcome, Outcome):
        return microdata_page(outcome, audience=audience)
    if outcome.kind == "table":
        from .table_page import table_page

        return table_page(cast("TableOutcome", outcome), audience=audience)
    if outcome.kind == "graph":
        from .graph_page import graph_page

        return graph_page(cast("GraphOutcome", outcome), audience=audience)
    from .rules_page import rules_page

    return rules_page(cast("RulesOutcome", outcome), audience=audience)


def publish(outcome: JobOutcome, out: str | Path, *, keep_rejected: bool = False) -> Path:
    """Write the reports and move data, reports and records of the run into ``out``; returns ``out``.

    Only a release that passes gets into ``public/`` and ``internal/``, and the one before it is kept under
    ``earlier/``; the report of one that does not goes under ``refused/``, that of an audit under ``audits/``. With
    ``keep_rejected`` a data file that fails is kept beside its report, in ``rejected/``. The staged folder is removed.
    """
    return publish_outcome(outcome, out, render=render, keep_rejected=keep_rejected).folder


def write_page(
    found: JobOutcome | AttackFindings | CurveFindings | Study,
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
        raise TacitError(
            f"the report {str(target)!r} is not an HTML file", code="wrong_type", fix="name one, e.g. report.html"
        )
    if not target.parent.is_dir():
        raise TacitError(
            f"there is no folder {str(target.parent)!r}",
            code="path_not_found",
            fix="make it, or name another for the report",
        )
    return target


def _render_page(found: JobOutcome | AttackFindings | CurveFindings | Study, audience: Audience, command: str) -> str:
    """An outcome for its audience; what attacks found is for internal eyes alone."""
    if isinstance(found, JobOutcome):
        return render(found, audience=audience)
    if audience != "internal":
        raise TacitError(
            "the report of an attack points at people", code="invalid_data", fix="write it with audience='internal'"
        )
    if isinstance(found, Study):
        return lay_out(map_page(found, command=command))
    return lay_out(attack_page(found) if isinstance(found, AttackFindings) else curve_page(found))
