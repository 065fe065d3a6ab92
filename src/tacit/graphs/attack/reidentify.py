"""The common case in one call: how many people of a network an intruder finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...attack.reidentify import worst_of
from ...attack.runner import AttackResult, run_each
from ...claims.judge import judge
from ...errors import TacitError, check_int, format_value, suggest_alternative
from ...per_record import PerRecord
from ...progress import sub_progress
from ...release.trace import method_name
from ...seed import child_seed
from ..graph import Graph
from ..knowledge import Knowledge
from ..masked import MaskedGraph
from .attack import GraphAttack
from .registry import ALL
from .scenario import KnownLinks, is_drawn, knowledge_of, people_of, truth_about

if TYPE_CHECKING:
    from ...progress import Progress
    from ...result import Result


GraphAttacks: TypeAlias = str | GraphAttack | Iterable[str | GraphAttack] | None
"""One attack or several, by plan name or with their parameters; None: all that apply."""
MENDED = "mend what stands behind an attack in brackets: read both graphs alike, or give targets=, knows= or seeds="


def reidentify_nodes(
    masked: MaskedGraph | Graph,
    *,
    original: Graph | Knowledge,
    attack: GraphAttacks = None,
    targets: np.ndarray | None = None,
    knows: str | Iterable[str] | None = None,
    wrong: float = 0.0,
    seeds: KnownLinks = 0.0,
    lineage: np.ndarray | None = None,
    runs: int = 1,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> Result:
    r"""The share of people whom an intruder finds in a released network, by the worst attack.

    .. math:: \tfrac{1}{|T|} \sum_{t \in T} \Pr[\text{the released node of } t],

    a set of m equally likely nodes counting 1/m, with Wilson's 95 % interval. The worst case: the intruder's picture is
    the original itself, and it knows the attributes ``knows`` (all quasi-identifiers when absent) of everybody, or of
    ``targets``. Weaker ones: ``wrong`` is the share of the edges of the picture that are replaced by false ones.
    Stronger ones: ``seeds`` are known links, people identified by other means: pairs (original node, released node), a
    share of the people, or ``{"hubs": 6}`` or ``{"random": 6}``, so many with most links or at random. Where people or
    wrong edges are drawn, ``runs`` draws are attacked and the worst counts (facts ``runs``, ``found over runs``). Any other
    intruder is a :class:`tacit.graphs.Knowledge` in the place of ``original``, whose picture has the nodes of the
    original.

    Every attack that applies (and is quick on a graph of this size) is made, or those named by ``attack``; the result
    is that with the highest upper end of its interval. ``facts``: ``attack``, ``by attack`` (the value of each), ``not
    made``, ``baseline`` (guessing, 1/n), ``share unique`` (one candidate), ``expected re-identified`` (how many
    people), ``right when it names somebody``, and, where the picture may be wrong, ``taken as exact`` (the same attack
    without any tolerance). ``per_record`` is the size of the anonymity set of each target, 0 where nobody fits.

    A bare graph needs its ``lineage``. ``seed`` is for what is drawn. The cost is that of the attacks.

    >>> path = Graph(size=5, edges=np.array([[0, 1], [1, 2], [2, 3], [3, 4]]))
    >>> found = reidentify_nodes(path, original=path, lineage=np.arange(5), attack="refinement")
    >>> found.value, found.facts["share unique"], found.per_record.values().tolist()
    (0.6, 0.2, [2.0, 2.0, 1.0, 2.0, 2.0])
    """
    people = people_of(masked, original, lineage)
    check_int("runs", runs, least=1)
    released = masked.graph if isinstance(masked, MaskedGraph) else masked
    attacks, left = _in_time(graph_attacks(attack), released.size, asked=attack is not None)
    several = runs if is_drawn(seeds, wrong) and not isinstance(original, Knowledge) else 1
    made = []
    for run in range(several):
        drawn = seed if seed is None or run == 0 else child_seed(seed, "run", run)
        if isinstance(original, Knowledge):
            knowledge = _require_knowledge_alone(original, targets=targets, knows=knows, wrong=wrong, seeds=seeds)
        else:
            knowledge = knowledge_of(
                original, people, targets=targets, knows=knows, wrong=wrong, seeds=seeds, seed=drawn
            )
        share = sub_progress(progress, run / several, (run + 1) / several)
        made.append(attacked_nodes(released, knowledge, people, attacks, seed=drawn, progress=share))
    done = worst_runs(made) + left
    worst = worst_of(done, fix=MENDED)
    assert worst.result is not None
    by_attack = {one.name: one.result.value for one in done if one.result is not None}
    not_made = [f"{one.name}: {one.why_not}" for one in done if one.why_not]
    facts = {"attack": worst.name, "by attack": by_attack} | ({"not made": not_made} if not_made else {})
    return worst.result.with_facts(**facts)


def attacked_nodes(
    released: Graph,
    knowledge: Knowledge,
    people: np.ndarray,
    attacks: Mapping[str, GraphAttack],
    *,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[AttackResult, ...]:
    """Every attack that applies, each judged, the others with the reason.

    ``people`` has the node of the picture of each released node, −1 for an invented one; each attack draws from a seed
    of its own.
    """

    def run_one(name: str, attack: GraphAttack, share: Progress | None) -> AttackResult:
        why_not = attack.applies(released, knowledge)
        if why_not is not None:
            return AttackResult(name=name, result=None, why_not=why_not)
        drawn = None if seed is None else child_seed(seed, "attack", name)
        result = _judge_attack(attack, released, knowledge, people, drawn, share)
        if knowledge.wrong and getattr(attack, "tolerant", False):
            exact = _judge_attack(attack, released, replace(knowledge, wrong=0.0), people, drawn, None)
            told = {"value": exact.value, "share unique": exact.facts["share unique"]}
            result = result.with_facts(**{"taken as exact": told})
        return AttackResult(name=name, result=result)

    return run_each(attacks, run_one, progress=progress)


def worst_runs(runs: Sequence[tuple[AttackResult, ...]]) -> tuple[AttackResult, ...]:
    """Of each attack the run with the highest upper end, with how far the runs lie apart.

    The interval of a run is about the people, given what was drawn; the draws are another cause of error, which it does
    not cover. The verdict is on the upper end of the worst run.
    """
    if len(runs) == 1:
        return runs[0]
    worst = []
    for same in zip(*runs, strict=True):
        made = [one.result for one in same if one.result is not None]
        if not made:
            worst.append(same[0])
            continue
        values = [result.value for result in made]
        found = max(made, key=lambda result: result.worst_case)
        facts = {"runs": len(made), "found over runs": (float(min(values)), float(max(values)))}
        worst.append(AttackResult(name=same[0].name, result=found.with_facts(**facts)))
    return tuple(worst)


def _in_time(
    attacks: dict[str, GraphAttack], size: int, *, asked: bool
) -> tuple[dict[str, GraphAttack], tuple[AttackResult, ...]]:
    """The attacks that are made unasked on a graph of this size, and the others with the reason."""
    slow = {name: entry.upto for name, entry in ALL.items() if not asked and entry.upto and entry.upto < size}
    left = (
        AttackResult(name=name, result=None, why_not=f"takes long beyond {upto:,} nodes, name it to make it")
        for name, upto in slow.items()
    )
    return {name: one for name, one in attacks.items() if name not in slow}, tuple(left)


def _judge_attack(
    attack: GraphAttack,
    released: Graph,
    knowledge: Knowledge,
    people: np.ndarray,
    seed: bytes | None,
    progress: Progress | None,
) -> Result:
    claims = attack.claims(released, knowledge, seed=seed, progress=progress)
    found = judge(claims, truth_about(knowledge, people))
    sizes = claims.set_sizes()
    named = int((sizes > 0).sum())
    hits = found.value * len(sizes)
    facts = {
        "share unique": float((sizes == 1).mean()),
        "expected re-identified": hits,
        "right when it names somebody": hits / named if named else 0.0,
    }
    own = PerRecord(array=sizes.astype(float), rows_of="intruder")
    return replace(found.with_facts(**facts), name="re-identification of nodes", per_record=own)


def graph_attacks(attack: GraphAttacks) -> dict[str, GraphAttack]:
    """The given attacks by name, or all; two of one kind are numbered."""
    if attack is None:
        return {name: entry.call() for name, entry in ALL.items()}
    alone = isinstance(attack, str | type) or hasattr(attack, "claims") or not isinstance(attack, Iterable)
    given: tuple[Any, ...] = (attack,) if alone else tuple(attack)  # type: ignore[arg-type]
    found: dict[str, GraphAttack] = {}
    for one in given:
        if isinstance(one, str) and one not in ALL:
            raise TacitError(
                f"the attack {one!r} is unknown", code="unknown_name", fix=suggest_alternative(one, list(ALL))
            )
        name = one if isinstance(one, str) else method_name(one)
        made = ALL[one].call() if isinstance(one, str) else one
        if isinstance(made, type) or not hasattr(made, "claims"):
            raise TacitError(
                f"{format_value(made)} is no attack with its parameters",
                code="wrong_type",
                fix="e.g. attack='refinement'",
            )
        same = sum(other.split(" ")[0] == name for other in found)
        found[f"{name} {same + 1}" if same else name] = made
    if not found:
        raise TacitError("no attack was named", code="missing_parameter", fix="leave attack= away to make all of them")
    return found


def _require_knowledge_alone(knowledge: Knowledge, **given: object) -> Knowledge:
    """The knowledge as it was given; nothing beside it may say otherwise."""
    said = [name for name, value in given.items() if value is not None and not isinstance(value, float)]
    said += [name for name, value in given.items() if isinstance(value, float) and value]
    if said:
        raise TacitError(
            f"the knowledge says what the intruder has, and so does {said[0]}=",
            code="invalid_graph",
            fix="leave it away",
        )
    return knowledge
