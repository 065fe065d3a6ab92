"""Networks of people who do not exist: drawn for given degrees, or put on a map."""

from .all import ALL
from .degree_sequence import DegreeSequence, like
from .degrees import Counted, Poisson, PowerLaw, counted
from .graphical import check_graphical, graphical
from .sampled import sampled, switched
from .spatial import Centres, Exponential, Power, Raster, Spatial, lengths, places, raster_of

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
