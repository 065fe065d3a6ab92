"""The job on a network: read, protect, write, read again, attack, judge, compare."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...attack.attack import ProgramLimit
from ...attack.runner import AttackResult
from ...errors import TacitError
from ...graphs.files.graphml import SUFFIXES
from ...graphs.files.read import read_graph
from ...graphs.files.write import write_graph
from ...graphs.graph import Graph
from ...graphs.loss.summary import summary
from ...graphs.masked import MaskedGraph
from ...graphs.shuffle import ShuffleNodes
from ...models.verdict import Verdict
from ...progress import Progress, report_progress, sub_progress
from ...release.files import writable_name
from ...release.kinds import can_have_kind
from ...release.release import Release
from ...release.scratch import make_scratch_folder, remove_private_folder
from ...seed import child_seed, secret_seed
from ..coverage import WEAKEST_BOUND, Gap, IntruderConsidered, gaps_of_columns
from ..register import EarlierAttempts, Fingerprint, attempts_before
from ..warnings import column_warnings
from .attack_run import attacked_graph
from .intruder import beyond_reach
from .loaded_plan import LoadedGraphPlan
from .measures import measure_graph
from .original import original_of
from .outcome import GraphOutcome
from .protection import protected_graph
from .stronger_intruders import MeasuredIntruder, measure_stronger

REPEATABLE = "repeatable, not for publication: whoever knows the seed can undo the new numbers of the nodes"


def protect_graph(
    loaded: LoadedGraphPlan,
    *,
    seed: int | bytes | None = None,
    out: Path | None = None,
    strict: bool = False,
    fingerprint: Fingerprint | None = None,
    progress: Progress | None = None,
) -> GraphOutcome:
    """Do the job of a plan about a network; :func:`tacit.plan.publish.run_and_publish` puts the result into place.

    The nodes always get new numbers in random order as the last step. The verdict is on the files as they were written and
    read again. The seed is 128 bits from the operating system unless one is given; a given one makes the run repeatable,
    and the outcome then says that it is not for publication. It says how often the same was tried before in ``out``.
    ``strict``: nothing passes while something that discloses is covered by no requirement.
    """
    started = time.monotonic()
    known = fingerprint or loaded.fingerprint()
    attempts = attempts_before(out or loaded.output_folder, known)
    key = secret_seed() if seed is None else seed
    report_progress(progress, "reading", 0.0)
    original = original_of(loaded)
    masked = protected_graph(loaded, original, key, sub_progress(progress, 0.1, 0.5))
    report_progress(progress, "writing", 0.5)
    written = stage_graph(loaded, masked.graph)
    released = MaskedGraph(written.graph, masked.trace, masked.original_nodes())
    attacks = attacked_graph(loaded, original, released, key, sub_progress(progress, 0.55, 0.65))
    stronger = measure_stronger(loaded, original, released, key, sub_progress(progress, 0.65, 0.8))
    bare = attacked_graph(loaded, original, _renumber_nodes(original, key), key, sub_progress(progress, 0.8, 0.9))
    report_progress(progress, "judging", 0.9)
    verdicts = _judge(loaded, written.graph, attacks)
    report_progress(progress, "comparing", 0.95)
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
        before=measure_graph(original),
        after=measure_graph(written.graph),
        losses=tuple(losses),
        gaps=(*find_gaps(loaded, written.graph, attacks, stronger), *attempts.gaps),
        strict=strict,
        fingerprint=known,
        attempts=attempts,
        notes=_release_notes(original, masked.graph.attributes, attempts, repeatable=seed is not None),
        plan=loaded.plan.model_dump(mode="json"),
        plan_text=loaded.text,
        files=written.files,
        seed=key,
        repeatable=seed is not None,
        seconds=time.monotonic() - started,
    )


def _judge(loaded: LoadedGraphPlan, released: Graph, attacks: Sequence[AttackResult]) -> tuple[Verdict, ...]:
    """A verdict for each requirement; an error names the line of the plan."""
    try:
        return loaded.requirements.judge(released, attacks)
    except TacitError as problem:
        where = [problem.where] if problem.where in loaded.plan.require else []
        raise loaded.locate_error(problem.restate(where=None), "require", *where) from None


def _renumber_nodes(original: Graph, key: int | bytes) -> MaskedGraph:
    """The original with nothing but new numbers: what a release without protection would give away."""
    return ShuffleNodes().apply(original, seed=child_seed(key, "bare"))


def _release_notes(
    original: Graph, attributes: Release | None, attempts: EarlierAttempts, *, repeatable: bool
) -> tuple[str, ...]:
    """What a reader must know of the file, of earlier attempts, of the seed and of the attributes of the nodes."""
    return (
        *original.notes,
        *((str(attempts),) if attempts.total else ()),
        *((REPEATABLE,) if repeatable else ()),
        *(() if attributes is None else column_warnings(attributes)),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StagedGraph:
    """``files`` are what would be published, by name; ``graph`` is what a receiver reads from them."""

    files: Mapping[str, bytes]
    graph: Graph


def stage_graph(loaded: LoadedGraphPlan, graph: Graph) -> StagedGraph:
    """Write the graph in the format that the plan asks for, and read it back."""
    edges, nodes = _output_names(loaded, graph)
    place = make_scratch_folder()
    try:
        write_graph(graph, place / edges, nodes=None if nodes is None else place / nodes)
        read = read_graph(place / edges, nodes=None if nodes is None else place / nodes, directed=graph.directed)
        files = {name: (place / name).read_bytes() for name in (edges, nodes) if name is not None}
    finally:
        remove_private_folder(place)
    return StagedGraph(
        files=files, graph=replace(read, attributes=_with_released_metadata(read.attributes, graph.attributes))
    )


def _with_released_metadata(again: Release | None, released: Release | None) -> Release | None:
    """The attributes as they were read, under the description of the released ones, which no file holds."""
    if again is None or released is None:
        return again
    there = set(again.columns)
    kinds = {
        name: kind for name, kind in released.kinds.items() if name in there and can_have_kind(kind, again.types[name])
    }
    return again.with_metadata(
        roles={name: role for name, role in released.roles.items() if name in there},
        hierarchies={name: tree for name, tree in released.hierarchies.items() if name in there},
        levels={name: level for name, level in released.levels.items() if name in there},
        mixed=tuple(name for name in released.mixed if name in there),
        kinds=kinds,
        missing=released.missing,
    )


def _output_names(loaded: LoadedGraphPlan, graph: Graph) -> tuple[str, str | None]:
    """What the files are called; none for the nodes where the edges hold them."""
    output = loaded.plan.output
    wanted = output.file or loaded.edges_path.name
    if Path(wanted).suffix.lower() in SUFFIXES:
        return wanted, None
    edges = writable_name(wanted)
    if graph.attributes is None and not graph.isolated and output.nodes is None:
        return edges, None
    own = None if loaded.plan.graph.nodes is None else writable_name(Path(loaded.plan.graph.nodes).name)
    return edges, output.nodes or own or f"nodes{Path(edges).suffix}"


def find_gaps(
    loaded: LoadedGraphPlan, released: Graph, attacks: Sequence[AttackResult], stronger: Sequence[MeasuredIntruder]
) -> tuple[Gap, ...]:
    """Everything that discloses in the released network and that no requirement of the plan is about."""
    return (
        *_identity_gaps(loaded.requirements.reidentification, attacks, stronger),
        *_not_run(attacks, stronger),
        *_attribute_gaps(released.attributes),
    )


def intruders_considered(
    loaded: LoadedGraphPlan, original: Graph, attacks: Sequence[AttackResult], stronger: Sequence[MeasuredIntruder]
) -> tuple[IntruderConsidered, ...]:
    """The declared intruder and the stronger ones, each with the attacks that were made in its name."""
    declared = loaded.plan.intruder
    quasi = () if original.attributes is None else original.attributes.quasi
    knows = tuple(quasi if declared.knows is None else declared.knows)
    first = IntruderConsidered(code=f"declared: {declared.structure}", knows=knows, attacks=_attack_names_run(attacks))
    return first, *(
        IntruderConsidered(code=one.code, knows=knows, attacks=_attack_names_run(one.attacks)) for one in stronger
    )


def _attack_names_run(attacks: Sequence[AttackResult]) -> tuple[str, ...]:
    return tuple(one.name for one in attacks if one.result is not None)


def _identity_gaps(
    bound: float | None, attacks: Sequence[AttackResult], stronger: Sequence[MeasuredIntruder]
) -> Iterator[Gap]:
    """No bound on re-identification, a weak one, or one that a stronger intruder breaks at the upper end."""
    if bound is None:
        results = [one.result for one in (*attacks, *_stronger_attacks(stronger))]
        worst = max((one.worst_case for one in results if one is not None), default=None)
        yield Gap(code="identity_not_required", share=worst)
        return
    if bound > WEAKEST_BOUND:
        yield Gap(code="weak_requirement", share=float(bound), facts={"requirement": "reidentification"})
    made = [one.result.worst_case for one in attacks if one.result is not None]
    if max(made, default=0.0) > bound:
        return  # the requirement itself is not met
    for one in stronger:
        result = None if one.worst is None else one.worst.result
        if result is not None and result.worst_case > bound:
            facts: dict[str, Any] = {
                "knowledge": one.knowledge,
                "intruder": one.code,
                "attack": one.worst.name if one.worst else "",
            }
            facts |= {"upper": float(result.worst_case), "bound": float(bound)}
            yield Gap(code="stronger_intruder", share=float(result.value), facts=facts)


def _not_run(attacks: Sequence[AttackResult], stronger: Sequence[MeasuredIntruder]) -> Iterator[Gap]:
    """Attacks that an intruder could make and that the size of the network left out."""
    for one in dict.fromkeys((each.name, each.why_not) for each in (*attacks, *_stronger_attacks(stronger))):
        if isinstance(one[1], ProgramLimit):
            yield Gap(code="attack_not_run", facts={"attack": one[0], "reason": str(one[1])})


def _stronger_attacks(stronger: Sequence[MeasuredIntruder]) -> Iterator[AttackResult]:
    return (attack for one in stronger for attack in one.attacks)


def _attribute_gaps(released: Release | None) -> Iterator[Gap]:
    """Attributes of the nodes that go out and that no requirement is about."""
    if released is not None:
        yield from gaps_of_columns(released)
        if released.confidential:
            yield Gap(code="attribute_not_required", columns=released.confidential)
