import json

import pytest

from tacit import TacitError, models, protect
from tacit.protect import ALL, from_json, to_json
from tacit.release.trace import method_name

METHODS = [
    protect.Generalise(levels={"zip": 1}),
    protect.Recode(column="city", groups={"south": ["Lund", "Malmö"]}),
    protect.Recode(column="age", breaks=[18, 65.5]),
    protect.TopBottomCode(column="age", top=90),
    protect.TopBottomCode(column="birth", bottom="1930-01-01", top="2020-01-01"),
    protect.RankSwap(columns="income", percent=5),
    protect.Mdav(columns=["income", "rent"], k=3),
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
    protect.DropIdentifiers(),
    protect.DummyRecords(t=0.2, columns="income", form="ordered"),
    protect.Sample(size=100, columns="zip"),
    protect.Pseudonymise(columns="name", key_file="secret.key"),
    protect.NewHouseholds(),
    protect.Shuffle(),
    protect.Pipeline(steps=[protect.SuppressRecords(k=3), protect.Pipeline(steps=[protect.Shuffle()])]),
]


@pytest.mark.parametrize("method", METHODS, ids=method_name)
def test_methods_survive_json(method):
    plain = json.loads(json.dumps(to_json(method)))
    assert from_json(plain) == method
    assert ALL[plain["method"]].call is type(method)


def test_all_has_every_method_under_its_plan_name():
    classes = {name for name in protect.__all__ if name[0].isupper() and name != "ALL"}
    assert {entry.call.__name__ for entry in ALL.values()} == classes
    assert {method_name(method) for method in METHODS} == set(ALL)
    assert all(entry.summary.endswith(".") or entry.summary for entry in ALL.values())


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
        ({"method": "encrypt"}, "use one of anonymise"),
        ({"method": "rank_swap", "columns": "x"}, "lacks its parameter 'percent'"),
        (
            {"method": "rank_swap", "columns": "x", "percentage": 5},
            "did you mean 'percent'? rank_swap takes columns, percent",
        ),
        ({"method": "shuffle", "seed": 5}, "shuffle takes no parameter"),
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
