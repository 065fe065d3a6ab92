"""The service file: exact numbers, every mistake answered with file, key and remedy (catalogue: H-07)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tacit.dp.cost import Cost
from tacit.errors import TacitError
from tacit.query.account import key_hash
from tacit.query.refusal import Refusal
from tacit.query.service import TableLocation, load_service

ANA, BEN, EVA = (key_hash(name) for name in ("ana", "ben", "eva"))
GOOD = f"""
[service]
ledger = "ledger.db"
grid = 0.1
time_limit = 10

[dataset.patients]
path = "patients.parquet"
version = "2026-01"
mode = "dp"
unit = "patient"
rows_per_unit = 3
neighbours = "add_remove"
budget = {{ epsilon = 5, delta = 1e-6 }}
threshold_delta = 1e-8
[dataset.patients.columns]
age = {{ kind = "integer", low = 0, high = 110 }}
sex = {{ kind = "category", values = ["f", "m"] }}
income = {{ kind = "number", low = 0, high = 200000, step = 0.01, confidential = true }}
visit = {{ kind = "date", low = 2020-01-01, high = 2026-12-31 }}
smokes = {{ kind = "boolean" }}
town = {{ kind = "text" }}
ward = {{ kind = "category", values = ["A", "B"] }}
[dataset.patients.joins]
wards = {{ path = "wards.csv", key = "ward", columns = {{ beds = {{ kind = "integer", low = 0, high = 50 }} }} }}

[dataset.staff]
path = "staff.csv"
version = "1"
mode = "exact"
least = 5
columns = {{ wage = {{ kind = "number", low = 0, high = 9000, step = 1, confidential = true }} }}

[project.infections]
budget = {{ patients = {{ epsilon = 2 }} }}
[project.ageing]
budget = {{ patients = {{ epsilon = "1/3" }} }}
datasets = ["staff"]

[account.ana]
role = "analyst"
key = "{ANA}"
projects = ["infections"]
budget = {{ patients = {{ epsilon = 1 }} }}
[account.ben]
role = "analyst"
key = "{BEN}"
projects = ["infections", "ageing"]
[account.eva]
role = "auditor"
key = "{EVA}"
"""


def loaded(folder, text=GOOD):
    path = folder / "SERVICE.toml"
    path.write_text(text, encoding="utf-8")
    return load_service(path)


def test_decimals_are_what_was_typed(tmp_path):
    service = loaded(tmp_path)
    assert service.grid == Fraction(1, 10) and service.time_limit == 10
    patients = service.datasets["patients"]
    assert patients.budget == Cost.of(5, "1e-6")
    assert patients.options == {"neighbours": "add_remove", "threshold_delta": Fraction(1, 10**8)}
    assert service.projects["ageing"].budget["patients"].amount == Fraction(1, 3)
    income, visit = (patients.schema.columns[name] for name in ("income", "visit"))
    assert (income.low, income.high, income.step) == (0, 20_000_000, Fraction(1, 100))
    assert visit.decode(visit.low) == "2020-01-01" and visit.decode(visit.high) == "2026-12-31"
    assert patients.schema.columns["smokes"].bounds() == (0, 1)


def test_paths_are_relative_to_the_file_and_joined_columns_bear_their_table(tmp_path):
    patients = loaded(tmp_path).datasets["patients"]
    assert patients.place.path == tmp_path / "patients.parquet"
    assert patients.joins["wards"].place.path == tmp_path / "wards.csv"
    assert patients.schema.joins == {"wards": "ward"} and patients.schema.columns["wards.beds"].high == 50


def test_caps_are_those_of_data_set_project_and_account(tmp_path):
    service = loaded(tmp_path)
    ana, ben = service.accounts["ana"], service.accounts["ben"]
    assert service.project_of(ana, None) == "infections", "its only project is meant"
    caps = service.caps(ana, "infections", "patients")
    assert [(cap.scope, cap.name, cap.limit.amount) for cap in caps] == [
        ("dataset", "patients", 5), ("project", "infections", 2), ("account", "ana", 1),
    ]  # fmt: skip
    assert service.caps(ben, "ageing", "staff") == (), "nothing is spent on exact answers"
    assert service.open_to(ana) == ("patients",) and service.open_to(ben) == ("patients", "staff")
    assert service.open_to(service.accounts["eva"]) == ("patients", "staff")


@pytest.mark.parametrize(
    ("who", "project", "dataset", "code"),
    [
        ("ana", "ageing", "patients", "not_allowed"),
        ("ben", None, "patients", "bad_request"),
        ("ben", "infections", "staff", "not_allowed"),
        ("eva", None, "patients", "not_allowed"),
        ("ana", None, "patiens", "unknown_dataset"),
    ],
)
def test_who_may_not_ask_is_refused(tmp_path, who, project, dataset, code):
    service = loaded(tmp_path)
    account = service.accounts[who]
    with pytest.raises(Refusal) as caught:
        service.caps(account, service.project_of(account, project), dataset)
    assert caught.value.code == code and caught.value.fix


MISTAKES = [
    ("[service]", "[servce]", "servce", "did you mean 'service'?"),
    ("grid = 0.1\n", "", "service.grid", "add 'grid'"),
    ("grid = 0.1", "grid = 0", "service.grid", "correct"),
    ("grid = 0.1", "grid = nan", "service.grid", "correct"),
    ("grid = 0.1", 'grid = "fast"', "service.grid", "correct"),
    ("grid = 0.1", "grid = 0.1\nportt = 1", "service.portt", "did you mean 'port'?"),
    ("grid = 0.1", "grid = 0.1\nport = 99999", "service.port", "correct"),
    ("grid = 0.1", 'grid = 0.1\nhost = "0.0.0.0"', "service.host", "tls"),
    ("grid = 0.1", 'grid = 0.1\ntls = { certificate = "no.pem", key = "no.pem" }', "service.tls", "PEM"),
    ("grid = 0.1", "grid = = 0.1", "not TOML", "mend"),
    ('mode = "dp"', 'mode = "dpp"', "dataset.patients.mode", "did you mean 'dp'?"),
    ("least = 5", "leest = 5", "dataset.staff.leest", "did you mean 'least'?"),
    ('path = "staff.csv"', 'path = "staff.csv"\nurl = "postgresql://x"', "dataset.staff", "table"),
    ('path = "staff.csv"', "", "dataset.staff", "path"),
    ("rows_per_unit = 3\n", "", "dataset.patients", "rows_per_unit"),
    ("rows_per_unit = 3", "rows_per_unit = 0", "dataset.patients.rows_per_unit", "correct"),
    ("epsilon = 5", "epsilon = -5", "dataset.patients.budget", "above 0"),
    ("epsilon = 5", "epsilon = 0", "dataset.patients.budget", "above 0"),
    ("epsilon = 5", "epsilon = inf", "dataset.patients.budget.epsilon", "correct"),
    ("epsilon = 5", "epsilon = 5, rho = 1", "dataset.patients.budget", "rho"),
    ("epsilon = 5", "epsilom = 5", "dataset.patients.budget.epsilom", "did you mean 'epsilon'?"),
    ("delta = 1e-6", "delta = 1", "dataset.patients.budget", "below 1"),
    ("budget = { epsilon = 5, delta = 1e-6 }\n", "", "dataset.patients", "budget"),
    ("least = 5", "least = 5\nbudget = { epsilon = 1 }", "dataset.staff.budget", "leave budget out"),
    ("low = 0, high = 110", "low = 110, high = 0", "dataset.patients.columns.age", "low < high"),
    ("low = 0, high = 110", "low = 0.5, high = 110", "dataset.patients.columns.age", "whole number"),
    ("low = 0, high = 110", "low = 0", "dataset.patients.columns.age", "low and high"),
    ("low = 0, high = 110", "low = 0, hihg = 110", "dataset.patients.columns.age.hihg", "did you mean 'high'?"),
    ("low = 0, high = 110", "low = 0, high = 1" + "0" * 30, "dataset.patients.columns.age", "low < high"),
    ('values = ["f", "m"]', 'values = ["f", "f"]', "dataset.patients.columns.sex", "values = ["),
    ('values = ["f", "m"]', "low = 1, high = 2", "dataset.patients.columns.sex", "it takes values"),
    ("high = 200000, step = 0.01", "high = 200000", "dataset.patients.columns.income", "step"),
    ("high = 200000, step", "high = 200000.005, step", "dataset.patients.columns.income", "multiples of step"),
    ("low = 2020-01-01", "low = 2020", "dataset.patients.columns.visit", "2020-01-01"),
    ("low = 2020-01-01", "low = 2020-01-01T10:00:00", "dataset.patients.columns.visit", "2020-01-01"),
    ("beds = { kind", "beds = { kin", "dataset.patients.joins.wards.columns.beds.kin", "did you mean 'kind'?"),
    ("high = 50 }", "high = -50 }", "dataset.patients.joins.wards.columns.beds", "low < high"),
    ("[dataset.staff]", '[dataset."staff list"]', "dataset", "letters"),
    ("budget = { patients = { epsilon = 2 } }", "budget = { patiens = { epsilon = 2 } }", "project.infections", "did you mean 'patients'?"),
    ("budget = { patients = { epsilon = 2 } }", "budget = { patients = { rho = 2 } }", "project.infections.budget.patients", "epsilon"),
    ("budget = { patients = { epsilon = 2 } }", "budget = { staff = { epsilon = 2 } }", "project.infections.budget.staff", "datasets"),
    (ANA, "geheim", "account.ana.key", "--new-key"),
    (f'"{BEN}"', f'"{ANA}"', "account.ben.key", "--new-key"),
    ('role = "auditor"', 'role = "auditer"', "account.eva.role", "did you mean 'auditor'?"),
    ('projects = ["infections"]', 'projects = ["infection"]', "account.ana.projects", "did you mean 'infections'?"),
    ('projects = ["infections", "ageing"]', "projects = []", "account.ben", "datasets"),
    ('key = "ward"', 'key = "wrd"', "dataset.patients.joins.wards", "columns.wrd"),
    ('wards = { path = "wards.csv"', 'wards = { table = "wards"', "dataset.patients.joins.wards", "path for a file"),
    ('neighbours = "add_remove"\n', "", "dataset.patients", "add it"),
    ("least = 5\n", "", "dataset.staff", "add it"),
    ("least = 5", "least = 5\nsize = 7", "dataset.staff.size", "least, overlap"),
    ("least = 5", "least = 1", "dataset.staff.least", "smallest set"),
    ('mode = "exact"\nleast = 5', 'mode = "interval"\nbands = { wage = { absolut = 1 } }', "dataset.staff.bands.wage.absolut", "did you mean 'absolute'?"),
    ('mode = "exact"\nleast = 5', 'mode = "interval"\nbands = { wage = { absolute = 1 } }', "dataset.staff", "add it"),
    ("least = 5", "least = 5\nearlier = [1]", "dataset.staff.earlier", "version → file"),
    ('key = "ward", ', "", "dataset.patients.joins.wards.key", "add 'key'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("was", "now", "where", "fix"), MISTAKES, ids=[f"{place}: {one[2]}" for place, one in enumerate(MISTAKES)]
)
def test_a_mistake_is_answered_with_file_key_and_remedy(tmp_path, was, now, where, fix):
    assert was in GOOD
    with pytest.raises(TacitError) as caught:
        loaded(tmp_path, GOOD.replace(was, now, 1))
    said = str(caught.value)
    assert str(tmp_path / "SERVICE.toml") in said and where in said, said
    assert fix in caught.value.fix, said
    assert "geheim" not in said, "what stands where a key belongs may be a key"


@pytest.mark.parametrize(("mode", "refused"), [("exact", True), ("interval", True), ("input", True), ("dp", False)])
def test_mixing_modes_on_one_confidential_column_is_refused(tmp_path, mode, refused):
    """Also twice the same audit: it would not know of the other's answers. Budgets of dp add up."""
    extra = {
        "dp": 'budget = { epsilon = 1 }\nneighbours = "replace"',
        "exact": "least = 3",
        "interval": 'bands = { income = { absolute = 1 } }\nsecret = "x"',
        "input": "",
    }
    again = f"""
[dataset.again]
path = "../{tmp_path.name}/patients.parquet"
version = "2026-01"
mode = "{mode}"
{extra[mode]}
columns = {{ income = {{ kind = "number", low = 0, high = 1, step = 1 }} }}
"""
    if refused:
        with pytest.raises(TacitError, match="mixing modes on one confidential column"):
            loaded(tmp_path, GOOD + again)
    else:
        loaded(tmp_path, GOOD + again)
    loaded(tmp_path, GOOD + again.replace("income", "age")), "a column that nobody calls confidential may be in both"


def test_a_file_that_is_not_there_is_answered_with_the_nearest(tmp_path):
    loaded(tmp_path)
    with pytest.raises(TacitError, match=r"did you mean 'SERVICE.toml'"):
        load_service(tmp_path / "SERVCE.toml")
    with pytest.raises(TacitError, match="UTF-8"):
        load_service(tmp_path)


def test_places_are_the_same_table_whatever_they_are_called(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    assert TableLocation(path=tmp_path / "a.csv").is_same_table(TableLocation(path=tmp_path / "b.csv"))
    assert TableLocation(url="postgresql://h/d", table="t").is_same_table(
        TableLocation(url="postgresql://h/d", table="public.t")
    )
    assert not TableLocation(url="postgresql://h/d", table="t").is_same_table(
        TableLocation(url="postgresql://h/d", table="other.t")
    )
    assert not TableLocation(path=tmp_path / "a.csv").is_same_table(TableLocation(url="postgresql://h/d", table="t"))
