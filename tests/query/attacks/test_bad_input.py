"""Nonsense over HTTP, to a service in a process of its own: refused, and nothing is told or logged.

catalogue: H-07
"""

from __future__ import annotations

import json
import re
import socket
from contextlib import suppress

import httpx
import polars as pl
import pytest

from tacit.query.account import key_hash

from ..processes import Served
from .world import KEYS, MODES, people, service_file

SECRETS = ["Zebrafels", "hunter2-value", "4321.09"]
"""Values that stand in the data and nowhere else."""

COUNT = "SELECT COUNT(*) FROM clinic"


def body(sql: object, spend: object = "0.1", **more: object) -> bytes:
    return json.dumps({"sql": sql, "spend": spend} | more).encode()


REFUSED: list[tuple[str, bytes, int, str]] = [
    ("an unknown table", body("SELECT COUNT(*) FROM kliniken"), 404, "unknown_dataset"),
    ("an unknown column", body("SELECT SUM(incme) FROM clinic"), 422, "unknown_column"),
    ("unsupported SQL", body("SELECT income FROM clinic"), 422, "unsupported_sql"),
    ("a subquery", body(f"{COUNT} WHERE age = (SELECT MAX(age) FROM clinic)"), 422, "unsupported_sql"),
    ("undeclared bounds", body("SELECT SUM(free) FROM clinic"), 422, "undeclared_bounds"),
    ("an exhausted budget", body(f"{COUNT} WHERE age > 3", "2"), 429, "budget"),
    ("an oversized body", body("x" * 70_000), 413, "too_large"),
    ("an oversized text", body("SELECT " + "1," * 6_000), 413, "too_large"),
    ("a huge integer in a condition", body(f"{COUNT} WHERE age > {'9' * 400}"), 422, "unknown_value"),
    ("a huge exponent", body(f"{COUNT} WHERE age > 1e999999999"), 422, "unknown_value"),
    ("a huge integer to spend", b'{"sql": "%s", "spend": %s}' % (COUNT.encode(), b"9" * 4000), 400, "bad_request"),
    ("NaN to spend", b'{"sql": "%s", "spend": NaN}' % COUNT.encode(), 400, "bad_request"),
    ("infinity to spend", b'{"sql": "%s", "spend": -Infinity}' % COUNT.encode(), 400, "bad_request"),
    ("NaN in a text", body(COUNT, "NaN"), 400, "bad_request"),
    ("a wide digit", body(COUNT, "１"), 400, "bad_request"),
    ("a hexadecimal number", body(COUNT, "0x1"), 400, "bad_request"),
    ("a tiny number", body(COUNT, "1e-9"), 400, "bad_request"),
    ("a long denominator", body(COUNT, "1/999999999999"), 400, "bad_request"),
    ("a negative number", body(COUNT, -1), 400, "bad_request"),
    ("a tab in a number", body(COUNT, "1\t"), 400, "bad_request"),
    ("a line end in a number", body(COUNT, "1\n"), 400, "bad_request"),
    ("NaN in a condition", body(f"{COUNT} WHERE age > 'NaN'"), 422, "unknown_value"),
    ("half a character", b'{"sql": "\\ud83d", "spend": 1}', 400, "bad_request"),
    ("a nought", body(f"{COUNT}\x00"), 422, "unsupported_sql"),
    ("text that runs backwards", body(f"SELECT \u202eCOUNT(*) FROM clinic"), 422, "unsupported_sql"),  # noqa: F541
    ("a look-alike", body("SELECT COUNT(*) FROM сlinic"), 404, "unknown_dataset"),
    ("ATTACH", body("ATTACH 'x.db'"), 422, "unsupported_sql"),
    ("COPY", body("COPY clinic TO '/tmp/x.csv'"), 422, "unsupported_sql"),
    ("a comment", body(f"{COUNT} -- Zebrafels"), 422, "unsupported_sql"),
    ("another comment", body(f"/* */ {COUNT}"), 422, "unsupported_sql"),
    ("two statements", body(f"{COUNT}; {COUNT}"), 422, "unsupported_sql"),
    ("deep nesting", body(f"{COUNT} WHERE " + "(" * 3000 + "age > 1" + ")" * 3000), 422, "too_complex"),
    ("many NOTs", body(f"{COUNT} WHERE " + "NOT " * 2000 + "age > 1"), 422, "too_complex"),
    ("too many groups", body("SELECT income, COUNT(*) FROM clinic GROUP BY income"), 422, "too_complex"),
    ("nothing", b"", 400, "bad_request"),
    ("no JSON", b"sql=1", 400, "bad_request"),
    ("deep JSON", b"[" * 50_000, 400, "bad_request"),
    ("another key", body(COUNT, admin=True), 400, "bad_request"),
    ("an unknown project", body(COUNT, project="x"), 403, "not_allowed"),
]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nonsense")
    frame = people().with_columns(town=pl.lit(SECRETS[0]), name=pl.lit(SECRETS[1]), income=pl.lit(float(SECRETS[2])))
    frame.write_parquet(folder / "clinic.parquet")
    found = Served(service_file(folder, clinic=MODES["clinic"].replace("epsilon = 1000", "epsilon = 1")))
    yield found
    found.end()


def client(service: Served) -> httpx.Client:
    return httpx.Client(base_url=service.url, headers={"Authorization": f"Bearer {KEYS['ana']}"}, timeout=30)


def plain(service: Served, sent: bytes) -> bytes:
    """What a raw socket hears until it is closed."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        heard = b""
        with suppress(ConnectionError):  # who sends too much is cut off
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
            while more := line.recv(65_536):
                heard += more
    return heard


def test_nonsense_is_refused_clearly_and_the_service_lives_and_tells_nothing(service):
    heard = ""
    with client(service) as ana:
        for what, sent, status, code in REFUSED:
            for path in ("/query", "/cost", "/dummy"):
                if path != "/query" and code == "budget":
                    continue  # a preview tells it as a part of its answer, a rehearsal costs nothing
                answer = ana.post(path, content=sent)
                assert (answer.status_code, answer.json()["code"]) == (status, code), (what, path, answer.text)
                assert set(answer.json()) == {"code", "sentence", "hint"} and answer.json()["hint"], what
                heard += answer.text
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "GET"):
            answer = ana.request(method, "/query", content=body(COUNT))
            assert answer.status_code == 405
            heard += answer.text
        keys = ["", "x", KEYS["ana"] + "x", KEYS["ana"][:-1], key_hash(KEYS["ana"]), "\xe9" * 20, "k" * 8000]
        for key in keys:
            for form in ("Bearer {}", "Basic {}", "{}", "bearer  {} x"):
                header = form.format(key).strip().encode("latin-1")
                answer = httpx.post(f"{service.url}/query", content=body(COUNT), headers={"Authorization": header})
                assert (answer.status_code, answer.json()["code"]) == (401, "bad_key")
                heard += answer.text
        for path in (
            "/../SERVICE.toml",
            "/page/../../x",
            "/page/%2e%2e/%2e%2e/x",
            "//etc/passwd",
            "/ledger.db",
            "/%00",
        ):
            heard += plain(service, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()).decode()
        two = b"GET /account HTTP/1.1\r\nHost: evil.example\r\n\r\n" * 3  # pipelined, and without a key
        heard += plain(service, two).decode()
        heard += plain(service, b"\x00\xff nonsense\r\n\r\n").decode("latin-1")
        heard += plain(service, b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 200_000 + b"\r\n\r\n").decode("latin-1")
        paid = ana.post("/query", content=body(f"{COUNT} WHERE town = 'Zebrafels'", "1"))
        assert paid.status_code == 200 and ana.get("/account").status_code == 200
        heard += ana.get("/datasets").text + ana.get("/budget").text
    assert service.process.poll() is None
    logged = service.log.read_text()
    assert "POST /query 200 ana" in logged
    for secret in (*SECRETS, *KEYS.values(), *(key_hash(key) for key in KEYS.values())):
        assert secret not in logged, secret
        assert secret not in heard.replace("/* */", ""), secret
    for trace in ("Traceback", 'File "', "Error(", "duckdb", "sqlite", "psycopg", ".py"):
        assert trace not in heard, trace
    assert "Traceback" not in logged and "SELECT" not in logged.upper() and "kliniken" not in logged
    assert not re.search(r"root:|\[service\]|ledger\.db", heard)
