"""A column that can be seen in life is a quasi-identifier and confidential: it makes classes, and is judged by the others."""

from __future__ import annotations

import tomllib

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import Release, models, risk
from tacit.app.pages.page import role_of
from tacit.attack import infer
from tacit.errors import TacitError
from tacit.plan.job import run
from tacit.plan.load import load
from tacit.release.suggest import suggest

ROWS = 240
ATTRIBUTE = (
    "alpha",
    "beta_likeness",
    "delta_disclosure",
    "inference",
    "l_diversity",
    "t_closeness",
    "background",
    "skewness",
)
MODELS = (
    models.LDiversity(l=3),
    models.TCloseness(t=0.2),
    models.BetaLikeness(beta=1.0),
    models.AlphaK(alpha=0.5, k=2),
)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(8)
    race = rng.choice(["a", "b", "c", "d"], ROWS, p=[0.6, 0.2, 0.15, 0.05])
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], ROWS),
            "age": rng.integers(2, 8, ROWS),
            "race": race,
            "pay": rng.integers(0, 9, ROWS),
        }
    )


def both(frame, **more):
    return Release(frame, quasi=["sex", "age", "race"], confidential=["race", "pay"], **more)


def test_a_column_has_both_roles_and_no_other_two(people):
    release = both(people)
    assert release.roles["race"] == "quasi_confidential"
    assert release.quasi == ("sex", "age", "race") and release.confidential == ("race", "pay")
    assert repr(release).endswith("quasi sex, age, race · confidential race, pay")
    for wrong in ({"identifier": "race"}, {"unrestricted": "race"}, {"household": "race"}):
        with pytest.raises(TacitError, match="two roles"):
            both(people, **wrong)


def test_whoever_sees_the_column_is_counted(people):
    hidden = Release(people, quasi=["sex", "age"], confidential=["race", "pay"])
    assert (
        risk.k_anonymity(hidden).value
        > risk.k_anonymity(both(people)).value
        == people.group_by("sex", "age", "race").len()["len"].min()
    )


@pytest.mark.parametrize("name", ATTRIBUTE)
def test_what_is_learnt_of_it_is_judged_by_the_other_quasi_identifiers(people, name):
    options = {"background": {"ruled_out": 1}, "inference": {"coalition": 1}}.get(name, {})
    alone = Release(people, quasi=["sex", "age"], confidential="race", kinds={"pay": "ordinal"})
    expected = getattr(risk, name)(alone, **options)["race"]
    found = getattr(risk, name)(both(people, kinds={"pay": "ordinal"}), **options)
    assert found["race"].value == expected.value and found["race"].facts == expected.facts
    others = Release(people, quasi=["sex", "age", "race"], confidential="pay", kinds={"pay": "ordinal"})
    assert found["pay"].value == getattr(risk, name)(others, **options)["pay"].value, (
        "it is a key for the other columns"
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_models_judge_as_the_measures_do(people, model):
    frame = people.with_columns(age=pl.lit(1), sex=pl.lit("f"))
    alone = Release(frame, quasi=["sex", "age"], confidential="race")
    seen = Release(frame, quasi=["sex", "age", "race"], confidential="race")
    assert model.holds(seen).found == model.holds(alone).found


def test_engines_agree(people, tmp_path):
    people.write_parquet(tmp_path / "p.parquet")
    roles = {"quasi": ["race"], "confidential": ["race", "pay"]}
    held = [
        tacit.read(tmp_path / "p.parquet", engine=engine).with_roles(roles, kinds={"pay": "ordinal"})
        for engine in ("polars", "duckdb")
    ]
    first, second = (risk.l_diversity(release)["race"].value for release in held)
    assert first == second == people["race"].n_unique(), "the only key: everybody is in one class"


def test_an_attack_on_its_values_knows_the_others(people):
    release, rows = both(people, kinds={"pay": "ordinal"}), np.arange(ROWS)
    found = infer(release, original=release, lineage=rows, column="race", attack="lookup", seed=1)["race"]
    expected = infer(
        release, original=release, lineage=rows, column="race", knows=["sex", "age"], attack="lookup", seed=1
    )["race"]
    assert found.value == expected.value < 1


def test_a_plan_may_name_it_twice_and_its_attribute_disclosure_is_required(people, tmp_path):
    people.write_csv(tmp_path / "p.csv")
    text = """
[data]
path = "p.csv"
[roles]
quasi = ["sex", "race"]
confidential = ["race"]
unrestricted = ["age", "pay"]
[kinds]
age = "ordinal"
pay = "ordinal"
[require]
k_anonymity = 2
{more}
"""
    (tmp_path / "p.toml").write_text(text.format(more=""), encoding="utf-8")
    outcome = run(load(tmp_path / "p.toml"), seed=1)
    assert outcome.as_json()["details"]["roles"]["race"] == "quasi_confidential"
    assert ("attribute_not_required", ("race",)) in [(gap.code, gap.columns) for gap in outcome.gaps]
    (tmp_path / "p.toml").write_text(text.format(more="l_diversity = 4\nattribute_inference = 0.15"), encoding="utf-8")
    outcome = run(load(tmp_path / "p.toml"), seed=1)
    assert not [gap for gap in outcome.gaps if gap.code == "attribute_not_required"]
    assert {one.name for one in outcome.learnt if one.result is not None}, "attacks on race were made"


@pytest.mark.parametrize("name", ["race", "ethnicity", "Religion", "disability", "behinderung", "mrace"])
def test_what_is_seen_in_life_is_offered_as_both(name):
    values = ["x", "y", "z", "x"] * 40
    found = suggest(Release(pl.DataFrame({name: values, "sex": ["f", "m"] * 80})))
    assert found[name].role == "quasi_confidential"
    assert name in found.roles()["quasi"] and name in found.roles()["confidential"]
    roles = tomllib.loads(found.plan_text("a.csv"))["roles"]
    assert name in roles["quasi"] and name in roles["confidential"]
    assert role_of({"roles": roles}, name) == "quasi_confidential"
