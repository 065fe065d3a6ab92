"""A plan about a network: read, protect, attack, judge and publish it."""

from .audit import GraphAudit, audit_graph
from .job import protect_graph
from .load import graph_plan, load_graph_plan
from .loaded_plan import LoadedGraphPlan
from .outcome import GraphOutcome
from .schema import GraphPlan

__all__ = [
    "GraphAudit",
    "GraphOutcome",
    "GraphPlan",
    "LoadedGraphPlan",
    "audit_graph",
    "graph_plan",
    "load_graph_plan",
    "protect_graph",
]
