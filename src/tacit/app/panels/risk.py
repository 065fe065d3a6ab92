"""How much the data disclose: a sentence and every measure, the riskiest columns together, and the risk record by record."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...json_text import to_plain_values
from ...progress import report_progress, sub_progress
from ...report.charts import bar_chart, render_svg
from ...report.disclosure_summary import Measure, summarise_disclosure
from ...report.sections.risk import chance_blocks
from ...result import format_fact
from ...risk.singling_out import column_contributions, growing_knowledge, riskiest_sets
from ..plain_language import to_plain_language
from ..texts import texts
from .prerequisites import asked_about, missing_prerequisites

if TYPE_CHECKING:
    from .context import PanelContext


def risk_panel(bench: PanelContext) -> dict[str, Any]:
    """The sentences and measures of ``tacit audit``."""
    release = asked_about(bench)
    wanting = missing_prerequisites(bench, release)
    if wanting is not None:
        return wanting
    found = summarise_disclosure(release, progress=bench.progress)
    return {
        "lacks": None,
        "records": release.size,
        "sentences": list(found.sentences),
        "measures": [_measure_values(one) for one in found.measures],
        "notes": list(found.notes),
    }


def _measure_values(one: Measure) -> dict[str, Any]:
    result = one.result
    return {
        "name": result.name,
        "measure": one.name,
        "meaning": to_plain_language(one.meaning),
        "usual": one.usual,
        "column": result.column,
        "chance": result.id in texts().risk.chances,
        "value": to_plain_values(result.value),
        "interval": to_plain_values(result.interval),
        "worse": result.worse,
        "facts": [[name, format_fact(fact)] for name, fact in result.facts.items()],
    }


def combinations_panel(bench: PanelContext) -> dict[str, Any]:
    """The sets of columns on which most people are alone, and what each column adds."""
    release = asked_about(bench)
    wanting = missing_prerequisites(bench, release)
    if wanting is not None:
        return wanting
    sets = riskiest_sets(release, progress=sub_progress(bench.progress, 0.0, 0.6))
    columns = column_contributions(release, progress=sub_progress(bench.progress, 0.6, 1.0))
    say = texts().risk
    labels = [say.plus.join(one.columns) for one in sets]
    chart = render_svg(bar_chart(labels, [one.spread.alone for one in sets]), label=say.sets_chart) if sets else ""
    return {
        "lacks": None,
        "records": release.size,
        "chart": chart,
        "sets": [
            {
                "columns": list(one.columns),
                "alone": one.spread.alone,
                "share": one.unique_share,
                "apart": one.separation,
            }
            for one in sets
        ],
        "columns": [asdict(one) for one in columns],
    }


def individual_panel(bench: PanelContext) -> dict[str, Any]:
    """How the risk is spread over the records."""
    release = asked_about(bench)
    wanting = missing_prerequisites(bench, release)
    if wanting is not None:
        return wanting
    report_progress(bench.progress, "measuring: individual risk", 0.5)
    return {"lacks": None, "blocks": [to_plain_values(asdict(block)) for block in chance_blocks(release)]}


def knowledge_panel(bench: PanelContext) -> dict[str, Any]:
    """The columns in the order in which they single out most people of the data as they are, for a slider."""
    wanting = missing_prerequisites(bench, bench.original)
    if wanting is not None:
        return wanting
    grown = growing_knowledge(bench.original, progress=bench.progress)
    return {
        "lacks": None,
        "records": bench.original.size,
        "order": list(grown[-1].columns),
        "alone": [one.spread.alone for one in grown],
    }
