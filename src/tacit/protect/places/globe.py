"""Places as points: on a globe by latitude and longitude, on a map in metres; the same few questions to both.

The globe is a sphere with the mean radius of the Earth. Its points are unit vectors, so that nothing is special about
the poles or the meridian of ±180°, and moves are exact to nanometres wherever they start.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

__all__ = ["EARTH", "Globe", "Plane", "Space"]

EARTH = 6_371_008.8
"""Mean radius of the Earth in metres."""


class Space(Protocol):
    """Where the places lie. Points are rows of two numbers: latitude and longitude, or northing and easting."""

    def vectors(self, points: np.ndarray) -> np.ndarray:
        """Vectors whose straight distances grow with the distances of the points."""

    def straight(self, metres: np.ndarray) -> np.ndarray:
        """The straight distance between vectors whose points are so many metres apart."""

    def apart(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Metres between points, row by row."""

    def ring(self, uniform: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """Distances that are uniform by area in rings."""

    def moved(self, points: np.ndarray, metres: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """The points so many metres away, in directions given as angles from north through east."""

    def cells(self, points: np.ndarray, side: float) -> np.ndarray:
        """The centres of the grid cells in which the points lie."""


class Plane:
    """A map in metres."""

    def vectors(self, points: np.ndarray) -> np.ndarray:
        """The points themselves."""
        return points

    def straight(self, metres: np.ndarray) -> np.ndarray:
        """The metres themselves."""
        return metres

    def apart(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """By Pythagoras."""
        found: np.ndarray = np.hypot(*(one - other).T)
        return found

    def ring(self, uniform: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """The area within r grows with r²."""
        found: np.ndarray = np.sqrt(least**2 + uniform * (most**2 - least**2))
        return found

    def moved(self, points: np.ndarray, metres: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """North is the first number, east the second."""
        found: np.ndarray = points + np.column_stack([metres * np.cos(bearing), metres * np.sin(bearing)])
        return found

    def cells(self, points: np.ndarray, side: float) -> np.ndarray:
        """Squares from 0 on in both directions."""
        found: np.ndarray = (np.floor(points / side) + 0.5) * side
        return found


class Globe:
    """The Earth in degrees."""

    def vectors(self, points: np.ndarray) -> np.ndarray:
        """Unit vectors."""
        latitude, longitude = np.radians(points).T
        flat = np.cos(latitude)
        return np.column_stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)])

    def straight(self, metres: np.ndarray) -> np.ndarray:
        """The chord of an arc, 2 sin(θ/2)."""
        found: np.ndarray = 2.0 * np.sin(np.minimum(metres / EARTH, np.pi) / 2.0)
        return found

    def apart(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The arc of the chord between the vectors, exact for near points and for far ones."""
        between = self.vectors(one), self.vectors(other)
        half = np.linalg.norm(between[0] - between[1], axis=1), np.linalg.norm(between[0] + between[1], axis=1)
        found: np.ndarray = 2.0 * np.arctan2(*half) * EARTH
        return found

    def ring(self, uniform: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """The area of a cap grows with sin²(θ/2)."""
        inner, outer = (np.sin(np.minimum(edge / EARTH, np.pi) / 2.0) ** 2 for edge in (least, most))
        found: np.ndarray = 2.0 * np.arcsin(np.sqrt(inner + uniform * (outer - inner))) * EARTH
        return found

    def moved(self, points: np.ndarray, metres: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """Along great circles; longitudes come back in [−180, 180)."""
        latitude, longitude = np.radians(points).T
        arc = metres / EARTH
        north = np.column_stack(
            [-np.sin(latitude) * np.cos(longitude), -np.sin(latitude) * np.sin(longitude), np.cos(latitude)]
        )
        east = np.column_stack([-np.sin(longitude), np.cos(longitude), np.zeros_like(longitude)])
        way = np.cos(bearing)[:, None] * north + np.sin(bearing)[:, None] * east
        x, y, z = (np.cos(arc)[:, None] * self.vectors(points) + np.sin(arc)[:, None] * way).T
        return np.column_stack([np.degrees(np.arctan2(z, np.hypot(x, y))), _wrapped(np.degrees(np.arctan2(y, x)))])

    def cells(self, points: np.ndarray, side: float) -> np.ndarray:
        """Belts of equal height, each cut into cells of equal width; neither is less than ``side`` in the belt's middle."""
        latitude, longitude = points.T
        belts = max(1, int(np.pi * EARTH / side))
        height = 180.0 / belts
        middle = (np.clip(np.floor((latitude + 90.0) / height), 0, belts - 1) + 0.5) * height - 90.0
        width = 360.0 / np.maximum(1.0, np.floor(2.0 * np.pi * EARTH * np.cos(np.radians(middle)) / side))
        return np.column_stack([middle, _wrapped((np.floor((longitude + 180.0) / width) + 0.5) * width - 180.0)])


def _wrapped(longitude: np.ndarray) -> np.ndarray:
    found: np.ndarray = (longitude + 180.0) % 360.0 - 180.0
    return found
