"""How much the data disclose: a sentence and every measure, the riskiest columns together, and the risk record by record."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ...progress import part, report
from ...report.charts import bars, svg
from ...report.disclosed import Measure, disclosed
from ...report.plain import plain
from ...report.sections.risk import chances
from ...result import shown
from ...risk.singled_out import contributions, growing_knowledge, riskiest_sets
from ..everyday import everyday
from ..texts import texts
from .ready import asked_about, lacking

if TYPE_CHECKING:
    from .bench import Bench


def risk(bench: Bench) -> dict[str, Any]:
    """The sentences and measures of ``tacit audit``."""
    release = asked_about(bench)
    wanting = lacking(bench, release)
    if wanting is not None:
        return wanting
    found = disclosed(release, progress=bench.progress)
    return {
        "lacks": None,
        "records": release.size,
        "sentences": list(found.sentences),
        "measures": [_measure(one) for one in found.measures],
        "notes": list(found.notes),
    }


def _measure(one: Measure) -> dict[str, Any]:
    result = one.result
    return {
        "name": result.name,
        "measure": one.name,
        "meaning": everyday(one.meaning),
        "usual": one.usual,
        "column": result.column,
        "chance": result.name in texts().risk.chances,
        "value": plain(result.value),
        "interval": plain(result.interval),
        "worse": result.worse,
        "facts": [[name, shown(fact)] for name, fact in result.facts.items()],
    }


def combinations(bench: Bench) -> dict[str, Any]:
    """The sets of columns on which most people are alone, and what each column adds."""
    release = asked_about(bench)
    wanting = lacking(bench, release)
    if wanting is not None:
        return wanting
    sets = riskiest_sets(release, progress=part(bench.progress, 0.0, 0.6))
    columns = contributions(release, progress=part(bench.progress, 0.6, 1.0))
    say = texts().risk
    labels = [say.plus.join(one.columns) for one in sets]
    chart = svg(bars(labels, [one.spread.alone for one in sets]), label=say.sets_chart) if sets else ""
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


def individual(bench: Bench) -> dict[str, Any]:
    """How the risk is spread over the records."""
    release = asked_about(bench)
    wanting = lacking(bench, release)
    if wanting is not None:
        return wanting
    report(bench.progress, "measuring: individual risk", 0.5)
    return {"lacks": None, "blocks": [plain(asdict(block)) for block in chances(release)]}


def knowledge(bench: Bench) -> dict[str, Any]:
    """The columns in the order in which they single out most people of the data as they are, for a slider."""
    wanting = lacking(bench, bench.original)
    if wanting is not None:
        return wanting
    grown = growing_knowledge(bench.original, progress=bench.progress)
    return {
        "lacks": None,
        "records": bench.original.size,
        "order": list(grown[-1].columns),
        "alone": [one.spread.alone for one in grown],
    }
