"""What a generalisation is to cost: the objectives of the lattice search, each with what a record costs at each level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, format_value, suggest_alternative

if TYPE_CHECKING:
    from .columns import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """``kind`` is that of the kernel; ``by_column`` says that it is a sum over columns, which weights and bounds need."""

    name: str
    kind: int
    by_column: bool = False

    def costs(self, column: Column) -> list[np.ndarray]:
        """For each level what a record costs at each of its nodes, from 0 to 1; the node of missing, the last, costs 0."""
        found = []
        for level, leaves in enumerate(column.leaves):
            if self.name == "precision":
                each = np.full(len(leaves), level / max(1, column.height))
            else:
                each = (leaves - 1) / max(1, column.domain - 1)
            found.append(np.append(each, 0.0))
        return found

    def totals(self, column: Column, records: np.ndarray) -> np.ndarray:
        """For each level what all records cost; ``records[v]`` have value v, the last is missing.

        The mean of the costs, and for entropy :math:`\\sum_i \\log_2(n_{gen(i)} / n_i)`.
        """
        if self.name != "entropy":
            of_level = zip(self.costs(column), column.number, strict=True)
            return np.array([(costs[number] * records).sum() / max(1, records.sum()) for costs, number in of_level])
        own = np.log2(np.maximum(records, 1))
        return np.array(
            [
                float((records * (np.log2(np.maximum(np.bincount(number, weights=records)[number], 1)) - own)).sum())
                for number in column.number
            ]
        )


OBJECTIVES: Mapping[str, Objective] = {
    one.name: one
    for one in (
        Objective(name="loss", kind=0, by_column=True),  # mean share of the values that a label leaves open
        Objective(name="loss_geometric", kind=1, by_column=True),  # the same, columns by their geometric mean
        Objective(name="precision", kind=0, by_column=True),  # mean share of the height of the hierarchy
        Objective(name="entropy", kind=2, by_column=True),  # bits lost, non-uniform entropy
        Objective(name="discernibility", kind=3),  # sum of squared class sizes, removed records against all
        Objective(name="class_size", kind=4),  # mean size of the classes
        Objective(name="accuracy", kind=5),  # share of records that their class misclassifies
    )
}
"""Name → objective; kinds are those of ``kernels/lattice_search.py``, which is not imported before it is needed."""


def objective_of(name: object, *, weights: Mapping[str, float], target: str | None) -> Objective:
    """The objective of a name, checked against the parameters that go with some of them only."""
    if not isinstance(name, str) or name not in OBJECTIVES:
        fix = suggest_alternative(name, OBJECTIVES) if isinstance(name, str) else f"use one of {', '.join(OBJECTIVES)}"
        raise TacitError(f"the objective {format_value(name)} is unknown", code="unknown_name", fix=fix)
    found = OBJECTIVES[name]
    if weights and not found.by_column:
        raise TacitError(
            f"the objective {name!r} has no weights of columns",
            code="missing_parameter",
            fix=f"leave weights= out, or use one of {', '.join(one for one in OBJECTIVES if OBJECTIVES[one].by_column)}",
        )
    if (target is None) == (name == "accuracy"):
        what = "needs the column to be classified" if target is None else "classifies no column"
        raise TacitError(
            f"the objective {name!r} {what}",
            code="invalid_parameter",
            fix="target='income' goes with objective='accuracy', and with no other",
        )
    return found
