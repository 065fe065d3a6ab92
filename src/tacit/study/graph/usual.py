"""What is tried on a network when nothing is said."""

from __future__ import annotations

from typing import Any, TypeAlias

from ...graphs.all import METHODS
from ...graphs.graph import Graph
from ..space import Strategy

__all__ = ["usual"]

Steps: TypeAlias = list[dict[str, Any]]
LARGEST = 50
"""Nodes that are made alike, at most."""
BOTH = (3, 5, 10)
"""Nodes alike in links and attributes: both steps need the same number, so that it is not left open."""
FEWEST = 5
"""Edges that a share of them comes to, at least: a switch needs two."""


def usual(original: Graph) -> list[Strategy]:
    """Strategies for a network: edges drawn and switched, degrees made alike, and, in larger groups, nodes.

    Where nodes have attributes that an intruder may know, these are recoded after the degrees; super-nodes and k-automorphism recode
    them by themselves. Of a directed network only edges are changed: the others are for undirected ones.
    """
    share = {"from": min(0.5, max(0.01, FEWEST / max(original.links, 1))), "to": 0.5, "scale": "log"}
    found: dict[str, Steps] = {
        "switches": [{"method": "switch_edges", "share": share}],
        "edges drawn": [{"method": "change_edges", "delete": share, "add": share}],
    }
    if not original.directed and original.size >= 4:
        found |= _undirected(original, share)
    return [Strategy.of(name, steps, methods=METHODS) for name, steps in found.items()]


def _undirected(original: Graph, share: dict[str, Any]) -> dict[str, Steps]:
    group = {"from": 2, "to": max(2, min(LARGEST, original.size // 2)), "scale": "log"}
    known = original.attributes is not None and original.attributes.quasi
    found: dict[str, Steps] = {
        "k-degree": [{"method": "k_degree", "k": group}],
        "deletions": [{"method": "delete_edges", "k": group, "budget": share, "known": "degree"}],
        "super-nodes": [{"method": "super_nodes", "k": group}],
    }
    if original.size <= (METHODS["k_automorphism"].upto or 0):
        found["k-automorphism"] = [{"method": "k_automorphism", "k": group}]
    for k in [k for k in BOTH if known and 2 * k <= original.size]:
        found[f"k-degree + attributes, k {k}"] = [
            {"method": "k_degree", "k": k},
            {"method": "attributes_in_classes", "k": k, "known": "degree"},
        ]
    return found
