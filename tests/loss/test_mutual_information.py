from itertools import combinations, pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy as entropy_of
from sklearn.metrics import mutual_info_score

from tacit import Release, TacitError
from tacit.loss import headline, mutual_information
from tacit.protect import Mdav, RankSwap

rows = st.lists(st.tuples(*(st.sampled_from("abc") for _ in range(3))), min_size=1, max_size=20)


def of(**columns) -> Release:
    return Release(pl.DataFrame(columns))


def text(table: list[tuple[str, ...]]) -> Release:
    return Release(pl.DataFrame(table, schema=dict.fromkeys("xyz", pl.String), orient="row"))


def bits(*columns: tuple[str, ...]) -> float:
    cells = list(zip(*columns, strict=True))
    return float(entropy_of([cells.count(cell) for cell in set(cells)], base=2))


def test_by_hand():  # catalogue: F-01
    before, after = of(x=list("ffmm"), y=list("yynn")), of(x=list("ffmm"), y=list("ynyn"))
    found = mutual_information(after, original=before).of("mutual information")
    # y told x (1 bit of 1); now they are independent, and there are 2 bits.
    assert found[0].value == found["x"].value == found["y"].value == pytest.approx(1 / 2)
    assert (found[0].facts["mean bits"], found[0].facts["mean bits in the original"]) == (0, pytest.approx(1))
    constant = mutual_information(of(x=list("ffmm"), y=list("yyyy")), original=before)
    assert constant.of("mutual information")[0].value == pytest.approx(1)
    assert [part.value for part in constant.of("column entropy")] == pytest.approx([1 / 2, 0, 1])
    assert headline(constant) == pytest.approx(3 / 4)


@given(rows, rows)
def test_the_slow_oracle_and_the_bounds(one, other):
    found = mutual_information(text(other), original=text(one))
    files = [list(zip(*file, strict=True)) for file in (one, other)]
    changes = {}
    for pair in combinations(range(3), 2):
        shared = [mutual_info_score(*(file[place] for place in pair)) / np.log(2) for file in files]
        most = max(bits(*(file[place] for place in pair)) for file in files)
        changes[pair] = abs(shared[0] - shared[1]) / most if most > 1e-9 else 0.0
    assert found[0].value == pytest.approx(np.mean(list(changes.values())), abs=1e-9)
    assert found.of("mutual information")["y"].value == pytest.approx((changes[0, 1] + changes[1, 2]) / 2, abs=1e-9)
    own = found.of("column entropy")
    for place, name in enumerate("xyz"):
        assert own[name].facts["bits in the original"] == pytest.approx(bits(files[0][place]), abs=1e-9)
    assert all(0 <= part.value <= 1 for part in found)


def test_a_normal_pair_loses_what_theory_says():
    """Two signs of a normal pair with correlation ρ share 1 − h(1/2 + asin(ρ)/π) bits; swapping takes them all."""
    rng = np.random.default_rng(1)
    x, e = rng.normal(size=(2, 100_000))
    before = of(x=x, y=0.8 * x + 0.6 * e)
    found = mutual_information(before.with_columns({"y": rng.permutation(before.floats("y"))}), original=before, bins=2)
    agree = 0.5 + np.arcsin(0.8) / np.pi
    assert found[0].facts["mean bits in the original"] == pytest.approx(
        1 + agree * np.log2(agree) + (1 - agree) * np.log2(1 - agree), abs=0.01
    )
    assert found[0].facts["mean bits"] == pytest.approx(0, abs=1e-3)
    assert found.of("column entropy")[0].value == 0


def test_noise_loosens_and_microaggregation_tightens():
    rng = np.random.default_rng(1)
    x, e, noise = rng.normal(size=(3, 2000))
    before = of(x=x, y=x + e)
    noisy = [mutual_information(of(x=x + scale * noise, y=x + e), original=before)[0] for scale in (0, 0.5, 1, 3)]
    assert noisy[0].value == 0 and all(one.value < other.value for one, other in pairwise(noisy))
    assert noisy[-1].facts["mean bits"] < noisy[0].facts["mean bits"]
    grouped = mutual_information(before.protect(Mdav(columns=["x", "y"], k=200)), original=before)[0]
    assert grouped.value > 0.05 and grouped.facts["mean bits"] > grouped.facts["mean bits in the original"]


def test_wider_swaps_lose_more(reference_data):
    census = Release(pl.read_csv(reference_data / "census.csv"))
    columns = list(census.columns)
    losses = [
        mutual_information(census.protect(RankSwap(columns=columns, percent=percent), seed=1), original=census)
        for percent in (2, 10, 40)
    ]
    assert all(one[0].value < other[0].value for one, other in pairwise(losses))
    # Swapping keeps every column's own distribution.
    assert all(found.of("column entropy")[0].value == 0 for found in losses)


def test_a_relation_needs_two_columns_and_a_limit_is_told():
    with pytest.raises(TacitError, match="needs two"):
        mutual_information(of(x=[1]), original=of(x=[1]))
    release = of(**{name: list("ab") for name in "wxyz"})
    assert mutual_information(release, original=release, limit=4)[0].facts["pairs of columns"] == 4
    with pytest.raises(TacitError, match="limit"):
        mutual_information(release, original=release, limit=0)
