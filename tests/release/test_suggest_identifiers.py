"""Direct identifiers by what the values are: nearly unique numbers and codes, names of people, whatever the column is called."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.plan.released_values import find_released_identifiers
from tacit.release.suggest import safe_harbor, suggest

ROWS = 200
RNG = np.random.default_rng(11)
SPARSE = RNG.choice(np.arange(10_000, 990_000), ROWS, replace=False)
"""Numbers of different lengths, as far apart as those of the ACTG 175 trial: no rule of length or gaps sees them."""
NAMES = (
    "pidnum patnum subjid usubjid SUBJECT encounter record hospnum patient_id mrn case_no respondent participant "
    "ptid seqn v17 kennziffer"
).split()
ENGLISH = [
    "Anderson, James",
    "Miller, Susan",
    "O'Brien, Kate",
    "Garcia, Maria",
    "Lee, David",
    "Young, Pat",
    "Novak, Eva",
    "Stone, Ray",
]
GERMAN = [
    "Anna Schmidt",
    "Jürgen Müller",
    "Heike Becker",
    "Uwe Brandt",
    "Sabine Kroll",
    "Dr. Klaus Ott",
    "Ute Zander",
    "Ralf Groß",
]
FRENCH = [
    "DUPONT Marie",
    "LEFEBVRE Luc",
    "MOREAU Chloé",
    "PETIT Jean",
    "ROUX Élodie",
    "BLANC Yves",
    "FAURE Zoé",
    "GIRARD Anaïs",
]
SURNAMES = ["Smith", "Jones", "Kowalski", "Rossi", "Jansen", "Silva", "Hansen", "Quispe", "Abernathy", "Zhou", "Okafor"]
TITLED = ["Mr. Pym", "Mrs. Ames", "Dr Zook", "Frau Xaver", "Herr Iglau", "Mme Tuvache", "Prof. Quark"]
PLACES = [
    "New York",
    "Los Angeles",
    "San Diego",
    "Fort Worth",
    "El Paso",
    "Santa Fe",
    "Cape Town",
    "Buenos Aires",
    "Rio Grande",
]
JOBS = [
    "Craft Repair",
    "Exec Managerial",
    "Sales",
    "Prof Specialty",
    "Adm Clerical",
    "Handlers Cleaners",
    "Farming Fishing",
]
COUNTRIES = [
    "United States",
    "South Africa",
    "Jordan",
    "Chad",
    "Germany",
    "Costa Rica",
    "Georgia",
    "El Salvador",
    "Sri Lanka",
]
COMPANIES = ["BOEING", "AIRBUS INDUSTRIE", "EMBRAER", "CESSNA", "PIPER", "BOMBARDIER INC", "SIKORSKY", "BARKER JACK L"]


def of(name, values):
    return suggest(tacit.Release(pl.DataFrame({name: values, "other_column": [0, 1] * (len(values) // 2)})))[name]


def repeated(values, rows=ROWS):
    drawn = random.Random(5).choices(values, k=rows - len(values))
    return [*values, *drawn]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", [SPARSE.tolist(), [float(one) for one in SPARSE], [str(one) for one in SPARSE]])
def test_unique_whole_numbers_are_identifiers_whatever_their_name(name, values):
    assert of(name, values).role == "identifier"


@pytest.mark.parametrize("name", ["pidnum", "v17"])
def test_a_few_people_with_two_records_do_not_hide_an_identifier(name):
    values = [*SPARSE[:185].tolist(), *SPARSE[:15].tolist()]
    assert of(name, values).role == "identifier"


@pytest.mark.parametrize("name", ["subjid", "usubjid", "pidnum", "hospnum", "SUBJECT"])
def test_a_number_that_recurs_is_an_identifier_by_its_name(name):
    assert of(name, [*SPARSE[:50].tolist()] * 4).role == "identifier"


def test_amounts_are_not_taken_for_identifiers():
    decimals = RNG.lognormal(3, 1, ROWS)
    skewed = [int(one) for one in RNG.lognormal(9, 1.2, ROWS)]
    rounded = (RNG.choice(np.arange(1000, 9999), ROWS, replace=False) * 10).tolist()
    negative = RNG.choice(np.arange(-50_000, 50_000), ROWS, replace=False).tolist()
    for values in (decimals.tolist(), skewed, rounded, negative):
        assert of("v17", values).role == "other"
    assert of("income", SPARSE.tolist()).role == "confidential", "its name says an amount"
    assert of("birth", [19_000_101 + int(one) for one in range(ROWS)]).role == "quasi"


def test_what_chance_would_have_repeated_is_an_identifier_however_skewed():
    skewed = [*range(1, 181), *range(1000, 1020)]
    assert np.mean(skewed) < 0.2 * max(skewed)
    assert of("v17", skewed).role == "identifier"


@pytest.mark.parametrize("values", [ENGLISH, GERMAN, FRENCH, SURNAMES, TITLED])
@pytest.mark.parametrize("name", ["v17", "bearbeitet_von", "region"])
def test_names_of_people_are_found_in_the_values(name, values):
    found = of(name, repeated(values))
    assert found.role == "identifier" and found.confidence != "guess"


@pytest.mark.parametrize("values", [PLACES, JOBS, COUNTRIES, COMPANIES, ["White", "Black", "Brown", "Green", "Gray"]])
def test_places_trades_companies_and_colours_are_not(values):
    assert of("v17", repeated(values)).role != "identifier"


@pytest.mark.parametrize("name", ["Patientenname", "ptname", "pt_name", "PatientName", "nombre_paciente"])
def test_a_column_named_after_the_names_of_patients(name):
    assert of(name, repeated([f"x{place}" for place in range(40)], 600)).role == "identifier"


@pytest.mark.parametrize(
    "values",
    [
        ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"],
        ["QQ 12 34 56 C", "AB123456D"],
        ["12345678Z", "X1234567L"],
    ],
)
def test_numbers_of_accounts_and_of_persons_by_their_shape(values):
    assert of("v17", values * 100).role == "identifier"


def test_a_flag_that_is_named_like_a_number_is_no_identifier():
    assert of("medicaid", ["yes", "no"] * 100).role == "other"


def test_safe_harbor_finds_what_the_suggestions_find():
    columns = {"v1": SPARSE.tolist(), "v2": repeated(ENGLISH), "pidnum": SPARSE.tolist(), "v3": repeated(GERMAN)}
    release = tacit.Release(pl.DataFrame(columns))
    named = {one.column for one in suggest(release).columns if one.role == "identifier"}
    found = {one.column: one.letter for one in safe_harbor(release).findings}
    assert named == set(columns) == set(found)
    assert found["v2"] == found["v3"] == "A" and found["v1"] == "R" and found["pidnum"] == "H"


@pytest.mark.parametrize(
    "day", ["17-Mar-2023", "1-Feb-90", "17MAR2023", "17. März 2023", "March 17, 2023", "3 Dez 1999"]
)
def test_days_with_the_name_of_a_month_are_dates(day):
    release = tacit.Release(pl.DataFrame({"v17": [day, None] * 50}))
    assert suggest(release)["v17"].role == "quasi"
    assert [one.letter for one in safe_harbor(release).findings] == ["C"]


@pytest.mark.parametrize("text", ["12 marbles", "3 sets", "stage 2", "10 mg", "May", "2 mars bars", "grade 3 juniper"])
def test_other_texts_with_numbers_are_not(text):
    assert safe_harbor(tacit.Release(pl.DataFrame({"v17": [text] * 60 + ["x"] * 40}))).holds


def codes(release):
    return {gap.columns[0]: gap.code for gap in find_released_identifiers(release)}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_the_job_looks_at_what_it_releases_whatever_the_plan_says(engine, tmp_path):
    frame = pl.DataFrame(
        {
            "n": SPARSE, "code": [f"c{place}" for place in range(ROWS)], "who": repeated(ENGLISH), "x": RNG.normal(size=ROWS),
            "sex": ["f", "m"] * 100, "decided": SPARSE, "sworn": repeated(GERMAN),
        }
    )  # fmt: skip
    frame.write_parquet(tmp_path / "a.parquet")
    read = tacit.read(tmp_path / "a.parquet", engine=engine)
    release = read.with_roles({"quasi": ["sex", "who"], "unrestricted": ["decided", "sworn"]})
    assert codes(release) == dict.fromkeys(["n", "code", "who", "sworn"], "identifier_released")


@pytest.mark.parametrize("name", ["weight", "wt", "Gewicht"])
def test_weights_that_may_be_of_bodies_are_left_to_the_user(name):
    bodies = [float(one) for one in RNG.normal(75, 12, ROWS).clip(40, 140)]
    assert of(name, bodies).role == "other"
    assert of(name, [1 + one / 50 for one in bodies]).role == "weight"


def test_a_label_tells_a_body_weight_from_a_sampling_weight():
    frame = pl.DataFrame({"WT58": [1.5 + place % 7 for place in range(ROWS)]})
    assert suggest(tacit.Release(frame, labels={"WT58": "BODY WEIGHT"}))["WT58"].role == "confidential"
    assert suggest(tacit.Release(frame))["WT58"].role == "weight"
