"""The registry of losses of networks."""

from __future__ import annotations

from ...registry import Entry, Tags
from .assortativity import assortativity
from .clustering import clustering
from .communities import communities
from .degrees import degrees
from .edge_overlap import edge_overlap
from .paths import paths
from .spectrum import spectrum

LOSS = Tags(about="utility", kind="measure")

ALL: dict[str, Entry] = {
    "edge_overlap": Entry(call=edge_overlap, catalogue="K-04", tags=LOSS),
    "degrees": Entry(call=degrees, catalogue="K-04", tags=LOSS),
    "clustering": Entry(call=clustering, catalogue="K-04", tags=LOSS),
    "paths": Entry(call=paths, catalogue="K-04", tags=LOSS),
    "assortativity": Entry(call=assortativity, catalogue="K-04", tags=LOSS),
    "spectrum": Entry(call=spectrum, catalogue="K-04", tags=LOSS),
    "communities": Entry(call=communities, catalogue="K-04", tags=LOSS),
}
