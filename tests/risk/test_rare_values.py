"""Rare categories and extremes: the planted highest pay and the only astronaut, before and after synthesis (B4). catalogue: C-06."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.plan import from_text, run
from tacit.protect import SynthCopula, SynthMarginals, SynthNetwork, SynthTrees
from tacit.protect._synthetic.assembly import code_rare
from tacit.risk import rare_values

KINDS = {"pay": "continuous", "age": "continuous", "job": "nominal"}
GENERATORS = {
    "trees": lambda fewest: SynthTrees(leaf=30, fewest=fewest),
    "copied": lambda fewest: SynthTrees(leaf=5, smooth=False, fewest=fewest),
    "network": lambda fewest: SynthNetwork(degree=1, fewest=fewest),
    "marginals": lambda fewest: SynthMarginals(fewest=fewest),
    "copula": lambda fewest: SynthCopula(fewest=fewest),
}


def people(count: int = 1000, *, planted: bool = True) -> pl.DataFrame:
    """Ordinary people, and one who is the only astronaut and has fifty times the next pay."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, count),
            "job": rng.choice(["clerk", "nurse", "smith", "cook"], count),
            "pay": np.round(rng.uniform(10_000, 200_700, count)),
        }
    )
    if not planted:
        return frame
    row = pl.Series(range(count)) == 17
    return frame.with_columns(
        job=pl.when(row).then(pl.lit("Astronaut")).otherwise("job"), pay=pl.when(row).then(9_876_500.0).otherwise("pay")
    )


def release(frame: pl.DataFrame) -> Release:
    return Release(frame, quasi=["age", "job"], confidential="pay", kinds=KINDS)


def test_the_planted_person_is_found_before_and_nobody_else_is():
    file, plain = release(people()), release(people(planted=False))
    found = rare_values(file, original=file)
    assert found.value == 2
    assert found.facts["categories by column"] == {"job": 1} and found.facts["extremes by column"] == {"pay": 1}
    assert "9876500" not in str(found) and "Astronaut" not in str(found)
    assert rare_values(plain, original=plain).value == 0
    assert rare_values(plain, original=file).value == 0  # not shown


@pytest.mark.parametrize("name", GENERATORS)
def test_by_default_no_generator_shows_what_one_person_has(name):
    """The attacker of B4 reads the largest pay and looks for the astronaut. Without the handling the same generators show them."""
    file, made = release(people()), [people(), people(planted=False)]
    shown = [release(one).protect(GENERATORS[name](5), seed=7) for one in made]
    assert all(one.to_native()["pay"].max() <= 200_700 for one in shown)
    assert all("Astronaut" not in set(one.to_native()["job"]) for one in shown)
    assert rare_values(shown[0], original=file).value == 0
    public = [one.trace[0].as_json(public=True) for one in shown]
    assert "rare_values_coded" not in public[0]["outcome"] and public[0]["parameters"] == public[1]["parameters"]
    assert shown[0].trace[0].outcome["rare_values_coded"].value["job"] == 1


@pytest.mark.parametrize("name", ["network", "marginals"])
def test_what_is_not_handled_is_shown_and_found(name):
    """The power of the check: the edge of the top bin is the planted pay, and some records of 100,000 lie in it."""
    file = release(people())
    method = GENERATORS[name](1)
    masked = file.protect(
        type(method)(**{"rows": 100_000, "fewest": 1, **({"degree": 1} if name == "network" else {})}), seed=7
    )
    assert masked.to_native()["pay"].max() > 5_000_000
    found = rare_values(masked, original=file)
    assert found.facts["extremes by column"] == {"pay": 1} and found.facts["categories by column"] == {"job": 1}


PLAN = """\
[data]
path = "people.csv"
[roles]
quasi = ["age", "job"]
confidential = ["pay"]
[kinds]
age = "continuous"
pay = "continuous"
{synth}
[require]
{require}
[[protect]]
{method}
"""
SYNTH = '[synth]\npredict = ["job"]'
TREES = 'method = "synth_trees"\nleaf = 5\nrows = 3000\n'


def outcome(folder, **said):
    people(300).write_csv(folder / "people.csv")
    text = PLAN.format(**{"synth": SYNTH, "require": "k_anonymity = 1", "method": TREES} | said)
    return run(from_text(text, folder=folder, name="plan.toml"), seed=3, out=folder / "out")


def test_what_survives_synthesis_is_in_the_verdict(tmp_path):
    shown = outcome(tmp_path, method=TREES + "fewest = 1\n")
    (gap,) = [gap for gap in shown.gaps if gap.code == "rare_values_released"]
    assert set(gap.columns) == {"job", "pay"} and shown.state == "not_covered"
    assert any("2 in the training data, 2 of them in the synthetic file" in note for note in shown.notes)
    coded = outcome(tmp_path)
    assert "rare_values_released" not in [gap.code for gap in coded.gaps]
    assert any("2 in the training data, 0 of them in the synthetic file" in note for note in coded.notes)


def test_it_can_be_required(tmp_path):
    asked = "rare_values = { at_most = 0 }"
    assert not outcome(tmp_path, require=asked, method=TREES + "fewest = 1\n").holds
    assert outcome(tmp_path, require=asked).holds


def test_of_a_release_that_keeps_people_the_columns_are_named(tmp_path):
    kept = outcome(tmp_path, synth="", method='method = "rank_swap"\ncolumns = ["age"]\npercent = 20')
    assert any("a category that one person has is released in job" in note for note in kept.notes)
    assert any("twice as far from the median as the next, is released in pay" in note for note in kept.notes)
    coded = outcome(tmp_path, synth="", method='method = "top_bottom_code"\ncolumn = "pay"\ntop = 190000')
    assert not any("is released in pay" in note for note in coded.notes)


def coded(series: pl.Series, kind: str, *, fewest: int = 3, units=None, full: bool = True) -> pl.Series:
    amounts = [series.name] if kind != "nominal" else []
    units = np.arange(len(series)) if units is None else np.array(units)
    rng = np.random.default_rng(1)
    return code_rare(
        series.to_frame(), {series.name: kind}, amounts, fewest=fewest, units=units, full=full, rng=rng
    ).learn[series.name]


def test_rare_categories_join_others_or_a_common_one():
    together = coded(pl.Series("a", ["x"] * 9 + ["p", "q", "r"]), "nominal")
    assert together.to_list() == ["x"] * 9 + ["other"] * 3
    assert coded(pl.Series("a", ["x"] * 9 + ["p", "q"]), "nominal").to_list() == ["x"] * 11
    assert coded(pl.Series("a", [1] * 9 + [7, 8, 9]), "nominal").to_list() == [1] * 12
    home = coded(pl.Series("a", ["x"] * 9 + ["p"] * 6), "nominal", units=[*range(9), *[9] * 6])
    assert set(home) == {"x"}  # six people of one household are one


def test_ends_are_cut_and_their_order_kept():
    pay = pl.Series("a", [float(i) for i in range(50)] + [9e6, 8e6])
    made = coded(pay, "continuous")
    assert made.max() <= 49 and made[49:51].to_list() != pay[49:51].to_list()
    assert made.arg_sort().to_list() == pay.arg_sort().to_list() and made[6:46].to_list() == pay[6:46].to_list()
    zeros = coded(pl.Series("a", [0] * 20 + list(range(1, 31))), "continuous")
    assert zeros[:20].to_list() == [0] * 20 and zeros.dtype == pl.Int64
    days = pl.Series("a", [dt.date(1980, 1, 1) + dt.timedelta(days=i) for i in range(40)] + [dt.date(1900, 1, 1)])
    assert coded(days, "date").min() >= dt.date(1980, 1, 1) and coded(days, "date").dtype == pl.Date
    assert coded(pl.Series("a", [1, 2, 3, 9]), "continuous").to_list() == [1, 2, 3, 9]  # too few to cut
    levels = coded(pl.Series("a", [1] * 20 + [2] * 20 + [5] * 2 + [9]), "ordinal")
    assert levels.to_list() == [1] * 20 + [2] * 23


def test_missing_values_of_few_are_filled_in_a_full_synthesis_only():
    gaps = pl.Series("a", ["x"] * 9 + ["y"] * 9 + [None])
    assert coded(gaps, "nominal").null_count() == 0
    assert coded(gaps, "nominal", full=False).null_count() == 1
    assert coded(pl.Series("a", ["x"] * 9 + [None] * 3), "nominal").null_count() == 3


def test_mistakes_are_named():
    file = release(people(50))
    with pytest.raises(TacitError, match="there is none"):
        rare_values(file)
    with pytest.raises(TacitError, match="fewest"):
        rare_values(file, original=file, fewest=1)
    with pytest.raises(TacitError, match="fewest"):
        SynthTrees(leaf=5, fewest=0)
