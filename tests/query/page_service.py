"""A service file for the tests of the page: three modes, a joined table, and names that would be HTML if they were let."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tacit.query.account import key_hash
from tacit.query.query_service import QueryService
from tacit.query.service import load_service
from tacit.query.startup import open_desk

KEYS = {name: f"key-of-{name}-0123456789" for name in ("olga", "ana", "ben", "eva")}
EVIL = "<img src=x onerror=alert(1)>"

SERVICE = f"""\
[service]
ledger = "ledger.db"
grid = 0.02
time_limit = 10

[dataset.people]
path = "people.csv"
version = "1"
mode = "dp"
unit = "person"
rows_per_unit = 2
neighbours = "add_remove"
threshold_delta = 1e-8
budget = {{ epsilon = 10, delta = 1e-6 }}
[dataset.people.columns]
sex = {{ kind = "category", values = ["f", "m", "{EVIL}"] }}
age = {{ kind = "integer", low = 0, high = 110 }}
income = {{ kind = "number", low = 0, high = 1000, step = 0.5, confidential = true }}
seen = {{ kind = "date", low = 2020-01-01, high = 2026-12-31 }}
works = {{ kind = "boolean" }}
town = {{ kind = "text" }}
ward = {{ kind = "category", values = ["a", "b"] }}
"{EVIL}" = {{ kind = "integer", low = 0, high = 9 }}
[dataset.people.joins]
wards = {{ path = "wards.csv", key = "ward", columns = {{ beds = {{ kind = "integer", low = 0, high = 50 }} }} }}

[dataset.staff]
path = "staff.csv"
version = "1"
mode = "exact"
least = 5
[dataset.staff.columns]
grade = {{ kind = "category", values = ["A", "B"] }}
years = {{ kind = "integer", low = 0, high = 40 }}
pay = {{ kind = "integer", low = 0, high = 9000, confidential = true }}

[dataset.salaries]
path = "salaries.csv"
version = "1"
mode = "interval"
secret = "salaries.secret"
bands = {{ salary = {{ absolute = 50 }} }}
[dataset.salaries.columns]
grade = {{ kind = "category", values = ["A", "B"] }}
salary = {{ kind = "integer", low = 0, high = 9000, confidential = true }}

[project.rents]
datasets = ["staff", "salaries"]
budget = {{ people = {{ epsilon = 8, delta = 1e-6 }} }}
[project.wages]
datasets = ["staff"]
budget = {{ people = {{ epsilon = 1, delta = 1e-6 }} }}

[account.olga]
role = "owner"
key = "{key_hash(KEYS["olga"])}"
[account.ana]
role = "analyst"
key = "{key_hash(KEYS["ana"])}"
projects = ["rents"]
datasets = ["staff", "salaries"]
budget = {{ people = {{ epsilon = 6, delta = 1e-6 }} }}
[account.ben]
role = "analyst"
key = "{key_hash(KEYS["ben"])}"
projects = ["rents", "wages"]
[account.eva]
role = "auditor"
key = "{key_hash(KEYS["eva"])}"
"""


def page_desk(folder: Path) -> QueryService:
    """An open desk over files of made-up people."""
    rng = np.random.default_rng(10)
    rows = [
        f"{number},{'fm'[sex]},{age},{pay / 2},{2020 + age % 7}-05-0{1 + sex},{'true' if sex else 'false'},t{age % 3},{'ab'[age % 2]},{age % 10}"
        for number, (sex, age, pay) in enumerate(rng.integers([0, 0, 0], [2, 111, 2001], (300, 3)))
    ]
    _written(folder / "people.csv", f"person,sex,age,income,seen,works,town,ward,{EVIL}", rows)
    _written(folder / "wards.csv", "ward,beds", ["a,10", "b,30"])
    staff = [f"{'AB'[number % 2]},{number % 41},{3000 + 7 * number}" for number in range(200)]
    _written(folder / "staff.csv", "grade,years,pay", staff)
    _written(
        folder / "salaries.csv", "grade,salary", [f"{one.split(',')[0]},{one.rpartition(',')[2]}" for one in staff]
    )
    (folder / "SERVICE.toml").write_text(SERVICE)
    return open_desk(load_service(folder / "SERVICE.toml"))


def _written(path: Path, head: str, rows: list[str]) -> None:
    path.write_text("\n".join([head, *rows, ""]))
