"""``tacit explore`` as a user types it."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib

import polars as pl
import pytest

from .commands import tacit

PLAN = """\
[data]
path = "pay.csv"

[roles]
quasi = ["age", "rent"]

[kinds]
age = "continuous"

[require]
reidentification = 0.4

[study]
search = "grid"
candidates = 6
loss = { squared_error = 1 }

[[study.strategy]]
name = "groups"
steps = [{ method = "mdav", columns = ["age", "rent"], k = { from = 2, to = 20 } }]
"""


@pytest.fixture
def plan(tmp_path):
    age = [18 + (7 * row) % 67 for row in range(90)]
    pl.DataFrame({"age": age, "rent": [300.5 + 5 * one + (row * row) % 83 for row, one in enumerate(age)]}).write_csv(
        tmp_path / "pay.csv"
    )
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    return tmp_path / "plan.toml"


def test_a_study_leaves_a_map_a_table_and_the_way_to_a_plan(plan):  # catalogue: F-06
    done = tacit("explore", plan, "--workers", 1)
    assert done.returncode == 0, done.stderr
    assert "loses least of those that meet every requirement" in done.stdout
    folder = plan.parent / "study"
    assert {file.name for file in folder.iterdir()} == {"map.html", "candidates.csv", "study.json", "study.sqlite"}
    assert all(file.stat().st_mode & 0o077 == 0 for file in folder.iterdir())
    table = pl.read_csv(folder / "candidates.csv")
    assert table.height == 7
    assert {"risk: reidentification", "attack: distance", "loss: squared_error"} <= set(table.columns)
    best = int(re.search(r"--point (\d+) --write best\.toml", done.stdout)[1])
    written = tacit("explore", plan, "--point", best, "--write", plan.parent / "best.toml")
    assert written.returncode == 0, written.stderr
    step = tomllib.loads((plan.parent / "best.toml").read_text())["protect"][0]
    chosen = json.loads((folder / "study.json").read_text())["points"][best]
    assert step == chosen["steps"][0]
    released = tacit("release", plan.parent / "best.toml", "--out", plan.parent / "out")
    assert released.returncode in (0, 1), released.stderr


def test_the_best_point_is_written_at_once_and_json_has_everything(plan):
    done = tacit(
        "explore", plan, "--workers", 1, "--json", "--write", plan.parent / "best.toml", "--out", plan.parent / "s"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found["points"]) == 7
    assert "study" not in tomllib.loads((plan.parent / "best.toml").read_text())


def test_what_is_printed_can_be_typed(plan):
    """From another folder, with a place of its own and names that a shell would take apart."""
    home = plan.parent
    folder = home / "my plans"
    folder.mkdir()
    for file in ("plan.toml", "pay.csv"):
        (home / file).rename(folder / file)
    done = tacit(
        "explore", "my plans/plan.toml", "--workers", 1, "--candidates", 2, "--out", "a study & more", cwd=home
    )
    assert done.returncode == 0, done.stderr
    (command,) = re.findall(r"^plan  tacit (.*)$", done.stdout, re.MULTILINE)
    written = tacit(*shlex.split(command), cwd=home)
    assert written.returncode == 0, written.stderr
    assert (folder / "best.toml").is_file()
    then = re.search(r"then: tacit (.*)\)$", written.stdout.strip())
    assert shlex.split(then[1]) == ["release", "my plans/best.toml"]
    page = (home / "a study & more" / "map.html").read_text(encoding="utf-8")
    assert "--out &#39;a study &amp; more&#39; --point NUMBER --write FILE" in page


def test_what_failed_and_few_attacks_are_said_on_the_terminal(plan):
    large = PLAN.replace("from = 2, to = 20", "from = 200, to = 300").replace("candidates = 6", "candidates = 2")
    plan.write_text(large, encoding="utf-8")
    done = tacit("explore", plan, "--workers", 1)
    assert done.returncode == 1
    assert re.search(r"^2 of 2 candidates failed; .*groups: .*\b90\b", done.stdout, re.MULTILINE), done.stdout
    assert "tacit release attacks the one that you take by all attacks" in done.stdout
    assert "--write" not in done.stdout  # nobody is told to release the file as it is


def test_of_a_long_front_the_part_about_the_best_is_printed(plan, monkeypatch):
    monkeypatch.setattr("tacit.cli.explore.LINES", 3)
    done = tacit("explore", plan, "--workers", 1)
    front = json.loads((plan.parent / "study" / "study.json").read_text())["front"]
    assert len(front) > 3
    head, *lines = done.stdout.partition("\n\n")[0].splitlines()
    assert head.startswith("candidates")
    assert lines[-1] == f"… and {len(front) - 3} more points of the front, which are on the map"
    numbers = [int(line.split()[0]) for line in lines[:-1]]
    place = front.index(numbers[0])
    assert numbers == front[place : place + 3]
    assert sum("← chosen" in line for line in lines) == 1


def test_nothing_will_do(plan):
    plan.write_text(PLAN.replace("reidentification = 0.4", "k_anonymity = 80"), encoding="utf-8")
    done = tacit("explore", plan, "--workers", 1)
    assert done.returncode == 1
    assert "No candidate meets all that was asked; point" in done.stdout
    assert "misses least" in done.stdout
    assert "Its loss is" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--budget", "soon"], "'soon' is no time"),
        (["--candidates", "0"], "candidates"),
        (["--search", "luck"], "search"),
        (["--workers", "0"], "workers"),
        (["--point", "3"], "--write best.toml"),
        (["--point", "3", "--write", "best.toml"], "there is no study"),
        (["--write", "elsewhere/best.toml"], "not in the folder of the plan"),
        (["--write", "plan.toml"], "exists already"),
    ],
)
def test_mistakes_are_said_before_the_work(plan, arguments, said):
    done = tacit("explore", plan.name, *arguments, cwd=plan.parent)
    assert done.returncode == 2
    assert said in done.stderr
    assert "fix:" in done.stderr
    assert not (plan.parent / "best.toml").exists()


def test_a_point_that_the_study_does_not_have(plan):
    assert tacit("explore", plan, "--workers", 1, "--candidates", 2).returncode == 0
    done = tacit("explore", plan, "--point", 9, "--write", plan.parent / "best.toml")
    assert done.returncode == 2
    assert "points are numbered from 0 to 2" in done.stderr


def test_interrupted_it_says_how_to_go_on_and_goes_on(plan):
    plan.write_text(PLAN.replace("candidates = 6", "candidates = 19"), encoding="utf-8")
    command = [sys.executable, "-m", "tacit", "explore", str(plan), "--workers", "2"]
    running = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    store = plan.parent / "study" / "study.sqlite"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not store.exists():
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(running.pid, signal.SIGINT)  # as Ctrl-C does: to the command and to its workers
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "goes on where it was" in said
    assert "Traceback" not in said
    assert not (plan.parent / "study" / "map.html").exists()
    assert tacit("explore", plan, "--workers", 1).returncode == 0
