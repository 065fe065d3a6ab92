"""Imperfect intruders: people, noise, errors and gaps in the stated amounts. catalogue: A-02."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.attack import Distance
from tacit.claims import Scenario, Truth, comparability_notes, degrade_scenario, judge

N = 4000
RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "income": RNG.lognormal(10, 0.5, N),
        "age": RNG.integers(20, 90, N),
        "born": [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in RNG.integers(0, 9000, N)],
        "town": RNG.choice(["a", "b", "c"], N, p=[0.7, 0.2, 0.1]),
        "code": RNG.integers(1, 6, N),
        "same": ["x"] * N,
    }
)
ORIGINAL = Release(FRAME, quasi=FRAME.columns, kinds={"code": "code"})
WORST = Scenario.worst_case(ORIGINAL)


def changed(**amounts) -> tuple[pl.DataFrame, Scenario, np.ndarray]:
    found = degrade_scenario(WORST, seed=1, **amounts)
    frame = pl.DataFrame({column: found.scenario.file.series(column) for column in ORIGINAL.columns})
    return frame, found.scenario, found.rows


def test_noise_is_in_units_of_the_spread():
    frame, _, rows = changed(noise=0.1)
    assert rows.tolist() == list(range(N))
    off = (frame["income"] - FRAME["income"]).to_numpy()
    assert off.std() == pytest.approx(0.1 * FRAME["income"].to_numpy().std(), rel=0.06)  # five deviations of 1/√(2N)
    assert abs(off.mean()) < 5 * off.std() / np.sqrt(N)
    assert frame.schema == FRAME.schema  # whole numbers and days stay whole
    days = (frame["born"] - FRAME["born"]).dt.total_days().to_numpy()
    assert days.std() == pytest.approx(0.1 * FRAME["born"].to_physical().to_numpy().std(), rel=0.06)
    assert frame.select("town", "code", "same").equals(FRAME.select("town", "code", "same"))


def test_errors_are_other_values_of_the_column_as_often_as_they_occur():
    frame, _, _ = changed(errors=0.3)
    wrong = (frame["town"] != FRAME["town"]).to_numpy()
    assert wrong.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / N))
    b = wrong & (FRAME["town"] == "b").to_numpy()
    share = (frame["town"].to_numpy()[b] == "a").mean()
    assert share == pytest.approx(7 / 8, abs=5 * np.sqrt(7 / 64 / b.sum()))  # a has 70 % and c 10 % of the people
    assert (frame["code"] != FRAME["code"]).mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / N))
    assert frame.select("income", "age", "born", "same").equals(FRAME.select("income", "age", "born", "same"))
    by_column, _, _ = changed(errors={"age": 1.0})
    assert (by_column["age"] != FRAME["age"]).all()


def test_missing_cells_and_missing_people():
    frame, scenario, rows = changed(share=0.25, missing=0.1)
    assert (scenario.file.size, len(rows), scenario.covers, scenario.inside) == (N // 4, N // 4, False, True)
    assert len(set(rows.tolist())) == N // 4
    known = frame["income"].is_not_null()
    assert known.mean() == pytest.approx(0.9, abs=5 * np.sqrt(0.09 / (N // 4)))
    assert (frame["income"] == FRAME["income"].gather(rows)).filter(known).all()


def test_seeds_repeat_and_columns_draw_on_their_own():
    assert changed(noise=0.1, errors=0.1)[0].equals(changed(noise=0.1, errors=0.1)[0])
    alone = changed(noise={"income": 0.1})[0]
    assert alone["income"].equals(changed(noise=0.1)[0]["income"])
    assert not alone["income"].equals(
        degrade_scenario(WORST, noise={"income": 0.1}, seed=2).scenario.file.series("income")
    )


def test_a_weaker_intruder_finds_fewer_people_and_the_truth_is_cut_alike():
    part = Release(FRAME.head(400), quasi=["age", "town", "born"])
    scenario, truth = Scenario.worst_case(part), Truth.by_lineage(None, 400)
    best = judge(Distance().claims(part, scenario), truth).value
    some = degrade_scenario(scenario, share=0.5, seed=3)
    of_some = judge(Distance().claims(part, some.scenario), truth.of_rows(some.rows))
    assert of_some.value == pytest.approx(best, abs=0.05)  # half of the people, each found as before
    wrong = degrade_scenario(scenario, noise=0.3, errors=0.3, missing=0.2, seed=3)
    assert judge(Distance().claims(part, wrong.scenario), truth.of_rows(wrong.rows)).value < best / 3


@pytest.mark.parametrize(
    ("amounts", "says"),
    [
        ({"share": 0}, "share=0 is not a share"),
        ({"errors": 1.5}, "errors=1.5 is not a share"),
        ({"noise": -1}, "noise=-1 is not a number from 0 on"),
        ({"missing": {"zap": 0.1}}, "zap"),
        ({"noise": {"town": 0.1}}, "use errors="),
        ({"missing": True}, "missing=True"),
    ],
)
def test_mistakes_are_named(amounts, says):
    with pytest.raises(TacitError, match=says):
        degrade_scenario(WORST, seed=1, **amounts)


def test_empty_and_constant_columns_survive():
    odd = Release(pl.DataFrame({"x": [None, None], "y": [1.0, 1.0], "z": ["a", None]}), quasi=["x", "y", "z"])
    found = degrade_scenario(Scenario.worst_case(odd), noise=1.0, errors=1.0, missing=0.0, seed=1).scenario.file
    assert found.series("y").to_list() == [1.0, 1.0]
    assert found.series("z").to_list() == ["a", None]


def test_keys_say_who_is_who():
    truth = Truth.by_key(pl.Series(["p", "q", None, "p"]), ["q", "p", "z", None])
    assert truth.released[0] == truth.released[3] == truth.intruder[1]
    assert truth.released[1] == truth.intruder[0]
    assert truth.released[2] == truth.intruder[3] == -1
    assert truth.in_release().tolist() == [True, True, False, False]
    numbers = Truth.by_key(np.array([7, 9]), np.array([9, 8], dtype=np.int32))
    assert numbers.intruder[0] == numbers.released[1] != numbers.intruder[1]
    with pytest.raises(TacitError, match="whole numbers, those of the intruder text"):
        Truth.by_key([1, 2], ["1", "2"])
    with pytest.raises(TacitError, match="neither text nor whole numbers"):
        Truth.by_key([1.5], ["a"])
    with pytest.raises(TacitError, match="from 0 to 1"):
        numbers.of_rows(np.array([2]))


def test_what_does_not_fit_is_said():
    release = ORIGINAL.take(np.arange(10)).select(["income", "same", "age"])
    file = Release(
        FRAME.head(20).with_columns(pl.col("age").cast(pl.String), income=pl.lit(None, pl.Float64)),
        quasi=["income", "same", "age", "town"],
    )
    notes = comparability_notes(release, Scenario.worst_case(file))
    said = " · ".join(notes)
    for words in ("'income' is missing throughout in the intruder's", "'same' has one value only", "'town' is not in"):
        assert words in said
    assert "'age' holds numbers in the release and text in the intruder's file: compared as text" in said
    assert "20 rows, the release 10" in said
    assert comparability_notes(ORIGINAL, Scenario.worst_case(ORIGINAL, knows="age")) == ()
