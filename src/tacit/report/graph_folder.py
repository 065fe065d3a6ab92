"""What a job on a network leaves behind: ``public/`` with the network and a page, ``internal/`` with all the rest.

out/public/     network/ (edges, nodes), report.html, trace.json
out/internal/   report.html, result.json, lineage.parquet, seed.txt, plan.toml, attempt.json
"""

from __future__ import annotations

from pathlib import Path

from ..graphs.files.lineage import write_lineage
from ..plan.graph.job import graph_fingerprint, protect_graph
from ..plan.graph.loaded import LoadedGraphPlan
from ..plan.graph.outcome import GraphOutcome
from ..progress import Progress, report
from ..seed import written_seed
from .commit import REPORT, TRACE, Placed, commit, open_output
from .graph_page import graph_page
from .plain import as_text

__all__ = ["NETWORK", "publish_graph", "released_graph"]

NETWORK = "network"


def released_graph(
    loaded: LoadedGraphPlan,
    out: Path,
    *,
    seed: int | bytes | None,
    strict: bool = False,
    progress: Progress | None = None,
) -> tuple[GraphOutcome, Placed]:
    """Do the whole job of a plan about a network; its inputs are never written over. ``strict``: only if nothing is uncovered."""
    fingerprint = graph_fingerprint(loaded)
    with open_output(out, loaded.inputs, fingerprint=fingerprint):
        outcome = protect_graph(loaded, seed=seed, out=out, strict=strict, fingerprint=fingerprint, progress=progress)
        report(progress, "publishing", 1.0)
        return outcome, publish_graph(outcome, out)


def publish_graph(outcome: GraphOutcome, out: str | Path) -> Placed:
    """Write the reports and files of a job and move them into ``out`` at once; returns where they are.

    The network appears in ``public/`` only when every requirement is met (and, in a strict job, nothing is uncovered), byte for byte as it was judged.
    """
    return commit(
        Path(out),
        lambda folder: _build(outcome, folder),
        state=outcome.state if outcome.holds else "not_met",
        approved=outcome.passes,
        fingerprint=outcome.fingerprint,
        intruders=[f"{one.code}: {name}" for one in outcome.intruders for name in one.attacks],
    )


def _build(outcome: GraphOutcome, folder: Path) -> None:
    public, internal = folder / "public", folder / "internal"
    if outcome.passes:
        (public / NETWORK).mkdir()
        for name, content in outcome.files.items():
            (public / NETWORK / name).write_bytes(content)
        (public / REPORT).write_text(graph_page(outcome, audience="public"), encoding="utf-8")
        (public / TRACE).write_text(as_text(outcome.trace), encoding="utf-8")
    (internal / REPORT).write_text(graph_page(outcome, audience="internal"), encoding="utf-8")
    (internal / "result.json").write_text(as_text(outcome.as_json()), encoding="utf-8")
    write_lineage(outcome.masked.nodes(), internal / "lineage.parquet")
    if outcome.plan_text:
        (internal / "plan.toml").write_text(outcome.plan_text, encoding="utf-8")
    if outcome.seed is not None:
        (internal / "seed.txt").write_text(written_seed(outcome.seed) + "\n", encoding="utf-8")
