"""What a protected network no longer tells its users: each measure takes the released graph and the original."""

from .assortativity import assortativity
from .clustering import clustering
from .communities import communities
from .degrees import degrees
from .edge_overlap import edge_overlap
from .paths import paths
from .registry import ALL
from .spectrum import spectrum
from .summary import summary

__all__ = [
    "ALL",
    "assortativity",
    "clustering",
    "communities",
    "degrees",
    "edge_overlap",
    "paths",
    "spectrum",
    "summary",
]
