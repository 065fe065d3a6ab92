from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from tacit import Masked, Release, TacitError
from tacit.loss import headline, propensity
from tacit.loss.distributions.propensity import fitted_chances, whiten_features
from tacit.protect import Generalise, Pram

DRAWN, OTHER = "ratio to a draw from the original", "ratio to another sample"
words = st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=30)


def of(**columns) -> Release:
    return Release(pl.DataFrame(columns))


def normal(rng: np.random.Generator, size: int) -> Release:
    """Two columns that hang together and one by itself."""
    x, y, z = rng.normal(size=(3, size))
    return of(x=x, y=x + y, z=z)


def wide(rng: np.random.Generator, size: int) -> Release:
    """Six columns; the regression has them, their 6 squares and 15 products, and a constant: k = 28."""
    return of(**dict(zip("uvwxyz", rng.normal(size=(6, size)), strict=True)))


@given(words, words)
def test_of_one_column_of_categories_the_chances_are_the_shares(one, other):  # catalogue: F-03
    before, after = (of(x=pl.Series(values, dtype=pl.String)) for values in (one, other))
    found = propensity(after, original=before, permutations=0)
    together, share = one + other, len(other) / (len(one) + len(other))
    chances = np.array([other.count(word) / together.count(word) for word in together])
    expected = ((chances - share) ** 2).mean()
    # A category of one file alone has the chance 0 or 1, which the regression only comes near.
    assert found[0].facts["pMSE"] == pytest.approx(expected, abs=1e-5)
    assert found[0].value == pytest.approx(expected / (share * (1 - share)), abs=1e-4) and 0 <= found[0].value <= 1
    assert found["x"].value == found[0].value == headline(found)
    assert found[0].facts["parameters"] == len(set(together))


def test_the_ratio_to_a_draw_by_hand():
    found = propensity(of(sex=list("fffm")), original=of(sex=list("ffmm")), permutations=0)[0]
    # Women are masked by 3/5 and men by 1/3; k = 2, c = 1/2, N = 8.
    assert found.facts["pMSE"] == pytest.approx((5 * 0.1**2 + 3 * (1 / 6) ** 2) / 8)
    assert found.facts[DRAWN] == pytest.approx(found.facts["pMSE"] / (1 * 0.5**2 * 0.5 / 8))


def test_rare_categories_are_one_and_not_the_most_common():
    common = [*"bcdefghij"] * 4
    before, after = [*"aaaaaaaa", *common, *"klmn"], [*"aa", *common, *"klmn", *"opqrst"]
    found = propensity(of(x=after), original=of(x=before), permutations=0)[0]
    # The ten of them that are common, and ten rare ones: 4 in the original, 10 in the masked file.
    chances = [1 / 2] * 72 + [2 / 10] * 10 + [10 / 14] * 14
    assert found.facts["parameters"] == 11
    assert found.facts["pMSE"] == pytest.approx(np.mean((np.array(chances) - 0.5) ** 2))


def test_the_chances_are_of_maximum_likelihood():
    rng = np.random.default_rng(1)
    features = rng.normal(size=(500, 4))
    features = np.column_stack([features, features[:, 0] - features[:, 1], np.ones(500)])
    masked = rng.random(500) < 1 / (1 + np.exp(-features[:, 0] - 0.5 * features[:, 2]))
    design = whiten_features(features)
    assert design.parameters == 5
    assert np.allclose(design.terms.T @ design.terms / 500, np.eye(4))
    oracle = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(features[:, :4], masked)
    chances = fitted_chances(design, masked)
    assert np.abs(features.T @ (masked - chances)).max() < 1e-6, "no feature has anything left to tell"
    assert np.allclose(chances, oracle.predict_proba(features[:, :4])[:, 1], atol=1e-5)
    assert chances.mean() == pytest.approx(masked.mean(), abs=1e-9)


@pytest.mark.parametrize("share", [0.5, 0.25])
def test_the_expected_value_of_snoke_holds_for_draws_from_the_original(share):
    """The ratio is about χ² with 27 degrees of freedom, divided by 27."""
    # Mean over 60 draws: standard error 0.036, so that 1 ± 0.15 is missed with probability below 1e-3, 0.02 for the
    # finite size of the files included. A formula that is 30 % off, and that for two independent samples, without one
    # factor 1−c, are outside of these bounds.
    rng = np.random.default_rng(5)
    masked = round(share * 1200)
    ratios = []
    for _ in range(60):
        original = wide(rng, 1200 - masked)
        draw = original.take(rng.integers(0, original.size, masked))
        facts = propensity(draw, original=original, permutations=0)[0].facts
        assert facts["parameters"] == 28 and facts["products of columns"] is True
        ratios.append(facts[DRAWN])
    mean = np.mean(ratios)
    assert mean == pytest.approx(1, abs=0.15)
    assert all(wrong * mean != pytest.approx(1, abs=0.15) for wrong in (0.7, 1.3, 1 - share, 1 / (1 - share)))


def test_two_samples_of_one_population_differ_more_than_a_draw_from_one_of_them():
    rng = np.random.default_rng(5)
    found = [propensity(wide(rng, 600), original=wide(rng, 600), permutations=0)[0] for _ in range(40)]
    # 1/(1−c) = 2 times; standard error 0.086, so that ± 0.4 is missed with probability below 1e-5.
    assert np.mean([one.facts[DRAWN] for one in found]) == pytest.approx(2, abs=0.4)


@pytest.mark.parametrize("model", ["logistic", "cart"])
def test_labels_dealt_at_random_are_what_two_samples_give(model):
    rng = np.random.default_rng(6)
    ratios = [
        propensity(normal(rng, 200), original=normal(rng, 200), permutations=8, model=model, seed=run)[0].facts[OTHER]
        for run in range(30)
    ]
    # Standard error below 0.1 for both; a null twice too large or small would be rejected.
    assert np.mean(ratios) == pytest.approx(1, abs=0.35)


@pytest.mark.parametrize("model", ["logistic", "cart"])
def test_nested_noise_is_seen_ever_better(model):
    rng = np.random.default_rng(1)
    original = normal(rng, 1000)
    noise = rng.normal(size=1000)
    found = [
        propensity(original.with_columns({"x": original.floats("x") + scale * noise}), original=original, model=model)
        for scale in (0, 0.3, 1, 3)
    ]
    values = [results[0].value for results in found]
    assert values[0] == 0 and all(one < other for one, other in pairwise(values)) and values[-1] < 1
    assert found[-1]["x"].value > 0.1 > found[-1]["z"].value == 0


def test_files_that_nobody_confuses_cost_one():
    original = normal(np.random.default_rng(1), 500)
    far = original.with_columns({"x": original.floats("x") + 100})
    for model in ("logistic", "cart"):
        assert 0.999 < propensity(far, original=original, model=model, permutations=2)[0].value <= 1
    blank = original.suppress_cells({"x": np.ones(500, dtype=bool)})
    assert propensity(blank, original=original, permutations=0)["x"].value > 0.999
    huge = original.with_columns({"x": np.full(500, 1e300)})
    assert propensity(huge, original=original, permutations=0)[0].value > 0.999


def test_a_dropped_column_tells_the_files_apart_as_far_as_it_had_values():
    original = of(x=[1.0, 2.0, 3.0, 4.0], y=["a", None, None, None])
    found = propensity(original.select("x"), original=original, permutations=0)
    # One of eight records is known to be an original; the others are masked by 4/7.
    expected = (1 / 8 * 0.5**2 + 7 / 8 * (4 / 7 - 0.5) ** 2) / 0.25
    assert found["x"].value == 0 and found["y"].value == pytest.approx(expected, abs=1e-6)
    assert propensity(original.select("y"), original=original, permutations=0)[0].value > 0.999


def test_a_tree_sees_what_squares_do_not():
    rng = np.random.default_rng(1)
    original = of(x=rng.normal(size=2000))
    signs = of(x=rng.choice([-1.0, 1.0], 2000))
    plain, tree = (propensity(signs, original=original, model=model)[0] for model in ("logistic", "cart"))
    assert plain.value < 0.02 and tree.value > 0.5
    assert tree.facts[OTHER] > 5 and DRAWN not in tree.facts


def test_broken_relations_are_seen_by_products():
    rng = np.random.default_rng(1)
    original = normal(rng, 1000)
    found = propensity(original.with_columns({"y": rng.permutation(original.floats("y"))}), original=original)
    assert found[0].value > 0.1 and max(part.value for part in found[1:]) == 0


def test_the_more_categories_change_the_more_is_seen():
    rng = np.random.default_rng(1)
    job = rng.choice(["a", "b", "c"], 3000, p=[0.8, 0.15, 0.05])
    release = of(job=job)
    losses = [
        propensity(release.protect(Pram(columns="job", stay=stay), seed=1), original=release)[0].value
        for stay in (0.95, 0.8, 0.5)
    ]
    assert all(one < other for one, other in pairwise(losses))


def test_coarser_labels_cost_nothing():
    zips = [f"{place:03d}" for place in range(100)]
    release = Release(pl.DataFrame({"zip": zips}), quasi="zip", hierarchies={"zip": {"prefix": [3, 2, 1]}})
    assert propensity(release.protect(Generalise(levels={"zip": 1})), original=release)[0].value == 0


@pytest.mark.parametrize("model", ["logistic", "cart"])
def test_of_large_files_the_same_people_are_compared(model, monkeypatch):
    monkeypatch.setattr("tacit.loss.distributions.propensity.SAMPLE", 2000)
    rng = np.random.default_rng(1)
    original = normal(rng, 5000)
    order = rng.permutation(5000)
    same = propensity(Masked(original.take(order), (), lineage=order), original=original, model=model, permutations=1)
    assert same[0].value == pytest.approx(0, abs=1e-9) and same[0].facts["records"] == 4000
    noisy = original.with_columns({"x": original.floats("x") + rng.normal(size=5000)})
    one, again, other = (
        propensity(noisy, original=original, model=model, permutations=0, seed=seed)[0].value for seed in (1, 1, 2)
    )
    assert one == again != other and one == pytest.approx(other, rel=0.2)


def test_files_of_other_size_and_invented_rows_are_sampled_too():
    rng = np.random.default_rng(1)
    original = normal(rng, 30_000)
    fewer = propensity(original.take(np.arange(15_000)), original=original, permutations=0)[0]
    assert fewer.facts["masked part"] == pytest.approx(1 / 3, abs=0.02) and fewer.value < 0.01
    invented = Masked(normal(rng, 30_000), (), lineage=np.full(30_000, -1))
    found = propensity(invented, original=original, permutations=0)[0]
    assert found.facts["records"] == pytest.approx(20_000, rel=0.05) and 0.3 < found.facts[DRAWN] < 5
    one = propensity(original.take(np.array([3])), original=original, permutations=0)[0]
    assert 0 <= one.value <= 1 and one.facts["products of columns"] is False


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(1)
    original, masked = normal(rng, 300), normal(rng, 200)
    for model in ("logistic", "cart"):
        one = propensity(masked, original=original, model=model, permutations=0)
        other = propensity(masked.take(rng.permutation(200)), original=original, model=model, permutations=0)
        assert [part.value for part in one] == pytest.approx([part.value for part in other], abs=1e-9)


@pytest.mark.parametrize("wrong", [{"model": "forest"}, {"permutations": -1}, {"permutations": True}])
def test_wrong_options(wrong):
    release = of(x=[1.0, 2.0])
    with pytest.raises(TacitError):
        propensity(release, original=release, **wrong)


def test_one_record_and_constants():
    release = of(x=[1.0], y=["a"])
    found = propensity(release, original=release)
    assert found[0].value == 0 and found[0].facts["parameters"] == 1 and DRAWN not in found[0].facts
