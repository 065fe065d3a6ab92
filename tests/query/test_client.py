"""The Python client against a real server (catalogue: H-07)."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from fractions import Fraction

import polars as pl
import pytest

from tacit.errors import TacitError
from tacit.query.client import Client, QueryResponse
from tacit.query.refusal import Refusal

from .desks import KEYS, desk
from .serving import served

SQL = "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex ORDER BY n DESC"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    found = desk(tmp_path_factory.mktemp("served") / "ledger.db")
    with served(found) as address:
        yield address
    found.close()


@pytest.fixture
def ana(url):
    with Client(url, key=KEYS["ana"]) as client:
        yield client


def test_a_session_of_an_analyst(ana):
    assert ana.account() == {"account": "ana", "role": "analyst", "projects": []}
    assert [column["name"] for column in ana.datasets()[0]["columns"]] == ["age", "sex", "income"]
    preview = ana.cost(SQL, spend=Fraction(1, 4))
    assert preview.cost.amount == Fraction(1, 4) and preview.refusal is None and preview.rows() == []
    answer = ana.query(SQL, spend="0.25")
    assert (
        answer.columns == ("sex", "n") and answer.charged == preview.cost and answer.accuracy == (preview.accuracy,) * 3
    )
    assert {row[0] for row in answer.rows()} == {"f", "m", None}
    assert answer.frame().schema == {"sex": pl.String, "n": pl.Int64} and answer.frame().height == 3
    assert ana.query(SQL, spend=0.25).charged.amount == 0, "0.25 and '0.25' are one price"
    assert ana.dummy(SQL, spend=1).notes[0].startswith("DUMMY")
    assert [line["kind"] for line in ana.history(limit=2)] == ["answer", "charge"]
    assert ana.history(before=2)[0]["number"] == 1
    assert [cap["left"]["amount"] for cap in ana.budget()[0]["caps"]] == ["39/4", "7/4"]
    with pytest.raises(FrozenInstanceError):
        answer.said = {}


def test_an_auditor_verifies(url):
    with Client(url, key=KEYS["eva"]) as eva:
        found = eva.verify()
        assert found["holds"] and eva.verify(found["head"])["holds"]
        assert not eva.verify("f" * 64)["holds"]


def test_a_refusal_of_the_service_is_raised_with_its_code(url, ana):
    for call, code in (
        (lambda: ana.query("SELECT SUM(inkome) FROM people", spend=1), "unknown_column"),
        (lambda: ana.query(SQL, spend=99), "budget"),
        (lambda: ana.verify(), "not_allowed"),
        (lambda: Client(url, key="nobody").budget(), "bad_key"),
    ):
        with pytest.raises(Refusal) as caught:
            call()
        assert caught.value.code == code and caught.value.fix
    assert ana.cost(SQL, spend=99).refusal.code == "budget"


def test_an_interval_is_a_pair():
    answer = QueryResponse(
        {"columns": ["n"], "accuracy": [[None]] * 3, "rows": [[[1, 2]], [[1, 2.5]], [None]], "notes": []}
    )
    assert answer.rows() == [((1, 2),), ((1, 2.5),), (None,)]
    assert answer.frame()["n"].to_list() == [[1, 2], [1, 2.5], None]


@pytest.mark.parametrize(
    ("url", "key", "what"),
    [
        ("http://192.0.2.1:8470", "k", "in the clear"),
        ("ftp://127.0.0.1", "k", "no address"),
        ("127.0.0.1:8470", "k", "no address"),
        ("http://127.0.0.1:8470", "", "no API key"),
        ("http://127.0.0.1:8470", "two words\n", "no API key"),
        ("http://127.0.0.1:8470", "schlüssel", "no API key"),
    ],
)
def test_a_key_goes_only_where_it_is_safe(url, key, what):
    with pytest.raises(TacitError, match=what) as caught:
        Client(url, key=key)
    assert not key.strip() or len(key) < 2 or key not in str(caught.value)


def test_no_service_is_a_clear_error():
    with (
        Client("http://127.0.0.1:1", key="secret-key") as client,
        pytest.raises(TacitError, match="tacit serve") as caught,
    ):
        client.budget()
    assert "secret-key" not in str(caught.value)
    with pytest.raises(TacitError, match="PEM"):
        Client("https://127.0.0.1:1", key="k", certificate="no.pem")
