"""The HIPAA Safe Harbor check, 45 CFR 164.514(b)(2) (catalogue: A-06)."""

from __future__ import annotations

import json
from datetime import date, timedelta

import duckdb
import polars as pl
import pytest

import tacit
from tacit.release.hierarchy.base import label_expression
from tacit.release.suggest import safe_harbor

TODAY = date(2024, 12, 31)
ROWS = 120
WORDS = [f"w{place}" for place in range(ROWS)]


def found_in(column: str, values) -> set[str]:
    """The letters of the rule that a column by itself is charged with."""
    result = safe_harbor(tacit.Release(pl.DataFrame({column: values})), today=TODAY)
    return {one.identifier[1] if one.identifier.startswith("(") else "any" for one in result.findings}


def test_the_clinic_has_names_phones_zips_and_births():
    result = safe_harbor(tacit.Release(tacit.examples.clinic(2000, seed=1).frame), today=TODAY)
    charged = {(one.column, one.identifier[:3]) for one in result.findings}
    assert charged == {("name", "(A)"), ("phone", "(D)"), ("zip", "(B)"), ("birth", "(C)")}
    assert not result.holds and not bool(result)
    assert all(one.why and one.remedy for one in result.findings)


def test_the_clinic_without_them_holds():
    example = tacit.examples.clinic(2000, seed=1)
    year = pl.col("birth").dt.year().clip(lower_bound=TODAY.year - 90)
    frame = example.frame.drop("name", "phone").with_columns(birth=year)
    release = tacit.Release(frame, hierarchies={"zip": example.hierarchies["zip"]})
    coarse = release.with_columns({"zip": label_expression(release.hierarchies["zip"], "zip", 1)})
    result = safe_harbor(coarse, today=TODAY)
    assert result.holds and bool(result), str(result)
    assert "nothing found in 11 columns" in str(result)
    finer = frame.with_columns(birth=pl.when(pl.int_range(pl.len()) == 7).then(1933).otherwise(pl.col("birth")))
    again = safe_harbor(tacit.Release(finer).select("birth"), today=TODAY)
    assert [one.why for one in again.findings] == ["1 record born before 1934, which tells an age over 89"]


def test_it_says_that_it_proves_nothing():
    result = safe_harbor(tacit.Release(pl.DataFrame({"x": [1.5]})), today=TODAY)
    assert result.holds
    assert any("necessary, not sufficient" in note and "164.514(b)(2)(ii)" in note for note in result.notes)
    assert "names and value patterns only" in str(result)


@pytest.mark.parametrize(
    ("letter", "names"),
    [
        ("A", "name surname Vorname"),
        ("B", "street city county latitude Wohnort census_tract"),
        ("C", "birth_month"),
        ("D", "phone Telefon"),
        ("E", "fax fax_number"),
        ("F", "email courriel"),
        ("G", "ssn social_security_number"),
        ("H", "mrn medical_record_number patient_id"),
        ("I", "health_plan_number beneficiary_id medicare_no"),
        ("J", "account_number iban"),
        ("K", "license_number certificate_no"),
        ("L", "license_plate vin"),
        ("M", "device_id serial_number"),
        ("N", "url website"),
        ("O", "ip ip_address"),
        ("P", "fingerprint biometric_template"),
        ("Q", "photo photo_file"),
        ("R", "id case_id uuid"),
    ],
)
def test_each_of_the_eighteen_is_known_by_name(letter, names):
    for name in names.split():
        assert found_in(name, WORDS) == {letter}, name


@pytest.mark.parametrize(
    ("letter", "value"),
    [
        ("F", "write to ann.lee@clinic.example.org please"),
        ("N", "see https://example.org/ann"),
        ("G", "no. 123-45-6789 as stated"),
        ("O", "from 10.0.0.12"),
        ("O", "from 2001:db8::1"),
        ("M", "at 00:1A:2B:3C:4D:5E"),
        ("D", "call (212) 555-0123"),
        ("D", "call 212.555.0123"),
        ("D", "call +44 20 7946 0123"),
        ("C", "on 2021-03-04"),
        ("C", "on 4.3.2021"),
        ("C", "on 3/4/21"),
        ("C", "2021-03-**"),
    ],
)
def test_one_value_among_many_is_enough(letter, value):
    assert found_in("v17", ["plain"] * 60 + [value] + ["other"] * 59) == {letter}


@pytest.mark.parametrize(
    "values",
    [
        ["I21.4", "R10.4", "Z23.8"] * 40,
        ["[1930, 1940)", "[5000, 10000)"] * 60,
        ["1962-**-**", "196*-**-**"] * 60,
        ["12:30:45", "08:15:00"] * 60,
        ["2019-2020", "2020-2021"] * 60,
        [1234.56, 99.0, 3.0] * 40,
        [12, 55, 8000] * 40,
        ["version 1.2.3", "0.75"] * 60,
    ],
)
def test_harmless_values_raise_no_alarm(values):
    assert found_in("v17", values) == set()


@pytest.mark.parametrize("area", "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split())
def test_sparsely_populated_zip_areas_are_found(area):
    assert found_in("zip", ["021**"] * 9 + [f"{area}**"]) == {"B"}
    assert found_in("zip", ["021", "000", area]) == {"B"}
    assert found_in("zip", [21, 100, int(area)]) == {"B"}


@pytest.mark.parametrize(
    ("values", "letters"),
    [
        (["021**", "100**", "000**"], set()),
        (["021XX", "100XX"], set()),
        (["021", "100", None], set()),
        (["0213*", "021**"], {"B"}),
        (["02139-1234", "021"], {"B"}),
        ([2139, 100], {"B"}),
        (["SW1A 1AA", "SW1"], {"B"}),
    ],
)
def test_zip_codes_may_have_three_digits(values, letters):
    assert found_in("zip", values) == letters


def test_zip_codes_are_known_by_their_looks():
    assert found_in("v17", ["02139", "02140", "10001"] * 40) == {"B"}


@pytest.mark.parametrize(
    ("values", "letters"),
    [
        ([17, 89, 90], set()),
        ([17, 91], {"C"}),
        ([17.0, 89.5], {"C"}),
        (["[85, 90)", "[90, 95)"], set()),
        (["[85, 90)", "[95, 100)"], {"C"}),
        (["90+", "17"], set()),
        (["101", "17"], {"C"}),
    ],
)
def test_ages_over_89_are_one_category(values, letters):
    assert found_in("age", values) == letters


@pytest.mark.parametrize(
    ("name", "values", "letters"),
    [
        ("birth", [1934, 1990], set()),
        ("birth", [1933, 1990], {"C"}),
        ("birth", ["1934-**-**", "193*-**-**"], set()),
        ("birth", ["1933-**-**"], {"C"}),
        ("birth", ["192*-**-**"], {"C"}),
        ("birth", [19620324, 19700101], {"C"}),
        ("birth", [date(1960, 1, 1), date(1970, 1, 1)], set()),
        ("birth", [date(1960, 1, 1), date(1970, 2, 1)], {"C"}),
        ("birth", [date(1933, 1, 1)], {"C"}),
        ("birth", [date(1934, 1, 1)], set()),
        ("admission", [date(2020, 1, 1) + timedelta(days=place) for place in range(9)], {"C"}),
        ("admission_date", [202003, 202004], {"C"}),
        ("year", [2019, 2020], set()),
    ],
)
def test_dates_may_give_the_year_of_those_under_90(name, values, letters):
    assert found_in(name, values) == letters


def test_the_day_on_which_ages_are_counted_is_an_argument():
    release = tacit.Release(pl.DataFrame({"birth": [1940, 1950]}))
    assert safe_harbor(release, today=date(2024, 1, 1)).holds
    assert not safe_harbor(release, today=date(2031, 1, 1)).holds


def test_free_text_may_hold_any_of_them():
    assert found_in("v17", [f"the patient was seen by nurse {place} at noon" for place in range(ROWS)]) == {"any"}


def test_masked_and_empty_columns_are_clean():
    assert found_in("name", ["*"] * ROWS) == set()
    assert found_in("phone", pl.Series([None] * 5, dtype=pl.String)) == set()
    empty = pl.DataFrame({"name": []}, schema={"name": pl.String})
    assert safe_harbor(tacit.Release(empty), today=TODAY).holds


def test_no_cell_is_shown():
    frame = pl.DataFrame(
        {
            "name": [f"SECRETVALUE {place}" for place in range(ROWS)],
            "zip": ["98765"] * ROWS,
            "v17": [f"secret{place}@example.org" for place in range(ROWS)],
            "age": [117] * ROWS,
        }
    )
    result = safe_harbor(tacit.Release(frame), today=TODAY)
    for text in (str(result), repr(result), json.dumps(result.as_json()), result._repr_html_()):
        assert not any(cell in text for cell in ("SECRETVALUE", "98765", "secret1", "117"))


def test_duckdb_gives_the_same_findings():
    example = tacit.examples.clinic(1000, seed=6).frame
    notes = [f"mail ann{place}@example.org or call 212-555-{place:04d}" for place in range(1000)]
    frame = example.with_columns(notes=pl.Series(notes), seen=pl.col("birth").cast(pl.Datetime), age=pl.lit(95))
    on_duckdb = safe_harbor(tacit.Release(duckdb.sql("SELECT * FROM frame")), today=TODAY)
    assert on_duckdb == safe_harbor(tacit.Release(frame), today=TODAY)
    assert {one.identifier[:3] for one in on_duckdb.findings if one.column == "notes"} == {"any", "(D)", "(F)"}
