"""Minimality of generalisation: the posterior against running the method itself on every possible table. catalogue: M-05."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.attack import ATTACKS, Minimality
from tacit.attack.minimality import demand_violations, sample_tables
from tacit.claims import Scenario, Truth, judge
from tacit.models import LDiversity
from tacit.models.demand import Demand
from tacit.plan.attack_run import attacks_about
from tacit.protect import FullDomain, Generalise, Shuffle

ZIP = {"prefix": [2, 1]}


def town(zips: list[str], ills: list[str], sexes: list[str] | None = None) -> Release:
    frame = pl.DataFrame({"zip": zips, "ill": ills})
    hierarchies = {"zip": ZIP}
    if sexes is not None:
        frame = frame.with_columns(sex=pl.Series([f"x{sex}" for sex in sexes]))
        hierarchies["sex"] = ZIP
    return Release(
        frame, quasi=[name for name in frame.columns if name != "ill"], confidential="ill", hierarchies=hierarchies
    )


def posterior(masked, original, **parameters) -> np.ndarray:
    """Person × value, in the order of the sorted values."""
    claims = Minimality(**parameters).claims(masked.release, Scenario.worst_case(original, told=masked.trace), seed=1)
    found = np.zeros((original.size, len(masked.release.codes("ill").dictionary)))
    person = np.repeat(np.arange(original.size), np.diff(claims.start))
    found[person, claims.codes] = claims.shares
    return found


def permutations(values: list[str]):
    """Every different order of the values."""
    if not values:
        yield []
        return
    for first in sorted(set(values)):
        rest = values.copy()
        rest.remove(first)
        yield from ([first, *more] for more in permutations(rest))


def _kept(masked, original, minimal) -> np.ndarray:
    """Every way to deal the values of each released class out to its people, and what of it is kept."""
    shown = masked.to_native()
    keys = [name for name in shown.columns if name != "ill"]
    places = shown.with_row_index().group_by(keys, maintain_order=True).agg("index")["index"].to_list()
    names = masked.release.codes("ill").dictionary.to_list()
    ills = original.to_native()["ill"].to_list()
    found, kept = np.zeros((original.size, len(names))), 0
    for orders in product(*(list(permutations([ills[row] for row in rows])) for rows in places)):
        made = list(ills)
        for rows, values in zip(places, orders, strict=True):
            for row, value in zip(rows, values, strict=True):
                made[row] = value
        other = original.to_native().with_columns(ill=pl.Series(made))
        table = Release(other, quasi=original.quasi, confidential="ill", hierarchies=original.hierarchies)
        if minimal(table):
            kept += 1
            for row, value in enumerate(made):
                found[row, names.index(value)] += 1
    return found / kept


def by_running_the_method(masked, original, method) -> np.ndarray:
    """Kept is what the method brings to these levels."""
    levels = masked.trace[0].outcome["levels"].value

    def minimal(table: Release) -> bool:
        try:
            return table.protect(method).trace[0].outcome["levels"].value == levels
        except TacitError:
            return False

    return _kept(masked, original, minimal)


def test_the_example_that_generalisation_gives_away():
    """As in Wong et al. (2007): two people, generalised only because they are ill with the same."""
    original = town(["N1"] * 2 + ["N2"] * 5, ["hiv", "hiv", "flu", "cold", "acne", "gout", "mumps"])
    masked = original.protect(FullDomain(models={"l_diversity": 2}))
    assert masked.to_native()["zip"].unique().to_list() == ["N*"]
    names = masked.release.codes("ill").dictionary.to_list()
    found = posterior(masked, original)
    assert (found[:2, names.index("hiv")] == 1).all()  # the class alone says 2/7
    assert (found[2:, names.index("hiv")] == 0).all()


METHODS = [
    FullDomain(models={"l_diversity": 2}),
    FullDomain(models={"l_diversity": {"l": 2, "form": "recursive", "c": 2.0}}),
    FullDomain(models={"l_diversity": {"l": 1.8, "form": "entropy"}}),
    FullDomain(models={"l_diversity": 2, "k_anonymity": 2}),
    FullDomain(models={"alpha_k": {"alpha": 0.6, "k": 2}}),
]


TABLES = [
    (["N1", "N1", "N2", "N2", "N2"], ["a", "a", "b", "c", "a"]),
    (["N1", "N1", "N2", "N2", "M1", "M1"], ["a", "a", "b", "a", "b", "a"]),
    (["N1", "N1", "N2", "N2", "M1", "M1"], ["a", "a", "b", "b", "a", "a"]),
    (["N1", "N1", "N1", "N2", "N2", "N2"], ["a", "a", "a", "b", "c", "c"]),
]


@pytest.mark.parametrize("method", METHODS)
def test_the_posterior_is_that_of_running_the_method_on_every_table(method):
    made = 0
    for zips, ills in TABLES:
        original = town(zips, ills)
        try:
            masked = original.protect(method)
        except TacitError:  # no levels meet the model
            continue
        made += masked.trace[0].outcome["levels"].value["zip"] > 0
        assert np.allclose(posterior(masked, original), by_running_the_method(masked, original, method))
    assert made


def by_the_levels_below(masked, original, model) -> np.ndarray:
    """Every way to deal the values out, kept if the model fails at each of the levels one below in one column."""
    levels = masked.trace[0].outcome["levels"].value
    below = [levels | {column: level - 1} for column, level in levels.items() if level]

    def minimal(table: Release) -> bool:
        return not any(model.holds(_at(table, node)) for node in below)

    return _kept(masked, original, minimal)


def _at(table: Release, levels: dict[str, int]) -> Release:
    wanted = {column: level for column, level in levels.items() if level}
    return table.protect(Generalise(levels=wanted)).release if wanted else table


def test_two_columns_have_two_reasons_at_once():
    zips, ills = ["N1", "N1", "N2", "N2", "N1", "N2"], ["a", "a", "b", "b", "a", "b"]
    original = town(zips, ills, ["f", "f", "f", "f", "m", "m"])
    masked = original.protect(FullDomain(models={"l_diversity": 2}))
    assert np.allclose(posterior(masked, original), by_the_levels_below(masked, original, LDiversity(l=2)))


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(st.sampled_from(["N1", "N2", "M1"]), st.sampled_from("ab"), st.sampled_from("fm")),
        min_size=4,
        max_size=6,
    )
)
def test_the_posterior_holds_on_any_small_table(rows):
    zips, ills, sexes = (list(part) for part in zip(*rows, strict=True))
    original = town(zips, ills, sexes)
    try:
        masked = original.protect(FullDomain(models={"l_diversity": 2}))
    except TacitError:
        return
    found = posterior(masked, original)
    assert np.allclose(found.sum(axis=1), 1)
    assert np.allclose(found, by_the_levels_below(masked, original, LDiversity(l=2)))


def test_sampling_agrees_with_enumeration():
    rng = np.random.default_rng(2)
    sizes, totals = np.array([3, 4, 5]), np.array([5, 4, 3])
    exact, ways = sample_tables(sizes, totals, most=10**6, draws=1, rng=rng)
    drawn, equal = sample_tables(sizes, totals, most=1, draws=40_000, rng=rng)
    assert (exact.sum(axis=1) == totals).all() and (exact.sum(axis=2) == sizes).all()
    for demand in (Demand(column="ill", kind="distinct", bound=3.0), Demand(column="ill", kind="entropy", bound=2.0)):
        chance = [
            float(weight @ demand_violations(tables, demand).any(axis=1))
            for tables, weight in ((exact, ways), (drawn, equal))
        ]
        assert chance[0] == pytest.approx(chance[1], abs=4 * 0.5 / np.sqrt(40_000))
    mean = np.einsum("tcv,t->cv", drawn, equal)
    assert np.allclose(mean, np.outer(sizes, totals) / 12, atol=0.05)


def test_a_sampled_posterior_is_near_the_exact_one(monkeypatch):
    original = town(["N1"] * 3 + ["N2"] * 5, ["a", "a", "a", "b", "c", "a", "b", "c"])
    masked = original.protect(FullDomain(models={"l_diversity": 2}))
    exact = posterior(masked, original)
    monkeypatch.setattr("tacit.attack.minimality.EXACT", 1)
    assert np.abs(posterior(masked, original, draws=20_000) - exact).max() < 0.05


def test_the_claims_beat_those_of_the_class_alone():
    original = town(["N1"] * 2 + ["N2"] * 5, ["hiv", "hiv", "flu", "cold", "acne", "gout", "mumps"])
    masked = original.protect(FullDomain(models={"l_diversity": 2})).then(Shuffle(), seed=3)
    scenario = Scenario.worst_case(original, told=masked.trace)
    values = masked.release.codes("ill").dictionary.to_list()
    codes = np.array([values.index(ill) for ill in original.to_native()["ill"]])
    truth = Truth(released=masked.rows(), intruder=np.arange(7), values=codes)
    result = judge(Minimality().claims(masked.release, scenario), truth)
    assert result.value == pytest.approx((2 + 5 * 0.2) / 7) and result.value > 2 * 9 / 49  # Σ share² of the class alone


def test_neither_order_matters():
    original = town(["N1", "N1", "N2", "N2", "N2"], ["a", "a", "b", "c", "a"])
    masked = original.protect(FullDomain(models={"l_diversity": 2}))
    found = posterior(masked, original)
    assert np.allclose(posterior(masked.then(Shuffle(), seed=2), original), found)
    order = np.array([3, 0, 4, 1, 2])
    assert np.allclose(posterior(masked, original.take(order)), found[order])


def test_what_it_cannot_use_is_said():
    original = town(["N1", "N1", "N2", "N2", "N2"], ["a", "a", "b", "c", "a"])
    attack = Minimality()
    masked = original.protect(FullDomain(models={"l_diversity": 2}))
    everybody = Scenario.worst_case(original, told=masked.trace)
    assert attack.applies(masked.release, everybody) is None
    assert "everybody" in attack.applies(masked.release, Scenario(file=original, knows=("zip",), told=masked.trace))
    assert "full_domain" in attack.applies(masked.release, Scenario.worst_case(original))
    assert "another" in Minimality(column="zip").applies(masked.release, everybody)
    counted = original.protect(FullDomain(models={"k_anonymity": 2}))
    assert "confidential" in attack.applies(counted.release, Scenario.worst_case(original, told=counted.trace))
    spared = original.protect(FullDomain(models={"l_diversity": 2}, suppression=0.1))
    assert "left out" in attack.applies(spared.release, Scenario.worst_case(original, told=spared.trace))
    typed = original.protect(Generalise(levels={"zip": 1}))
    assert attack.applies(typed.release, Scenario.worst_case(original, told=typed.trace))
    with pytest.raises(TacitError, match="minimality"):
        attack.claims(masked.release, Scenario.worst_case(original))
    stranger = town(["N1", "N1", "M2", "N2", "N2"], ["a"] * 5)
    with pytest.raises(TacitError, match="do not fall"):
        attack.claims(masked.release, Scenario.worst_case(stranger, told=masked.trace))


def test_the_gate_of_identities_leaves_it_out():
    assert "minimality" in ATTACKS and "minimality" not in attacks_about("identity", {})
