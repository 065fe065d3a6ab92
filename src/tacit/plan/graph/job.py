"""The job on a network: read, protect, write, read again, attack, judge, compare."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ...errors import TacitError
from ...graphs.graph import Graph
from ...graphs.loss.summary import summary
from ...graphs.masked import MaskedGraph
from ...graphs.shuffle import ShuffleNodes
from ...progress import Progress, part, report
from ...release.release import Release
from ...seed import child, secret
from ..register import Fingerprint, attempts_before, fingerprint_of
from ..warnings import warned
from .attacked import attacked_graph
from .gaps import find_gaps, intruders_considered
from .intruder import beyond_reach
from .loaded import LoadedGraphPlan
from .measured import measured
from .original import original_of
from .outcome import GraphOutcome
from .protected import protected_graph
from .staged import staged
from .stronger import measure_stronger

__all__ = ["graph_fingerprint", "protect_graph"]

REPEATABLE = "repeatable, not for publication: whoever knows the seed can undo the new numbers of the nodes"


def graph_fingerprint(loaded: LoadedGraphPlan) -> Fingerprint:
    """By what the register knows a plan again: its data, all that it does with them, and what it requires."""
    left_out: dict[str, Any] = {"title": True, "output": True, "data": {"path"}, "graph": {"nodes"}}
    sections = loaded.plan.model_dump(mode="json", exclude=left_out)
    required = sections.pop("require")
    return fingerprint_of(loaded.inputs[1:], steps=sections, requirements=required)


def protect_graph(
    loaded: LoadedGraphPlan,
    *,
    seed: int | bytes | None = None,
    out: Path | None = None,
    strict: bool = False,
    fingerprint: Fingerprint | None = None,
    progress: Progress | None = None,
) -> GraphOutcome:
    """Do the job of a plan about a network; :func:`tacit.report.graph_folder.publish_graph` puts the result into place.

    The nodes always get new numbers in random order as the last step. The verdict is on the files as they were written and
    read again. The seed is 128 bits from the operating system unless one is given; a given one makes the run repeatable,
    and the outcome then says that it is not for publication. It says how often the same was tried before in ``out``.
    ``strict``: nothing passes while something that discloses is covered by no requirement.
    """
    started = time.monotonic()
    known = fingerprint or graph_fingerprint(loaded)
    attempts = attempts_before(out or loaded.folder / loaded.plan.output.directory, known)
    key = secret() if seed is None else seed
    report(progress, "reading", 0.0)
    original = original_of(loaded)
    masked = protected_graph(loaded, original, key, part(progress, 0.1, 0.5))
    report(progress, "writing", 0.5)
    written = staged(loaded, masked.graph)
    released = MaskedGraph(written.graph, masked.trace, masked.nodes())
    attacks = attacked_graph(loaded, original, released, key, part(progress, 0.55, 0.65))
    stronger = measure_stronger(loaded, original, released, key, part(progress, 0.65, 0.8))
    bare = attacked_graph(loaded, original, _renumbered(original, key), key, part(progress, 0.8, 0.9))
    report(progress, "judging", 0.9)
    try:
        verdicts = loaded.requirements.judged(written.graph, attacks)
    except TacitError as problem:
        where = [problem.where] if problem.where in loaded.plan.require else []
        raise loaded.at(TacitError(problem.what, fix=problem.fix, column=problem.column), "require", *where) from None
    report(progress, "comparing", 0.95)
    losses = summary(masked, original=original)
    return GraphOutcome(
        title=loaded.plan.title or f"Network of {loaded.edges_path.name}",
        original=original,
        masked=masked,
        verdicts=verdicts,
        attacks=(*attacks, *beyond_reach(loaded.plan.intruder.structure)),
        bare=bare,
        stronger=stronger,
        intruders=intruders_considered(loaded, original, attacks, stronger),
        before=measured(original),
        after=measured(written.graph),
        losses=tuple(losses),
        gaps=(*find_gaps(loaded, written.graph, attacks, stronger), *attempts.gaps),
        strict=strict,
        fingerprint=known,
        attempts=attempts,
        notes=(
            *original.notes,
            *((str(attempts),) if attempts.total else ()),
            *((REPEATABLE,) if seed is not None else ()),
            *_notes(masked.graph.attributes),
        ),
        plan=loaded.plan.model_dump(mode="json"),
        plan_text=loaded.text,
        files=written.files,
        seed=key,
        repeatable=seed is not None,
        seconds=time.monotonic() - started,
    )


def _renumbered(original: Graph, key: int | bytes) -> MaskedGraph:
    """The original with nothing but new numbers: what a release without protection would give away."""
    return ShuffleNodes().apply(original, seed=child(key, "bare"))


def _notes(released: Release | None) -> tuple[str, ...]:
    """What a reader must know of the attributes of the nodes."""
    return () if released is None else warned(released)
