"""Attacks on networks: a released graph and an intruder's knowledge in, claims out."""

from .alignment import Alignment
from .attack import GraphAttack
from .attributes import Attributes
from .coalition import Coalition
from .degree import Degree
from .group import Group
from .plant import Planted, plant
from .profile import Profile
from .propagation import Propagation
from .refinement import Refinement
from .registry import ALL
from .reidentify import attacked_nodes, graph_attacks, reidentify_nodes
from .scenario import imperfect_picture, knowledge_of

__all__ = [
    "ALL",
    "Alignment",
    "Attributes",
    "Coalition",
    "Degree",
    "GraphAttack",
    "Group",
    "Planted",
    "Profile",
    "Propagation",
    "Refinement",
    "attacked_nodes",
    "graph_attacks",
    "imperfect_picture",
    "knowledge_of",
    "plant",
    "reidentify_nodes",
]
