"""The generators of networks by their names in a plan."""

from __future__ import annotations

from ...registry import Entry, Tags
from .degree_sequence import DegreeSequence
from .spatial import Spatial

IDENTITY = Tags(about="identity", kind="method")

ALL: dict[str, Entry] = {
    "degree_sequence": Entry(
        call=DegreeSequence,
        catalogue="K-01",
        tags=IDENTITY,
        example={"degrees": (3, 2, 2, 2, 1)},
        use="nobody may be found in the network, and only its degrees matter",
        avoid="somebody is known by a rare degree, or users study communities or paths",
    ),
    "spatial": Entry(
        call=Spatial,
        catalogue="K-03",
        tags=IDENTITY,
        example={
            "degrees": {"model": "poisson", "nodes": 200, "mean": 4.0},
            "density": {"model": "raster", "cells": ((1, 2), (4, 1)), "side": 10.0},
            "nearness": {"model": "exponential", "length": 2.0},
        },
        use="a network of contacts on a map is needed, and no real one may be shown",
        avoid="the density has cells with few people: coarsen it first",
    ),
}
