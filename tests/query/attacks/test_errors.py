"""What failures and metadata tell: exceptions, refunds, missing bounds, schemas (attacks 11, 12, 17, 20).

catalogue: H-07
"""

from __future__ import annotations

import json
import re
from fractions import Fraction

import duckdb
import polars as pl
import pytest

from tacit.cli.serve import write_service
from tacit.query import views
from tacit.query.query_service import QueryService
from tacit.query.refusal import Refusal
from tacit.query.request import Request
from tacit.query.service import load_service
from tacit.query.startup import open_desk

from .overflow import BOUNDS, known_children, read_values, true_value
from .stub import Unprotected
from .world import TARGET, World, people

D = people().with_columns(ill=pl.when(pl.col("who") == TARGET).then(True).otherwise(pl.col("ill")))
NEIGHBOUR = D.with_columns(ill=pl.when(pl.col("who") == TARGET).then(False).otherwise(pl.col("ill")), income=1234.5)
WHOSE = f"who = {TARGET} AND ill"


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Two desks over data that differ in the target's illness and in all incomes."""
    worlds = [World(tmp_path_factory.mktemp("errors"), frame, "clinic") for frame in (D, NEIGHBOUR)]
    yield worlds
    for world in worlds:
        world.close()


# --- 11: exceptions

TRAPS = [
    f"SELECT COUNT(*) FROM clinic WHERE CASE WHEN {WHOSE} THEN CAST('x' AS INT) ELSE 1 END = 1",
    f"SELECT COUNT(*) FROM clinic WHERE CASE WHEN {WHOSE} THEN error('caught') ELSE TRUE END",
    f"SELECT SUM(CASE WHEN {WHOSE} THEN CAST('9' || who AS TINYINT) ELSE 1 END) FROM clinic",
    f"SELECT COUNT(*) FROM clinic WHERE CASE WHEN {WHOSE} THEN SQRT(-1) > 0 ELSE TRUE END",
    f"SELECT COUNT(*) FROM clinic WHERE (SELECT 1 FROM clinic WHERE {WHOSE} UNION ALL SELECT 2) = 1",
]
MORE = [
    "SELECT COUNT(*) FROM clinic WHERE 1 / (age - 30) > 0",
    "SELECT COUNT(*) FROM clinic WHERE CAST(town AS INT) > 0",
    "SELECT COUNT(*) FROM clinic WHERE SQRT(age - 50) > 0",
    "SELECT COUNT(*) FROM clinic WHERE regexp_matches(town, '(a+)+$')",
    "SELECT COUNT(*) FROM clinic WHERE town LIKE '%B%'",
    "SELECT COUNT(*) FROM clinic WHERE LENGTH(town) > 3",
    "SELECT SUM(income / age) FROM clinic",
    "SELECT SUM(LN(income)) FROM clinic",
    "SELECT COUNT(*) FROM clinic WHERE age = (SELECT MAX(age) FROM clinic)",
    "SELECT COUNT(*) FROM clinic WHERE random() < 0.5",
    "SELECT COUNT(*) FROM clinic WHERE sleep(1)",
]


def fails(asked, sql: str) -> bool:
    try:
        asked.ask(sql)
    except duckdb.Error:
        return True
    return False


def test_attack_11_succeeds_where_the_text_reaches_the_engine():
    ill, well = Unprotected(D, "clinic"), Unprotected(NEIGHBOUR, "clinic")
    telling = [sql for sql in TRAPS if fails(ill, sql) and not fails(well, sql)]
    assert len(telling) >= 3


@pytest.mark.parametrize("sql", TRAPS + MORE)
def test_attack_11_whatever_could_fail_is_refused_before_the_data_are_touched(both, sql):
    heard = [world.refusal(sql, "1") for world in both]
    assert all(one is not None and one.code == "unsupported_sql" for one in heard)
    assert str(heard[0]) == str(heard[1]) and [world.spent() for world in both] == [0, 0]


# --- 12: refunds


class Refunding(QueryService):
    """Charged when it was answered: who fails pays nothing, as some services do it."""

    spent_here = Fraction(0)

    def query(self, account, request):
        read = self._parse_request(account, request)
        quote = read.room.mode.quote(read.question, request.spend)
        try:
            read.room.mode.answer(quote)
        except Exception:
            return
        self.spent_here += quote.cost.amount


def failing_for(world: World, frame: pl.DataFrame) -> None:
    """From now on the engine fails whenever the target is ill: a data set that was damaged at one row, say."""
    source = world.desk.rooms["clinic"].mode.source
    if frame["ill"][TARGET]:
        source.tally = lambda *_, **__: (_ for _ in ()).throw(RuntimeError(f"row {TARGET} holds true"))


def test_attack_12_succeeds_against_refunds(tmp_path):
    spent = []
    for place, frame in enumerate((D, NEIGHBOUR)):
        with World(tmp_path / str(place), frame, "clinic") as world:
            failing_for(world, frame)
            desk = Refunding(world.desk.service, world.desk.ledger, world.desk.rooms)
            world.desk = desk
            desk.query(desk.service.accounts["ana"], _request())
            spent.append(desk.spent_here)
    assert spent == [0, Fraction(1, 2)], "the budget that is left tells who is ill"


def _request():
    from tacit.query import Request

    return Request(sql="SELECT COUNT(*) FROM clinic", spend=Fraction(1, 2))


def test_attack_12_a_failure_is_charged_like_an_answer_and_the_charge_is_the_same_line(tmp_path):
    charges, budgets = [], []
    for place, frame in enumerate((D, NEIGHBOUR)):
        with World(tmp_path / str(place), frame, "clinic") as world:
            failing_for(world, frame)
            assert world.code("SELECT COUNT(*) FROM clinic", "0.5") == ("failed" if place == 0 else "answered")
            line = json.loads(json.dumps(world.desk.ledger.entries()[-1].as_json()))
            question = line["question"]
            for part in (line, question):  # the version is a keyed fingerprint, another in each ledger
                part.pop("version")
            charges.append(
                {key: line[key] for key in ("kind", "account", "dataset", "mode", "cost", "totals")} | question
            )
            budgets.append(views.list_budgets(world.desk, world.desk.service.accounts["ana"]))
            assert world.desk.ledger.verify().holds
    assert charges[0] == charges[1] and budgets[0] == budgets[1]


# --- 17: undeclared bounds


def test_attack_17_succeeds_where_no_bounds_mean_no_noise():
    """One SmartNoise release answered a SUM without declared bounds exactly: noise of sensitivity nothing."""
    exact = Unprotected(people(), "clinic").ask("SELECT SUM(free) FROM clinic")[0][0]
    assert exact + 0 * 1.5 == people()["free"].sum()


@pytest.mark.parametrize("what", ["SUM(free)", "AVG(free)", "VARIANCE(free)", "MEDIAN(free)", "QUANTILE(free, 0.9)"])
def test_attack_17_without_declared_bounds_nothing_is_summed(both, what):
    assert both[0].code(f"SELECT {what} FROM clinic", "1") == "undeclared_bounds"
    assert both[0].code(f"SELECT sex, {what} FROM clinic GROUP BY sex", "1") == "undeclared_bounds"
    assert both[0].code(f"SELECT BIN(free, 2), COUNT(*) FROM clinic GROUP BY BIN(free, 2)", "1") == "undeclared_bounds"  # noqa: F541
    assert both[0].spent() == 0


# --- 20: metadata

CURIOUS = [
    "EXPLAIN SELECT COUNT(*) FROM clinic",
    "EXPLAIN ANALYZE SELECT COUNT(*) FROM clinic",
    "DESCRIBE clinic",
    "SUMMARIZE clinic",
    "SHOW TABLES",
    "PRAGMA table_info('clinic')",
    "SELECT COUNT(*) FROM information_schema.columns",
    "SELECT estimated_size FROM duckdb_tables()",
    "SELECT MIN(income), MAX(income) FROM clinic",
    "SELECT COUNT(*) FROM clinic USING SAMPLE 3",
]


def test_attack_20_succeeds_where_the_schema_is_read_off_the_data():
    stub = Unprotected(D, "clinic")
    summary = stub.ask("SELECT column_name, min, max, count FROM (SUMMARIZE clinic)")
    assert ("income", str(D["income"].min()), str(D["income"].max()), D.height) in summary
    assert stub.ask("SELECT estimated_size FROM duckdb_tables()") == [(D.height,)]


def test_attack_20_what_is_told_without_asking_is_the_declaration(both, tmp_path):
    told = []
    few = World(tmp_path, D.head(3).with_columns(income=5.0), "clinic")
    for world in (*both, few):
        account = world.desk.service.accounts["ana"]
        seen = views.list_datasets(world.desk, account)["datasets"]
        for one in seen:
            assert one.pop("version").startswith("1+")
        request = _request()
        preview = world.desk.cost(account, request).as_json()
        preview.pop("version")
        refusals = [str(world.refusal(sql, "1")) for sql in CURIOUS]
        assert "None" not in refusals
        told.append(json.dumps([seen, preview, refusals]))
    few.close()
    assert told[0] == told[1] == told[2] and str(D.height) not in told[0].replace("[40]", "")


def test_attack_20_a_refusal_is_raised_and_not_an_error_of_the_engine(both):
    with pytest.raises(Refusal):
        both[0].ask("SELECT COUNT(*) FROM duckdb_settings()", "1")


def exploited(folder, *, count: int) -> tuple[int, int]:
    """Values that the overflow oracle reads of children of the example service, and how many it tried."""
    write_service(folder)
    rows = pl.read_csv(folder / "clinic.csv", schema_overrides={"zip": pl.String}).to_dicts()
    children = known_children(rows, count)
    desk = open_desk(load_service(folder / "SERVICE.toml"))
    ana = desk.service.accounts["ana"]

    def fails(sql: str) -> bool:
        try:
            desk.query(ana, Request(sql=sql, spend=Fraction(1, 10_000)))
        except Refusal as refusal:
            return refusal.code == "failed"
        return False

    claims = read_values(fails, children)
    desk.close()
    right = [
        claims.get((i, name), "") == true_value(child, name) for i, child in enumerate(children) for name in BOUNDS
    ]
    return sum(right), 4 * count


def test_the_overflow_oracle_reads_nothing_of_the_example_service(tmp_path):
    """It read 160 of 160 values of 40 children for ε = 0.0015 (review A1)."""
    assert exploited(tmp_path / "demo", count=3) == (0, 12)


def test_the_overflow_exploit_has_power():
    """Against an oracle that fails when a row beyond 16 bits meets the condition, every value is read."""
    child = {
        "birth": "2012-05-01",
        "sex": "F",
        "zip": "1010",
        "visits": 7,
        "education": 0,
        "rent": 440,
        "income": 12345,
    }

    def fails(sql: str) -> bool:
        if "IS NULL" in sql:
            return False
        name, first, last = re.search(r"AND (\w+) BETWEEN (\d+) AND (\d+)", sql).groups()
        return int(first) <= child[name] <= int(last)

    assert read_values(fails, [child]) == {(0, name): child[name] for name in BOUNDS}
