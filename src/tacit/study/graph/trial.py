"""One candidate of a study of a network: protected, measured, attacked and judged as a release is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...attack.attacked import Attacked
from ...errors import Cancelled, TacitError
from ...graphs.loss import ALL as LOSSES
from ...graphs.masked import MaskedGraph
from ...graphs.risk import ALL as RISKS
from ...loss.headline import headline
from ...loss.score import Weighed
from ...models.verdict import Verdict
from ...plan.graph.attacked import attacked_graph
from ...plan.graph.protected import graph_step, protected_graph
from ...plan.graph.require import REIDENTIFICATION
from ..evaluation import Figure
from .task import GraphTask

__all__ = ["GraphTrial"]


class GraphTrial:
    """The network protected by some steps, its nodes under new numbers, and what the attacks have found so far."""

    def __init__(self, task: GraphTask, steps: Sequence[Mapping[str, Any]]) -> None:
        self._task, self._masked = task, _masked(task, steps)
        self._made: tuple[Attacked, ...] = ()

    def figures(self) -> Iterator[tuple[Figure, ...]]:
        """The figures of each measure and attack, the cheap ones first."""
        task, masked = self._task, self._masked
        for one in task.loss:
            yield (Figure("loss", one.name, _lost(task, masked, one)),)
        for one in task.risk:
            if one.name in RISKS:
                yield (Figure("risk", one.name, _measured(masked, one)),)
        for name, attack in task.chosen.items():
            (made,) = attacked_graph(task.plan, task.original, masked, task.seed, attacks={name: attack})
            self._made += (made,)
            if made.result is not None:
                yield (Figure("risk", REIDENTIFICATION, float(made.result.value), name),)

    def verdicts(self) -> tuple[Verdict, ...]:
        """Every requirement judged by what all attacks found."""
        weighed = any(one.name == REIDENTIFICATION for one in self._task.risk)
        if weighed and all(one.result is None for one in self._made):
            why = "; ".join(f"{one.name}: {one.why_not}" for one in self._made)
            raise TacitError(
                f"{REIDENTIFICATION} cannot be judged: no attack applies ({why})",
                fix="give the intruder something to know: structure or knows under [intruder]",
                where=REIDENTIFICATION,
            )
        return self._task.plan.requirements.judged(self._masked.graph, self._made)


def _masked(task: GraphTask, steps: Sequence[Mapping[str, Any]]) -> MaskedGraph:
    methods = tuple(graph_step(step) for step in steps)
    try:
        return protected_graph(replace(task.plan, steps=methods), task.original, task.seed, None)
    except Cancelled:
        raise
    except TacitError as problem:
        # Its place is one under [[protect]], and the steps are not from there.
        raise TacitError(problem.what, fix=problem.fix, column=problem.column) from None


def _lost(task: GraphTask, masked: MaskedGraph, one: Weighed) -> float:
    """The loss by one measure; where nodes can no longer be compared, because all are invented, all of it is lost."""
    try:
        return headline(LOSSES[one.name].call(masked, original=task.original, **one.options))
    except Cancelled:
        raise
    except TacitError:
        return 1.0


def _measured(masked: MaskedGraph, one: Weighed) -> float:
    try:
        return float(RISKS[one.name].call(masked.graph, **one.options).value)
    except TacitError as problem:
        raise problem.at(one.name) from None
