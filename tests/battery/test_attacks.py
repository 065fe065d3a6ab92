"""What every attack on identities must do, whoever wrote it: the checks run over the folder's ``ATTACKS``."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import ATTACKS, reidentify
from tacit.attack._scenarios import with_known_links
from tacit.claims import Scenario, Truth, judge
from tacit.protect import Mdav, RankSwap, Shuffle
from tacit.release.read import read

from .conftest import SECRET, ordinary

NAMES = sorted(name for name, entry in ATTACKS.items() if "identity" in entry.tags.about)
KNOWN = ("birth", "sex", "occupation")


def made(name: str):
    return ATTACKS[name].call(**ATTACKS[name].example)


def judged(name: str, masked, original: Release, knows=KNOWN):
    scenario = Scenario.worst_case(original, knows=knows, told=masked.trace)
    truth = Truth.by_lineage(masked.rows(), original.size)
    return judge(made(name).claims(masked.release, with_known_links(scenario, truth), seed=5), truth)


def numeric(rows: int, seed: int) -> Release:
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((rows, 1))
    values = 0.5 * common + rng.standard_normal((rows, 4))
    return Release(pl.DataFrame(values, schema=["a", "b", "c", "d"]), quasi=["a", "b", "c", "d"])


@pytest.mark.parametrize("name", NAMES)
def test_on_identical_files_every_record_is_one_of_its_twins(name):  # catalogue: C-03
    original = ordinary(300)  # who lives with whom is not known: what household linkage adds, its own tests count
    original = original.with_metadata(roles={**original.roles, "household": "other"})
    masked = original.protect(Shuffle(), seed=3)
    for knows in (KNOWN, ("sex", "occupation")):
        patterns = original.to_native().select(knows).n_unique()  # Σ 1/m over the records of a pattern is one
        found = judged(name, masked, original, knows)
        assert found.value == pytest.approx(patterns / original.size, abs=1e-9), knows
        assert found.facts["without candidate"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_where_nobody_has_a_twin_everybody_is_found(name):
    original = numeric(200, seed=1)
    assert judged(name, original.protect(Shuffle(), seed=3), original, original.quasi).value == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_on_independent_files_it_does_no_better_than_guessing(name):
    original, strangers = numeric(400, seed=1), numeric(400, seed=2)
    masked = strangers.protect(Shuffle(), seed=3)
    found = judged(name, masked, original, original.quasi)
    assert found.interval[0] <= found.facts["baseline"] <= found.interval[1]


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_neither_file_matters(name):
    original = ordinary(200)
    swapped = original.protect(RankSwap(columns=["income", "rent"], percent=10), seed=3)
    knows = ("sex", "income", "rent")
    found = judged(name, swapped, original, knows)
    masked = swapped.then(Shuffle(), seed=9)
    again = judged(name, masked, original, knows)
    assert again.value == pytest.approx(found.value, abs=1e-9)
    order = np.random.default_rng(4).permutation(original.size)
    scenario = Scenario.worst_case(original.take(order), knows=knows, told=masked.trace)
    truth = Truth(released=masked.rows(), intruder=order)
    turned = judge(made(name).claims(masked.release, with_known_links(scenario, truth), seed=5), truth)
    assert turned.value == pytest.approx(found.value, abs=1e-9)
    assert np.allclose(turned.per_record.values(), found.per_record.values()[order])


@pytest.mark.parametrize("name", NAMES)
def test_groups_of_three_are_never_told_apart(name, reference_data):  # catalogue: C-03, the artefact of sdcMicro
    census = read(reference_data / "census.csv")
    census = census.with_metadata(roles=dict.fromkeys(census.columns, "quasi"))
    masked = census.protect(Mdav(columns=census.columns, k=3)).then(Shuffle(), seed=3)
    found = judged(name, masked, census, census.columns)
    assert found.interval[0] <= 1 / 3
    assert found.facts["sure links"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_was_changed_before_release_is_claimed_as_sure_unless_right(name):
    original = numeric(300, seed=6)
    masked = original.protect(RankSwap(columns=original.columns, percent=8), seed=3).then(Shuffle(), seed=4)
    found = judged(name, masked, original, original.quasi)
    assert found.facts.get("sure links that are right", 1.0) == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_odd_tables_get_claims_or_a_clear_error(name, odd):
    original = ordinary(60)
    scenario = Scenario.worst_case(original, knows=KNOWN, told=original.protect(Shuffle(), seed=1).trace)
    truth = Truth(released=np.arange(odd.size), intruder=np.arange(60))
    try:
        claims = made(name).claims(odd, with_known_links(scenario, truth), seed=5)
    except TacitError as problem:
        assert SECRET not in str(problem) and problem.fix
    else:
        assert claims.intruder_size == 60 and claims.release_size == odd.size


@pytest.mark.parametrize("name", NAMES)
def test_an_odd_intruder_gets_claims_or_a_clear_error(name, odd):
    release = ordinary(60)
    try:
        scenario = Scenario.worst_case(odd, knows=KNOWN, told=release.protect(Shuffle(), seed=1).trace)
        truth = Truth(released=np.arange(60), intruder=np.arange(odd.size))
        claims = made(name).claims(release, with_known_links(scenario, truth), seed=5)
    except TacitError as problem:
        assert SECRET not in str(problem) and problem.fix
    else:
        assert claims.intruder_size == odd.size and claims.release_size == 60


@pytest.mark.parametrize("name", NAMES)
def test_no_common_column_is_said(name):
    release = Release(pl.DataFrame({"a": [1, 2, 3]}))
    scenario = Scenario(file=Release(pl.DataFrame({"b": [1, 2, 3]})), knows=("b",))
    assert made(name).applies(release, scenario)
    with pytest.raises(TacitError):
        made(name).claims(release, scenario, seed=5)


@pytest.mark.parametrize("name", NAMES)
def test_attacks_are_values(name):
    one = made(name)
    assert one == made(name) and hash(one) == hash(made(name))
    assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one


def test_the_worst_attack_is_reported():
    original = numeric(200, seed=1)
    masked = original.protect(Shuffle(), seed=3)
    assert reidentify(masked, original=original).value == 1.0
