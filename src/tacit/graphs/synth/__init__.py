"""Networks of people who do not exist: drawn for given degrees, or put on a map."""

from .all import ALL
from .degree_sequence import DegreeSequence, like
from .degrees import Counted, Poisson, PowerLaw, counted
from .density import Centres, Raster, raster_of
from .graphical import check_graphical, graphical
from .sampled import sampled, switched
from .spatial import Exponential, Power, Spatial, lengths, places

__all__ = [
    "ALL",
    "Centres",
    "Counted",
    "DegreeSequence",
    "Exponential",
    "Poisson",
    "Power",
    "PowerLaw",
    "Raster",
    "Spatial",
    "check_graphical",
    "counted",
    "graphical",
    "lengths",
    "like",
    "places",
    "raster_of",
    "sampled",
    "switched",
]
