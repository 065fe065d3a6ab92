"""Supplies sent at the least cost, proven by prices. catalogue: C-04."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from tacit.kernels.transport import ship_supplies, transport_graph


@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(1, 8))
def test_the_cost_is_that_of_the_dense_assignment_and_the_prices_prove_it(seed, sources, places):
    rng = np.random.default_rng(seed)
    cost = np.sort(rng.integers(0, 9, (sources, places)).astype(float), axis=1)
    place = rng.permuted(np.tile(np.arange(places), (sources, 1)), axis=1)
    supply, capacity = rng.integers(0, 4, sources), rng.integers(0, 4, places)
    while supply.sum() > capacity.sum():
        supply[rng.integers(sources)] = 0
    found = ship_supplies(
        transport_graph(np.arange(sources + 1) * places, place.ravel(), cost.ravel()), supply, capacity
    )
    dense = np.take_along_axis(cost, np.argsort(place, axis=1), axis=1)
    each = np.repeat(np.repeat(dense, supply, axis=0), capacity, axis=1)
    assert (found.flow * cost.ravel()).sum() == pytest.approx(each[linear_sum_assignment(each)].sum())
    assert (found.unsent == 0).all()
    assert (found.flow.reshape(sources, places).sum(1) == supply).all()
    arrived = np.bincount(place.ravel(), weights=found.flow, minlength=places)
    assert (arrived <= capacity).all()
    reduced = cost - found.price[:, None] + found.charge[place]
    assert reduced.min() > -1e-9
    assert np.abs(reduced.ravel()[found.flow > 0]).max(initial=0) < 1e-9
    assert (found.charge >= 0).all()
    assert (found.charge[arrived < capacity] == 0).all()


def test_what_finds_no_room_stays():
    found = ship_supplies(
        transport_graph(np.array([0, 1, 2]), np.array([0, 0]), np.array([1.0, 2.0])), np.array([2, 2]), np.array([3])
    )
    assert found.flow.tolist() == [2, 1]
    assert found.unsent.tolist() == [0, 1]
