"""Junction trees, fitting and drawing, against plain enumeration of small domains. Catalogue: L-01, E-15."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import orth
from scipy.optimize import minimize
from scipy.stats import chisquare

from tacit import TacitError
from tacit.protect._synthetic.discrete.axes import equal_bins, learn_axis, quantile_bins
from tacit.protect._synthetic.discrete.beliefs import chain_of, clique_marginals, log_conditionals
from tacit.protect._synthetic.discrete.chain import Link, draw_chain, normalise_rows
from tacit.protect._synthetic.discrete.coded_records import CodedRecords
from tacit.protect._synthetic.discrete.elimination import junction_tree
from tacit.protect._synthetic.discrete.max_entropy import Target, fit_max_entropy, joined_tree
from tacit.protect._synthetic.discrete.reconcile import NoisyMarginal, estimate_total, reconcile_marginals
from tacit.protect._synthetic.discrete.simplex import on_simplex
from tacit.protect._synthetic.discrete.structure import (
    conditional_links,
    corrected_information,
    greedy_network,
    mutual_information,
    strongest_pairs,
)


@st.composite
def models(draw, most=5):
    """Sizes of axes, and some sets of them."""
    sizes = tuple(draw(st.lists(st.integers(1, 3), min_size=2, max_size=most)))
    pairs = [one for count in (2, 3) for one in combinations(range(len(sizes)), count)]
    sets = draw(st.lists(st.sampled_from(pairs), max_size=5, unique=True))
    return sizes, sets


def spread(tree, thetas, sizes):
    """Every cell of the whole domain by multiplying all factors: the slow way."""
    joint = np.zeros(sizes)
    for cell in product(*map(range, sizes)):
        joint[cell] = sum(
            theta[tuple(cell[axis] for axis in node.clique)] for node, theta in zip(tree, thetas, strict=True)
        )
    joint = np.exp(joint)
    return joint / joint.sum()


def summed(joint, axes):
    """The marginal of axes, in the order asked for."""
    found = joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in axes))
    return np.transpose(found, [sorted(axes).index(axis) for axis in axes])


@given(models(), st.integers(0, 2**32 - 1), st.sets(st.integers(0, 4)))
def test_a_junction_tree_has_the_marginals_of_the_whole_domain(model, seed, late):
    sizes, sets = model
    last = [axis for axis in late if axis < len(sizes)]
    tree = junction_tree(sets, sizes, last=last)
    rng = np.random.default_rng(seed)
    thetas = [rng.normal(scale=2, size=[sizes[axis] for axis in node.clique]) for node in tree]
    joint = spread(tree, thetas, sizes)
    logs = log_conditionals(tree, thetas)
    for node, share in zip(tree, clique_marginals(tree, logs), strict=True):
        assert np.allclose(share, summed(joint, node.clique), atol=1e-12)
    chain = chain_of(tree, logs, sizes)
    product_of = np.ones(sizes)
    for cell in product(*map(range, sizes)):
        for link in chain:
            row = (
                int(np.ravel_multi_index([cell[a] for a in link.given], [sizes[a] for a in link.given]))
                if link.given
                else 0
            )
            product_of[cell] *= link.chances[row, cell[link.axis]]
    assert np.allclose(product_of, joint, atol=1e-12)
    order = [node.axis for node in tree]
    assert sorted(order) == list(range(len(sizes)))
    assert set(order[len(order) - len(last) :]) == set(last)


@given(models())
def test_every_set_lies_in_a_clique_and_cliques_meet_in_their_separators(model):
    sizes, sets = model
    tree = junction_tree(sets, sizes)
    place = {node.axis: number for number, node in enumerate(tree)}
    assert all(any(set(one) <= set(node.clique) for node in tree) for one in sets)
    for number, node in enumerate(tree):
        assert all(place[axis] > number for axis in node.given)
        if node.given:
            assert set(node.given) <= set(tree[place[node.given[0]]].clique)


def test_minimum_fill_leaves_a_chordal_graph_as_it_is():
    sets = [(0, 1, 2), (1, 2, 3), (3, 4)]
    tree = junction_tree(sets, [2] * 5)
    assert max(len(node.clique) for node in tree) == 3
    assert {frozenset(node.clique) for node in tree if len(node.clique) == 3} == {frozenset(s) for s in sets[:2]}


@given(models(), st.integers(0, 2**32 - 1))
def test_fitting_gives_every_marginal_and_no_further_round_changes_it(model, seed):
    sizes, sets = model
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full(int(np.prod(sizes)), 0.7)).reshape(sizes)
    joint[joint < 0.01] = 0
    joint /= joint.sum()
    alone = [(axis,) for axis in range(len(sizes))]
    tree = junction_tree(sets, sizes)
    found = fit_max_entropy(tree, sizes, [Target(axes, summed(joint, axes)) for axes in (*sets, *alone)])
    for axes in (*sets, *alone):
        assert np.allclose(found.share(axes), summed(joint, axes), atol=1e-8)
        assert np.allclose(found.share(axes[::-1]), summed(joint, axes[::-1]), atol=1e-8)


def test_the_fitted_distribution_has_the_largest_entropy():
    """The ring of four has no closed form; a general solver finds the same maximum of entropy."""
    sizes, sets = (2, 2, 2, 2), [(0, 1), (1, 2), (2, 3), (3, 0)]
    joint = np.random.default_rng(3).dirichlet(np.ones(16)).reshape(sizes)
    tree = junction_tree(sets, sizes)
    assert max(len(node.clique) for node in tree) == 3
    found = fit_max_entropy(tree, sizes, [Target(axes, summed(joint, axes)) for axes in sets])
    logs = found.logs
    ours = np.exp(sum(_on(log, node.clique, sizes) for node, log in zip(tree, logs, strict=True)))
    every = np.array([summed_row(axes, cell, sizes) for axes in sets for cell in product(range(2), repeat=2)])
    rows = orth(every.T).T  # the same conditions without those that follow from others
    wanted = rows @ joint.ravel()
    solved = minimize(
        lambda p: float((p * np.log(np.maximum(p, 1e-300))).sum()),
        joint.ravel(),
        jac=lambda p: np.log(np.maximum(p, 1e-300)) + 1,
        bounds=[(1e-12, 1)] * 16,
        constraints={"type": "eq", "fun": lambda p: rows @ p - wanted, "jac": lambda p: rows},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert np.allclose(ours.ravel(), solved.x, atol=1e-5)
    assert not np.allclose(ours, joint, atol=1e-2)


def _on(log, axes, sizes):
    """A table of some axes over the whole domain."""
    ordered = np.transpose(log, np.argsort(axes))
    return np.broadcast_to(ordered.reshape([size if axis in axes else 1 for axis, size in enumerate(sizes)]), sizes)


def summed_row(axes, cell, sizes):
    table = np.zeros(sizes)
    where = [slice(None)] * len(sizes)
    for axis, place in zip(axes, cell, strict=True):
        where[axis] = place
    table[tuple(where)] = 1
    return table.ravel()


def test_marginals_that_contradict_each_other_are_told():
    sizes, sets = (2, 2, 2), [(0, 1), (1, 2), (2, 0)]
    tree = junction_tree(sets, sizes)
    same, other = np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([[0.0, 0.5], [0.5, 0.0]])
    with pytest.raises(TacitError, match="contradict"):
        fit_max_entropy(tree, sizes, [Target(sets[0], same), Target(sets[1], same), Target(sets[2], other)])


def test_a_clique_that_is_too_large_is_named():
    with pytest.raises(TacitError, match=r"zip \(4000\), job \(3000\)") as caught:
        joined_tree([(0, 1)], (4000, 3000, 2), ("zip", "job", "sex"))
    assert "fewer bins" in caught.value.fix


@given(models(most=4), st.integers(0, 2**32 - 1))
def test_noisy_marginals_are_reconciled_as_well_as_a_general_solver_does(model, seed):
    sizes, sets = model
    if not sets or np.prod(sizes) < 2:
        return
    rng = np.random.default_rng(seed)
    measured = [
        NoisyMarginal(axes, rng.normal(10, 8, size=[sizes[axis] for axis in axes]), float(rng.uniform(1, 3)))
        for axes in [*sets, (0,)]
    ]
    records = estimate_total(measured)
    tree = junction_tree(sets, sizes)
    found = reconcile_marginals(tree, sizes, measured, steps=1000)

    def loss(joint):
        return sum(
            float(((summed(joint, one.axes) - one.table / records) ** 2).sum()) / one.scale**2 for one in measured
        )

    ours = np.exp(sum(_on(log, node.clique, sizes) for node, log in zip(tree, found.logs, strict=True)))
    best = projected(loss_slope(measured, records, sizes), sizes)
    assert ours.sum() == pytest.approx(1)
    assert loss(ours) <= loss(best) + 1e-3 * (1 + loss(best))


def loss_slope(measured, records, sizes):
    def slope(joint):
        found = np.zeros(sizes)
        for one in measured:
            gap = (summed(joint, one.axes) - one.table / records) * 2 / one.scale**2
            found = found + _on(gap, one.axes, sizes)
        return found

    return slope


def projected(slope, sizes):
    """Projected gradient descent on the whole domain: slow and plain."""
    joint = np.full(sizes, 1 / np.prod(sizes))
    for _ in range(600):
        joint = on_simplex(joint - 0.05 * slope(joint))
    return joint


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=12))
def test_the_projection_on_the_simplex_is_the_nearest_point(values):
    table = np.array(values)
    size = max(1.0, table.sum())
    found = on_simplex(table)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(size)
    kept = found > 1e-9
    taken = (table - found)[kept]
    assert np.allclose(taken, taken[0], atol=1e-8)
    assert (table[~kept] <= taken[0] + 1e-8).all()


def test_the_total_is_weighed_by_what_noise_leaves_of_it():
    measured = [NoisyMarginal((0,), np.array([40.0, 60.0]), 1.0), NoisyMarginal((1,), np.full(8, 15.0), 2.0)]
    assert estimate_total(measured) == pytest.approx((100 / 2 + 120 / 32) / (1 / 2 + 1 / 32))
    assert estimate_total([NoisyMarginal((0,), np.array([-9.0]), 1.0)]) == 1.0


RING = ((0, 1), (1, 2), (2, 3), (3, 0))


def test_records_drawn_from_a_tree_follow_it():
    """χ² over the whole domain at one seed; the same draws against a model that is a little off are rejected."""
    sizes, rng = (2, 3, 2, 3), np.random.default_rng(5)
    joint = rng.dirichlet(np.ones(36)).reshape(sizes)
    tree = junction_tree(RING, sizes)
    model = fit_max_entropy(tree, sizes, [Target(axes, summed(joint, axes)) for axes in RING])
    share = np.exp(sum(_on(log, node.clique, sizes) for node, log in zip(tree, model.logs, strict=True)))
    made = draw_chain(chain_of(tree, model.logs, sizes), np.zeros((40_000, 4), dtype=np.int64), sizes, rng)
    seen = CodedRecords(made, sizes).table((0, 1, 2, 3))
    assert chisquare(seen.ravel(), 40_000 * share.ravel()).pvalue > 1e-3
    off = 0.9 * share + 0.1 / 36
    assert chisquare(seen.ravel(), 40_000 * off.ravel()).pvalue < 1e-9


def test_records_can_be_drawn_given_columns_that_stay():
    sizes, rng = (2, 3, 2, 3), np.random.default_rng(6)
    joint = rng.dirichlet(np.ones(36)).reshape(sizes)
    tree = junction_tree(RING, sizes, last=(1, 2))
    model = fit_max_entropy(tree, sizes, [Target(axes, summed(joint, axes)) for axes in RING])
    share = np.exp(sum(_on(log, node.clique, sizes) for node, log in zip(tree, model.logs, strict=True)))
    known = np.zeros((30_000, 4), dtype=np.int64)
    known[:, 1], known[:, 2] = 2, 1
    chain = [link for link in chain_of(tree, model.logs, sizes) if link.axis in (0, 3)]
    made = draw_chain(chain, known, sizes, rng)
    assert (made[:, 1] == 2).all()
    assert (made[:, 2] == 1).all()
    expected = share[:, 2, 1, :] / share[:, 2, 1, :].sum()
    assert chisquare(CodedRecords(made, sizes).table((0, 3)).ravel(), 30_000 * expected.ravel()).pvalue > 1e-3


@given(st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_even_draws_are_within_one_of_their_share(count, seed):
    rng = np.random.default_rng(seed)
    link = Link(1, (0,), normalise_rows(rng.random((3, 4)) * (rng.random((3, 4)) > 0.3)))
    known = np.column_stack([rng.integers(0, 3, count), np.zeros(count, dtype=np.int64)])
    made = CodedRecords(draw_chain([link], known, (3, 4), rng, even=True), (3, 4)).table((0, 1))
    wanted = made.sum(axis=1, keepdims=True) * link.chances
    assert (np.abs(made - wanted) <= 1 + 1e-9).all()
    assert (made[link.chances == 0] == 0).all()


def test_even_draws_are_right_on_average_and_in_no_order():
    link, rng = Link(0, (), np.array([[0.25, 0.75]])), np.random.default_rng(1)
    runs = np.array(
        [draw_chain([link], np.zeros((3, 1), dtype=np.int64), (2,), rng, even=True)[:, 0] for _ in range(4000)]
    )
    assert np.abs(runs.mean(axis=0) - 0.75).max() < 0.03


def test_holes_stay_and_no_other_record_gets_one():
    link, rng = Link(0, (), np.array([[0.5, 0.0, 0.5]])), np.random.default_rng(1)
    holes = {0: np.arange(100) < 10}
    made = draw_chain([link], np.zeros((100, 1), dtype=np.int64), (3,), rng, holes=holes)[:, 0]
    assert (made[:10] == 2).all()
    assert (made[10:] == 0).all()


@pytest.mark.parametrize("bins", [1, 2, 3, 7, 10, 40])
def test_whole_numbers_of_a_range_are_shared_out_among_bins(bins):
    axis = equal_bins("age", 0, 9, bins, pl.Int64(), missing=True)
    numbers = pl.Series("age", range(10))
    places = axis.encode_values(numbers)
    assert axis.size == min(bins, 10) + 1
    sizes = np.bincount(places)
    assert sizes.max() - sizes.min() <= 1
    rng = np.random.default_rng(1)
    back = axis.draw_values(np.repeat(np.arange(axis.size), 200), rng)
    assert back.null_count() == 200
    assert set(back.drop_nulls()) == set(range(10))
    assert (axis.encode_values(back) == np.repeat(np.arange(axis.size), 200)).all()
    assert axis.encode_values(pl.Series("age", [-(10**18), 10**18, None])).tolist() == [0, axis.size - 2, axis.size - 1]


@given(st.lists(st.integers(-5, 30) | st.just(0), min_size=1, max_size=200), st.integers(2, 9))
def test_quantile_bins_hold_all_values_and_heavy_ones_come_back(values, bins):
    series = pl.Series("pay", values)
    axis = quantile_bins(series, bins, pl.Int64())
    places = axis.encode_values(series)
    assert (np.diff(axis.lows) > 0).all()
    assert (axis.lows[places] <= values).all()
    assert (values <= axis.highs[places]).all()
    counts = series.value_counts()
    for value, count in counts.iter_rows():
        if count >= len(values) / bins:
            place = axis.encode_values(pl.Series("pay", [value]))[0]
            assert axis.lows[place] == axis.highs[place] == value
    assert axis.size <= 2 * bins + 1


def test_dates_and_categories_come_back():
    days = pl.Series("day", ["2020-01-01", "2021-06-01", None, "2022-01-01"]).str.to_date()
    axis = equal_bins("day", 18262, 18992, 4, pl.Date(), missing=False)
    assert axis.encode_values(days).tolist() == [0, 2, -1, 3]
    assert axis.draw_values(np.array([0, 3]), np.random.default_rng(1)).dtype == pl.Date
    listed = learn_axis(pl.Series("sex", ["m", None, "f"]), amount=False, bins=2)
    assert listed.encode_values(pl.Series("sex", ["f", "x", None, "m"])).tolist() == [0, 2, 2, 1]
    assert listed.draw_values(np.array([1, 2, 0]), np.random.default_rng(1)).to_list() == ["m", None, "f"]


@given(st.integers(0, 2**32 - 1))
def test_mutual_information_is_that_of_entropies(seed):
    table = np.random.default_rng(seed).integers(0, 9, (3, 2, 2)) + (np.arange(12).reshape(3, 2, 2) == 0)

    def entropy(counts):
        share = counts[counts > 0] / counts.sum()
        return float(-(share * np.log(share)).sum())

    flat = table.reshape(3, -1)
    told = entropy(flat.sum(axis=1)) + entropy(flat.sum(axis=0)) - entropy(flat.ravel())
    assert mutual_information(table) == pytest.approx(max(0.0, told), abs=1e-12)


def test_the_correction_takes_off_what_independent_columns_show():
    rng = np.random.default_rng(2)
    tables = [np.bincount(rng.integers(0, 20, 400), minlength=20).reshape(4, 5) for _ in range(400)]
    raw, corrected = ([of(table) for table in tables] for of in (mutual_information, corrected_information))
    assert np.mean(raw) > 10 * abs(np.mean(corrected))


def related(records=4000, seed=4):
    """0 → 1 → 2 in a chain, and 3 that follows from 0 and 2 together."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, records)
    b = np.where(rng.random(records) < 0.85, a, 1 - a)
    c = np.where(rng.random(records) < 0.85, b, 1 - b)
    d = np.where(rng.random(records) < 0.95, a ^ c, rng.integers(0, 2, records))
    return CodedRecords(np.column_stack([a, b, c, d]), (2, 2, 2, 2))


def test_the_network_finds_who_depends_on_whom():
    found = greedy_network(related(), degree=2)
    assert dict(found)[3] == (0, 2) or dict(found)[0] == (2, 3) or dict(found)[2] == (0, 3)
    assert {len(given) for _, given in found} <= {0, 1, 2}
    later = greedy_network(related(), degree=2, given=(3, 0))
    assert sorted(axis for axis, _ in later) == [1, 2]
    assert dict(later)[2] == (0, 3)
    assert set(strongest_pairs(related())[:2]) == {(0, 1), (1, 2)}


def test_the_strongest_pairs_hang_on_what_is_given_once():
    assert strongest_pairs(related(), given=(0, 1, 3)) == ((1, 2),)


def test_the_tables_of_a_network_multiply_to_its_factorisation():
    counted = related()
    chain = conditional_links(counted, [(0, ()), (1, (0,)), (2, (1,)), (3, (0, 2))], smoothing=0)
    made = draw_chain(chain, np.zeros((40_000, 4), dtype=np.int64), counted.sizes, np.random.default_rng(7))
    joint = counted.table((0, 1, 2, 3)) / counted.records
    expected = (
        summed(joint, (0,))[:, None, None, None]
        * (summed(joint, (0, 1)) / summed(joint, (0,))[:, None])[:, :, None, None]
        * (summed(joint, (1, 2)) / summed(joint, (1,))[:, None])[None, :, :, None]
        * (summed(joint, (0, 2, 3)) / summed(joint, (0, 2))[:, :, None])[:, None, :, :]
    )
    seen = CodedRecords(made, counted.sizes).table((0, 1, 2, 3))
    assert chisquare(seen.ravel(), 40_000 * expected.ravel()).pvalue > 1e-3


def test_smoothing_lets_in_what_nobody_had_by_its_share():
    counted = CodedRecords(np.array([[0, 0], [0, 0], [0, 0], [1, 1]]), (3, 2))
    chances = conditional_links(counted, [(1, (0,))], smoothing=1.0)[0].chances
    assert chances[0].tolist() == [pytest.approx(3.75 / 4), pytest.approx(0.25 / 4)]
    assert chances[2].tolist() == [0.75, 0.25]
