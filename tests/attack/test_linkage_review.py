"""Linkage: neither the order of a file nor the place of a row decides a tie; keys and chances at the ends of their range."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.attack._distance_encoding import Metric, encode_for_distance
from tacit.attack.distance import Distance
from tacit.attack.fellegi_sunter.em import Model, match_posterior
from tacit.attack.fellegi_sunter.linking import monotone_weights
from tacit.attack.one_to_one import OneToOne
from tacit.claims import LinkClaims, Scenario, Truth, judge


def chances(claims: LinkClaims) -> np.ndarray:
    """The chance of every pair, people in rows."""
    table = np.zeros((claims.intruder_size, claims.release_size))
    share = claims.chances()
    for person, claim in enumerate(claims.claim_of):
        for place in range(claims.start[claim], claims.start[claim + 1]):
            table[person, claims.group_of == claims.candidates[place]] = share[place]
    return table


def grid(rng: np.random.Generator, rows: int) -> pl.DataFrame:
    """Two numbers on a grid whose steps no float holds, and a code: many ties, many different assignments of one total."""
    numbers = {name: rng.integers(0, 6, rows) * 0.1 for name in ("x", "y")}
    return pl.DataFrame({**numbers, "z": rng.choice(["a", "b", "c"], rows)})


# C-04: nothing may depend on the order of either file. The weights of the columns came from sums in the order of the
# file, and their last bit chose among assignments of the same total.
@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
@given(seed=st.integers(0, 10_000))
def test_the_order_of_a_file_chooses_no_assignment(metric: Metric, seed: int) -> None:
    rng = np.random.default_rng(seed)
    theirs, mine = grid(rng, int(rng.integers(5, 30))), grid(rng, int(rng.integers(5, 30)))
    moved, turned = rng.permutation(theirs.height), rng.permutation(mine.height)
    one, other = (
        chances(
            OneToOne(metric=metric).claims(
                Release(release, quasi=release.columns),
                Scenario.worst_case(Release(file, quasi=file.columns)),
                seed=seed,
            )
        )
        for release, file in ((theirs, mine), (theirs[moved], mine[turned]))
    )
    assert np.abs(one[turned][:, moved] - other).max() < 1e-12


def test_weights_do_not_know_the_order_of_the_file() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"x": rng.lognormal(size=500), "y": rng.normal(size=500)})
    sides = [Release(frame[rng.permutation(500)], quasi=frame.columns) for _ in range(12)]
    for metric in ("euclidean", "mahalanobis"):
        found = {tuple(encode_for_distance(side, side, metric=metric).costs.weight) for side in sides}
        assert len(found) == 1


# C-04: records that are alike share a link wherever they stand in the file.
def test_twins_share_their_link_under_mahalanobis_however_near_the_person_is() -> None:
    rng = np.random.default_rng(1)
    half = rng.normal(size=(50, 4))
    frame = pl.DataFrame(np.vstack([half, half, half[:1]]), schema=list("abcd"))
    near = frame.with_columns(pl.col("a") + 1e-7)
    claims = Distance(metric="mahalanobis").claims(
        Release(frame, quasi=frame.columns), Scenario.worst_case(Release(near, quasi=near.columns))
    )
    counts = frame.select(pl.len().over("a"))["len"].to_numpy()
    assert np.array_equal(claims.set_sizes(), counts)
    assert judge(claims, Truth.by_lineage(None, frame.height)).value == pytest.approx((1 / counts).mean())


# C-03: a key beyond the signed whole numbers is a key, and no error may show it.
def test_keys_may_be_as_large_as_whole_numbers_get() -> None:
    large = pl.Series([2**63 + 5, 7, None, 2**63 + 5], dtype=pl.UInt64)
    truth = Truth.by_key(large, pl.Series([7, 2**63 + 5], dtype=pl.UInt64))
    assert truth.released[0] == truth.released[3] == truth.intruder[1]
    assert truth.released[1] == truth.intruder[0] != truth.intruder[1]
    assert truth.released[2] == -1


# C-05: chances stay numbers when weights and prior are both extreme.
def test_a_chance_is_a_number_at_both_ends() -> None:
    found = match_posterior(np.array([-1e6, 0.0, 1e6]), 1.0 - 2.0**-53)
    assert found[0] < 1e-200 and found[1] > 0.999 and found[2] == 1.0


# C-05: on identical files everybody is found, 1/m among m alike: in few rows a near level may weigh more than an exact one
# by chance, and must not tie with it.
def test_equal_records_win_over_near_ones_that_weigh_more() -> None:
    odd = Model((np.array([0.1, 0.3, 0.6]),), (np.array([0.8, 0.01, 0.19]),), 0.1, "single")
    different, near, exact = monotone_weights(odd)[0]
    assert different < near < exact < near + 1e-5
    against = Model((np.array([0.9, 0.05, 0.05]),), (np.array([0.1, 0.4, 0.5]),), 0.1, "single")
    assert not monotone_weights(against)[0].any()
