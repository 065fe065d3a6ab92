"""What the verdict on a network does not cover, and which intruders it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...attack.attack import ProgramLimit
from ...attack.attacked import Attacked
from ...graphs.graph import Graph
from ...release.release import Release
from ..coverage import WEAKEST_BOUND, Gap, IntruderConsidered, gaps_of_columns
from .loaded import LoadedGraphPlan
from .stronger import MeasuredIntruder

__all__ = ["find_gaps", "intruders_considered"]


def find_gaps(
    loaded: LoadedGraphPlan, released: Graph, attacks: Sequence[Attacked], stronger: Sequence[MeasuredIntruder]
) -> tuple[Gap, ...]:
    """Everything that discloses in the released network and that no requirement of the plan is about."""
    return (
        *_identity(loaded.requirements.reidentification, attacks, stronger),
        *_not_run(attacks, stronger),
        *_attributes(released.attributes),
    )


def intruders_considered(
    loaded: LoadedGraphPlan, original: Graph, attacks: Sequence[Attacked], stronger: Sequence[MeasuredIntruder]
) -> tuple[IntruderConsidered, ...]:
    """The declared intruder and the stronger ones, each with the attacks that were made in its name."""
    declared = loaded.plan.intruder
    quasi = () if original.attributes is None else original.attributes.quasi
    knows = tuple(quasi if declared.knows is None else declared.knows)
    first = IntruderConsidered(code=f"declared: {declared.structure}", knows=knows, attacks=_made(attacks))
    return first, *(IntruderConsidered(code=one.code, knows=knows, attacks=_made(one.attacks)) for one in stronger)


def _made(attacks: Sequence[Attacked]) -> tuple[str, ...]:
    return tuple(one.name for one in attacks if one.result is not None)


def _identity(bound: float | None, attacks: Sequence[Attacked], stronger: Sequence[MeasuredIntruder]) -> Iterator[Gap]:
    """No bound on re-identification, a weak one, or one that a stronger intruder breaks at the upper end."""
    if bound is None:
        results = [one.result for one in (*attacks, *_each(stronger))]
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


def _not_run(attacks: Sequence[Attacked], stronger: Sequence[MeasuredIntruder]) -> Iterator[Gap]:
    """Attacks that an intruder could make and that the size of the network left out."""
    for one in dict.fromkeys((each.name, each.why_not) for each in (*attacks, *_each(stronger))):
        if isinstance(one[1], ProgramLimit):
            yield Gap(code="attack_not_run", facts={"attack": one[0], "reason": str(one[1])})


def _each(stronger: Sequence[MeasuredIntruder]) -> Iterator[Attacked]:
    return (attack for one in stronger for attack in one.attacks)


def _attributes(released: Release | None) -> Iterator[Gap]:
    """Attributes of the nodes that go out and that no requirement is about."""
    if released is not None:
        yield from gaps_of_columns(released)
        if released.confidential:
            yield Gap(code="attribute_not_required", columns=released.confidential)
