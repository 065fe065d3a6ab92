"""The service under load: fifty clients on loopback, each question new, charged and answered; and a long ledger."""

from __future__ import annotations

import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import httpx
import numpy as np
import polars as pl
from bars import Bars

from tacit.dp.cost import Cost
from tacit.query.account import key_hash
from tacit.query.ledger import Cap, Ledger, LedgerSubject

CLIENTS = 50
ROWS = 100_000
GRID = Fraction(1, 50)

SERVICE = f"""
[service]
ledger = "ledger.db"
grid = {float(GRID)}
time_limit = 30
[dataset.people]
path = "people.parquet"
version = "1"
mode = "dp"
neighbours = "add_remove"
budget = {{ epsilon = 1000 }}
columns = {{ age = {{ kind = "integer", low = 0, high = 110 }}, sex = {{ kind = "category", values = ["f", "m"] }} }}
[account.ana]
role = "analyst"
key = "{key_hash("ana")}"
budget = {{ people = {{ epsilon = 1000 }} }}
"""


def bars(bars: Bars) -> None:
    """The bars of this part."""
    with tempfile.TemporaryDirectory() as folder:
        _served(bars, Path(folder), each=4 if bars.quick else 20)
    with tempfile.TemporaryDirectory() as folder:
        _long(bars, Path(folder), lines=10_000 if bars.quick else 100_000)


def _served(bars: Bars, folder: Path, *, each: int) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"age": rng.integers(0, 111, ROWS), "sex": rng.choice(["f", "m"], ROWS)})
    frame.write_parquet(folder / "people.parquet")
    (folder / "SERVICE.toml").write_text(SERVICE)
    command = [sys.executable, "-m", "tacit", "serve", str(folder / "SERVICE.toml"), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = ""
    while not (found := re.search(r"answering on (\S+)", said)):
        said += process.stdout.readline()
    try:
        for name, path, spend in (
            ("new questions", "/query", True),
            ("prices", "/cost", True),
            ("budgets", "/budget", False),
        ):
            seconds, waits = _crowd(found[1], path, each=each, spend=spend)
            facts = {"clients": CLIENTS, "rows": ROWS, "grid": float(GRID), "p50": statistics.median(waits)}
            bars.at_least(f"load, {name}: requests/s", len(waits) / seconds, 50, at_scale=True, **facts)
            bars.at_most(f"load, {name}: p99, s", statistics.quantiles(waits, n=100)[98], 2, at_scale=True)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()
    with Ledger.open(folder / "ledger.db") as ledger:
        charged = ledger.spent("people").amount
        bars.true("load: exactly what was answered is charged, the chain holds",
                  charged == Fraction(CLIENTS * each, 100) and ledger.verify().holds)  # fmt: skip


def _crowd(url: str, path: str, *, each: int, spend: bool) -> tuple[float, list[float]]:
    """Wall seconds of fifty clients at once, and how long each of their requests took."""
    gate = threading.Barrier(CLIENTS + 1)

    def one(place: int) -> list[float]:
        with httpx.Client(base_url=url, headers={"Authorization": "Bearer ana"}, timeout=120) as client:
            client.get("/account")
            gate.wait()
            return [_timed(client, path, place * each + turn, spend) for turn in range(each)]

    with ThreadPoolExecutor(CLIENTS) as clients:
        running = [clients.submit(one, place) for place in range(CLIENTS)]
        gate.wait()
        before = time.perf_counter()
        waits = [wait for found in running for wait in found.result()]
        return time.perf_counter() - before, waits


def _timed(client: httpx.Client, path: str, number: int, spend: bool) -> float:
    sql = f"SELECT sex, COUNT(*) AS n FROM people WHERE age BETWEEN {number % 50} AND {50 + number // 50} GROUP BY sex"
    before = time.perf_counter()
    answer = client.post(path, json={"sql": sql, "spend": "0.01"}) if spend else client.get(path)
    answer.raise_for_status()
    return time.perf_counter() - before


def _long(bars: Bars, folder: Path, *, lines: int) -> None:
    """What a charge and a walk cost in a ledger of many lines."""
    asked = LedgerSubject(account="ana", project="p", dataset="d", version="1", mode="dp", digest="x", question="{}")
    caps = (
        Cap("dataset", "d", Cost.of(10**6)),
        Cap("project", "p", Cost.of(10**6)),
        Cap("account", "ana", Cost.of(10**6)),
    )
    with Ledger.open(folder / "ledger.db") as ledger:
        with ledger.transaction() as turn:
            for _ in range(lines):
                turn.charge(asked, Cost.of("0.001"), caps)
        waits = []
        for _ in range(200):
            before = time.perf_counter()
            with ledger.transaction() as turn:
                turn.charge(asked, Cost.of("0.001"), caps)
            waits.append(time.perf_counter() - before)
        bars.at_most(
            "ledger, one more charge on disk: median, ms",
            1000 * statistics.median(waits),
            20,
            at_scale=True,
            lines=lines,
        )
        before = time.process_time()
        held = ledger.verify().holds
        bars.at_most(
            "ledger, walk over the chain: CPU s per 100 000 lines",
            (time.process_time() - before) * 100_000 / lines,
            20,
            at_scale=True,
        )
        bars.true("ledger, the long chain holds", held)
