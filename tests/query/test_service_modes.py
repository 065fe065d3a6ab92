"""From a service file to answers in every mode, over files and over PostgreSQL (catalogue: H-06, H-07)."""

from __future__ import annotations

import json
import sqlite3
from fractions import Fraction

import numpy as np
import polars as pl
import psycopg
import pytest
from tests.published import published_step

from tacit.errors import TacitError
from tacit.query import Request, load_service, open_desk, views
from tacit.query.account import key_hash
from tacit.query.refusal import Refusal

N = 300
COLUMNS = """
sex = { kind = "category", values = ["f", "m"] }
age = { kind = "integer", low = 0, high = 110 }
wage = { kind = "number", low = 0, high = 5000, step = 0.5, confidential = true }
"""
WARDS = """
ward = { kind = "integer", low = 1, high = 3 }
[dataset.noisy.joins]
wards = { path = "wards.csv", key = "ward", columns = { beds = { kind = "integer", low = 0, high = 50 } } }
"""
MODES = {
    "noisy": 'mode = "dp"\nneighbours = "add_remove"\nbudget = { epsilon = 200 }\nunit = "who"\nrows_per_unit = 1',
    "exact": 'mode = "exact"\nleast = 5\nunit = "who"\nrows_per_unit = 1',
    "interval": 'mode = "interval"\nunit = "who"\nrows_per_unit = 1\nsecret = "interval.secret"\nbands = { wage = { absolute = 50 } }',
    "masked": 'mode = "input"',
}


def staff(seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "who": np.arange(N),
            "sex": rng.choice(["f", "m"], N),
            "age": rng.integers(18, 70, N),
            "wage": rng.integers(1000, 9000, N) / 2,
            "ward": rng.integers(1, 4, N),
        }
    )


def staff_of(mode: str) -> pl.DataFrame:
    """Copies in two modes are refused: but for the exact one's, somebody earns a step less in each."""
    less = 0.5 * sorted(MODES, key=lambda name: name != "exact").index(mode)
    first = pl.int_range(pl.len()) == 0
    return staff().with_columns(wage=pl.when(first).then(pl.col("wage") - less).otherwise("wage"))


def written(folder, ledger="ledger.db", **more: str):
    """Four data sets, each over a file of its own, because one column has one mode."""
    (folder / "public").mkdir(exist_ok=True)
    step = published_step("rank_swap", {"columns": ["wage"], "percent": 5})
    (folder / "public" / "trace.json").write_text(json.dumps([step.as_json(public=True)]))
    (folder / "public" / "report.html").write_text("<p>the published report")
    pl.DataFrame({"ward": [1, 2, 3], "beds": [10, 20, 30]}).write_csv(folder / "wards.csv")
    text = f'[service]\nledger = "{ledger}"\ngrid = 0.1\ntime_limit = 20\n'
    for name, given in MODES.items():
        path = folder / ("public/masked.csv" if name == "masked" else f"{name}.csv")
        if not path.exists():
            staff_of(name).write_csv(path)
        where = more.get(name, f'path = "{path.relative_to(folder)}"')
        joined = WARDS if name == "noisy" and name not in more else ""
        text += f'\n[dataset.{name}]\n{where}\nversion = "1"\n{given}\n[dataset.{name}.columns]{COLUMNS}{joined}'
    text += f'\n[account.ana]\nrole = "analyst"\nkey = "{key_hash("ana")}"\n'
    text += 'datasets = ["exact", "interval", "masked"]\nbudget = { noisy = { epsilon = 200 } }\n'
    (folder / "SERVICE.toml").write_text(text)
    return folder / "SERVICE.toml"


@pytest.fixture
def desk(tmp_path):
    found = open_desk(load_service(written(tmp_path)))
    yield found
    found.close()


def ask(desk, sql: str, spend: object = None):
    account = desk.service.accounts["ana"]
    return desk.query(account, Request(sql=sql, spend=None if spend is None else Fraction(spend)))


def test_each_mode_answers_in_its_way(desk):
    truth = dict(staff().group_by("sex").agg(pl.col("wage").sum()).iter_rows())
    sql = "SELECT sex, SUM(wage) AS w FROM {} GROUP BY sex"
    noisy = dict(ask(desk, sql.format("noisy"), 100).table.rows)
    # Laplace noise of scale 5000/100 on the sum: P(|noise| > 1500) = e^-30
    assert all(noisy[sex] != truth[sex] and abs(noisy[sex] - truth[sex]) < 1500 for sex in truth)
    assert dict(ask(desk, sql.format("exact")).table.rows) == truth
    masked = dict(staff_of("masked").group_by("sex").agg(pl.col("wage").sum()).iter_rows())
    assert dict(ask(desk, sql.format("masked")).table.rows) == masked
    for sex, (low, high) in ask(desk, sql.format("interval")).table.rows:
        assert low <= truth[sex] <= high and high - low >= 2 * 50
    assert [desk.ledger.spent(name).amount for name in MODES] == [100, 0, 0, 0]
    assert desk.ledger.verify().holds


def test_every_mode_can_be_rehearsed_without_a_trace(desk):
    account = desk.service.accounts["ana"]
    for name in MODES:
        request = Request(
            sql=f"SELECT sex, AVG(wage) AS w FROM {name} GROUP BY sex", spend=Fraction(1) if name == "noisy" else None
        )
        reply = desk.dummy(account, request)
        assert reply.dummy and {row[0] for row in reply.table.rows} >= {"f", "m"}
        assert desk.cost(account, request).refusal is None
    assert desk.ledger.entries() == []


def test_a_declared_join_is_asked_and_rehearsed(desk):
    sql = "SELECT COUNT(*) AS n FROM noisy JOIN wards USING (ward) WHERE wards.beds >= 20"
    truth = staff().filter(pl.col("ward") >= 2).height
    assert abs(ask(desk, sql, 10).table.rows[0][0] - truth) < 10, "P(|noise| > 9 at ε = 10) < 1e-38"
    reply = desk.dummy(desk.service.accounts["ana"], Request(sql=sql, spend=Fraction(10)))
    assert reply.dummy and reply.table.rows[0][0] > 0


def test_the_audit_remembers_over_a_restart(tmp_path):
    """Everybody, then all but four: refused by what the ledger tells, in another process's desk too."""
    few = staff().with_columns(age=pl.when(pl.col("who") < 4).then(100).otherwise(pl.col("age")))
    few.write_csv(tmp_path / "exact.csv")
    file = written(tmp_path)
    first = open_desk(load_service(file))
    ask(first, "SELECT SUM(wage) FROM exact")
    first.close()
    again = open_desk(load_service(file))
    preview = again.cost(again.service.accounts["ana"], Request(sql="SELECT SUM(wage) FROM exact WHERE age < 100"))
    assert preview.refusal is not None
    with pytest.raises(Refusal) as caught:
        ask(again, "SELECT SUM(wage) FROM exact WHERE age < 100")
    assert caught.value.code in ("small_set", "would_disclose")
    assert ask(again, "SELECT SUM(wage) FROM exact").repeated, "what was answered stays free"
    again.close()


def test_other_data_are_another_version_under_the_same_budget(tmp_path):  # attack 22
    file = written(tmp_path)
    first = open_desk(load_service(file))
    before = ask(first, "SELECT COUNT(*) FROM noisy", 1)
    first.close()
    staff(seed=6).write_csv(tmp_path / "noisy.csv")
    second = open_desk(load_service(file))
    after = ask(second, "SELECT COUNT(*) FROM noisy", 1)
    assert after.version != before.version and not after.repeated
    assert second.ledger.spent("noisy").amount == 2, "the same people may be in both"
    second.close()
    staff_of("noisy").write_csv(tmp_path / "noisy.csv")
    third = open_desk(load_service(file))
    assert ask(third, "SELECT COUNT(*) FROM noisy", 1).repeated, "the first version is back, and so is its answer"
    third.close()


def test_a_version_does_not_confirm_a_guess_of_the_data(tmp_path):
    """The same file under two ledgers has two versions: the fingerprint is keyed, so that nobody can test guesses."""
    one = open_desk(load_service(written(tmp_path)))
    other = open_desk(load_service(written(tmp_path, ledger="other.db")))
    assert one.rooms["noisy"].schema.version != other.rooms["noisy"].schema.version
    one.close()
    other.close()


def test_rules_are_told_and_paths_are_not(desk):
    told = views.list_datasets(desk, desk.service.accounts["ana"])["datasets"]
    rules = {one["name"]: one["rules"] for one in told}
    assert rules["exact"] == {"least": 5} and rules["interval"] == {"bands": {"wage": {"absolute": "50"}}}
    assert "csv" not in json.dumps(told) and "secret" not in json.dumps(told)


def test_data_and_ledger_in_postgres(tmp_path, database):
    with psycopg.connect(database) as direct:
        direct.execute("CREATE TABLE staff (who int, sex text, age int, wage numeric)")
        with direct.cursor().copy("COPY staff FROM STDIN") as copy:
            for row in staff_of("noisy").drop("ward").iter_rows():
                copy.write_row(row)
    here = f'url = "{database}"\ntable = "staff"'
    found = open_desk(load_service(written(tmp_path, ledger=database, noisy=here)))
    reply = ask(found, "SELECT sex, COUNT(*) AS n FROM noisy GROUP BY sex", 20)
    counts = dict(staff_of("noisy")["sex"].value_counts().iter_rows())
    assert all(abs(dict(reply.table.rows)[sex] - counts[sex]) < 5 for sex in counts), "P(|noise| > 4 at ε = 20) < 1e-34"
    assert found.ledger.verify().lines == 2
    found.close()


def test_a_unit_of_account_cannot_be_changed_once_something_is_spent(tmp_path):
    file = written(tmp_path)
    first = open_desk(load_service(file))
    ask(first, "SELECT COUNT(*) FROM noisy", 1)
    first.close()
    file.write_text(file.read_text().replace("{ epsilon = 200 }", "{ rho = 200 }"))
    with pytest.raises(TacitError, match="counts epsilon"):
        open_desk(load_service(file))


def test_what_was_opened_is_closed_when_a_later_data_set_fails(tmp_path):
    file = written(tmp_path)
    (tmp_path / "public" / "masked.csv").unlink()
    with pytest.raises(TacitError, match=r"dataset\.masked"):
        open_desk(load_service(file))


def test_earlier_versions_are_audited_together_with_the_present_one(tmp_path):  # attack 22
    """One person leaves: the two totals together would tell the wage of that person."""
    file = written(tmp_path)
    first = open_desk(load_service(file))
    ask(first, "SELECT SUM(wage) FROM exact")
    first.close()
    staff().write_csv(tmp_path / "exact-1.csv")
    staff().slice(1).write_csv(tmp_path / "exact.csv")
    text = file.read_text()
    for earlier in ("", '\nearlier = { "1" = "exact-1.csv" }'):
        before, _, rest = text.partition("[dataset.exact]")
        file.write_text(before + "[dataset.exact]" + rest.replace('version = "1"', f'version = "2"{earlier}', 1))
        second = open_desk(load_service(file))
        with pytest.raises(Refusal) as caught:
            ask(second, "SELECT SUM(wage) FROM exact")
        assert caught.value.code in ("would_disclose", "small_set", "unknown_dataset")
        if earlier:
            assert ask(second, "SELECT SUM(wage) FROM exact WHERE age < 40").table.rows[0][0] > 0
        second.close()


def test_a_service_does_not_start_over_a_broken_ledger(tmp_path):
    file = written(tmp_path)
    first = open_desk(load_service(file))
    ask(first, "SELECT COUNT(*) FROM noisy", 1)
    first.close()
    direct = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    direct.execute("DROP TRIGGER tacit_ledger_no_update")
    direct.execute("UPDATE tacit_ledger SET totals = replace(totals, '\"1\"', '\"0\"') WHERE number = 1")
    direct.close()
    with pytest.raises(TacitError, match="broken at line 1"):
        open_desk(load_service(file))
