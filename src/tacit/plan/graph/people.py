"""People whom a plan names under [[attack]]: by their labels, which are numbers only once the network is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import TacitError, format_value
from ...graphs.attack.attack import GraphAttack
from ...graphs.attack.coalition import Coalition
from ...graphs.graph import Graph
from .loaded_plan import LoadedGraphPlan

LABELLED = ("targets", "members")
"""What of an attack names people: whom it looks for (the circle of group), and who joined in a coalition."""


def numbers_of(labels: Sequence[object], graph: Graph, what: str) -> np.ndarray:
    """The nodes with these labels, in their order.

    >>> numbers_of(["2", 0], Graph(size=3, edges=np.array([[0, 1]])), "targets").tolist()
    [2, 0]
    """
    if isinstance(labels, str) or not isinstance(labels, Sequence) or not labels:
        raise TacitError(
            f"{what} = {format_value(labels)} is no list of people",
            code="wrong_type",
            parameter=what,
            fix=f'e.g. {what} = ["ann", "bob"]',
        )
    place = {label: number for number, label in enumerate(graph.names or map(str, range(graph.size)))}
    wrong = next((one for one in labels if str(one) not in place), None)
    if wrong is not None:
        fix = "give labels as they stand in the file of edges or nodes"
        raise TacitError(f"{what}: {format_value(wrong)} is no node of the network", code="wrong_type", fix=fix)
    found = np.array([place[str(one)] for one in labels], dtype=np.int64)
    if len(np.unique(found)) < len(found):
        raise TacitError(f"{what} names somebody twice", code="duplicate", fix="name each of them once")
    return found


def placed_attack(
    loaded: LoadedGraphPlan, name: str, attack: GraphAttack, original: Graph
) -> tuple[GraphAttack, np.ndarray | None]:
    """An attack with the members that its section names, and the nodes that it looks for; None: everybody."""
    said, number = _attack_section(loaded, name)
    found = {}
    for key in LABELLED:
        if key in said:
            try:
                found[key] = numbers_of(said[key], original, key)
            except TacitError as problem:
                raise loaded.locate_error(problem, "attack", number, key) from None
    if "members" in found and isinstance(attack, Coalition):
        attack = replace(attack, members=tuple(found["members"].tolist()))
    return attack, found.get("targets")


def _attack_section(loaded: LoadedGraphPlan, name: str) -> tuple[Mapping[str, Any], int]:
    """What the plan says of an attack, and the number of that section."""
    sections = enumerate(loaded.plan.attack)
    return next(((one, number) for number, one in sections if one.get("method") == name), ({}, 0))
