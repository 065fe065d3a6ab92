"""The network on a map: degrees kept or the loss told, lengths by the kernel, nodes by the density and on no address.

The law of lengths is conditional: when node i draws, partner j has the chance ∝ f(distance) · free stubs of j among the
nearest that have a free stub and are not joined with i. So each draw is put on its own scale: U, the chance of a nearer
partner plus a uniform part of the chance of an equally far one, is uniform and independent of the draws before it.
The oracle below replays the draws with distances of all pairs, dictionaries and no kernel.
"""

# catalogue: K-03

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import chisquare, ks_2samp, kstest

from tacit import TacitError
from tacit.graphs.synth import (
    Centres,
    Exponential,
    Poisson,
    Power,
    PowerLaw,
    Raster,
    Spatial,
    edge_lengths,
    is_graphical,
    node_positions,
    raster_of,
)
from tacit.graphs.synth.spatial import join_nodes, near_candidates
from tacit.seed import make_generator

ALPHA = 1e-4
"""The chance that a right generator fails one of the statistical tests."""
SQUARE = Raster(cells=((1.0,),), side=1.0)


def draws_on_their_own_scale(at, degrees, drawn, nearness, nearest):
    """U of each draw, under a nearness that may not be the one drawn with."""
    rng, far = make_generator(11), cdist(at, at)
    free, known = degrees.copy(), [set() for _ in degrees]
    found = []
    for i, j in drawn:
        near = np.argsort(far[i])[1 : nearest + 1]
        near = np.array([c for c in near if free[c] and c not in known[i]])
        chance = np.exp(nearness.log_weights(far[i, near])) * free[near]
        chance /= chance.sum()
        found.append(chance[far[i, near] < far[i, j]].sum() + rng.random() * chance[near == j][0])
        free[[i, j]] -= 1
        known[i].add(j)
        known[j].add(i)
    return np.array(found)


@pytest.mark.parametrize(
    ("true", "wrong"),
    [
        (
            Exponential(length=0.02),
            [Exponential(length=0.014), Exponential(length=0.026), Power(exponent=1.0, least=0.01)],
        ),
        (Power(exponent=2.0, least=0.005), [Power(exponent=1.4, least=0.005), Power(exponent=2.6, least=0.005)]),
    ],
)
def test_lengths_follow_the_kernel_and_one_30_percent_off_is_rejected(true, wrong):
    rng = make_generator(7)
    degrees = Poisson(nodes=2_000, mean=4.0).sample(rng)
    assert degrees.max() <= 24  # so that nobody has more than 48 candidates
    at = SQUARE.sample(2_000, rng)
    found = join_nodes(near_candidates(at, degrees, true, 48), degrees, at, rng)
    assert len(found.drawn) > 0.95 * degrees.sum() / 2
    scaled = draws_on_their_own_scale(at, degrees, found.drawn, true, 48)
    assert kstest(scaled, "uniform").pvalue > ALPHA
    for other in wrong:
        assert kstest(draws_on_their_own_scale(at, degrees, found.drawn, other, 48), "uniform").pvalue < 1e-6
    first = np.hypot(*(at[found.drawn[:, 0]] - at[found.drawn[:, 1]]).T)
    last = np.hypot(*(at[found.edges[:, 0]] - at[found.edges[:, 1]]).T)
    assert ks_2samp(first, last).statistic < 0.03  # the corrections do not bend the law


def test_nodes_follow_the_density_and_another_density_is_rejected():
    weights = np.array([[1, 2, 3], [4, 0, 6]])
    raster = Raster(cells=weights.tolist(), side=10.0, corner=(100.0, -20.0))
    made = Spatial(degrees=(0,) * 20_000, density=raster, nearness=Exponential(length=1.0)).generate(seed=7)
    cell = np.floor((node_positions(made.graph) - raster.corner) / 10).astype(int)
    counts = np.zeros((2, 3))
    np.add.at(counts, (cell[:, 1], cell[:, 0]), 1)
    assert counts[1, 1] == 0
    used = weights > 0
    assert chisquare(counts[used], 20_000 * weights[used] / 16).pvalue > ALPHA
    turned = weights[used][[1, 0, 2, 3, 4]]
    assert chisquare(counts[used], 20_000 * turned / 16).pvalue < 1e-6
    within = (node_positions(made.graph) - raster.corner) / 10 % 1
    assert kstest(within.ravel(), "uniform").pvalue > ALPHA


def test_nodes_lie_around_their_centres():
    centres = Centres(centres=((0, 0, 3), (100, 0, 1)), spread=2.0)
    at = centres.sample(10_000, make_generator(7))
    first = at[:, 0] < 50
    assert chisquare([first.sum(), (~first).sum()], [7_500, 2_500]).pvalue > ALPHA
    assert kstest(at[first].ravel() / 2, "norm").pvalue > ALPHA
    assert kstest(at[first].ravel() / 2.6, "norm").pvalue < 1e-6


def test_no_node_lies_on_an_address_nor_in_a_cell_with_few_of_them():
    addresses = make_generator(7).normal(0, 3, (400, 2)).round(1)
    raster = raster_of(*addresses.T, side=2.0, least=10)
    made = Spatial(degrees=Poisson(nodes=3_000, mean=2.0), density=raster, nearness=Exponential(length=1.0)).generate(
        seed=7
    )
    at = node_positions(made.graph)
    assert cdist(at, addresses).min() > 0
    real, count = np.unique(np.floor(addresses / 2), axis=0, return_counts=True)
    told = {tuple(cell) for cell in real[count >= 10]}
    assert {tuple(cell) for cell in np.unique(np.floor(at / 2), axis=0)} <= told


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=40).filter(lambda found: is_graphical(np.array(found))),
    st.integers(0, 99),
)
def test_degrees_are_kept_or_the_dropped_edges_account_for_the_difference(degrees, seed):
    made = Spatial(degrees=degrees, density=SQUARE, nearness=Exponential(length=0.1), nearest=4).generate(seed=seed)
    outcome = {name: found.value for name, found in made.trace[0].outcome.items()}
    assert (made.graph.degrees() <= degrees).all()  # and Graph refuses loops and doubles
    assert outcome["degree error"] == sum(degrees) - made.graph.degrees().sum() == 2 * outcome["dropped edges"]
    assert made.graph.links == sum(degrees) // 2 - outcome["dropped edges"] == outcome["edges"]


def test_edges_that_no_near_node_can_take_are_dropped_and_counted():
    """Two far towns of three, one stub each, two candidates each: an edge between the towns is none."""
    towns = Raster(cells=((1.0,) + (0.0,) * 9_999 + (1.0,),), side=1.0)
    dropped = []
    for seed in range(40):
        made = Spatial(degrees=(1,) * 6, density=towns, nearness=Exponential(length=1.0), nearest=2).generate(seed=seed)
        in_first = int((node_positions(made.graph)[:, 0] < 5).sum())
        found = made.trace[0].outcome["dropped edges"].value
        if in_first == 3:
            assert found == 1 and made.graph.links == 2
        dropped.append(found)
    assert 0 < sum(dropped) <= 40


def test_hubs_keep_their_degrees_and_the_trace_says_how_long_edges_are():
    degrees = PowerLaw(nodes=3_000, exponent=2.5, least=2, most=150)
    made = Spatial(degrees=degrees, density=SQUARE, nearness=Exponential(length=0.05)).generate(seed=7)
    outcome = {name: found.value for name, found in made.trace[0].outcome.items()}
    assert outcome["dropped edges"] == outcome["degree error"] == 0
    assert made.graph.degrees().tolist() == degrees.sample(make_generator(7)).tolist()
    long = edge_lengths(made.graph)
    assert outcome["lengths"]["mean"] == pytest.approx(long.mean())
    assert outcome["lengths"]["50 %"] == pytest.approx(np.median(long))
    assert 0 < outcome["share switched"] < 0.2 and 0 < outcome["share drawn again"] < 1


def test_a_network_is_made_again_from_its_seed_and_its_published_parameters():
    one = Spatial(degrees=Poisson(nodes=300, mean=3.0), density=SQUARE, nearness=Power(exponent=2.0, least=0.01))
    made = one.generate(seed=7)
    told = json.loads(json.dumps(made.trace[0].as_json(public=True)))
    again = Spatial(**told["parameters"])
    assert again == one and hash(again) == hash(one)
    assert (again.generate(seed=7).graph.edges == made.graph.edges).all()
    assert again.generate(seed=8).graph.edges.tolist() != made.graph.edges.tolist()
    assert (made.original_nodes() == -1).all() and made.graph.attributes.kinds == {"x": "geographic", "y": "geographic"}


def test_one_who_listens_can_stop_the_work():
    with pytest.raises(TacitError, match="cancelled during 'finding the nearest'"):
        Spatial(degrees=(1, 1), density=SQUARE, nearness=Exponential(length=1.0)).generate(
            seed=7, progress=lambda step, share: step != "finding the nearest"
        )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"nearness": {"model": "exponentiel", "length": 1.0}}, "did you mean 'exponential'"),
        ({"nearness": {"model": "exponential"}}, "lacks its parameter 'length'"),
        ({"nearness": 3}, "nearness=3 is none of exponential, power"),
        ({"nearness": {"model": "exponential", "length": -1.0}}, "length=-1.0 is not a number above 0"),
        ({"density": {"model": "raster", "cells": ((1, 2), (3,)), "side": 1.0}}, "not equally long"),
        ({"density": {"model": "raster", "cells": ((0, 0),), "side": 1.0}}, "all are 0"),
        ({"density": {"model": "raster", "cells": ((1, -1),), "side": 1.0}}, "negative"),
        ({"density": {"model": "centres", "centres": ((0, 0),), "spread": 1.0}}, "not three numbers"),
        ({"degrees": (3, 3, 1, 1)}, "Erdős–Gallai"),
        ({"nearest": 0}, "nearest=0"),
    ],
)
def test_a_generator_that_makes_no_sense_is_refused(wrong, said):
    right = {"degrees": (1, 1), "density": SQUARE, "nearness": Exponential(length=1.0)}
    with pytest.raises(TacitError, match=said):
        Spatial(**{**right, **wrong})


def test_a_network_without_places_has_no_map_and_a_raster_of_nothing_is_none():
    from tacit.graphs.graph import Graph

    with pytest.raises(TacitError, match="has no map"):
        edge_lengths(Graph(size=2, edges=np.array([[0, 1]])))
    with pytest.raises(TacitError, match="no cell has 5 places"):
        raster_of(np.arange(4.0), np.arange(4.0), side=1.0, least=5)
    with pytest.raises(TacitError, match="larger side"):
        raster_of(np.array([0.0, 1e6]), np.array([0.0, 1e6]), side=1.0, least=1)
