"""A node of the lattice as the steps of a plan that make it again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

from ...errors import TacitError

Rest = Literal["leave_out", "blank", "keep"]
"""What becomes of the records that miss a model at a node."""


def as_steps(
    levels: Mapping[str, int],
    *,
    removed: int,
    climbing: Collection[str],
    suppression: float,
    rest: Rest = "leave_out",
    k: int | None = None,
) -> list[dict[str, Any]]:
    """Steps that give exactly this node, on the data that were searched.

    Where ``removed`` records miss a model they are left out, by a search that is bound to the one node: it provides the
    models of the plan, whichever they are. ``rest`` "blank" blanks cells of theirs instead until ``k`` records are alike,
    "keep" keeps them as they are. A column that cannot climb (see :class:`LatticeSize`) becomes ``*`` by the search alone.

    >>> as_steps({"zip": 1, "sex": 0}, removed=0, climbing=["zip"], suppression=0.1)
    [{'method': 'generalise', 'levels': {'zip': 1}}]
    >>> as_steps({"zip": 1}, removed=3, climbing=["zip"], suppression=0.1)
    [{'method': 'full_domain', 'suppression': 0.1, 'lowest': {'zip': 1}, 'highest': {'zip': 1}}]
    """
    raised = {column: level for column, level in levels.items() if level}
    starred = [column for column in raised if column not in climbing]
    if rest == "leave_out" and (removed or starred):
        bound = dict(levels)
        return [{"method": "full_domain", "suppression": suppression, "lowest": bound, "highest": dict(bound)}]
    if starred:
        raise TacitError(
            "has no hierarchy, so that only a search that leaves records out can hide it",
            code="no_hierarchy",
            column=starred[0],
            fix="leave the records out, give the column a hierarchy, or choose other levels",
        )
    steps: list[dict[str, Any]] = [{"method": "generalise", "levels": raised}] if raised else []
    if rest == "blank" and removed:
        if k is None:
            raise TacitError(
                "cells can be blanked for k-anonymity alone",
                code="invalid_parameter",
                fix="require k-anonymity, or leave them out",
            )
        steps.append({"method": "suppress_cells", "k": k})
    return steps
