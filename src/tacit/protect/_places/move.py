"""The row kernel that moves places, and how many records lie nearer to a moved place than its own.

Places as points: on a globe by latitude and longitude, on a map in metres; the same few questions to both.

The globe is a sphere with the mean radius of the Earth. Its points are unit vectors, so that nothing is special about
the poles or the meridian of ±180°, and moves are exact to nanometres wherever they start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from ...errors import TacitError
from ...seed import draw_rows
from .._keyed_draws import of_points, of_values
from .._numbers import as_numbers, from_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping


EARTH = 6_371_008.8
"""Mean radius of the Earth in metres."""


@dataclass(frozen=True)
class MoveRows:
    """The row kernel of geomasking.

    The ring lies between ``least`` and ``most`` metres for all rows, or ends at the ``outer`` radius of each (all rows
    are in one batch then); ``density`` is a column of people per square kilometre, of whom the ring is to hold ``k``.
    ``size`` is the standard deviation or the side of a cell, for the forms that have one.
    """

    latitude: str
    longitude: str
    types: Mapping[str, Any]
    units: str
    form: str
    size: float
    least: float
    most: float | None
    k: int | None
    density: str | None
    together: bool
    household: str | None
    seed: int | bytes
    outer: np.ndarray | None = None

    def __call__(self, batch: pl.DataFrame, start: int) -> pl.DataFrame:
        """The moved coordinates of the batch; a lone coordinate is lost."""
        points, known = read_points(batch, self.latitude, self.longitude, self.units, start)
        moved = np.full_like(points, np.nan)
        moved[known] = self._move_known(points[known], known, batch, start)
        pairs = zip((self.latitude, self.longitude), moved.T, strict=True)
        return pl.DataFrame([from_numbers(values, name, self.types[name]) for name, values in pairs])

    def _move_known(self, points: np.ndarray, known: np.ndarray, batch: pl.DataFrame, start: int) -> np.ndarray:
        space = space_of(self.units)
        if self.form == "grid":
            return space.cell_centres(points, self.size)
        uniform = self._draw_uniform(points, known, batch, start)
        if self.form == "gaussian":
            metres = self.size * np.sqrt(-2.0 * np.log1p(-uniform[:, 0]))
        else:
            least = np.full(len(points), self.least)
            metres = space.ring_distances(uniform[:, 0], least, self._outer_radii(known, batch, start))
        return space.move_points(points, metres, 2.0 * np.pi * uniform[:, 1])

    def _draw_uniform(self, points: np.ndarray, known: np.ndarray, batch: pl.DataFrame, start: int) -> np.ndarray:
        """Two draws for each known place: by the place, by the household, or by the row."""
        if self.together:
            return of_points(self.seed, points)
        alone = draw_rows(self.seed, start, batch.height, lambda rng, n: rng.random((n, 2)))
        if self.household is not None:
            shared = of_values(self.seed, batch[self.household])
            alone = np.where(np.isnan(shared), alone, shared)
        of_known: np.ndarray = alone[known]
        return of_known

    def _outer_radii(self, known: np.ndarray, batch: pl.DataFrame, start: int) -> np.ndarray:
        if self.outer is not None:
            of_known: np.ndarray = self.outer[known]
            return of_known
        if self.density is None:
            assert self.most is not None
            return np.full(int(known.sum()), self.most)
        people = as_numbers(batch[self.density], start)
        empty = known & ~(people > 0)
        if empty.any():
            raise TacitError(
                f"is the population density and is missing or not positive in row {start + int(empty.argmax()) + 1}",
                code="missing_values",
                column=self.density,
                fix="give people per square kilometre, more than 0, wherever there are coordinates",
            )
        assert self.k is not None
        outer: np.ndarray = np.sqrt(self.least**2 + self.k / (np.pi * people[known]) * 1e6)
        return outer if self.most is None else np.minimum(outer, self.most)


def space_of(units: str) -> Space:
    """The globe for degrees, a map for metres."""
    return Globe() if units == "degrees" else Plane()


def read_points(
    batch: pl.DataFrame, latitude: str, longitude: str, units: str, start: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The coordinates as numbers, and which rows have both; degrees beyond the globe are refused.

    A pole has the longitude 0 and the meridian of ±180° is −180, so that equal places are equal numbers.
    """
    points = np.column_stack([as_numbers(batch[name], start) for name in (latitude, longitude)])
    if units == "degrees":
        for place, (name, limit) in enumerate(((latitude, 90.0), (longitude, 180.0))):
            with np.errstate(invalid="ignore"):
                beyond = np.abs(points[:, place]) > limit
            if beyond.any():
                raise TacitError(
                    f"lies beyond ±{limit:g} degrees in row {start + int(beyond.argmax()) + 1}",
                    code="out_of_range",
                    column=name,
                    fix="correct it; check that latitude and longitude are not exchanged, subtract 360 from longitudes above "
                    "180, and say units='metres' for projected coordinates",
                )
        points[np.abs(points[:, 0]) == 90.0, 1] *= 0.0  # one place has one pair of numbers, and missing stays missing
        points[points[:, 1] == 180.0, 1] = -180.0
    return points, ~np.isnan(points).any(axis=1)


def outer_radius(points: np.ndarray, space: Space, *, k: int, least: float) -> np.ndarray:
    """For each place the radius at which the ring beyond ``least`` metres holds ``k`` other records.

    O(n log n) time, more by the number of records within ``least`` where many are.
    """
    from scipy.spatial import cKDTree

    vectors = space.to_vectors(points)
    tree = cKDTree(vectors)
    within = tree.query_ball_point(vectors, space.chord_length(np.array(least)) if least else 0.0, return_length=True)
    if int(within.min()) + k > len(points):
        raise TacitError(
            f"k={k} is more than the records beyond {least:g} metres of some place",
            code="out_of_range",
            parameter="k",
            fix="use a smaller k or least",
        )
    found = np.empty(len(points))
    for number in np.unique(within):
        rows = np.flatnonzero(within == number)
        rank = int(number) + k
        if rank > len(points):
            raise TacitError(
                f"k={k} is more than the records beyond {least:g} metres of some place",
                code="out_of_range",
                parameter="k",
                fix="use a smaller k or least",
            )
        _, neighbour = tree.query(vectors[rows], k=[rank])
        found[rows] = space.distance(points[rows], points[neighbour[:, 0]])
    return found


def count_nearer(original: np.ndarray, moved: np.ndarray, space: Space, rows: np.ndarray) -> np.ndarray:
    """For some rows the number of original places that are nearer to the moved place than the row's own."""
    from scipy.spatial import cKDTree

    vectors = space.to_vectors(original)
    goals = space.to_vectors(moved[rows])
    own = np.linalg.norm(goals - vectors[rows], axis=1)
    found: np.ndarray = cKDTree(vectors).query_ball_point(goals, own * (1.0 - 1e-9), return_length=True)
    return found


class Space(Protocol):
    """Where the places lie. Points are rows of two numbers: latitude and longitude, or northing and easting."""

    def to_vectors(self, points: np.ndarray) -> np.ndarray:
        """Vectors whose straight distances grow with the distances of the points."""

    def chord_length(self, metres: np.ndarray) -> np.ndarray:
        """The straight distance between vectors whose points are so many metres apart."""

    def distance(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Metres between points, row by row."""

    def ring_distances(self, uniform: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """Distances that are uniform by area in rings."""

    def move_points(self, points: np.ndarray, metres: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """The points so many metres away, in directions given as angles from north through east."""

    def cell_centres(self, points: np.ndarray, side: float) -> np.ndarray:
        """The centres of the grid cells in which the points lie."""


class Plane:
    """A map in metres."""

    def to_vectors(self, points: np.ndarray) -> np.ndarray:
        """The points themselves."""
        return points

    def chord_length(self, metres: np.ndarray) -> np.ndarray:
        """The metres themselves."""
        return metres

    def distance(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """By Pythagoras."""
        found: np.ndarray = np.hypot(*(one - other).T)
        return found

    def ring_distances(self, uniform: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """The area within r grows with r²."""
        found: np.ndarray = np.sqrt(least**2 + uniform * (most**2 - least**2))
        return found

    def move_points(self, points: np.ndarray, metres: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """North is the first number, east the second."""
        found: np.ndarray = points + np.column_stack([metres * np.cos(bearing), metres * np.sin(bearing)])
        return found

    def cell_centres(self, points: np.ndarray, side: float) -> np.ndarray:
        """Squares from 0 on in both directions."""
        found: np.ndarray = (np.floor(points / side) + 0.5) * side
        return found


class Globe:
    """The Earth in degrees."""

    def to_vectors(self, points: np.ndarray) -> np.ndarray:
        """Unit vectors."""
        latitude, longitude = np.radians(points).T
        flat = np.cos(latitude)
        return np.column_stack([flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)])

    def chord_length(self, metres: np.ndarray) -> np.ndarray:
        """The chord of an arc, 2 sin(θ/2)."""
        found: np.ndarray = 2.0 * np.sin(np.minimum(metres / EARTH, np.pi) / 2.0)
        return found

    def distance(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """The arc of the chord between the vectors, exact for near points and for far ones."""
        between = self.to_vectors(one), self.to_vectors(other)
        half = np.linalg.norm(between[0] - between[1], axis=1), np.linalg.norm(between[0] + between[1], axis=1)
        found: np.ndarray = 2.0 * np.arctan2(*half) * EARTH
        return found

    def ring_distances(self, uniform: np.ndarray, least: np.ndarray, most: np.ndarray) -> np.ndarray:
        """The area of a cap grows with sin²(θ/2)."""
        inner, outer = (np.sin(np.minimum(edge / EARTH, np.pi) / 2.0) ** 2 for edge in (least, most))
        found: np.ndarray = 2.0 * np.arcsin(np.sqrt(inner + uniform * (outer - inner))) * EARTH
        return found

    def move_points(self, points: np.ndarray, metres: np.ndarray, bearing: np.ndarray) -> np.ndarray:
        """Along great circles; longitudes come back in [−180, 180)."""
        latitude, longitude = np.radians(points).T
        arc = metres / EARTH
        north = np.column_stack(
            [-np.sin(latitude) * np.cos(longitude), -np.sin(latitude) * np.sin(longitude), np.cos(latitude)]
        )
        east = np.column_stack([-np.sin(longitude), np.cos(longitude), np.zeros_like(longitude)])
        way = np.cos(bearing)[:, None] * north + np.sin(bearing)[:, None] * east
        x, y, z = (np.cos(arc)[:, None] * self.to_vectors(points) + np.sin(arc)[:, None] * way).T
        return np.column_stack(
            [np.degrees(np.arctan2(z, np.hypot(x, y))), _wrap_longitude(np.degrees(np.arctan2(y, x)))]
        )

    def cell_centres(self, points: np.ndarray, side: float) -> np.ndarray:
        """Belts of equal height, each cut into cells of equal width; neither is less than ``side`` in the belt's middle."""
        latitude, longitude = points.T
        belts = max(1, int(np.pi * EARTH / side))
        height = 180.0 / belts
        middle = (np.clip(np.floor((latitude + 90.0) / height), 0, belts - 1) + 0.5) * height - 90.0
        width = 360.0 / np.maximum(1.0, np.floor(2.0 * np.pi * EARTH * np.cos(np.radians(middle)) / side))
        return np.column_stack([middle, _wrap_longitude((np.floor((longitude + 180.0) / width) + 0.5) * width - 180.0)])


def _wrap_longitude(longitude: np.ndarray) -> np.ndarray:
    found: np.ndarray = (longitude + 180.0) % 360.0 - 180.0
    return found
