import json

import pytest

from tacit import TacitError, models, protect
from tacit.protect import METHODS, from_json, to_json
from tacit.release.trace import method_name

EXAMPLES = [
    protect.AddNoise(
        columns=["age", "pay"], variance={"age": 0.1, "pay": 0.2}, strata="city", bounds={"age": [0, None]}
    ),
    protect.MultiplyNoise(columns="pay", distribution="bounded", least=0.05, most=0.1),
    protect.Rotate(columns=["age", "pay"], strength=0.2, totals={"all": ["pay", "rent"]}),
    protect.Generalise(levels={"zip": 1}),
    protect.Recode(column="city", groups={"south": ["Lund", "Malmö"]}),
    protect.Recode(column="age", breaks=[18, 65.5]),
    protect.TopBottomCode(column="age", top=90),
    protect.TopBottomCode(column="birth", bottom="1930-01-01", top="2020-01-01"),
    protect.RankSwap(columns="income", percent=5),
    protect.RankSwap(columns=["income", "rent"], percent={"income": 5, "rent": 9}, form="buckets", strata="zip"),
    protect.DataSwap(columns="ill", share=0.1, within=["sex"], target="risk", k=3),
    protect.RecordSwap(
        geography=["zip"], k=3, share=0.05, similar=[["size", "age"], ["size"]], keys="job", along="lat"
    ),
    protect.DataShuffle(columns=["income", "rent"], given="age", totals={"paid": ["income", "rent"]}),
    protect.Mdav(columns=["income", "rent"], k=3),
    protect.VMdav(columns=["income", "rent"], k=3, gamma=0.2),
    protect.Microaggregate(
        columns=["income", "rent", "sex"],
        k=3,
        groups=[["income", "rent"], ["sex"]],
        strata="zip",
        weights={"rent": 2},
        aggregate={"income": "median"},
        totals={"paid": ["income", "rent"]},
        randomised=2,
    ),
    protect.DropHousehold(),
    protect.SplitHouseholds(size=2),
    protect.SwapMembers(share=0.2, similar=["sex"]),
    protect.SuppressHouseholds(k=3),
    protect.GeneraliseComposition(k=3),
    protect.SuppressRecords(k=3),
    protect.SuppressCells(k=3),
    protect.SuppressCells(
        k=3, importance={"zip": 0.5}, subsets=[{"columns": ["zip", "sex"]}, {"columns": "zip", "k": 9}]
    ),
    protect.Anonymise(
        models={"k_anonymity": 3, "l_diversity": {"columns": {"ill": 2}}}, weights={"zip": 2}, methods="mondrian"
    ),
    protect.FullDomain(models=[models.KAnonymity(k=3), models.TCloseness(t=0.2)], suppression=0.1, lowest={"zip": 1}),
    protect.Mondrian(models={"p_sensitivity": {"p": 2, "k": 3}}, strict=False),
    protect.KMember(models=models.KMap(k=3), labels="sets"),
    protect.LocalRecode(models={"alpha_k": {"alpha": 0.5, "k": 3}}, block=100),
    protect.Pram(columns="sex", matrix={"sex": {"F": {"F": 0.9, "M": 0.1}, "M": {"M": 1}}}, form="invariant"),
    protect.Pram(columns=["sex", "job"], posterior={"sex": 0.5, "job": 0.7}, rare=9, form="risk", strata="zip"),
    protect.Resample(columns="pay", draws=5, strata="zip", bounds={"pay": [0, None]}),
    protect.Round(columns=["pay", "born"], base={"pay": 50, "born": "month"}, form="random"),
    protect.Recode(column="age", quantiles=4),
    protect.Recode(column="city", rare=10, other="elsewhere"),
    protect.TopBottomCode(column="age", top_share=0.01, bottom=3, replace="mean"),
    protect.DpIdentity(columns="pay", epsilon=0.5, bounds={"pay": [0, 9000]}),
    protect.DpMicroaggregate(columns=["age", "pay"], k=20, epsilon=1, bounds={"age": [0, 110], "pay": [0, 9000]}),
    protect.RandomisedResponse(columns="sex", epsilon=1, categories={"sex": ["F", "M"]}),
    protect.DropIdentifiers(),
    protect.DummyRecords(t=0.2, columns="income", form="ordered"),
    protect.Sample(size=100, columns="zip"),
    protect.SemanticNoise(columns=["ill", "job"], epsilon={"ill": 2, "job": 3.5}),
    protect.SemanticSwap(columns="job", percent=5, strata="sex"),
    protect.SynthCopula(rows=50, bounds={"age": [0, 120]}, totals={"income": ["wages", "rents"]}),
    protect.SynthMoments(columns="wages", given=["age"], similarity=0.5, where={"sex": "f"}),
    protect.SynthTrees(
        leaf=5,
        columns=["wages", "job"],
        where={"region": ["n", "e"], "born": "1960-01-01"},
        order="job",
        predictors={"job": ["age"]},
        totals={"income": ["wages", "rents"]},
        bounds={"wages": [0, None]},
    ),
    protect.HideRules(
        rules=[
            {"given": {"sex": "F", "age": {"from": 30}}, "then": {"ill": ["flu", "cold"]}},
            {"given": {"job": "spy"}},
        ],
        minsup=0.1,
        minconf=0.5,
        spread=0.2,
    ),
    protect.MaskTerms(person="who", column="term", k=3, form="sequence", order="time"),
    protect.Pseudonymise(columns="name", key_file="secret.key"),
    protect.NewHouseholds(),
    protect.SynthNetwork(degree=2, columns="pay", where={"job": ["nurse"]}, smoothing=0.5),
    protect.SynthMarginals(sets=[["sex", "job"], ["job", "pay"]], rows=10, bounds={"pay": [0, 9]}),
    protect.DpNetwork(epsilon=1, delta=1e-6, categories={"sex": ["F", "M"]}, bounds={"pay": [0, 9]}, degree=3),
    protect.DpMarginals(
        epsilon=1,
        delta=1e-6,
        categories={"sex": ["F", "M"]},
        bounds={"pay": [0, 9]},
        bins={"pay": 5},
        missing="pay",
        sets=[["sex", "pay"]],
    ),
    protect.Shuffle(),
    protect.ShiftDates(columns=["birth", "visit"], days=364, step="week", bounds={"visit": ["birth", "2024-12-31"]}),
    protect.GeoMask(latitude="lat", longitude="lon", least=100, k=20, density="people"),
    protect.Pipeline(steps=[protect.SuppressRecords(k=3), protect.Pipeline(steps=[protect.Shuffle()])]),
]


@pytest.mark.parametrize("method", EXAMPLES, ids=method_name)
def test_methods_survive_json(method):
    plain = json.loads(json.dumps(to_json(method)))
    assert from_json(plain) == method
    assert METHODS[plain["method"]].call is type(method)


def test_all_has_every_method_under_its_plan_name():
    classes = {name for name in protect.__all__ if name[0].isupper() and name != "METHODS"}
    assert {entry.call.__name__ for entry in METHODS.values()} == classes
    assert {method_name(method) for method in EXAMPLES} == set(METHODS)
    assert all(entry.summary.endswith(".") or entry.summary for entry in METHODS.values())


def test_methods_are_values():
    assert protect.RankSwap(columns="income", percent=5) == protect.RankSwap(columns=("income",), percent=5.0)
    with pytest.raises(AttributeError):
        protect.SuppressRecords(k=3).k = 4


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ({}, "has no method"),
        ("shuffle", "has no method"),
        ({"method": 3}, "has no method"),
        ({"method": "rank_swop"}, "did you mean 'rank_swap'?"),
        ({"method": "encrypt"}, "use one of add_noise"),
        ({"method": "rank_swap", "columns": "x"}, "lacks its parameter 'percent'"),
        (
            {"method": "rank_swap", "columns": "x", "percentage": 5},
            "did you mean 'percent'? rank_swap takes columns, percent",
        ),
        ({"method": "shuffle", "seed": 5}, "--seed"),
        ({"method": "shuffle", "order": 5}, "shuffle takes no parameter"),
        ({"method": "rank_swap", "columns": {"a": 1}, "percent": 5}, "no column names"),
        ({"method": "recode", "column": 3, "breaks": [1]}, "no column name"),
        ({"method": "pipeline", "steps": [{"method": "shufle"}]}, "did you mean 'shuffle'?"),
        ({"method": "pipeline", "steps": 3}, "made of methods"),
    ],
)
def test_mistakes_in_plain_data_are_answered(plain, text):
    with pytest.raises(TacitError) as caught:
        from_json(plain)
    assert text in str(caught.value)
