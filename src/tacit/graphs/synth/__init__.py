"""Networks of people who do not exist: drawn for given degrees, or put on a map."""

from .degree_sequence import DegreeSequence, with_degrees_of
from .degrees import DegreeCounts, Poisson, PowerLaw, degree_counts
from .graphical import check_graphical, is_graphical
from .random_graph import randomise_edges, sample_edges
from .registry import ALL
from .spatial import Centres, Exponential, Power, Raster, Spatial, edge_lengths, node_positions, raster_of

__all__ = [
    "ALL",
    "Centres",
    "DegreeCounts",
    "DegreeSequence",
    "Exponential",
    "Poisson",
    "Power",
    "PowerLaw",
    "Raster",
    "Spatial",
    "check_graphical",
    "degree_counts",
    "is_graphical",
    "edge_lengths",
    "with_degrees_of",
    "node_positions",
    "raster_of",
    "sample_edges",
    "randomise_edges",
]
