"""``tacit serve`` and ``tacit query`` as a user types them, from the example service on (catalogue: H-07)."""

from __future__ import annotations

import json
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from .commands import tacit

SQL = "SELECT sex, COUNT(*) AS n FROM patients GROUP BY sex"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("service") / "demo"
    done = tacit("serve", "--example", found)
    assert done.returncode == 0 and f"tacit serve {found / 'SERVICE.toml'}" in done.stdout, done.stderr
    return found


@pytest.fixture(scope="module")
def service(folder):
    """The example service in a process of its own, and its address; ended with SIGTERM, in peace."""
    command = [sys.executable, "-m", "tacit", "serve", str(folder / "SERVICE.toml"), "--port", "0"]
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout
        found = next(filter(None, (re.match(r"answering on (\S+)", line) for line in process.stdout)), None)
        assert found, (folder / "log.txt").read_text()
        yield process, found[1]
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
    assert process.returncode == 0 and said.endswith("ended\n"), (folder / "log.txt").read_text()


@pytest.fixture(scope="module")
def running(service):
    return service[1]


@pytest.fixture
def ask(folder, running):
    def asked(*words, who="ana"):
        return tacit("query", "--url", running, "--key-file", folder / f"{who}.key", *words)

    return asked


def test_a_session_from_the_price_to_the_history(ask, folder):
    for words, shown in (
        (["--datasets"], "1920-01-01 … 2024-12-31"),
        (["--cost", SQL, "--spend", "0.5"], "would cost ε = 0.5"),
        (["--dummy", SQL, "--spend", "0.5"], "made-up data"),
        ([SQL, "--spend", "0.5"], "cost: ε = 0.5"),
        ([SQL, "--spend", "1/2"], "nothing: it was answered before"),
        (["--budget"], "ε = 2.5, δ = 1e-06 of ε = 3"),
        (["--history"], "4 rows, of line 1"),
    ):
        done = ask(*words)
        assert done.returncode == 0 and shown in done.stdout, (words, done.stdout, done.stderr)
    answer = json.loads(ask(SQL, "--spend", "0.5", "--json").stdout)
    assert answer["repeated"] and answer["columns"] == ["sex", "n"]
    assert ask("--verify", who="eva").returncode == 0
    logged = (folder / "log.txt").read_text()
    assert "POST /query 200 ana" in logged
    assert (folder / "ana.key").read_text().strip() not in logged and "SELECT" not in logged


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the signals of another process are read there")
def test_who_goes_away_before_the_answer_does_not_end_the_service(service):
    """As it would, if a closed pipe ended the service as it ends other commands."""
    process, _ = service
    ignored = re.search(r"SigIgn:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text())
    assert int(ignored[1], 16) >> (signal.SIGPIPE - 1) & 1


def test_a_refusal_ends_with_1_and_says_why(ask):
    done = ask(SQL, "--spend", "4")
    assert done.returncode == 1 and done.stderr.startswith("refused (budget):") and "hint:" in done.stderr
    told = ask("SELECT name FROM patients", "--spend", "1", "--json")
    assert told.returncode == 1 and set(json.loads(told.stdout)) == {"code", "sentence", "hint"}
    assert ask("--verify").returncode == 1
    assert ask(SQL, "--spend", "0.1", who="eva").returncode == 1


def test_the_key_comes_from_a_file_or_the_environment(folder, running, monkeypatch):
    monkeypatch.setenv("TACIT_QUERY_KEY", (folder / "olga.key").read_text())
    assert tacit("query", "--url", running, "--budget").returncode == 0
    monkeypatch.delenv("TACIT_QUERY_KEY")
    monkeypatch.setenv("TACIT_KEY", (folder / "olga.key").read_text())
    done = tacit("query", "--url", running, "--budget")
    assert done.returncode == 2 and "--key-file" in done.stderr, "the key of pseudonyms is not sent"


@pytest.mark.parametrize(
    ("words", "fix"),
    [
        ([], "e.g. tacit query"),
        (["--cost"], "e.g. tacit query"),
        (["--cost", "--dummy", SQL], "choose one"),
        (["--budget", SQL], "e.g. tacit query"),
        (["--budget", "--url", "http://127.0.0.1:1"], "tacit serve"),
        (["--budget", "--url", "http://192.0.2.1"], "https"),
        (["--budget", "--key-file", "nowhere"], "path"),
    ],
)
def test_a_mistake_ends_with_2_and_a_remedy(folder, words, fix):
    given = words if "--key-file" in words else ["--key-file", folder / "ana.key", *words]
    done = tacit("query", *given)
    assert done.returncode == 2 and fix in done.stderr, done.stderr


def test_the_example_is_private_and_replaces_nothing(folder):
    for name in ("SERVICE.toml", "ana.key", "olga.key", "eva.key"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    done = tacit("serve", "--example", folder)
    assert done.returncode == 2 and "exists already" in done.stderr


def test_a_new_key_is_shown_with_its_hash(folder):
    import hashlib

    done = tacit("serve", "--new-key")
    key = re.search(r"once: +(\S+)", done.stdout)[1]
    assert f'key = "sha256:{hashlib.sha256(key.encode()).hexdigest()}"' in done.stdout


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ('path = "clinic.csv"', 'path = "clinik.csv"', "clinik.csv"),
        ("zip = {", "zipp = {", "did you mean 'zip'"),
        ('unit = "household"', 'unit = "houshold"', "did you mean 'household'"),
        ('path = "clinic.csv"', 'url = "postgresql://me:hunter2@127.0.0.1:1/x"\ntable = "t"', "dataset.patients"),
        ('ledger = "ledger.db"', 'ledger = "postgresql://me:hunter2@127.0.0.1:1/x"', "ledger"),
        ('mode = "dp"', 'mode = "exact"', "dataset.patients"),
    ],
)
def test_what_cannot_be_opened_ends_with_2_and_names_it(folder, was, now, said):
    text = (folder / "SERVICE.toml").read_text()
    assert was in text
    other = folder / "other.toml"
    other.write_text(text.replace(was, now, 1).replace("ledger.db", "other.db"))
    done = tacit("serve", other, "--check", "--port", "0")
    assert done.returncode == 2 and said in done.stderr and "fix:" in done.stderr, done.stderr
    assert "hunter2" not in done.stderr + done.stdout


def test_a_port_in_use_ends_with_2(folder, running):
    done = tacit("serve", folder / "SERVICE.toml", "--check", "--port", running.rsplit(":", 1)[1])
    assert done.returncode == 2 and "--port" in done.stderr


def test_a_broken_ledger_ends_with_1_and_names_the_line(folder, ask):
    import shutil
    import sqlite3

    ask("SELECT COUNT(*) FROM patients WHERE sex = 'F'", "--spend", "0.01")
    copy = folder.parent / "copy"
    copy.mkdir(exist_ok=True)
    for name in ("SERVICE.toml", "ledger.db", "ledger.db-wal"):
        shutil.copy(folder / name, copy / name)
    assert tacit("serve", copy / "SERVICE.toml", "--verify").returncode == 0
    direct = sqlite3.connect(copy / "ledger.db", isolation_level=None)
    direct.execute("DROP TRIGGER tacit_ledger_no_update")
    direct.execute("UPDATE tacit_ledger SET account = 'eva' WHERE number = 2")
    direct.close()
    done = tacit("serve", copy / "SERVICE.toml", "--verify")
    assert done.returncode == 1 and "BROKEN at line 2" in done.stdout
