"""Individual and household risk against the reference figures and the definition."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from tacit import Release, TacitError
from tacit.kernels.mean_reciprocal import mean_reciprocal
from tacit.risk import household_risk, individual_risk

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def survey(reference_data):
    frame = pl.read_csv(reference_data / "testdata.csv")
    return Release(frame, quasi=KEYS, weight="sampling_weight", household="ori_hid")


def test_individual_risk_of_the_reference_survey(survey):
    # catalogue: C-02; sdcMicro 5.8.1, "approx", and our own independent exact sum
    result = individual_risk(survey, form="approx")
    assert f"{result.facts['re-identifications to expect']:.10f}" == "10.7782989187"
    assert f"{result.value:.14f}" == "0.00235334037527"
    assert f"{result.facts['highest']:.13f}" == "0.0465168705655"
    exact = individual_risk(survey)
    assert f"{exact.facts['re-identifications to expect']:.10f}" == "10.7755251363"
    gap = np.abs(result.per_record.values() - exact.per_record.values())
    assert gap.max() == pytest.approx(2.2e-5, abs=5e-7)
    assert (gap / exact.per_record.values()).max() == pytest.approx(0.0044, abs=5e-5)
    classes = survey.classes()
    assert classes.totals(survey.weights())[classes.of_record].sum() == pytest.approx(27_548_400)
    assert result.facts["sample uniques"] == 157
    assert result.facts["sampling fraction"] == pytest.approx(0.01)


def test_household_risk_of_the_reference_survey(survey):
    # catalogue: C-02
    result = household_risk(survey, form="approx")
    assert f"{result.facts['re-identifications to expect']:.8f}" == "51.81292744"
    assert f"{result.value:.11f}" == "0.01131286625"
    # with the exact individual risks it is a little lower
    assert household_risk(survey).facts["re-identifications to expect"] == pytest.approx(51.799591464, abs=1e-8)


@pytest.mark.parametrize("form", ["exact", "approx"])
def test_the_eight_records_of_the_classic_example(reference_data, form):
    """No class there has more than two records, so both forms agree."""
    frame = pl.read_csv(reference_data / "francdat.csv")
    release = Release(frame, quasi=["Key1", "Key2", "Key3", "Key4"], weight="w")
    classes = release.classes()
    assert classes.sizes[classes.of_record].tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    people = classes.totals(release.weights())[classes.of_record]
    assert people.tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    printed = ".017144262 .022042326 .022042326 .177075834 .011654480 .297063077 .402359478 .017144262".split()
    risks = individual_risk(release, form=form).per_record.values()
    assert [f"{risk:.9f}"[1:] for risk in risks] == printed


def test_a_hundred_thousand_records(reference_data):
    release = Release(pl.read_csv(reference_data / "testdata_100k.csv.gz"), quasi=KEYS, weight="sampling_weight")
    total = individual_risk(release, form="approx").facts["re-identifications to expect"]
    assert f"{total:.10f}" == "18.6837716264"


def test_missing_keys_that_match_anything(reference_data):
    """Relat missing in every 50th row: sdcMicro's alpha=1 sums f and F over the matches, as "any" does.

    Its alpha=0 (10.7366647316) lets a record that lacks a key match everything while nobody counts it; see
    tests/release/test_matches.py. That is neither of our policies, but follows from both.
    """
    frame = pl.read_csv(reference_data / "testdata.csv").with_row_index("i")
    lacks = pl.col("i") % 50 == 0
    frame = frame.with_columns(pl.when(lacks).then(None).otherwise(pl.col("relat")).alias("relat"))
    found = {policy: Release(frame, quasi=KEYS, weight="sampling_weight", missing=policy) for policy in ("any", "own")}
    total = individual_risk(found["any"], form="approx").facts["re-identifications to expect"]
    assert f"{total:.11f}" == "8.18503306791"
    risks = {policy: individual_risk(release, form="approx").per_record.values() for policy, release in found.items()}
    mixed = np.where(frame["relat"].is_null().to_numpy(), risks["any"], risks["own"]).sum()
    assert f"{mixed:.10f}" == "10.7366647316"


cell = st.sampled_from(["a", "b", None])
rows = st.lists(st.tuples(cell, cell, st.floats(0.5, 500)), min_size=1, max_size=12)


@given(rows, st.sampled_from(["own", "any"]))
def test_the_risk_is_the_integral_over_the_matches(table, missing):
    # catalogue: C-02: E(1/F) = ∫ p s^{f−1} / (p + q s) ds over (0, 1)
    release = Release(
        pl.DataFrame(table, schema={"p": pl.String, "q": pl.String, "w": pl.Float64}, orient="row"),
        quasi=["p", "q"],
        weight="w",
        missing=missing,
    )

    def agree(x, y):
        return x == y or (missing == "any" and None in (x, y))

    for row, risk in zip(table, individual_risk(release).per_record.values(), strict=True):
        match = [other[2] for other in table if agree(row[0], other[0]) and agree(row[1], other[1])]
        f = len(match)
        p = f / max(sum(match), f)
        expected, _ = quad(lambda s, p=p, f=f: p * s ** (f - 1) / (p + (1 - p) * s), 0, 1, epsabs=1e-13, limit=200)
        assert risk == pytest.approx(expected, rel=1e-7)


def test_households_are_the_product_over_their_members():
    frame = pl.DataFrame({"k": list("abccd"), "h": [1, 1, 2, None, None], "w": [1.0, 4.0, 9.0, 9.0, 2.0]})
    release = Release(frame, quasi="k", household="h", weight="w")
    alone = individual_risk(release).per_record.values()
    found = household_risk(release).per_record.values()
    assert found[0] == found[1] == 1.0  # somebody who stands for nobody else is found
    assert found[2:] == pytest.approx(alone[2:])
    assert household_risk(release).facts["households"] == 4


def test_lazy_engines_give_the_same_sum():
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "a": rng.integers(0, 12, 800),
            "b": pl.Series(rng.integers(0, 9, 800)).replace({3: None}),
            "w": rng.uniform(1, 90, 800),
        }
    )
    roles = {"quasi": ["a", "b"], "weight": "w", "missing": "own"}
    connection = duckdb.connect()
    connection.register("people", frame.to_arrow())
    here, there = Release(frame, **roles), Release(connection.sql("SELECT * FROM people"), **roles)
    for form in ("exact", "approx"):
        ours, theirs = individual_risk(here, form=form), individual_risk(there, form=form)
        assert theirs.value == pytest.approx(ours.value, rel=1e-12)
        assert theirs.facts["sample uniques"] == ours.facts["sample uniques"]
        assert theirs.facts["sampling fraction"] == pytest.approx(ours.facts["sampling fraction"])
    with pytest.raises(TacitError, match="polars"):
        household_risk(Release(connection.sql("SELECT *, a AS h FROM people"), **roles, household="h"))


def test_mistakes_are_named():
    plain = Release(pl.DataFrame({"k": [1, 2]}), quasi="k")
    for call, shows in (
        (lambda: individual_risk(plain), "weight="),
        (lambda: household_risk(plain), "household="),
        (lambda: individual_risk(plain, form="round"), "'round'"),
    ):
        with pytest.raises(TacitError, match="fix:") as caught:
            call()
        assert shows in str(caught.value)


def test_more_people_behind_a_class_lower_its_risk():
    f = np.repeat(np.arange(1, 60), 40)
    people = f * np.tile(np.linspace(1, 1000, 40), 59)
    risks = mean_reciprocal(f, f / people).reshape(59, 40)
    assert (np.diff(risks, axis=1) < 0).all()
    assert risks[:, 0] == pytest.approx(1 / np.arange(1, 60))
