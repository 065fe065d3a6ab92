"""The commands as a user types them: output, exit codes, files left behind; each command once in its own process."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tacit.plan.register import list_attempts

from .commands import alone, some, tacit

SECRET = "SECRETCELL"


@pytest.fixture(scope="module")
def job(finished_job, tmp_path_factory) -> Path:
    return shutil.copytree(finished_job, tmp_path_factory.mktemp("cli") / "job")


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_release_publishes_data_report_and_trace(job):
    assert files(job / "out" / "public") == ["clinic.csv", "report.html", "trace.json"]
    assert {"lineage.parquet", "plan.toml", "report.html", "result.json"} <= set(files(job / "out" / "internal"))
    released = pl.read_csv(job / "out" / "public" / "clinic.csv", infer_schema=False)
    original = pl.read_csv(job / "clinic.csv", infer_schema=False)
    assert "name" not in released.columns
    assert "phone" not in released.columns
    sizes = released.group_by("zip", "birth", "sex", "occupation").len()["len"]
    assert sizes.min() >= 5, "k-anonymity checked by another program"
    lineage = pl.read_parquet(job / "out" / "internal" / "lineage.parquet")["row"]
    assert original["diagnosis"].gather(lineage).equals(released["diagnosis"])
    assert lineage.to_list() != sorted(lineage.to_list())


def test_no_secret_reaches_the_public_folder(job):
    seed = (job / "out" / "internal" / "seed.txt").read_text().strip()
    names = pl.read_csv(job / "clinic.csv", infer_schema=False)["name"].to_list()
    for path in (job / "out" / "public").iterdir():
        text = path.read_text()
        assert seed not in text
        assert not [name for name in names if name in text]


def test_the_result_file_agrees_with_the_printed_verdict(job):
    result = json.loads((job / "out" / "internal" / "result.json").read_text())
    assert result["holds"] is True
    assert {verdict["model"] for verdict in result["requirements"]} >= {"k-anonymity", "l-diversity"}
    assert all(verdict["holds"] for verdict in result["requirements"])


def test_two_runs_differ_unless_the_seed_is_given(tmp_path):
    """Sixty rows are in the same random order twice with a chance below 10⁻⁵⁰."""
    plan = small_job(tmp_path, protect='[[protect]]\nmethod = "pram"\ncolumns = ["ill"]\nstay = 0.5')
    seeded, texts = ["--seed", 3], []
    for name, run, seed in (("a", tacit, seeded), ("b", alone, seeded), ("c", tacit, []), ("d", tacit, [])):
        assert run("release", plan, "--out", tmp_path / name, *seed).returncode == 0
        texts.append((tmp_path / name / "public" / "data.csv").read_text())
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3
    said = [(tmp_path / name / "internal" / "report.html").read_text() for name in "ac"]
    assert ["repeatable, not for publication" in page for page in said] == [True, False]


def test_a_requirement_that_fails_releases_nothing(tmp_path):
    assert tacit("release", small_job(tmp_path)).returncode == 0
    assert files(tmp_path / "out" / "public") == ["data.csv", "report.html", "trace.json"]
    plan = small_job(tmp_path, require="k_anonymity = 50")
    done = tacit("release", plan)
    assert done.returncode == 1
    assert files(tmp_path / "out" / "public") == ["data.csv", "report.html", "trace.json"], "the one before stays"
    assert not list((tmp_path / "out" / "refused").rglob("*.csv"))
    kept = tacit("release", plan, "--keep-rejected")
    assert kept.returncode == 1 and "attempt 2 on the same data and requirements; 1 earlier attempt was not met" in (
        " ".join(kept.stdout.split())
    )
    assert list((tmp_path / "out" / "refused" / "0003").rglob("data.csv"))


def test_audit_is_a_gate(job):
    file = job / "out" / "public" / "clinic.csv"
    columns = ["--quasi", "zip,birth,sex,occupation", "--confidential", "diagnosis", "--missing", "own"]
    assert tacit("audit", file, *columns, "--require", "k_anonymity=5").returncode == 0
    failed = alone("audit", file, *columns, "--require", "k_anonymity=5000", "--json")
    assert failed.returncode == 1
    assert json.loads(failed.stdout)["holds"] is False
    assert tacit("audit", file, *columns, "--report", job / "audit.html").returncode == 0
    assert "<html" in (job / "audit.html").read_text()


def test_attack_and_compare_on_the_files(job, tmp_path):
    masked, original = job / "out" / "public" / "clinic.csv", job / "clinic.csv"
    lineage = job / "out" / "internal" / "lineage.parquet"
    few, whose = some(job, tmp_path)
    blind = alone("attack", few, "--original", original, "--lineage", whose, "--json")
    assert blind.returncode == 0, blind.stderr
    assert "column 'zip' was left out: it has values that the original does not have" in blind.stderr
    weak = ["--knows", "zip,sex", "--lineage", whose, "--at-most", "0.5"]
    judged = tacit("attack", few, "--original", original, *weak)
    assert judged.returncode == 2, "an attack that was weakened passes nothing"
    options = ["--lineage", lineage, "--plan", job / "plan.toml"]
    done = tacit("attack", masked, "--original", original, *options, "--json")
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    found = json.loads(done.stdout)[0]["result"]["value"]
    in_the_job = json.loads((job / "out" / "internal" / "result.json").read_text())["attacks"][0]["result"]["value"]
    assert found == pytest.approx(in_the_job), "the file on disk is attacked as strongly as in the job"
    pl.read_csv(original, infer_schema=False).head(400).write_csv(tmp_path / "same.csv")
    same = tacit(
        "attack", tmp_path / "same.csv", "--original", tmp_path / "same.csv", "--same-order", "--at-most", "0.05"
    )
    assert same.returncode == 1
    unjudged = tacit("attack", few, "--original", original, "--plan", job / "plan.toml", "--json")
    assert unjudged.returncode == 0 and "nobody" in unjudged.stderr + unjudged.stdout
    assert json.loads(unjudged.stdout)[0]["result"]["name"] == "believed links"
    gate = tacit("attack", few, "--original", original, "--at-most", "0.05")
    assert gate.returncode == 2 and "--lineage" in gate.stderr, "beliefs pass no gate"
    assert alone("compare", original, masked, "--json").returncode == 0


def test_suggest_writes_a_plan_that_runs(job, tmp_path):
    file = tmp_path / "clinic.csv"
    pl.read_csv(job / "clinic.csv", infer_schema=False).head(1000).write_csv(file)
    done = alone("suggest", file, "--plan", tmp_path / "plan.toml", "--safe-harbor")
    assert done.returncode == 0, done.stderr
    run = tacit("release", tmp_path / "plan.toml", "--out", tmp_path / "out")
    assert run.returncode in (0, 1), run.stderr
    assert tacit("suggest", file, "--plan", tmp_path / "plan.toml").returncode == 2


def test_methods_are_listed_and_filtered():
    # catalogue: A-04 A-05
    everything = json.loads(alone("methods", "--json").stdout)
    networks = {f"graphs.{room}" for room in ("risk", "protect", "synth", "attack", "loss")}
    assert {row["room"] for row in everything} == {
        "risk",
        "models",
        "protect",
        "attack",
        "loss",
        "tables",
        "formats",
    } | networks
    kept = json.loads(tacit("methods", "--tag", "about=identity", "--tag", "kind=attack", "--json").stdout)
    names = ["distance", "one_to_one", "household", "transparency", "probabilistic", "learned"]
    assert [row["name"] for row in kept if row["room"] == "attack"] == names, "not minimality, which is about values"
    assert tacit("methods", "protct").returncode == 2
    assert tacit("methods", "--tag", "colour=red").returncode == 2


@pytest.mark.parametrize(
    "command",
    [[], ["release"], ["audit"], ["attack"], ["compare"], ["suggest"], ["methods"], ["example"], ["demo"], ["warm"]],
)
def test_every_help_has_an_example(command):
    done = tacit(*command, "--help")
    assert done.returncode == 0
    assert "Example:" in done.stdout or not command


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "options", "shows"),
    [
        (None, ["--quasi", "zip"], "patients.csv"),
        ("", ["--quasi", "zip"], "empty"),
        ("zip,age\n", ["--quasi", "zip"], "no rows"),
        ("zip;age\n1;2\n", ["--quasi", "zip", "--separator", ","], "separator"),
        (b"zip,age\n\xff\xe9" + SECRET.encode() + b",2\n", ["--quasi", "zip"], "encoding"),
        (f"zip,zip\n{SECRET},2\n", ["--quasi", "zip"], "'zip'"),
        (f"zip,age\n{SECRET},2\n", ["--quasi", "zipp"], "did you mean 'zip'?"),
        (f"zip,age\n{SECRET},2\n", ["--quasi", "zip", "--identifier", "zip"], "two roles"),
        (f"zip,age\n{SECRET},2\n", [], "no quasi-identifier"),
        (f"zip,age\n{SECRET},2\n,3\n", ["--quasi", "zip"], "--missing own"),
        (f"zip,w\n{SECRET},0\n", ["--quasi", "zip", "--weight", "w"], "row 1"),
        (f"zip,w\n{SECRET},x\n", ["--quasi", "zip", "--weight", "w"], "holds text"),
        (f"zip,age\n{SECRET},2,3\n", ["--quasi", "zip"], "line 2"),
        (f"zip,age\n{SECRET},2\n", ["--quasi", "zip", "--require", "k_anonymity"], "NAME=VALUE"),
        (f"zip,age\n{SECRET},2\n", ["--quasi", "zip", "--require", "k_anonymty=2"], "did you mean 'k_anonymity'?"),
        (f"zip,age\n{SECRET},2\n", ["--quasi", "zip", "--require", "k_anonymity=many"], "k='many'"),
    ],
)
def test_bad_input_ends_with_a_remedy_and_shows_no_cell(tmp_path, content, options, shows):
    file = tmp_path / "patients.csv"
    if content is not None:
        written(file, content)
    done = tacit("audit", file, *options)
    assert done.returncode == 2, done.stdout + done.stderr
    assert shows in done.stderr
    assert "fix:" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def small_job(folder: Path, **changes: str) -> Path:
    lines = ["zip,sex,ill"] + [f"{i % 3},{'fm'[i % 2]},{'abc'[i % 3]}{SECRET}" for i in range(60)]
    written(folder / "data.csv", "\n".join(lines) + "\n")
    plan = {
        "data": 'path = "data.csv"',
        "roles": 'quasi = ["zip", "sex"]\nconfidential = ["ill"]',
        "require": "k_anonymity = 3",
        "hierarchies": "",
        "protect": "",
        "output": 'directory = "out"',
        **changes,
    }
    sections = [f"[{name}]\n{content}" for name, content in plan.items() if name != "protect"]
    return written(folder / "plan.toml", "\n".join([*sections, plan["protect"]]) + "\n")


@pytest.mark.parametrize(
    ("changes", "options", "shows"),
    [
        ({"data": 'path = "dta.csv"'}, [], "data.csv'?"),
        ({"roles": 'quasi = ["zap"]'}, [], "line 4, roles"),
        ({"roles": "quasi = []"}, [], "no quasi-identifier"),
        ({"require": ""}, [], "nothing is required"),
        ({"hierarchies": 'zip = { groups = { low = ["0"], mid = ["1"] } }', "protect": '[[protect]]\nmethod = "generalise"\nlevels = { zip = 1 }'}, [], "hierarchy"),
        ({"protect": '[[protect]]\nmethod = "suppress_records"\nk = 61'}, [], "61"),
        ({"protect": '[[protect]]\nmethod = "supress_records"\nk = 6'}, [], "did you mean 'suppress_records'"),
        ({}, ["--out", "data.csv"], "data.csv"),
        ({}, ["--out", "data.csv/sub"], "data.csv"),
    ],
)  # fmt: skip
def test_bad_plans_leave_nothing_behind(tmp_path, changes, options, shows):
    plan = small_job(tmp_path, **changes)
    before = {path: (tmp_path / path).read_bytes() for path in files(tmp_path)}
    done = tacit("release", plan, *options, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert shows in done.stderr
    assert "fix:" in done.stderr
    assert SECRET not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert {path: (tmp_path / path).read_bytes() for path in files(tmp_path)} == before


def test_the_original_is_never_overwritten(tmp_path):
    """An input that lies where the output goes is refused."""
    (tmp_path / "out" / "public").mkdir(parents=True)
    plan = small_job(tmp_path, data='path = "out/public/data.csv"')
    (tmp_path / "data.csv").rename(tmp_path / "out" / "public" / "data.csv")
    before = (tmp_path / "out" / "public" / "data.csv").read_bytes()
    done = tacit("release", plan)
    assert done.returncode == 2
    assert "fix:" in done.stderr
    assert (tmp_path / "out" / "public" / "data.csv").read_bytes() == before


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A job that takes long enough to be interrupted."""
    folder = tmp_path_factory.mktemp("large")
    assert alone("example", "clinic", "--out", folder, "--rows", 15000).returncode == 0
    return folder


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_stops_cleanly(large, sent):
    before = files(large)
    process = subprocess.Popen(
        [sys.executable, "-m", "tacit", "release", str(large / "plan.toml")], stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(large.glob("out/.tacit-*/clinic.csv")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(sent)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "interrupted" in said
    left = [path for path in files(large) if path not in before]
    assert not set(left) - {"out/register.jsonl"}, left
    assert list_attempts(large / "out")[-1].state == "interrupted" and not list(large.rglob(".tacit-*"))


def test_our_own_mistakes_show_no_data(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError(SECRET)

    monkeypatch.setattr("tacit.release.read.read", broken)
    done = tacit("audit", "x.csv", "--quasi", "a")
    assert done.returncode == 3
    assert SECRET not in done.stdout
    assert SECRET not in done.stderr
    assert "RuntimeError" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "shows"),
    [
        (["audit", "data.csv", "--quasi", "zip", "--report", "data.csv"], "not an HTML file"),
        (["audit", "data.csv", "--quasi", "zip", "--report", "nowhere/a.html"], "no folder"),
        (["suggest", "data.csv", "--plan", "nowhere/plan.toml"], "does not exist"),
        (["release", "data.csv"], "tacit suggest"),
        (["release", "plan.toml", "--out", "web/public"], "called public"),
        (["release", "plan.toml", "--seed", "seven"], "'seven'"),
        (["attack", "data.csv", "--original", "data.csv", "--same-order", "--at-most", "5"], "not a share"),
        (["attack", "data.csv", "--original", "data.csv", "--key", "zip"], "does not name one row"),
    ],
)
def test_mistakes_on_the_command_line_change_nothing(tmp_path, arguments, shows):
    small_job(tmp_path)
    before = {path: (tmp_path / path).read_bytes() for path in files(tmp_path)}
    done = tacit(*arguments, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert shows in done.stderr
    assert "fix:" in done.stderr
    assert {path: (tmp_path / path).read_bytes() for path in files(tmp_path)} == before


def test_a_mistake_leaves_the_release_of_an_earlier_run(tmp_path):
    plan = small_job(tmp_path)
    assert tacit("release", plan).returncode == 0
    kept = files(tmp_path / "out")
    before = {path: (tmp_path / "out" / path).read_bytes() for path in kept}
    small_job(tmp_path, roles='quasi = ["zap"]')
    assert tacit("release", plan).returncode == 2
    assert files(tmp_path / "out") == kept
    assert {path: (tmp_path / "out" / path).read_bytes() for path in kept} == before


def test_one_method_is_shown_with_what_a_plan_needs():
    said = tacit("methods", "rank_swap").stdout
    for part in ("use it when", "avoid it when", "percent", "required", "'uniform'", 'method = "rank_swap"'):
        assert part in said, part
    assert max(map(len, said.splitlines())) <= 110
    near = tacit("methods", "rank_swp")
    assert (near.returncode, "rank_swap" in near.stderr) == (2, True)
