"""The forms a network comes in: edge lists in frames, networkx, rustworkx, SciPy."""

from .networkx import to_networkx
from .raw_graph import RawGraph
from .rustworkx import to_rustworkx
from .sparse import to_sparse

__all__ = ["RawGraph", "to_networkx", "to_rustworkx", "to_sparse"]
