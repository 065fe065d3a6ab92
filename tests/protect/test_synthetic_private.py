"""Private synthesis: sensitivities on neighbouring files in whole numbers, the budget to the last fraction, an audit of whole runs.

Noise is unseeded. Tests that read it state how seldom a right program fails them; together that is below 1e-9.
Catalogue: L-01, H-01, H-03, H-04, E-15.
"""

from __future__ import annotations

import datetime as dt
import importlib.util
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit.dp.mechanisms.gaussian as gaussian_mechanism
from tacit import Release, TacitError
from tacit.dp import Cost, Exponential, Gaussian, audit
from tacit.dp.accounting import zcdp, zcdp_epsilon, zcdp_rho
from tacit.protect import DpMarginals, DpNetwork
from tacit.protect._synthetic.discrete.coded_records import CodedRecords
from tacit.protect._synthetic.private.forest import pair_misfit
from tacit.protect._synthetic.private.params import affordable_rho, axes_of, counted_on
from tacit.protect._synthetic.private.spending import Spending, choice_loss
from tacit.protect.dp_marginals import measured_marginals
from tacit.protect.dp_network import SENSITIVITY, chosen_network, independence_gap

SAY = {"epsilon": 3, "delta": 1e-6}
DECLARED = {
    **SAY,
    "categories": {"sex": ["F", "M"], "job": ["clerk", "nurse", "smith"]},
    "bounds": {"age": [0, 99], "pay": [0.0, 1000.0]},
    "bins": 4,
    "missing": ["job"],
}
SCHEMA = {"sex": pl.String, "job": pl.String, "age": pl.Int64, "pay": pl.Float64}
METHODS = (DpMarginals, DpNetwork)

records = st.tuples(
    st.sampled_from(["F", "M", "diverse", None]),
    st.sampled_from(["clerk", "nurse", "smith", "mayor", None]),
    st.integers(-(10**17), 10**17) | st.integers(0, 120) | st.none(),
    st.floats(allow_nan=False, allow_infinity=True, width=32) | st.none(),
)


def people(rows):
    return Release(pl.DataFrame(rows, schema=SCHEMA, orient="row"), quasi="sex")


def town(size=400, seed=1):
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, size)
    job = np.where(rng.random(size) < 0.8, sex, 2)
    rows = zip(
        np.array(["F", "M"])[sex].tolist(),
        np.array(["clerk", "nurse", "smith"])[job].tolist(),
        rng.integers(0, 99, size).tolist(),
        (rng.random(size) * 1000).tolist(),
        strict=True,
    )
    return people(list(rows))


def places(rows):
    method = DpMarginals(**DECLARED)
    release = people(rows)
    return counted_on(axes_of(method, release), release).counted


@given(st.lists(records, max_size=8), records)
def test_one_record_more_adds_one_to_one_cell_of_every_table_or_to_none(rows, other):
    before, after = places(rows), places([*rows, other])
    inside = other[0] in ("F", "M") and other[2] is not None and other[3] is not None
    for axes in [(0,), (1,), (2,), (3,), (0, 1), (2, 3), (0, 1, 2, 3)]:
        change = after.table(axes) - before.table(axes)
        assert sorted(change.ravel().tolist())[-1] == int(inside)
        assert np.abs(change).sum() == int(inside)


@given(st.lists(records, max_size=8), records, st.integers(0, 2**32 - 1))
def test_one_record_more_changes_what_a_pair_misses_by_exactly_one(rows, other, seed):
    before, after = places(rows), places([*rows, other])
    shares = [np.random.default_rng(seed).dirichlet(np.ones(size)) for size in before.sizes]
    inside = after.records - before.records
    for pair in [(0, 1), (0, 3), (1, 2)]:
        one, two = (pair_misfit(counted, pair, shares, 6.5) for counted in (before, after))
        assert abs(two - one) == inside


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=12), st.integers(0, 2), st.integers(0, 3))
def test_one_record_more_moves_a_table_by_less_than_four_from_independence(rows, x, parents):
    before = CodedRecords(np.array(rows, dtype=np.int64).reshape(-1, 2), (3, 4)).table((0, 1))
    after = before.copy()
    after[x, parents] += 1
    records = int(before.sum())
    if records:
        bound = Fraction(4 * (records - int(before[x].sum())) * (records - int(before[:, parents].sum())), records)
        assert abs(independence_gap(after) - independence_gap(before)) <= bound / (records + 1)
    assert abs(independence_gap(after) - independence_gap(before)) < SENSITIVITY


def test_four_is_not_too_much():
    """All alike, and one who differs in both: 4n/(n + 1)."""
    alike = np.array([[400, 0], [0, 0]])
    other = np.array([[400, 0], [0, 1]])
    assert independence_gap(other) - independence_gap(alike) == Fraction(1600, 401)


def test_the_distance_from_independence_is_that_of_the_shares():
    table = np.random.default_rng(1).integers(0, 9, (3, 2, 2))
    share = table / table.sum()
    even = share.sum(axis=(1, 2))[:, None, None] * share.sum(axis=0)[None]
    assert float(independence_gap(table)) == pytest.approx(table.sum() * np.abs(share - even).sum())


@given(st.fractions(min_value="1/1000000", max_value=50))
def test_a_choice_costs_no_more_than_its_share_and_hardly_less(rho):
    epsilon = choice_loss(rho)
    spent = Exponential(sensitivity=1, epsilon=epsilon, neighbours="add_remove").event.rho
    assert spent <= rho
    assert float(spent) == pytest.approx(float(rho), rel=1e-8)


@pytest.mark.parametrize(("epsilon", "delta"), [("0.01", "1e-9"), ("1", "1e-9"), ("10", "0.01"), ("1/3", "1e-6")])
def test_rho_is_the_most_that_epsilon_and_delta_buy(epsilon, delta):
    rho = zcdp_rho(epsilon, delta=delta)
    assert zcdp_epsilon(rho, delta=delta) <= Fraction(epsilon)
    assert zcdp_epsilon(rho * Fraction(100001, 100000), delta=delta) > Fraction(epsilon)
    noise = Gaussian(sensitivity=1, rho=rho, neighbours="add_remove")
    assert zcdp([noise.event], delta=delta).amount <= Fraction(epsilon)


def test_an_epsilon_that_buys_nothing_is_told():
    for epsilon in ("1e-12", Fraction(1, 10**12)):
        with pytest.raises(TacitError, match="epsilon=1e-12 buys no noise"):
            zcdp_rho(epsilon, delta="1e-9")


def spent(method, columns=("sex", "job", "age", "pay")):
    """The spending of one run."""
    spending = Spending(counted_on(axes_of(method, town()), town()).counted, affordable_rho(method))
    method._spend_budget(spending, columns, None)
    return spending


@pytest.mark.parametrize(
    "method",
    [
        DpMarginals(**DECLARED),
        DpMarginals(**{**DECLARED, "epsilon": 0.01}),
        DpMarginals(**DECLARED, sets=[["sex", "job", "age"]]),
        DpNetwork(**DECLARED),
        DpNetwork(**DECLARED, degree=3),
    ],
)
def test_the_charges_add_up_to_the_budget_to_the_last_fraction(method):
    spending = spent(method)
    rho = zcdp_rho(str(method.epsilon), delta="1e-6")
    assert spending.ledger.spent.amount == spending.ledger.budget.amount == rho
    assert sum((event.rho for event in spending.events), Fraction(0)) == rho
    assert all(event.neighbours == "add_remove" and event.sensitivity in (1, SENSITIVITY) for event in spending.events)
    assert zcdp(spending.events, delta="1e-6").amount <= Fraction(str(method.epsilon))
    assert sum(spending.spent_by_purpose().values()) == pytest.approx(float(rho), rel=1e-5)


def test_the_thirds_are_thirds():
    spending = spent(DpMarginals(**{**DECLARED, "epsilon": 200}))
    third = spending.ledger.budget.amount / 3
    gaussian = [event for event in spending.events if event.law == "concentrated"]
    choices = [event for event in spending.events if event.law == "choice"]
    assert sum(event.rho for event in gaussian[:4]) == third
    assert {event.rho for event in gaussian[:4]} == {third / 4}
    assert float(sum(event.rho for event in choices)) <= float(third)
    declared = spent(DpMarginals(**DECLARED, sets=[["sex", "job"]]))
    assert [event.law for event in declared.events] == ["concentrated"] * 5
    assert declared.events[-1].rho == declared.ledger.budget.amount * 2 / 3


def test_where_nothing_is_worth_its_noise_no_pair_is_taken_and_columns_are_asked_again():
    """In the exponent of a draw the noise of a pair counts 0.8 for each of its 256 cells, whatever ε is, and 400 records next to
    nothing at ε = 0.01: the pair is drawn with a chance below e⁻¹⁵⁰."""
    two = {"epsilon": 0.01, "delta": 1e-6, "categories": {}, "bounds": DECLARED["bounds"]}
    spending = spent(DpMarginals(**two), ["age", "pay"])
    assert [event.law for event in spending.events] == ["concentrated"] * 2 + ["choice"] + ["concentrated"] * 2


def test_strong_pairs_are_found_where_the_budget_is_large():
    """At ρ above 1 000 a score that is behind by 100 records is drawn with chance e⁻⁹⁰⁰."""
    rng = np.random.default_rng(2)
    a, c = rng.integers(0, 2, 2000), rng.integers(0, 3, 2000)
    counted = CodedRecords(np.column_stack([a, c, a, (c + (rng.random(2000) < 0.2)) % 3]), (2, 3, 2, 3))
    spending = Spending(counted, Fraction(10_000))
    sets, _ = measured_marginals(spending, ["a", "c", "b", "d"])
    assert sets[:2] == ((1, 3), (0, 2)) or sets[:2] == ((0, 2), (1, 3))
    found = dict(chosen_network(Spending(counted, Fraction(10_000)), "acbd", Fraction(5000), degree=1, sigma=0.1))
    assert (found[2], found[3]) == ((0,), (1,)) or found[1] == (3,)


def test_the_noise_is_that_of_the_budget():
    """Ten thousand cells of the same table: the spread is σ within 5 % unless an event of chance below 1e-11 happened."""
    counted = CodedRecords(np.zeros((50, 1), dtype=np.int64), (10_000,))
    rho = Fraction(1, 200)
    noisy = Spending(counted, rho).noisy_table((0,), rho, "x")
    assert noisy.scale == 10.0
    noise = noisy.table - counted.table((0,))
    assert noise[1:].std() == pytest.approx(10, rel=0.05)
    assert abs(noise.mean()) < 0.8


def test_a_charge_that_does_not_fit_is_refused_before_the_answer():
    spending = Spending(CodedRecords(np.zeros((5, 1), dtype=np.int64), (2,)), Fraction(1))
    spending.noisy_table((0,), Fraction(1), "x")
    with pytest.raises(TacitError, match="is left"):
        spending.noisy_table((0,), Fraction(1, 10**9), "x")
    with pytest.raises(TacitError, match="is left"):
        spending.choose_candidate([1, 2], 1, Fraction(1, 100), "y")
    assert len(spending.events) == 1


ONE = {"epsilon": 10.7, "delta": 1e-5, "categories": {"x": ["a", "b"]}, "bounds": {}}
"""ρ of 2: noise of σ = 0.5, which few runs can tell from one that is 30 % less."""


def shown(method):
    """How many records of the new file have the category that one person more or less has."""

    def run(bs, runs):
        release = Release(pl.DataFrame({"x": ["a"] * 20 + ["b"] * bs}))
        return [int((method.apply(release, seed=turn).release.series("x") == "b").sum()) for turn in range(runs)]

    return run


def test_an_audit_of_whole_runs_does_not_refute_the_promise_and_does_with_too_little_noise(monkeypatch):
    """A right program is refuted with chance 1e-10. With 30 % less noise P(b = 21) is 0.967 with 21 in the file and 0.016
    with 20; at ε = ½ a difference of 0.72 is promised. 250 runs miss that only when the 0.016 come out as 0.08 or more
    (20 where 4 are expected) and the 0.967 as 0.94 or less: a chance of 1e-10."""
    method = DpNetwork(**ONE)
    profile = Gaussian(sensitivity=1, rho=affordable_rho(method), neighbours="add_remove")
    assert audit(shown(method), 20, 21, declared=profile, runs=120, confidence=1 - 1e-10)
    promised, scale = Cost.of("0.5", profile.delta_at(0.5)), gaussian_mechanism.gaussian_scale
    monkeypatch.setattr(gaussian_mechanism, "gaussian_scale", lambda *given: 0.7 * scale(*given))
    assert not audit(shown(method), 20, 21, declared=promised, runs=500, confidence=0.95)


@pytest.mark.parametrize("kind", METHODS)
def test_what_was_not_declared_is_neither_refused_nor_told(kind):
    """The same columns, types and categories come out of a file of strange values, and of an empty one."""
    strange = [("diverse", "mayor", 10**17, float("inf")), (None, None, None, None), ("F", "mayor", -5, -1e300)]
    for rows in (strange, []):
        masked = kind(**DECLARED, rows=50).apply(people(rows), seed=7)
        made = masked.to_native()
        assert made.height == 50
        assert dict(made.schema) == SCHEMA
        assert set(made["sex"]) <= {"F", "M"}
        assert set(made["job"]) <= {"clerk", "nurse", "smith", None}
        assert made["age"].is_between(0, 99).all()
        assert made["pay"].is_between(0, 1000).all()
        assert (masked.rows() == -1).all()
    told = masked.trace[0].as_json(public=True)["outcome"]
    assert "left_out" not in told
    inside = kind(**DECLARED).apply(people(strange), seed=7)
    assert inside.trace[0].outcome["left_out"].value == 2


@pytest.mark.parametrize("kind", METHODS)
def test_the_trace_has_the_guarantee_the_budget_and_what_was_captured(kind):
    frame = town().to_native().with_columns(name=pl.lit("somebody"), town=pl.lit("Lund"))
    release = Release(frame, identifier="name", quasi="sex", confidential="pay")
    masked = kind(**DECLARED).apply(release, seed=7)
    found = masked.trace[0].as_json(public=True)["outcome"]
    assert found["guarantee"] == {
        "epsilon": 3,
        "delta": 1e-6,
        "neighbours": "one record added or removed",
        "size": "private",
        "columns": ["sex", "job", "age", "pay"],
    }
    assert found["not_covered"] == []
    assert found["rho"] == pytest.approx(float(zcdp_rho(3, delta="1e-6")), rel=1e-5)
    assert sum(found["spent"].values()) == pytest.approx(found["rho"], rel=1e-4)
    assert found["captured"]
    assert masked.release.columns == ("sex", "job", "age", "pay")
    assert masked.release.confidential == ("pay",)
    assert masked.release.shuffled


def test_the_number_of_records_is_noisy_unless_it_is_given():
    """σ is below 5 with ε = 3, so that 60 off of 400 has a chance below 1e-30; with ε = 0.02 it is above 200, and all four runs
    hit 400 with a chance below 2e-11."""
    near = [kind(**DECLARED).apply(town(), seed=7).release.size for kind in METHODS]
    assert all(abs(size - 400) < 60 for size in near)
    far = [DpNetwork(**{**DECLARED, "epsilon": 0.02}).apply(town(), seed=7).release.size for _ in range(4)]
    assert any(size != 400 for size in far)
    assert min(far) >= 1
    assert DpNetwork(**DECLARED, rows=7).apply(town(), seed=7).release.size == 7


@pytest.mark.parametrize("kind", METHODS)
def test_with_a_large_budget_the_counts_come_back(kind):
    """ε = 10⁶: noise is below one record with a chance of 1 − 1e-100, and draws are even."""
    method = kind(**{**DECLARED, "epsilon": 1e6})
    made = method.apply(town(), seed=7).to_native()
    before = town().to_native()
    for column in ("sex", "job"):
        counts = [dict(frame[column].value_counts().iter_rows()) for frame in (before, made)]
        assert all(abs(counts[1].get(value, 0) - count) <= 8 for value, count in counts[0].items()), counts
    pairs = [{(s, j): n for s, j, n in f.group_by("sex", "job").len().iter_rows()} for f in (before, made)]
    assert all(abs(pairs[1].get(cell, 0) - count) <= 12 for cell, count in pairs[0].items()), pairs


def test_dates_and_whole_numbers_as_categories_are_declared_too():
    frame = pl.DataFrame({"born": [dt.date(1980, 1, 1)] * 30, "stage": [1, 2, 3] * 10, "sick": [True, False] * 15})
    method = DpNetwork(
        **SAY, categories={"stage": [1, 2, 3], "sick": [True, False]}, bounds={"born": ["1900-01-01", "2020-12-31"]}
    )
    made = method.apply(Release(frame), seed=7).to_native()
    assert made.schema == frame.schema
    assert set(made["stage"]) <= {1, 2, 3}
    assert made["born"].is_between(dt.date(1900, 1, 1), dt.date(2020, 12, 31)).all()


@pytest.mark.parametrize(
    ("wrong", "column", "said"),
    [
        ({"epsilon": 0}, None, "epsilon=0"),
        ({"epsilon": -1}, None, "epsilon=-1"),
        ({"epsilon": float("nan")}, None, "no privacy loss"),
        ({"delta": 0}, None, "delta=0"),
        ({"delta": 1}, None, "delta=1"),
        ({"delta": "1e-6"}, None, "delta='1e-6'"),
        ({"bounds": {"age": [0, None]}}, "age", "no lowest and highest"),
        ({"bounds": {"age": [9, 9]}}, "age", "not the lower"),
        ({"bounds": {"age": [0, 99], "sex": [0, 1]}}, "sex", "categories and bounds"),
        ({"bounds": [0, 1]}, None, "not given by column"),
        ({"categories": {"sex": ["F"]}}, "sex", "has the categories 'F'\\n"),
        ({"categories": {"sex": ["F", "F"]}}, "sex", "has the categories"),
        ({"categories": {"sex": ["F", 1]}}, "sex", "has the categories 'F', 1\\n"),
        ({"categories": {"sex": []}}, "sex", "has the categories a list"),
        ({"categories": ["F"]}, None, "not given by column"),
        ({"categories": {}, "bounds": {}, "missing": ()}, None, "no column is declared"),
        ({"missing": ["jb"]}, "jb", "not declared"),
        ({"bins": 1}, None, "bins=1"),
        ({"bins": {"age": 3}}, "pay", "no number of bins"),
        ({"bins": {"age": 3, "pay": 3, "sex": 2}}, "sex", "no bounds"),
        ({"rows": 0}, None, "rows=0"),
    ],
)
@pytest.mark.parametrize("kind", METHODS)
def test_wrong_parameters_are_refused_by_name(kind, wrong, column, said):
    with pytest.raises(TacitError, match=said) as caught:
        kind(**{**DECLARED, **wrong})
    assert caught.value.column == column
    assert caught.value.fix


def test_what_each_method_alone_takes_is_checked_too():
    with pytest.raises(TacitError, match="degree=0"):
        DpNetwork(**DECLARED, degree=0)
    with pytest.raises(TacitError, match="engine='jax'"):
        DpMarginals(**DECLARED, engine="jax")
    with pytest.raises(TacitError, match="not among the columns") as caught:
        DpMarginals(**DECLARED, sets=[["sex", "jb"]])
    assert caught.value.fix == "did you mean 'job'?"
    with pytest.raises(TacitError, match="joins nothing"):
        DpMarginals(**DECLARED, sets=[["sex"]])
    with pytest.raises(TypeError, match="epsilon"):
        DpMarginals(delta=1e-6, categories={}, bounds={})


@pytest.mark.parametrize("kind", METHODS)
def test_the_table_must_have_what_is_declared_and_its_types_do_not_matter(kind):
    """Numbers that are read as text, or text as numbers, because of one value: the same comes out, in the declared types."""
    with pytest.raises(TacitError, match="not in the table"):
        kind(**DECLARED).apply(Release(pl.DataFrame({"sex": ["F"]})), seed=7)
    with pytest.raises(TacitError, match="seed"):
        kind(**DECLARED).apply(town())
    method, before = kind(**DECLARED, rows=20), town()
    texts = Release(before.to_native().with_columns(pl.col("age", "pay").cast(pl.String)))
    decimals = Release(before.to_native().with_columns(pl.col("age").cast(pl.Float64)))
    numbers = Release(before.to_native().with_columns(sex=pl.lit(1)))
    places = [counted_on(axes_of(method, one), one).counted.places for one in (before, texts, decimals)]
    assert (places[0] == places[1]).all() and (places[0] == places[2]).all()
    for one in (texts, decimals, numbers):
        assert dict(method.apply(one, seed=7).to_native().schema) == SCHEMA


def test_a_declared_set_that_is_too_large_is_refused_before_anything_is_spent():
    wide = {"epsilon": 1, "delta": 1e-6, "categories": {}, "bounds": {"a": [0, 1.5], "b": [0, 1.5]}, "bins": 4000}
    frame = pl.DataFrame({"a": [0.5], "b": [0.5]})
    with pytest.raises(TacitError, match=r"a \(4000\), b \(4000\)|b \(4000\), a \(4000\)"):
        DpMarginals(**wide, sets=[["a", "b"]]).apply(Release(frame), seed=7)
    assert DpMarginals(**wide, rows=3).apply(Release(frame), seed=7).release.size == 3


@pytest.mark.skipif(importlib.util.find_spec("mbi") is not None, reason="private-PGM is installed")
def test_without_private_pgm_the_engine_is_told_how_to_get_it():
    with pytest.raises(TacitError, match="needs private-PGM") as caught:
        DpMarginals(**DECLARED, engine="mbi").apply(town(), seed=7)
    assert "tacit[mbi]" in caught.value.fix
