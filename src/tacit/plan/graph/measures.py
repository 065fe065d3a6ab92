"""The measures of a network that are taken unasked."""

from __future__ import annotations

from ...errors import Cancelled, TacitError
from ...graphs.graph import Graph
from ...graphs.risk import ALL as RISKS
from ...result import Result


def measure_graph(graph: Graph) -> tuple[Result, ...]:
    """Every measure that needs no parameter and is not too slow for so many nodes; those that do not apply are left out."""
    found = []
    for entry in RISKS.values():
        if entry.required or (entry.upto is not None and graph.size > entry.upto):
            continue
        try:
            found.append(entry.call(graph))
        except Cancelled:
            raise
        except TacitError:
            continue
    return tuple(found)
