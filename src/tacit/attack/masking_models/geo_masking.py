"""Moved places: within a ring, by a normal draw, or to the centre of a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._columns import ColumnPair
from .knowledge import MaskingKnowledge, step_parameter
from .scales import NumericPair, numeric_pair, window_pair

if TYPE_CHECKING:
    from ...claims.scenario import Scenario
    from ...release.release import Release
    from ...release.trace import Trace


EARTH = 6_371_008.8
"""Mean radius of the Earth in metres."""
ROUNDING = 1e-9
NEAR = 1e-6
EDGES = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
CORNERS = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2.0)


def geo_mask_model(step: Trace, columns: tuple[str, ...], release: Release, scenario: Scenario) -> MaskingKnowledge:
    r"""Coordinates that were moved by a published law.

    On a map in metres and, as unit vectors, on the globe, a move of at most ``most`` metres changes no coordinate by
    more than that (by more than its chord :math:`2 \sin(most/2R)`), nor a sum of them along a diagonal: hard windows
    around the place of the intruder, an octagon on the map. Where inside the ring is equally likely; the hole of
    ``least`` metres is not used. A normal move has the likelihood of its squared distance. A grid has one centre for each
    place, which the intruder computes itself. A ring that holds k others has no published end unless it is capped; the
    places are then compared by their distance alone. Both coordinates are needed. O(n + m) time.
    """
    pair = (step_parameter(step, "latitude"), step_parameter(step, "longitude"))
    read = [numeric_pair(release, scenario.file, name) for name in pair if name in columns]
    both = [one for one in read if one is not None]
    if len(both) < 2:
        return MaskingKnowledge(columns=(), compared=(), certain=True)
    theirs, mine = _join_coordinates([one.theirs for one in both]), _join_coordinates([one.mine for one in both])
    degrees = step_parameter(step, "units", "degrees") == "degrees"
    form = step_parameter(step, "form", "donut")
    half = 0.0 if degrees else max(one.rounding_error for one in both)
    side = step_parameter(step, "side")
    if form == "grid" and side:
        made = _compare_cells(theirs, mine, float(side), degrees=degrees, half=half)
    else:
        made = _compare_moved(step, (theirs, mine), degrees=degrees, half=half)
    return MaskingKnowledge(columns=(str(pair[0]), str(pair[1])), compared=made, certain=True)


def _join_coordinates(parts: list[np.ndarray]) -> np.ndarray:
    """Both coordinates, missing where one is."""
    found = np.column_stack(parts)
    found[np.isnan(found).any(axis=1)] = np.nan
    return found


def _compare_moved(
    step: Trace, points: tuple[np.ndarray, np.ndarray], *, degrees: bool, half: float
) -> tuple[ColumnPair, ...]:
    axes = [_unit_vectors(one) if degrees else one for one in points]
    metre = 1.0 / EARTH if degrees else 1.0
    sd, most = step_parameter(step, "sd"), step_parameter(step, "most")
    weight = 0.5 / (float(sd) * metre) ** 2 if step_parameter(step, "form", "donut") == "gaussian" and sd else None
    if weight is not None or most is None:
        return tuple(_compare_by_distance(one, other, weight) for one, other in zip(axes[0].T, axes[1].T, strict=True))
    far = 2.0 * np.sin(min(float(most) / EARTH, np.pi) / 2.0) if degrees else float(most) + 2.0 * half
    directions = np.eye(3) if degrees else np.vstack([np.eye(2), CORNERS])
    made = []
    for direction in directions:
        theirs, mine = (_project_onto(one, direction) for one in axes)
        made.append(window_pair(NumericPair(theirs, mine, whole=False), mine - far, mine + far))
    return tuple(made)


def _project_onto(axes: np.ndarray, direction: np.ndarray) -> np.ndarray:
    found: np.ndarray = axes @ direction
    return found


def _compare_by_distance(theirs: np.ndarray, mine: np.ndarray, weight: float | None) -> ColumnPair:
    spread = 2.0 * float(np.nanvar(theirs)) if not np.isnan(theirs).all() else 0.0
    return ColumnPair(theirs, mine, kind="number", usual=spread, weight=weight)


def _compare_cells(
    theirs: np.ndarray, mine: np.ndarray, side: float, *, degrees: bool, half: float
) -> tuple[ColumnPair, ...]:
    """The centre of the intruder's cell; a place on an edge may lie in the cells on both sides of it."""
    slack = ROUNDING * (1.0 + np.abs(mine))
    around = [_cell_centres(mine + slack * shift, side, degrees=degrees) for shift in EDGES]
    lost = np.zeros(len(mine), dtype=bool)
    if degrees:  # one place has several pairs of numbers there
        lost = (np.abs(mine[:, 0]) > 90.0 - NEAR) | (np.abs(mine[:, 1]) > 180.0 - NEAR)
    made = []
    for place in range(2):
        ends = np.array([one[:, place] for one in around])
        free = lost & (place == 1)
        low, high = np.where(free, -np.inf, ends.min(axis=0)), np.where(free, np.inf, ends.max(axis=0))
        pair = NumericPair(theirs[:, place], mine[:, place], whole=half > 0)
        made.append(window_pair(pair, low, high, weight=None))
    return tuple(made)


def _cell_centres(points: np.ndarray, side: float, *, degrees: bool) -> np.ndarray:
    if not degrees:
        found: np.ndarray = (np.floor(points / side) + 0.5) * side
        return found
    latitude, longitude = points.T
    belts = max(1, int(np.pi * EARTH / side))
    height = 180.0 / belts
    middle = (np.clip(np.floor((latitude + 90.0) / height), 0, belts - 1) + 0.5) * height - 90.0
    width = 360.0 / np.maximum(1.0, np.floor(2.0 * np.pi * EARTH * np.cos(np.radians(middle)) / side))
    around = (np.floor((longitude + 180.0) / width) + 0.5) * width - 180.0
    return np.column_stack([middle, (around + 180.0) % 360.0 - 180.0])


def _unit_vectors(points: np.ndarray) -> np.ndarray:
    latitude, longitude = np.radians(points).T
    flat = np.cos(latitude)
    return np.column_stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)])
