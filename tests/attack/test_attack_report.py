"""Which columns help, how risk falls with protection, and who is at risk. catalogue: C-03."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from tacit import Masked, Release, TacitError
from tacit.attack import Distance, at_risk, curve, drop_one, reidentify
from tacit.claims import LinkClaims, Scenario
from tacit.protect import RankSwap

N = 300
RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {"sex": RNG.choice(["f", "m"], N), "zip": RNG.choice(list("abcdefgh"), N), "income": RNG.normal(size=N)}
)
R = Release(FRAME, quasi=["sex", "zip", "income"])


def one_over_classes(*columns: str) -> float:
    return float((1 / FRAME.select(pl.len().over(columns)).to_series().to_numpy()).mean())


def test_drop_one_is_the_attack_without_and_with_each_column():
    found = drop_one(Masked(R, ()), original=R, attack="distance")
    assert found.full.value == 1
    assert [one.column for one in found.columns] == ["income", "zip", "sex"]
    income, postcode, sex = found.columns
    assert income.without.value == pytest.approx(one_over_classes("sex", "zip"))
    assert income.alone.value == 1
    assert (postcode.without.value, sex.without.value) == (1, 1)
    assert postcode.alone.value == pytest.approx(one_over_classes("zip"))
    assert [left for left, _ in found.rows()] == ["all known columns", "income", "zip", "sex"]
    assert json.loads(json.dumps(found.as_json()))["columns"][0]["column"] == "income"


def test_drop_one_of_one_column_and_of_columns_that_the_release_lacks():
    alone = drop_one(Masked(R, ()), original=R, knows="sex", attack="distance")
    assert alone.columns[0].without is None
    lacks = drop_one(Masked(R.select(["sex", "income"]), ()), original=R, attack="distance")
    by_name = {one.column: one for one in lacks.columns}
    assert by_name["zip"].alone is None
    assert by_name["zip"].without.value == lacks.full.value


def test_the_curve_falls_with_protection():
    methods = {percent: RankSwap(columns="income", percent=percent) for percent in (1, 10, 60)}
    found = curve(R, methods, attack=["distance"], seed=3)
    values = [point.worst.result.value for point in found.points]
    assert values[0] > values[1] > values[2]
    rows = json.loads(json.dumps(found.as_json()))
    assert [row["parameter"] for row in rows] == [1, 10, 60]
    assert all(row["low"] <= row["value"] <= row["high"] and row["baseline"] == 1 / N for row in rows)
    assert [left for left, _ in found.rows()] == ["1", "10", "60"]
    again = curve(R, methods, attack=["distance"], seed=3)
    assert again.as_json() == found.as_json()


def test_the_curve_takes_functions_and_every_attack_that_applies():
    found = curve(R, {"as it is": lambda release: Masked(release, ())})
    assert found.points[0].worst.result.value == 1
    direct = reidentify(Masked(R, ()), original=R)
    assert found.points[0].worst.name == direct.facts["attack"]
    for wrong, says in (({}, "names no methods"), ({1: RankSwap}, "no method"), ({1: lambda r: r}, "not a Masked")):
        with pytest.raises(TacitError, match=says):
            curve(R, wrong)


class Sure:
    """Knows the record of the first two rows, one of them wrongly, and says nothing of the others."""

    makes = LinkClaims

    def applies(self, release, scenario):
        return None

    def claims(self, release, scenario, *, seed=None, progress=None):
        size = scenario.file.size
        start = np.minimum(np.arange(size + 1), 2)
        return LinkClaims.of_rows(start, np.array([0, 5]), release_size=release.size, sure=np.arange(size) < 2)


def test_who_is_at_risk_by_which_attack():
    """The first is surely found; then the others by distance, the rarer combinations first."""
    coarse = R.select(["sex", "zip"])
    found = at_risk(Masked(coarse, ()), original=coarse, attack=[Distance(), Sure()])
    frame = found.frame()
    assert frame.row(0) == (0, 1.0, "sure", True)
    assert frame["sure"].sum() == 1  # the second sure link is wrong, and is no risk to that person
    sizes = FRAME.select(pl.len().over("sex", "zip")).to_series().to_numpy()
    rest = frame[1:]
    assert rest["chance"].to_numpy() == pytest.approx(1 / sizes[rest["row"].to_numpy()])
    assert rest["chance"].is_sorted(descending=True)
    assert set(rest["attack"]) == {"distance"}
    assert next(found.rows()) == ("row 1", "1 by sure, surely")
    worst = at_risk(coarse, original=Scenario.worst_case(coarse), lineage=np.full(N, -1), attack="distance")
    assert set(worst.frame()["attack"]) == {None}
