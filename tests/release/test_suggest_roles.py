"""Roles suggested by names, shapes and spread of values (catalogue: A-01, A-03)."""

from __future__ import annotations

import json
import tomllib
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.release.suggest import free_text, suggest

ROWS = 200
CERTAIN = ("sure", "likely", "guess")


def of(name: str, values, **more):
    """The suggestion for one column beside one that says nothing."""
    frame = pl.DataFrame({name: values, "zzz": [place % 7 for place in range(len(values))]})
    return suggest(tacit.Release(frame, **more))[name]


TEXTS = [f"value {place % 11}" for place in range(ROWS)]
NUMBERS = [1.5 + place % 13 for place in range(ROWS)]
WHOLES = [place % 60 for place in range(ROWS)]
IDS = [10_000 + 7 * place for place in range(ROWS)]
GROUPS = [place // 2 for place in range(ROWS)]
DAYS = [date(1950, 1, 1) + timedelta(days=90 * place) for place in range(ROWS)]


def test_the_clinic_gets_its_true_roles():
    example = tacit.examples.clinic(2000, seed=1)
    found = suggest(tacit.Release(example.frame))
    for role in ("identifier", "quasi", "confidential"):
        for column in example.roles[role]:
            assert found[column].role == role, column
    assert found.roles()["weight"] == "weight" and found.roles()["household"] == "household"
    assert all(one.confidence in CERTAIN and one.reasons for one in found.columns)
    assert found["phone"].confidence == "sure"
    release = tacit.Release(example.frame, **found.roles())
    assert release.identifiers == ("name", "phone") and release.household == "household"


@pytest.mark.parametrize(
    ("role", "values", "names"),
    [
        ("quasi", TEXTS, "zip zipCode PLZ Postleitzahl code_postal CP codigo-postal CAP postcode cep código_postal"),
        ("quasi", DAYS, "birth DOB date_of_birth Geburtsdatum date_naissance fecha_nacimiento dataNascita geboortedatum data_de_nascimento"),
        ("quasi", TEXTS, "sex Gender Geschlecht sexe sexo sesso geslacht género"),
        ("quasi", WHOLES, "age Alter edad età leeftijd idade Altersgruppe"),
        ("quasi", TEXTS, "city Wohnort commune ciudad città woonplaats cidade Gemeinde county"),
        ("quasi", TEXTS, "occupation Beruf métier profesión professione beroep profissão"),
        ("quasi", TEXTS, "education Schulbildung études educación istruzione opleiding escolaridade"),
        ("quasi", TEXTS, "marital_status Familienstand état_civil estado_civil stato_civile burgerlijke_staat"),
        ("quasi", TEXTS, "nationality Staatsangehörigkeit nationalité nacionalidad cittadinanza nationaliteit nacionalidade"),
        ("quasi", WHOLES, "hh_size HouseholdSize haushaltsgroesse"),
        ("identifier", TEXTS, "surname FirstName Nachname Vorname prénom apellidos cognome achternaam voornaam sobrenome full.name"),
        ("identifier", TEXTS, "phone Telefonnummer téléphone móvil cellulare GSM telemóvel Handynr tel1"),
        ("identifier", TEXTS, "email E-Mail courriel correo eMailAdresse"),
        ("identifier", IDS, "id ID SSN nino patient_no patientNr id_paciente Versichertennummer BSN CPF codice_fiscale dni mrn"),
        ("identifier", TEXTS, "street Straße adresse_postale dirección indirizzo straatnaam endereço home_address"),
        ("confidential", NUMBERS, "Kosten_EUR Behandlungskosten cost Preis coût costo coste prijs preço price income salary Einkommen Gehalt salaire revenu sueldo ingresos reddito stipendio inkomen salário rendimento"),
        ("quasi", TEXTS, "Aufnahmeart Entlassungsgrund admission_type tipo_ingreso"),
        ("confidential", TEXTS, "Hauptdiagnose Nebendiagnose_1 Vorerkrankungen diagnosis Diagnose disease Krankheit maladie enfermedad malattia ziekte doença ICD10"),
        ("quasi_confidential", TEXTS, "religion Konfession religión geloof ethnicity race etnia"),
        ("confidential", TEXTS, "party Partei politics vote"),
        ("weight", NUMBERS, "weight wgt Gewicht poids peso ponderation Hochrechnungsfaktor finalwt"),
        ("household", GROUPS, "household hh hid HHID Haushalt ménage hogar famiglia huishouden family_id"),
    ],
)  # fmt: skip
def test_names_are_read_in_seven_languages(role, values, names):
    for name in names.split():
        found = of(name, values)
        assert found.role == role, name
        assert any("named like" in reason for reason in found.reasons), name


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("household_income", NUMBERS, "confidential"),
        ("Haushaltseinkommen", NUMBERS, "confidential"),
        ("birth_weight", NUMBERS, "confidential"),
        ("weight_kg", NUMBERS, "confidential"),
        ("birth_place", TEXTS, "quasi"),
        ("country_name", TEXTS, "quasi"),
        ("ip_address", TEXTS, "identifier"),
        ("number_of_visits", [place % 9 for place in range(ROWS)], "other"),
        ("stage", TEXTS, "other"),
        ("candidate", TEXTS, "other"),
        ("date_of_diagnosis", DAYS, "quasi"),
        ("weight", [-1.0, *NUMBERS[1:]], "other"),
        ("household", [place % 3 for place in range(ROWS)], "quasi"),
        ("product_name", TEXTS, "quasi"),
    ],
)
def test_what_is_particular_goes_before_what_is_general(name, values, role):
    assert of(name, values).role == role


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([f"person{place}@mail.example.org" for place in range(ROWS)], "e-mail addresses"),
        ([f"(212) 555-{place:04d}" for place in range(ROWS)], "telephone numbers"),
        ([f"+49 30 12345{place:03d}" for place in range(ROWS)], "telephone numbers"),
        ([f"123-45-{place:04d}" for place in range(ROWS)], "social security numbers"),
        ([f"192.168.0.{place}" for place in range(ROWS)], "IP addresses"),
        ([f"https://example.org/{place}" for place in range(ROWS)], "web addresses"),
    ],
)
def test_values_that_look_like_identifiers_are_identifiers_whatever_the_name(values, words):
    found = of("v17", values)
    assert found.role == "identifier" and found.confidence == "sure"
    assert f"100 % of the values look like {words}" in found.reasons
    assert of("v17", [None] * 150 + values[:50]).role == "identifier"
    assert of("v17", values[:30] + ["none"] * 170).role == "other"


def test_reasons_carry_the_share_that_occurs_once():
    values = [f"k{place}" for place in range(195)] + ["same"] * 5
    found = of("v17", values)
    assert (found.role, found.confidence) == ("identifier", "likely")
    assert "97.5 % of the values occur once" in found.reasons


def test_numbered_records_are_identifiers_and_amounts_are_not():
    assert of("v17", list(range(1, ROWS + 1))).confidence == "likely"
    assert of("v17", list(range(1, ROWS + 1))).role == "identifier"
    assert of("v17", [place + 0.25 for place in range(ROWS)]).role == "other"


def test_labels_speak_where_names_do_not():
    found = of("v101", TEXTS, labels={"v101": "Occupation of the respondent"})
    assert (found.role, found.confidence) == ("quasi", "guess")
    assert "labelled like an occupation or employer" in found.reasons


def test_there_is_one_weight_at_most():
    frame = pl.DataFrame({"weight": NUMBERS, "wgt2": NUMBERS, "zip": TEXTS})
    found = suggest(tacit.Release(frame))
    assert found.roles()["weight"] == "weight" and found["wgt2"].role == "other"
    tacit.Release(frame, **found.roles())


REMARKS = [f"patient number {place} came with her son and left again" for place in range(ROWS)]


def test_free_text_is_warned_about():
    frame = pl.DataFrame(
        {
            "v17": REMARKS,
            "comment": [None] * 190 + [f"seen by Dr {place}" for place in range(10)],
            "occupation": ["managers and senior officials in public administration", "teachers"] * 100,
            "zip": TEXTS,
        }
    )
    release = tacit.Release(frame)
    assert free_text(release) == ("v17", "comment")
    assert free_text(tacit.Release(frame, identifier="v17")) == ("comment",)
    found = suggest(release)
    assert found["v17"].role == "identifier" and "read it or drop it" in (found["v17"].warning or "")
    assert found["occupation"].warning is None and found["occupation"].role == "quasi"
    assert "WARNING: free text" in found.plan_text("a.csv")
    assert ("v17", f"warning: {found['v17'].warning}") in list(found.rows())


def test_no_cell_is_ever_shown():
    secret = "SECRETVALUE"
    frame = pl.DataFrame(
        {
            "name": [f"{secret} {place}" for place in range(ROWS)],
            "zip": [f"98{place % 10}61" for place in range(ROWS)],
            "income": [7_654_321.5 + place for place in range(ROWS)],
            "birth": DAYS,
            "note": [f"{secret} wrote a very long remark here {place}" for place in range(ROWS)],
        }
    )
    found = suggest(tacit.Release(frame))
    texts = [str(found), repr(found), json.dumps(found.as_json()), found.plan_text("a.csv"), found._repr_html_()]
    for text in texts:
        for cell in (secret, "98061", "98161", "7654321", "7654520", "1950"):
            assert cell not in text.replace(",", "")


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"name": [], "age": []}, schema={"name": pl.String, "age": pl.Int64}),
        pl.DataFrame({"name": ["x"], "age": [3], "d": [date(2000, 1, 1)], "b": [True], "x": [1.5]}),
        pl.DataFrame({"name": ["x"] * 5, "age": [3] * 5}),
        pl.DataFrame(
            {"household": [None, None], "weight": [None, None]}, schema={"household": pl.Int64, "weight": pl.Float64}
        ),
    ],
)
def test_small_and_empty_tables_get_suggestions(frame):
    found = suggest(tacit.Release(frame))
    assert [one.column for one in found.columns] == frame.columns
    tacit.Release(frame, **found.roles())
    assert "nan" not in str(found).lower() and free_text(tacit.Release(frame)) == ()
    json.dumps(found.as_json(), allow_nan=False)


def is_plain(name: str) -> bool:
    """Polars takes * and ^…$ for patterns of names, and Arrow ends a name at NUL."""
    return name != "*" and "\0" not in name and not (name.startswith("^") and name.endswith("$"))


@given(
    st.text(max_size=12).filter(is_plain), st.lists(st.one_of(st.none(), st.text(max_size=8)), min_size=1, max_size=6)
)
def test_any_name_and_any_text_get_a_role(name, values):
    try:
        release = tacit.Release(pl.DataFrame({name: pl.Series(values, dtype=pl.String)}))
    except tacit.TacitError:
        return
    assert suggest(release)[name].role in (
        "identifier",
        "quasi",
        "confidential",
        "weight",
        "household",
        "other",
        "unrestricted",
    )


def test_the_input_is_untouched():
    frame = tacit.examples.clinic(100, seed=1).frame
    before = frame.clone()
    suggest(tacit.Release(frame))
    assert frame.equals(before)


def test_a_column_name_is_of_people_however_often_a_name_occurs() -> None:
    names, wards = [f"Meyer {place % 9}" for place in range(300)], ["north", "south", "west"] * 100
    found = suggest(tacit.Release(pl.DataFrame({"name": names, "ward_name": wards})))
    assert (found["name"].role, found["ward_name"].role) == ("identifier", "quasi")


def test_a_company_that_occurs_once_is_its_own_name() -> None:
    names = pl.DataFrame({"company name": [f"Firm {number} Ltd" for number in range(60)]})
    assert suggest(tacit.Release(names))["company name"].role == "identifier"
    assert suggest(tacit.Release(pl.DataFrame({"company": ["A", "B", "C"] * 20})))["company"].role == "quasi"


def test_codes_with_decimals_are_not_taken_for_numbers(tmp_path):
    file = tmp_path / "firms.csv"
    file.write_text("nace,price\n" + "13.10,9.90\n47.11,5.50\n46.90,1.25\n" * 20)
    found = suggest(tacit.read(file))
    assert found["nace"].kind == "code" and found["nace"].as_written and found["nace"].hierarchy is None
    assert "as_written = ['nace']" in (found["nace"].warning or "")
    assert not found["price"].as_written and found["price"].warning is None
    data = tomllib.loads(found.plan_text("firms.csv"))["data"]
    assert data["as_written"] == ["nace"]
    kept = tacit.read(file, as_written=data["as_written"])
    assert sorted(set(kept.scan().collect("polars").to_native()["nace"])) == ["13.10", "46.90", "47.11"]
    assert not suggest(kept)["nace"].as_written


def test_a_way_to_be_admitted_is_no_date_of_an_event():
    assert "date" not in of("Aufnahmeart", TEXTS).reasons[0]
    assert "date" in of("Aufnahmedatum", DAYS).reasons[0]
    assert of("Kostenstelle", WHOLES).role == "other", "a cost centre is no sum of money"


def test_numbers_that_were_read_as_text_name_nobody():
    commas = [f"{1000 + 7 * place},{place % 90 + 10}" for place in range(ROWS)]
    assert of("Kosten_EUR", commas).role == "confidential" and of("xyz", commas).role != "identifier"
    assert "decimal comma" in (of("xyz", commas).warning or "")
    grouped = [f"{1 + place},{place % 900 + 100}" for place in range(ROWS)]
    assert of("xyz", grouped).role != "identifier"
