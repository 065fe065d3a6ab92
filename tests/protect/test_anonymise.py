"""One call for all models: what it picks, that it holds, and what it says when it cannot. catalogue: D-07."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.examples import clinic
from tacit.protect import METHODS, Anonymise, anonymise
from tacit.protect.anonymise import SLACK, mean_loss
from tacit.protect.candidates import MAKERS


def register(rows: int = 400) -> Release:
    e = clinic(rows, seed=3)
    return Release(e.frame, **e.roles, kinds=e.kinds, hierarchies=e.hierarchies, missing="own")


def survey() -> Release:
    rng = np.random.default_rng(2)
    answers = {f"q{j}": (rng.zipf(2.0, 600) - 1) % values for j, values in enumerate((2, 3, 4, 6))}
    table = pl.DataFrame({name: pl.Series(codes).cast(pl.String) for name, codes in answers.items()})
    return Release(table, quasi=list(answers), missing="any")


def places() -> Release:
    rng = np.random.default_rng(3)
    codes = [f"{a}{s:05d}" for a, s in zip(rng.integers(10, 14, 800), rng.permutation(800), strict=True)]
    table = pl.DataFrame({"zip": codes, "sex": rng.choice(["f", "m"], 800)})
    return Release(table, quasi=["zip", "sex"], hierarchies={"zip": {"prefix": [7, 2]}}, missing="own")


def smallest_class(release: Release) -> int:
    """k counted by Polars, missing as a category."""
    return int(release.to_native().group_by(list(release.quasi)).len()["len"].min())


@pytest.mark.parametrize(
    ("file", "pick"), [(register, "local_recode"), (survey, "suppress_cells"), (places, "full_domain")]
)
def test_files_of_different_shape_get_different_methods_each_near_the_best(file, pick):
    release = file()
    masked = anonymise(release, models={"k_anonymity": 3}, seed=1)
    assert masked.evidence["choice"].taken == pick
    losses = []
    for name in MAKERS:
        options = {"k": 3} if name == "suppress_cells" else {"models": {"k_anonymity": 3}}
        losses.append(mean_loss(METHODS[name].call(**options).apply(release, seed=1), release, {}))
    assert mean_loss(masked, release, {}) <= (1 + SLACK) * min(losses) + 1e-12


@given(
    st.lists(st.tuples(st.integers(20, 60), st.sampled_from("ab"), st.sampled_from("xyz")), min_size=6, max_size=30),
    st.integers(2, 3),
)
def test_every_model_of_a_conjunction_holds_on_the_result(rows, k):
    table = pl.DataFrame(rows, schema=["age", "town", "ill"], orient="row")
    release = Release(table, quasi=["age", "town"], confidential="ill", kinds={"age": "continuous"}, missing="own")
    values = table["ill"].n_unique()
    models = {"k_anonymity": k, "l_diversity": min(2, values), "t_closeness": 0.5}
    masked = anonymise(release, models=models, seed=1)
    assert smallest_class(masked.release) >= k
    assert masked.release.to_native().group_by("age", "town").agg(pl.col("ill").n_unique())["ill"].min() >= min(
        2, values
    )
    assert len(masked.evidence["verdicts"]) == 3
    assert all(masked.evidence["verdicts"])


def test_uniform_asks_for_one_level_and_says_why_the_others_were_left():
    masked = anonymise(
        register(), models={"k_anonymity": 3}, suppression=0.1, uniform=True, methods=["full_domain", "mondrian"]
    )
    choice = masked.evidence["choice"]
    assert choice.taken == "full_domain"
    assert masked.evidence["proven"]
    assert "uniform" in str(choice)
    assert masked.release.levels


def test_weights_steer_where_the_loss_falls():
    release = register()
    heavy = anonymise(release, models={"k_anonymity": 5}, weights={"zip": 50.0}, methods="full_domain", suppression=0.2)
    light = anonymise(release, models={"k_anonymity": 5}, weights={"zip": 0.01}, methods="full_domain", suppression=0.2)
    assert heavy.release.levels.get("zip", 0) < light.release.levels["zip"]


def few() -> Release:
    table = pl.DataFrame({"age": [21, 22, 23, 24], "ill": ["flu", "flu", "flu", "acne"]})
    return Release(table, quasi="age", confidential="ill", kinds={"age": "continuous"})


@pytest.mark.parametrize(
    ("models", "words"),
    [
        ({"k_anonymity": 9}, ["k-anonymity = 9", "all 4 records", "ask for 4"]),
        ({"k_anonymity": 2, "alpha_k": {"alpha": 0.5, "k": 2}}, ["= 0.5 cannot be met", "ask for 0.75", "'ill'"]),
        ({"l_diversity": {"l": 2, "form": "entropy"}}, ["= 2 cannot be met", "ask for 1.7547"]),
    ],
)
def test_a_model_that_cannot_be_met_is_named_with_the_nearest_that_can(models, words):
    with pytest.raises(TacitError) as caught:
        anonymise(few(), models=models, seed=1)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_missing_key_too_rare_for_a_class_of_its_own_is_joined_by_blanks():
    table = pl.DataFrame({"age": [21, 22, 23, None]})
    release = Release(table, quasi="age", kinds={"age": "continuous"}, missing="own")
    masked = anonymise(release, models={"k_anonymity": 2}, seed=1)
    assert smallest_class(masked.release) == 2
    assert masked.release.series("age").null_count() == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"models": {}}, "no model"),
        ({"models": {"k_anonimity": 3}}, "did you mean 'k_anonymity'"),
        ({"models": {"t_closeness": -0.1}}, "t=-0.1"),
        ({"models": {"k_anonymity": 3}, "suppression": 5}, "suppression=5"),
        ({"models": {"k_anonymity": 3}, "methods": ["mondrain"]}, "mondrian"),
        ({"models": {"k_anonymity": 3}, "weights": {"zip": -1}}, "weight"),
        ({"models": {"k_anonymity": 3}, "uniform": "yes"}, "uniform"),
        ({"models": {"k_anonymity": 3}, "methods": []}, "names no method"),
        ({"models": {"k_anonymity": 3}, "methods": 5}, "methods=5"),
        ({"models": {"k_anonymity": 3}, "labels": "free"}, "labels='free'"),
    ],
)
def test_mistakes_are_answered_where_they_are_made(options, words):
    with pytest.raises(TacitError, match=words.replace("(", r"\(")):
        Anonymise(**options)


def test_more_values_than_a_column_has_are_refused_with_its_name():
    e = clinic(200, seed=3)
    release = Release(
        e.frame, quasi=["zip", "sex"], confidential="education", kinds={"education": "nominal"}, missing="own"
    )
    with pytest.raises(TacitError) as caught:
        anonymise(release, models={"l_diversity": 50}, seed=1)
    assert caught.value.column == "education"
    assert "50" in str(caught.value)


def test_k_on_all_pairs_of_keys_is_provided_by_blanks():
    release = survey()
    masked = anonymise(release, models={"k_anonymity": {"k": 5, "combinations": 2}}, seed=1)
    assert masked.evidence["choice"].taken == "suppress_cells"
    rows = masked.release.to_native().select(release.quasi).rows()
    for one, other in ((a, b) for a in range(4) for b in range(a)):
        for row in rows[:100]:
            alike = [r for r in rows if all(r[j] == row[j] or None in (r[j], row[j]) for j in (one, other))]
            assert len(alike) >= 5


def test_what_a_record_with_missing_keys_matches_is_found_and_nothing_is_called_proven():
    table = pl.DataFrame({"zip": ["A1", "A1", "A2", None], "sex": ["f"] * 4})
    release = Release(table, quasi=["zip", "sex"], hierarchies={"zip": {"prefix": [2, 1]}}, missing="any")
    kept = anonymise(release, models={"k_anonymity": 2}, methods="full_domain", suppression=0.25)
    assert kept.to_native().equals(table)
    three = anonymise(release, models={"k_anonymity": 3}, methods="full_domain", suppression=0.25)
    assert not three.evidence["proven"]


def test_a_hierarchy_that_lacks_a_value_is_a_mistake_not_a_reason_for_another_method():
    table = pl.DataFrame({"job": ["nurse", "nurse", "judge", "pilot"]})
    release = Release(
        table, quasi="job", hierarchies={"job": {"groups": {"care": ["nurse"], "law": ["judge"]}}}, missing="any"
    )
    with pytest.raises(TacitError) as caught:
        anonymise(release, models={"k_anonymity": 2}, seed=1)
    assert caught.value.column == "job"
    assert "pilot" not in str(caught.value)


@pytest.mark.parametrize(
    "recipe",
    [{"frequency": [3, 8]}, {"priority": ["a", "b", "c"], "keep": [3, 1]}, {"clusters": [3, 2], "like": "pay"}],
)
def test_hierarchies_grown_from_the_data_serve_every_method(recipe):
    values = list("aaaaaaaaaabbbbbbcccdde") * 2
    table = pl.DataFrame({"job": values, "pay": [float(ord(value)) for value in values], "age": list(range(44))})
    release = Release(
        table, quasi=["job", "age"], kinds={"age": "continuous"}, hierarchies={"job": recipe}, missing="own"
    )
    masked = anonymise(release, models={"k_anonymity": 3}, seed=1)
    assert all(one.loss is not None for one in masked.evidence["choice"].tried), str(masked.evidence["choice"])


def test_k_map_and_diversity_together_are_provided():
    people = Release(pl.DataFrame({"zip": ["A1"] * 4 + ["A2"] * 4 + ["B1"] * 8}), quasi="zip")
    table = pl.DataFrame({"zip": ["A1", "A2", "A2", "B1", "B1", "B1"], "ill": ["x", "y", "x", "y", "x", "y"]})
    release = Release(table, quasi="zip", confidential="ill", hierarchies={"zip": {"prefix": [2, 1]}}, missing="own")
    masked = anonymise(release.with_metadata(population=people), models={"k_map": 5, "l_diversity": 2}, seed=1)
    assert masked.evidence["choice"].taken == "full_domain"
    assert masked.to_native()["zip"].to_list() == ["A*", "A*", "A*", "B*", "B*", "B*"]
