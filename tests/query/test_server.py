"""The server over real sockets: its contract, and what it answers to nonsense (catalogue: H-07)."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import httpx
import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.query.server import models
from tacit.query.server.grid import TimeGrid
from tacit.query.server.run import Workers, open_socket
from tacit.query.server.status import STATUS

from .clock import Clock
from .desks import KEYS, desk, service, source
from .serving import http, served

COUNT = {"sql": "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex", "spend": 0.1}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    found = desk(tmp_path_factory.mktemp("served") / "ledger.db", epsilon=100)
    with served(found) as address:
        yield address
    found.close()


@pytest.fixture(scope="module")
def ana(url):
    with http(url) as client:
        yield client


def test_every_answer_is_what_openapi_says(url, ana):
    documented = ana.get("/openapi.json").json()
    assert set(documented["paths"]) == {
        "/cost",
        "/query",
        "/dummy",
        "/account",
        "/datasets",
        "/budget",
        "/history",
        "/verify",
    }
    for path, model in (("/cost", models.PreviewModel), ("/query", models.ReplyModel), ("/dummy", models.ReplyModel)):
        answer = ana.post(path, json=COUNT)
        assert answer.status_code == 200, answer.text
        model.model_validate_json(answer.text)
        assert documented["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["examples"]
        assert {"400", "401", "403", "404", "409", "413", "422", "429", "503"} <= set(
            documented["paths"][path]["post"]["responses"]
        )
    with http(url, "eva") as eva:
        for path, model in (
            ("/account", models.AccountModel),
            ("/datasets", models.DatasetsModel),
            ("/budget", models.BudgetsModel),
            ("/history", models.HistoryModel),
            ("/verify", models.VerifiedModel),
        ):
            answer = eva.get(path)
            assert answer.status_code == 200, answer.text
            model.model_validate_json(answer.text)
            assert documented["paths"][path]["get"]["summary"]


def test_a_number_is_spent_as_it_was_typed(ana):
    body = b'{"sql": "SELECT AVG(age) AS a FROM people", "spend": 0.1000}'
    answer = ana.post("/query", content=body).json()
    assert answer["charged"]["amount"] == "1/10" and answer["columns"] == ["a"]


def test_rereading_is_free_and_the_history_shows_both_lines(ana):
    first, again = (ana.post("/query", json=COUNT | {"spend": "0.2"}).json() for _ in range(2))
    assert again["rows"] == first["rows"] and again["charged"]["amount"] == "0" and again["repeated"]
    lines = ana.get("/history", params={"limit": 2}).json()["entries"]
    assert [line["kind"] for line in lines] == ["answer", "charge"] and lines[0]["charge"] == first["number"]
    older = ana.get("/history", params={"before": lines[0]["number"], "limit": 1}).json()["entries"]
    assert older == lines[1:]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "bad_request"),
        (b"{", 400, "bad_request"),
        (b"[]", 400, "bad_request"),
        (b"\xff\xfe", 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": NaN}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": Infinity}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": -1}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": 1e400}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": "1e999999999"}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": ' + b"9" * 5000 + b"}", 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": true}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": [1]}', 400, "bad_request"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "sql": "x", "spend": 1}', 400, "bad_request"),
        (b'{"sql": 7, "spend": 1}', 400, "bad_request"),
        (b'{"spend": 1}', 400, "bad_request"),
        (b'{"sql": "x", "spend": 1, "admin": true}', 400, "bad_request"),
        (b'{"sql": "\\ud800", "spend": 1}', 400, "bad_request"),
        (b'{"sql": "x", "project": "\\ud800", "spend": 1}', 400, "bad_request"),
        (b"[" * 60_000, 400, "bad_request"),
        (b'{"sql": "' + b"x" * 70_000 + b'"}', 413, "too_large"),
        (b'{"sql": "' + b"x" * 20_000 + b'"}', 413, "too_large"),
        ('{"sql": "SELECT COUNT(*) FROM pеople", "spend": 1}'.encode(), 404, "unknown_dataset"),
        (b'{"sql": "SELECT COUNT(*) FROM people; DROP TABLE people", "spend": 1}', 422, "unsupported_sql"),
        (b'{"sql": "ATTACH \'x.db\'", "spend": 1}', 422, "unsupported_sql"),
        (b'{"sql": "COPY people TO \'/tmp/x\'", "spend": 1}', 422, "unsupported_sql"),
        (b'{"sql": "SELECT SUM(inkome) FROM people", "spend": 1}', 422, "unknown_column"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "spend": 3}', 429, "budget"),
        (b'{"sql": "SELECT COUNT(*) FROM people", "project": "p", "spend": 1}', 403, "not_allowed"),
    ],
)
def test_nonsense_is_refused_with_code_sentence_and_hint(ana, body, status, code):
    answer = ana.post("/query", content=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert set(answer.json()) == {"code", "sentence", "hint"} and answer.json()["hint"]
    assert "Traceback" not in answer.text
    models.RefusalModel.model_validate_json(answer.text)


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer nobody", "Basic abc", "Bearer " + "x" * 5000, "Bearer \xff"]
)
def test_a_malformed_key_is_refused_and_not_repeated(url, header):
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    answer = httpx.post(f"{url}/query", json=COUNT, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "bad_key")
    assert header is None or len(header) < 9 or header[7:] not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("GET", "/query", 405), ("DELETE", "/history", 405), ("GET", "/history?limit=0", 400),
     ("GET", "/history?before=99999999999999999999", 400), ("GET", "/history?limit=x", 400), ("GET", "/verify", 403),
     ("GET", "/docs", 404), ("GET", "/../../etc/passwd", 404)],
)  # fmt: skip
def test_other_paths_and_methods_are_refusals_too(ana, method, path, status):
    answer = ana.request(method, path)
    assert answer.status_code == status and set(answer.json()) == {"code", "sentence", "hint"}


def test_headers_are_safe_and_name_no_server(ana):
    for answer in (ana.get("/datasets"), ana.get("/nothing"), ana.post("/query", content=b"{")):
        assert "server" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"
        assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_neither_log_nor_history_has_a_key_or_a_text(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    found = desk(tmp_path / "ledger.db")
    with served(found) as url, http(url) as ana:
        ana.post("/query", json={"sql": "SELECT COUNT(*) FROM people WHERE sex = 'SECRETTEXT'", "spend": 1})
        ana.post("/query", json=COUNT)
        ana.get("/SECRETTEXT")
        httpx.post(f"{url}/query", json=COUNT, headers={"Authorization": "Bearer SECRETTEXT"})
        lines = ana.get("/history").text
    logged = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))
    )
    assert "POST /query 200 ana" in logged
    assert KEYS["ana"] not in logged + lines and "SECRETTEXT" not in logged
    assert found.service.accounts["ana"].key not in logged + lines


def test_our_own_mistake_is_a_reference_and_no_trace(tmp_path, caplog):
    found = desk(tmp_path / "ledger.db")
    found.cost = lambda *_: 1 / 0
    with served(found) as url, http(url) as ana:
        answer = ana.post("/cost", json=COUNT)
        assert ana.get("/account").status_code == 200, "the server lives on"
    assert answer.status_code == 500 and answer.json()["code"] == "failed" and "Zero" not in answer.text
    reference = answer.json()["sentence"].split("reference ")[1][:8]
    assert f"reference {reference}: ZeroDivisionError at test_server.py" in caplog.text
    assert "Traceback" not in caplog.text


ASKED = [COUNT | {"spend": f"0.{number}"} for number in range(1, 5)] + [COUNT | {"spend": 99}, {}]


def test_answers_and_refusals_leave_on_the_grid(tmp_path, monkeypatch):
    """From the arrival to the answer pass whole cells, whatever the engine takes, on a clock that only they move."""
    data, clock, cell = source(), Clock(monkeypatch), 0.4
    tally, settled = data.tally, []
    data.tally = lambda *a, **k: (clock.passes(0.03 + 0.17 * (data.asked % 4)), tally(*a, **k))[1]
    found = desk(tmp_path / "ledger.db", data, grid=Fraction(2, 5))
    settle = found.settle
    found.settle = lambda pending: (settled.append(clock.now), settle(pending))[1]
    taken = []
    with served(found) as url, http(url) as ana:
        for body in ASKED:
            before = clock.now
            ana.post("/query", json=body)
            taken.append(clock.now - before)
            if settled:  # the ledger shows times and an order of lines: it is written in the middle of a cell
                assert (settled.pop() - before) % cell == pytest.approx(cell / 2)
        lines = ana.get("/history").json()["entries"]
    assert np.divide(taken, cell) == pytest.approx(np.round(np.divide(taken, cell))) and set(np.round(taken, 6)) == {
        0.4,
        0.8,
    }
    assert found.ledger.verify().holds and len([line for line in lines if line["kind"] == "answer"]) == 4


def test_nothing_leaves_before_the_end_of_its_first_cell(tmp_path):
    """On the clock of the machine; how much later is not judged, since others work on it too."""
    found = desk(tmp_path / "ledger.db", grid=Fraction(1, 10))
    settle, settled = found.settle, []
    found.settle = lambda pending: (settled.append(time.monotonic()), settle(pending))[1]
    with served(found) as url, http(url) as ana:
        for body in ASKED:
            before = time.monotonic()
            ana.post("/query", json=body)
            assert time.monotonic() - before >= 0.1
            assert not settled or settled.pop() - before >= 0.05


def test_the_grid_counts_from_the_arrival():
    grid = TimeGrid(Fraction(1, 10))
    for now, end, middle in (
        (5.0, 5.1, 5.05),
        (5.04, 5.1, 5.05),
        (5.06, 5.1, 5.15),
        (5.11, 5.2, 5.15),
        (5.96, 6.0, 6.05),
    ):
        assert grid.end(5.0, now) == pytest.approx(end) and grid.middle(5.0, now) == pytest.approx(middle)
        assert grid.end(5.0, now) >= now and grid.middle(5.0, now) >= now


def test_who_comes_when_the_queue_is_full_is_sent_away_uncharged(tmp_path):
    """The engine works until four were sent away."""
    data, refused, enough = source(), [], threading.Event()
    tally = data.tally
    data.tally = lambda *a, **k: (enough.wait(60), tally(*a, **k))[1]
    found = desk(tmp_path / "ledger.db", data)

    with served(found, Workers(threads=1, waiting=1)) as url, ThreadPoolExecutor(6) as clients:

        def one(number):
            with http(url) as client:
                answer = client.post("/query", json=COUNT | {"spend": f"0.0{number + 1}"})
            if answer.status_code == 503:
                refused.append(answer)
                if len(refused) == 4:
                    enough.set()
            return answer

        answers = list(clients.map(one, range(6)))
    codes = sorted(answer.status_code for answer in answers)
    assert codes == [200, 200, 503, 503, 503, 503]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 503} == {"busy"}
    assert len(found.ledger.entries()) == 4 and found.ledger.verify().holds


def test_a_client_that_goes_away_is_charged_and_its_answer_kept(tmp_path):
    """It goes while the engine works, which ends when it is gone."""
    data, begun, gone = source(), threading.Event(), threading.Event()
    tally = data.tally
    data.tally = lambda *a, **k: (begun.set(), gone.wait(60), tally(*a, **k))[2]
    found = desk(tmp_path / "ledger.db", data)
    with served(found) as url, http(url) as ana:
        body = json.dumps(COUNT)
        head = f"POST /query HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEYS['ana']}\r\nContent-Length: {len(body)}\r\n\r\n"
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall((head + body).encode())
            assert begun.wait(60)
        gone.set()
        while len(found.ledger.entries()) < 2:
            time.sleep(0.01)
        again = ana.post("/query", json=COUNT).json()
    assert again["repeated"] and again["charged"]["amount"] == "0"


def test_a_slow_or_broken_request_does_not_stop_the_others(url, ana):
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as broken, socket.create_connection((host, int(port))) as slow:
        broken.sendall(b"\x00\x01 nonsense\r\n\r\n")
        slow.sendall(b"POST /query HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
        assert ana.get("/account").status_code == 200


def test_every_code_has_a_status():
    from typing import get_args

    from tacit.query.refusal import Code

    assert set(STATUS) == set(get_args(Code))


def test_a_port_in_use_is_told():
    with open_socket(service(), 0) as taken, pytest.raises(TacitError, match="--port"):
        open_socket(service(), taken.getsockname()[1])
