"""Networks in files: edge lists as CSV, TSV, Parquet, Arrow and the like, and GraphML."""

from .lineage import read_lineage, write_lineage
from .read import read_graph
from .write import write_graph

__all__ = ["read_graph", "read_lineage", "write_graph", "write_lineage"]
