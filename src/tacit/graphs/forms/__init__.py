"""The forms a network comes in: edge lists in frames, networkx, rustworkx, SciPy."""

from .given import Given
from .networkx import to_networkx
from .rustworkx import to_rustworkx
from .sparse import to_sparse

__all__ = ["Given", "to_networkx", "to_rustworkx", "to_sparse"]
