"""Where people live: an invented map of some 200 ZIP codes in 14 areas of 4 regions.

The map is the same for every seed; only who lives where is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from .draw import falling

__all__ = ["Area", "Map", "town_map"]


class Area(NamedTuple):
    """A three-digit area: its share of the households, its number of ZIP codes, how well off, how well sampled."""

    prefix: str
    share: float
    codes: int
    wealth: float
    weight: float


AREAS = (
    Area("010", 0.04, 12, -0.1, 4.0),
    Area("011", 0.09, 14, 0.1, 3.0),
    Area("014", 0.03, 16, -0.3, 5.5),
    Area("021", 0.17, 22, 0.5, 1.6),
    Area("022", 0.06, 10, 0.9, 1.8),
    Area("026", 0.02, 14, 0.2, 6.5),
    Area("100", 0.20, 24, 0.3, 1.3),
    Area("104", 0.12, 18, -0.6, 1.7),
    Area("109", 0.04, 15, 0.6, 3.5),
    Area("121", 0.03, 17, -0.2, 5.0),
    Area("460", 0.05, 14, 0.0, 4.5),
    Area("462", 0.09, 16, -0.3, 2.5),
    Area("787", 0.05, 12, 0.4, 3.0),
    Area("799", 0.01, 8, -0.8, 9.0),
)


@dataclass(frozen=True, slots=True)
class Map:
    """One entry per ZIP code: the code, its share of the households, how well off it is, its mean weight."""

    zips: tuple[str, ...]
    share: np.ndarray
    wealth: np.ndarray
    weight: np.ndarray


@cache
def town_map() -> Map:
    """All ZIP codes; the first of an area are its town and hold most of its people.

    Neighbouring codes differ in wealth by a fixed wave around the area's own level, so that the map has rich and
    poor quarters without a draw.
    """
    zips, share, wealth, weight = [], [], [], []
    for area in AREAS:
        rank = np.arange(area.codes)
        zips += [f"{area.prefix}{(7 * place + 1) % 100:02d}" for place in range(area.codes)]
        share.append(area.share * falling(area.codes, power=1.1, head=1.0))
        wealth.append(area.wealth + 0.3 * np.cos(2.4 * rank))
        weight.append(np.full(area.codes, area.weight))
    return Map(tuple(zips), np.concatenate(share), np.concatenate(wealth), np.concatenate(weight))
