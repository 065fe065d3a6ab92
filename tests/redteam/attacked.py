"""A service to attack: a process of ``tacit serve`` with the example that it writes itself, and data sets of the attacker's beside it.

There are pairs of data sets with one declaration and different values: what the service says of a pair without charge must be the same.
Nothing here reads the package; the wire is that of the guide.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl

LEAST, BAND, PEOPLE, WAIT = 4, 150, 16, 300
SMALLEST = "0.0001"
INTERVALS = {f"bands{i}": 10 + i for i in range(7)}
"""Data sets in the interval mode, each with a secret of its own, and the seeds of their salaries."""
ROOMS = [f"r{i:02}" for i in range(PEOPLE)]
OPEN = "version = '1'\nunit = 'person'\nrows_per_unit = 1\n"
ROOM = f"room = {{ kind = 'category', values = {ROOMS} }}\n"
MONEY = "{ kind = 'integer', low = 0, high = 20000, confidential = true }\n"
WIDE = f"""[dataset.%s]
path = "%s.csv"
mode = "dp"
neighbours = "add_remove"
budget = {{ epsilon = 10, delta = 1e-6 }}
threshold_delta = 1e-8
{OPEN}[dataset.%s.columns]
{ROOM}day = {{ kind = "date", low = 0001-01-01, high = 9999-12-31 }}
big = {{ kind = "integer", low = -4000000000000000000, high = 4000000000000000000 }}
fine = {{ kind = "number", low = -1000000, high = 1000000, step = 0.0001 }}
"""


class Service:
    """The analyst's side of the wire: ``(status, body, bytes)`` of a request."""

    def __init__(self, port: int, keys: dict[str, str]) -> None:
        self.port, self.keys = port, keys

    def send(self, path: str, body: dict | None = None, *, account: str = "mal") -> tuple[int, dict, int]:
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT)
        head = {"Authorization": f"Bearer {self.keys[account]}", "Content-Type": "application/json"}
        wire.request("GET" if body is None else "POST", path, None if body is None else json.dumps(body), head)
        answer = wire.getresponse()
        text = answer.read()
        wire.close()
        return answer.status, json.loads(text), len(text)

    def ask(self, sql: str, spend: str | None = SMALLEST, account: str = "mal") -> tuple[int, dict, int]:
        return self.send("/query", {"sql": sql} | ({} if spend is None else {"spend": spend}), account=account)

    def spent(self, dataset: str, scope: str = "dataset") -> Fraction:
        budgets = self.send("/budget", account="olga")[1]["budgets"]
        caps = next(one["caps"] for one in budgets if one["dataset"] == dataset)
        return Fraction(next(cap["spent"]["amount"] for cap in caps if cap["scope"] == scope))


def salaries(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(5000, 9000, PEOPLE)


def write_service(folder: Path) -> dict[str, str]:
    """The example service, and data sets of the attacker's choice beside it; the keys by account."""
    subprocess.run(
        [sys.executable, "-m", "tacit", "serve", "--example", str(folder)],
        check=True,
        capture_output=True,
        timeout=WAIT,
    )
    text = (folder / "SERVICE.toml").read_text().replace("grid = 0.1 ", "grid = 0.01 ")
    declared = text[text.index("[dataset.patients]") : text.index("[project.")]
    text += declared.replace("dataset.patients", "dataset.twinning").replace("clinic.csv", "twinning.csv")
    names = (folder / "clinic.csv").read_text().splitlines()[0].split(",")
    extreme = {"birth": ["0001-01-01", "9999-12-31"], "visits": [-(2**62), 2**62], "income": [-1e300, 1e300]}
    twin = {name: extreme.get(name, ["7", "7"]) for name in names} | {"household": [1, 2], "sex": ["F", "?"]}
    pl.DataFrame(twin).write_csv(folder / "twinning.csv")
    for name, values in {
        "near": ["0001-01-01", -(4 * 10**18), -1e6],
        "away": ["9999-12-31", 4 * 10**18, 1e6],
    }.items():
        text += WIDE % (name, name, name)
        day, big, fine = values
        pl.DataFrame(
            {"person": ROOMS, "room": ROOMS, "day": [day] * 16, "big": [big] * 16, "fine": [fine] * 16}
        ).write_csv(folder / f"{name}.csv")
    for name, seed in ({"staff": 1, "stuff": 2} | INTERVALS).items():
        pl.DataFrame({"person": ROOMS, "room": ROOMS, "salary": salaries(seed)}).write_csv(folder / f"{name}.csv")
        rule = f"mode = 'exact'\nleast = {LEAST}\n"
        if name in INTERVALS:
            rule = f"mode = 'interval'\nsecret = '{name}.secret'\nbands = {{ salary = {{ absolute = {BAND} }} }}\n"
        text += f"[dataset.{name}]\npath = '{name}.csv'\n{rule}{OPEN}[dataset.{name}.columns]\n{ROOM}salary = {MONEY}"
    net, tax = salaries(4), salaries(5) // 3
    payroll = {"person": ROOMS, "room": ROOMS, "net": net, "tax": tax, "gross": net + tax}
    pl.DataFrame(payroll).write_csv(folder / "payroll.csv")
    text += f"[dataset.payroll]\npath = 'payroll.csv'\nmode = 'exact'\nleast = {LEAST}\nidentities = ['gross = net + tax']\n"
    text += f"{OPEN}[dataset.payroll.columns]\n{ROOM}net = {MONEY}tax = {MONEY}gross = {MONEY}"
    keys = {name: (folder / f"{name}.key").read_text().strip() for name in ("ana", "olga", "eva")}
    keys["mal"] = "mal-" + hashlib.sha256(str(folder).encode()).hexdigest()
    budget = ", ".join(f"{name} = {{ epsilon = 9, delta = 1e-6 }}" for name in ("patients", "twinning", "near", "away"))
    text += f"[account.mal]\nrole = 'analyst'\nkey = 'sha256:{hashlib.sha256(keys['mal'].encode()).hexdigest()}'\n"
    text += f"datasets = {['staff', 'stuff', 'payroll', *INTERVALS]}\nbudget = {{ {budget} }}\n"
    (folder / "SERVICE.toml").write_text(text)
    return keys


@contextmanager
def started_service(folder: Path) -> Iterator[Service]:
    """The service while it answers, on a free port of this machine."""
    keys = write_service(folder)
    log = folder.parent / "log.txt"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tacit", "serve", str(folder / "SERVICE.toml"), "--port", "0"],
            stdout=out,
            stderr=out,
        )
    try:
        until = time.monotonic() + WAIT
        while "answering on http" not in log.read_text():
            assert process.poll() is None and time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        yield Service(int(log.read_text().split("answering on http://127.0.0.1:")[1].split()[0]), keys)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(WAIT)
