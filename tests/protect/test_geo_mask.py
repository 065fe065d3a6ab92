"""Geomasking: distances, directions and areas are those stated, everywhere on the globe, and equal places stay together."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from tacit import Release, TacitError
from tacit.protect import GeoMask

EARTH = 6_371_008.8
DONUT = GeoMask(latitude="lat", longitude="lon", least=100, most=500)


def haversine(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Metres between points by the formula of the books, which the code under test does not use."""
    (a, b), (c, d) = np.radians(one).T, np.radians(other).T
    h = np.sin((c - a) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((d - b) / 2) ** 2
    return 2 * EARTH * np.arcsin(np.sqrt(h))


def masked(points: np.ndarray, method: GeoMask, seed: int = 7, **more):
    frame = pl.DataFrame({"lat": points[:, 0], "lon": points[:, 1], **more})
    return Release(frame, household="home" if "home" in more else None).protect(method, seed=seed)


def both(found) -> np.ndarray:
    return found.to_native().select("lat", "lon").to_numpy()


def world(count: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    points = np.column_stack([np.degrees(np.arcsin(rng.uniform(-1, 1, count))), rng.uniform(-180, 180, count)])
    points[:6] = [[90, 0], [-90, 77], [89.9999, -180], [0, 180], [0.001, -179.9999], [-45, 179.99999]]
    return points


def test_the_ring_is_kept_everywhere_on_the_globe():
    # catalogue: E-14; distances by haversine to a millionth of a metre, poles and the meridian of ±180° among them
    points = world(20_000)
    moved = both(masked(points, DONUT))
    metres = haversine(points, moved)
    assert metres.min() >= 100 - 1e-6 and metres.max() <= 500 + 1e-6
    assert (np.abs(moved[:, 0]) <= 90).all() and (moved[:, 1] >= -180).all() and (moved[:, 1] < 180).all()


@pytest.mark.parametrize("units", ["degrees", "metres"])
def test_places_are_uniform_by_area_in_the_ring_and_not_by_radius(units):
    """Kolmogorov–Smirnov at 0.001 on 20,000 places; uniform in the radius, or a ring 5 % wider, is rejected."""
    rng = np.random.default_rng(1)
    degrees = units == "degrees"
    points = np.column_stack([rng.uniform(60, 85, 20_000), rng.uniform(-180, 180, 20_000)]) * (1 if degrees else 1e5)
    moved = both(masked(points, GeoMask(latitude="lat", longitude="lon", least=100, most=500, units=units)))
    metres = haversine(points, moved) if degrees else np.hypot(*(moved - points).T)
    area = (metres**2 - 100**2) / (500**2 - 100**2)
    assert kstest(area, "uniform").pvalue > 0.001
    assert kstest((metres - 100) / 400, "uniform").pvalue < 1e-9
    assert kstest((metres**2 - 100**2) / (525**2 - 100**2), "uniform").pvalue < 1e-9
    east = (moved - points)[:, 1] * (np.cos(np.radians(points[:, 0])) if degrees else 1)
    bearing = np.arctan2((east + 180) % 360 - 180 if degrees else east, (moved - points)[:, 0])
    assert kstest((bearing + np.pi) / (2 * np.pi), "uniform").pvalue > 0.001


def test_gaussian_moves_have_the_spread_stated():
    """North and east are normal with sd 300 m (KS at 0.001); 30 % more is rejected."""
    points = np.column_stack([np.linspace(-80, 80, 20_000), np.linspace(-180, 179, 20_000)])
    moved = both(masked(points, GeoMask(latitude="lat", longitude="lon", form="gaussian", sd=300)))
    north = np.radians(moved[:, 0] - points[:, 0]) * EARTH
    assert kstest(north / 300, "norm").pvalue > 0.001
    assert kstest(north / 390, "norm").pvalue < 1e-9
    assert np.sqrt((haversine(points, moved) ** 2).mean() / 2) == pytest.approx(300, rel=0.02)


@pytest.mark.parametrize("units", ["degrees", "metres"])
def test_a_grid_moves_to_centres_of_cells_of_the_side_stated(units):
    points = world(20_000) if units == "degrees" else world(20_000) * 1000
    method = GeoMask(latitude="lat", longitude="lon", form="grid", side=2000, units=units)
    moved = both(masked(points, method, seed=1))
    assert np.array_equal(moved, both(masked(points, method, seed=2))), "nothing is drawn"
    metres = haversine(points, moved) if units == "degrees" else np.hypot(*(moved - points).T)
    diagonal = 2000 * np.sqrt(2) / 2
    polar = np.abs(points[:, 0]) > 85 if units == "degrees" else np.zeros(len(points), dtype=bool)
    assert metres[~polar].max() <= diagonal * (1.001 if units == "degrees" else 1)
    assert not polar.any() or metres[polar].max() <= 2 * diagonal
    assert metres.mean() == pytest.approx(2000 * 0.3826, rel=0.02), "the mean distance to the centre of a square"
    assert np.allclose(both(masked(moved, method)), moved, rtol=0, atol=1e-9)
    Release(pl.DataFrame({"lat": [1.0], "lon": [1000.0]})).protect(
        GeoMask(latitude="lat", longitude="lon", form="grid", side=2000, units="metres")
    )  # needs no seed


def test_degrees_that_are_called_metres_are_refused():
    release = Release(pl.DataFrame({"lat": [50.1, 49.9], "lon": [8.6, 9.1]}))
    with pytest.raises(TacitError, match="as degrees have") as caught:
        release.protect(GeoMask(latitude="lat", longitude="lon", least=100, most=500, units="metres"), seed=1)
    assert caught.value.column == "lat"


def test_equal_places_move_together_and_households_too():
    points = np.repeat(world(50), 20, axis=0)
    moved = both(masked(points, DONUT))
    assert len(np.unique(moved, axis=0)) == 50
    apart = GeoMask(latitude="lat", longitude="lon", least=100, most=500, together=False)
    assert len(np.unique(both(masked(points, apart)), axis=0)) == 1000
    homes = np.repeat(np.arange(250), 4)
    assert len(np.unique(both(masked(points, apart, home=homes)), axis=0)) == 250
    # linked files: the same seed moves a place alike, whatever stands around it
    assert np.array_equal(both(masked(points[::-1], DONUT))[::-1], moved)
    assert not np.array_equal(both(masked(points, DONUT, seed=8)), moved)


@given(st.integers(3, 60), st.integers(1, 5), st.sampled_from(["degrees", "metres"]), st.integers(0, 99))
def test_k_widens_the_ring_until_it_holds_k_others(count, k, units, seed):
    """All pairs are counted: within the ring of each record lie k records, and one metre less would hold fewer."""
    from tacit.protect._places.move import outer_radius, space_of

    rng = np.random.default_rng(seed)
    points = np.round(rng.uniform(0, 1, (count, 2)), 2) + (0 if units == "degrees" else 5)
    points = points if units == "degrees" else points * 1e5
    least = 5000.0
    pairs = np.array([haversine(np.tile(one, (count, 1)), points) for one in points])
    if units == "metres":
        pairs = np.hypot(*(points[:, None] - points[None]).transpose(2, 0, 1))
    if ((pairs > least).sum(1) < k).any():
        with pytest.raises(TacitError, match=f"k={k} is more than the records"):
            outer_radius(points, space_of(units), k=k, least=least)
        return
    outer = outer_radius(points, space_of(units), k=k, least=least)
    assert (((pairs > least) & (pairs <= outer[:, None] + 1e-3)).sum(1) >= k).all()
    assert (((pairs > least) & (pairs < outer[:, None] - 1e-3)).sum(1) < k).all()
    method = GeoMask(latitude="lat", longitude="lon", least=least, k=k, units=units)
    moved = both(masked(points, method, seed=seed))
    metres = haversine(points, moved) if units == "degrees" else np.hypot(*(moved - points).T)
    assert (metres >= least - 1e-6).all() and (metres <= outer + 1e-6).all()


def test_density_gives_rings_with_k_people():
    """π (most² − least²) · density = k, so with k = 50 at 100 people per km² the ring ends at √(least² + 0.5/π) km."""
    points = world(5000)
    method = GeoMask(latitude="lat", longitude="lon", least=200, k=50, density="people")
    metres = haversine(points, both(masked(points, method, people=np.full(5000, 100.0))))
    ends = np.sqrt(200**2 + 50 / (np.pi * 100) * 1e6)
    assert 0.99 * ends < metres.max() <= ends + 1e-6
    with pytest.raises(TacitError, match="density and is missing or not positive in row 3\n"):
        masked(points, method, people=np.where(np.arange(5000) == 2, 0.0, 1.0))


def test_a_cap_counts_whom_it_leaves_short():
    points = np.vstack([np.zeros((5, 2)) + np.arange(5)[:, None] * 1e-4, [[40.0, 40.0]]])
    found = masked(points, GeoMask(latitude="lat", longitude="lon", least=0, k=3, most=1000))
    assert found.trace[0].outcome["short"].value == 1
    assert haversine(points, both(found)).max() <= 1000 + 1e-6


def test_nearer_counts_the_records_that_hide_one():
    points = world(300)
    found = masked(points, GeoMask(latitude="lat", longitude="lon", least=1e6, most=3e6))
    moved, counted = both(found), []
    for own, goal in zip(points, moved, strict=True):
        metres = haversine(np.tile(goal, (300, 1)), points)
        counted.append((metres < haversine(goal[None], own[None])[0] - 1e-3).sum())
    assert found.trace[0].outcome["nearer"].value == pytest.approx(np.mean(counted))


def test_a_lone_coordinate_is_lost_and_whole_numbers_stay_whole():
    frame = pl.DataFrame({"lat": [1000, None, 3000, None], "lon": [5, 6, None, None]})
    method = GeoMask(latitude="lat", longitude="lon", least=100, most=500, units="metres")
    found = Release(frame).protect(method, seed=1)
    assert found.to_native().schema == frame.schema
    assert found.to_native().null_count().row(0) == (3, 3)
    assert found.trace[0].outcome["lone"].value == 2


def test_whole_degrees_move_and_are_not_rounded_back():
    # rounding to whole degrees would publish the places as they were
    frame = pl.DataFrame({"lat": [52, 52, -90], "lon": [13, 14, 180]})
    moved = both(Release(frame).protect(DONUT, seed=7))
    metres = haversine(frame.to_numpy().astype(float), moved)
    assert metres.min() >= 100 - 1e-6 and metres.max() <= 500 + 1e-6


def test_a_place_with_two_names_moves_as_one():
    # a pole has any longitude, and the meridian of 180° is that of −180°
    points = np.array([[90.0, 0.0], [90.0, -71.5], [90.0, 180.0], [-12.0, 180.0], [-12.0, -180.0], [-90.0, 3.0]])
    moved = both(masked(points, DONUT))
    assert len(np.unique(moved[:3], axis=0)) == len(np.unique(moved[3:5], axis=0)) == 1
    assert haversine(points, moved).max() <= 500 + 1e-6


def test_a_mean_over_few_records_is_not_published():
    for count, told in ((9, False), (10, True)):
        trace = masked(world(count), DONUT).trace[0]
        assert ("nearer" in trace.as_json(public=True)["outcome"]) == told and "nearer" in trace.outcome


@pytest.mark.parametrize(
    ("row", "column", "limit"),
    [((90.001, 0.0), "lat", 90), ((0.0, 180.5), "lon", 180), ((float("inf"), 0.0), "lat", "1e")],
)
def test_places_beyond_the_globe_are_answered_with_their_row(row, column, limit):
    points = world(10)
    points[8] = row
    with pytest.raises(TacitError, match=f"beyond ±{limit}.*in row 9\n") as caught:
        masked(points, DONUT)
    assert caught.value.column == column
    assert str(row[0] or row[1]) not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "lacks most or k"),
        ({"most": 0}, "most=0 is no distance"),
        ({"most": 1e9}, "no distance"),
        ({"least": 500, "most": 100}, "swap the two"),
        ({"form": "gaussian"}, "lacks sd"),
        ({"form": "gaussian", "sd": 3, "most": 5}, "most says nothing about form='gaussian'"),
        ({"form": "doughnut", "most": 5}, "did you mean 'donut'"),
        ({"k": 0}, "k"),
        ({"most": 5, "density": "people"}, "density says nothing without k"),
        ({"most": 5, "longitude": "lat"}, "both coordinates"),
        ({"most": 5, "units": "feet"}, "units='feet' is unknown"),
    ],
)
def test_mistakes_in_the_parameters_are_answered(given, text):
    with pytest.raises(TacitError, match=text):
        GeoMask(**{"latitude": "lat", "longitude": "lon", **given})


def test_text_is_no_coordinate():
    with pytest.raises(TacitError, match="holds text, not numbers"):
        Release(pl.DataFrame({"lat": ["1"], "lon": [2.0]})).protect(DONUT, seed=1)
