"""The bridge between two lists: a slow oracle, a planted leak, none, and people who are not in the release. catalogue: C-08."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.attack import ATTACKS, Bridge, Distance, bridge, reidentify
from tacit.attack.registry import resolve_attacks
from tacit.claims import Scenario, Truth, judge
from tacit.protect import AddNoise, Mondrian


def dense(claims) -> np.ndarray:
    """Person × record of a claim, as a matrix of chances."""
    found = np.zeros((claims.intruder_size, claims.release_size))
    chances = claims.chances()
    for person, claim in enumerate(claims.claim_of):
        for at in range(claims.start[claim], claims.start[claim + 1]):
            found[person, claims.group_of == claims.candidates[at]] += chances[at]
    return found


rows = st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab"), st.integers(0, 3)), min_size=2, max_size=7)


def made(table) -> Release:
    frame = pl.DataFrame(table, schema={"a": pl.Int64, "b": pl.String, "c": pl.Int64}, orient="row")
    return Release(frame, quasi=["a", "b", "c"], kinds={"a": "continuous", "c": "continuous"})


@given(rows, rows, rows)
@settings(deadline=None, max_examples=40)
def test_against_two_matrices(released, first, second):
    """chance(a → b) is the product of the matrices of the two linkages, the second from each record to the nearest people."""
    release, one, two = made(released), made(first), made(second).select("c")
    claims = Bridge().claims(release, Scenario(file=one, knows=("a", "b"), also=(two,)))
    to_record = dense(Distance().claims(release, Scenario(file=one, knows=("a", "b"))))
    shown, known = (side.to_native()["c"].to_numpy() for side in (release, two))
    gap = np.abs(shown[:, None] - known[None, :])
    nearest = gap == gap.min(axis=1, keepdims=True)
    if len(set(shown)) == 1:  # a column that tells nobody apart is not compared
        nearest = np.ones_like(nearest)
    to_person = nearest / nearest.sum(axis=1, keepdims=True)
    assert dense(claims) == pytest.approx(to_record @ to_person)


def town(seed: int, size: int = 400) -> Release:
    """Four independent columns: without a record that has them all, no two of them tell of each other."""
    draw = np.random.default_rng(seed).normal(size=(size, 4))
    return Release(pl.DataFrame(draw, schema=list("abcd")), quasi=list("abcd"))


def test_a_planted_leak_is_found_and_outsiders_are_not_linked():
    inside, outside = town(1), town(2, 300)
    found = bridge(inside, original=inside, left=["a", "b"], right=["c", "d"], control=outside, seed=1)
    assert found.value == 1.0 and found.name == "linkability"
    assert found.facts["baseline"] == pytest.approx(1 / 400)
    assert found.facts["linked in as short a list"] > 0.9
    assert found.facts["control"] < 0.05
    low, high = found.facts["above control, interval"]
    assert 0.9 < low < found.facts["above control"] < high


def test_noise_breaks_the_bridge_and_more_noise_more():
    people = town(3)
    shares = [
        bridge(
            people.protect(AddNoise(columns=list("abcd"), variance=much), seed=4),
            original=people,
            left=["a", "b"],
            right=["c", "d"],
        ).value
        for much in (0.0001, 0.01, 1.0)
    ]
    assert shares[0] > 0.8 > shares[1] > shares[2]


def test_without_a_leak_it_is_guessing():
    people, strangers = town(5), town(6)
    found = bridge(strangers, original=people, left=["a", "b"], right=["c", "d"])
    assert found.interval[0] <= 1 / 400 <= found.interval[1]


def test_halves_that_go_together_in_the_world_are_the_control_s_too():
    def world(seed):
        a = np.random.default_rng(seed).normal(size=300)
        noise = np.random.default_rng(seed + 100).normal(size=300) * 0.001
        return Release(pl.DataFrame({"a": a, "c": a + noise}), quasi=["a", "c"])

    inside, outside = world(1), world(2)
    swapped = inside.take(np.arange(300))
    found = bridge(swapped, original=inside, left="a", right="c", control=outside)
    assert found.facts["control"] > 0.1  # the release of others teaches how the columns go together
    assert found.facts["above control"] < found.value


def test_k_anonymity_bounds_the_bridge():
    people = town(7)
    masked = people.protect(Mondrian(models={"k_anonymity": 10}))
    found = bridge(masked, original=people, left=["a", "b"], right=["c", "d"])
    assert 1 / 400 < found.value <= 0.15


def test_attempts_are_drawn_and_the_list_stays_whole():
    people = town(8)
    found = bridge(people, original=people, left="a", right="c", attempts=50, seed=3)
    assert found.facts["records attacked"] == 50 and found.facts["baseline"] == pytest.approx(1 / 400)
    assert found.per_record is None


def test_few_likeliest_are_kept_and_what_is_lost_is_said():
    rng = np.random.default_rng(1)
    people = Release(pl.DataFrame({"a": ["x"] * 500, "c": rng.normal(size=500)}), quasi=["a", "c"])
    scenario = Scenario(file=people, knows=("a",), also=(people.select("c"),))
    whole = Bridge().claims(people, scenario)
    assert judge(whole, Truth(released=np.arange(500), intruder=np.arange(500))).value == pytest.approx(1 / 500)
    few = Bridge(most=20).claims(people, scenario, seed=1)
    assert len(few.candidates) == 20 and "96.0 %" in few.notes[-1]
    again = Bridge(most=20).claims(people, scenario, seed=1)
    assert (few.candidates == again.candidates).all()


def test_the_order_of_the_lists_does_not_matter():
    people, order = town(9, 120), np.random.default_rng(1).permutation(120)
    masked = people.protect(Mondrian(models={"k_anonymity": 4})).release
    one = Scenario(file=people, knows=("a", "b"), also=(people.select(["c", "d"]),))
    two = Scenario(file=people.take(order), knows=("a", "b"), also=(people.take(order).select(["c", "d"]),))
    ours, theirs = dense(Bridge().claims(masked, one)), dense(Bridge().claims(masked.take(order), two))
    assert theirs == pytest.approx(ours[np.ix_(order, order)])


def test_why_not_and_bad_input():
    people = town(1, 10)
    assert "no second list" in Bridge().applies(people, Scenario(file=people, knows=("a",)))
    shared = Scenario(file=people, knows=("a",), also=(people.select(["a", "b"]),))
    assert "both lists have 'a'" in Bridge().applies(people, shared)
    other = Release(pl.DataFrame({"z": [1.0, 2.0]}))
    assert "second list" in Bridge().applies(people, Scenario(file=people, knows=("a",), also=(other,)))
    with pytest.raises(TacitError, match="no bridge"):
        Bridge().claims(people, shared)
    with pytest.raises(TacitError, match="is in both lists"):
        bridge(people, original=people, left=["a", "b"], right=["b", "c"])
    with pytest.raises(TacitError, match="has no column"):
        bridge(people, original=people, left=[], right="b")
    with pytest.raises(TacitError, match="most"):
        Bridge(most=0)
    with pytest.raises(TacitError, match="attempts"):
        bridge(people, original=people, left="a", right="b", attempts=0)


def test_it_takes_no_part_in_reidentification():
    assert ATTACKS["bridge"].tags.about == "linkability" and "bridge" not in resolve_attacks(None)
    people = town(1, 30)
    assert "bridge" not in str(reidentify(people, original=people, lineage=np.arange(30)).facts)
