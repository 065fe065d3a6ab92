"""Attackers of synthetic files: they read the file for what only one person can have put there, and watch a private run from outside.

They were written from the documentation alone and share no code with the package. One person has by far the highest pay, some have a
job that nobody else has, and a few are alone with everything. The verdict under attack is that of ``tacit synth``: where it is ``met``,
neither the pay nor the jobs may be read off the file, and hardly anybody may be copied. A job with a guarantee must look the same to
who cannot see its data, whatever a line of the data says. Each attack has a power test on a planted leak.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

PEOPLE = 400
HIGHEST = 98_760
JOBS = ["clerk", "nurse", "smith"]
ALONE = ["astronaut", "pope", "falconer", "diver", "juggler"]
COPIED = 0.25
RUN = """
import io, json, runpy, sys
from contextlib import redirect_stdout
for plan in sys.argv[1:]:
    sys.argv, out, code = ["tacit", "synth", plan, "--json", "--seed", "3"], io.StringIO(), 0
    with redirect_stdout(out):
        try:
            runpy.run_module("tacit", run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, out.getvalue()]))
"""


def people(seed: int = 1) -> pl.DataFrame:
    """A register with one very rich person in it and five jobs that one person each has."""
    rng = np.random.default_rng(seed)
    pay = rng.normal(2500, 400, PEOPLE).round(-1).astype(int)
    job = rng.choice(JOBS, PEOPLE).astype("<U16")
    pay[0], job[: len(ALONE)] = HIGHEST, ALONE
    return pl.DataFrame(
        {"age": rng.integers(2, 8, PEOPLE) * 10, "sex": rng.choice(["F", "M"], PEOPLE), "job": job, "pay": pay}
    )


def run_jobs(folder: Path, jobs: dict[str, tuple[str, str]]) -> dict[str, tuple[int, dict, Path]]:
    """``tacit synth`` for several plans and files, in one process of its own: exit codes, what was printed, the folders."""
    for name, (plan, data) in jobs.items():
        (folder / name).mkdir()
        (folder / name / "people.csv").write_text(data)
        (folder / name / "plan.toml").write_text(plan)
    plans = [str(folder / name / "plan.toml") for name in jobs]
    done = subprocess.run([sys.executable, "-c", RUN, *plans], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(code in (0, 1) for code, _ in answers), done.stderr
    return {
        name: (code, json.loads(text), folder / name / "out" / "public")
        for name, (code, text) in zip(jobs, answers, strict=True)
    }


HEAD = '[data]\npath = "people.csv"\nmissing = "own"\n[roles]\nquasi = ["age", "sex", "job"]\nconfidential = ["pay"]\n'
TAIL = '[output]\ndirectory = "out"\n'
GENERATORS = {
    "trees": 'method = "synth_trees"\nleaf = 20',
    "trees, all learnt": 'method = "synth_trees"\nleaf = 20\nfewest = 1\nsmooth = false',
    "copula": 'method = "synth_copula"',
    "network, all learnt": 'method = "synth_network"\ndegree = 1\nfewest = 1',
    "marginals": 'method = "synth_marginals"',
    "trees by heart": 'method = "synth_trees"\nleaf = 1\nfewest = 1\nsmooth = false',
}


def plan_of(step: str) -> str:
    text = HEAD + f'[kinds]\nage = "continuous"\n[synth]\nholdout = 0.2\n[[protect]]\n{step}\n'
    return text + f"[require]\ncopies = {COPIED}\nattribute_inference = 0.2\n" + TAIL


def rare_values_read(public: pl.DataFrame) -> set[str]:
    """What nobody but one person can have put there: jobs that only one person has, and pay far above all others."""
    jobs = set(public["job"].to_list()) & set(ALONE)
    pay = np.sort(public["pay"].cast(pl.Float64, strict=False).drop_nulls().to_numpy())
    return jobs | ({"pay"} if pay[-1] > HIGHEST / 2 else set())


def copied(frame: pl.DataFrame, public: pl.DataFrame) -> float:
    """The share of people whom a released record equals in everything."""
    text = frame.cast(pl.String)
    return len(text.join(public.select(text.columns).unique(), on=text.columns, how="semi")) / len(text)


@pytest.fixture(scope="module")
def generated(tmp_path_factory) -> dict[str, tuple[int, dict, Path]]:
    data = people().write_csv()
    jobs = {name: (plan_of(step), data) for name, step in GENERATORS.items()}
    return run_jobs(tmp_path_factory.mktemp("synthetic"), jobs)


def read_public(public: Path) -> pl.DataFrame:
    return pl.read_csv(public / "people.csv", infer_schema=False)


@pytest.mark.parametrize("name", GENERATORS)
def test_what_one_person_has_is_not_in_a_file_that_is_met(generated, name):
    _, told, public = generated[name]
    if told["state"] == "not_met":
        assert not public.exists()
        return
    seen = rare_values_read(read_public(public))
    assert not seen or told["state"] == "not_covered", seen
    assert bool(seen) == ("rare_values_released" in [gap["code"] for gap in told["gaps"]]), "the gap says what is read"
    assert copied(people(), read_public(public)) <= COPIED


def test_safe_and_unsafe_files_are_both_attacked(generated):
    states = {name: told["state"] for name, (_, told, _) in generated.items()}
    assert "met" in states.values(), states
    assert states["trees by heart"] == "not_met", "a file of copies was released"
    assert "not_covered" in states.values(), states


def test_power_a_file_as_it_is_shows_everything():
    raw = people().cast(pl.String)
    assert rare_values_read(raw) == {*ALONE, "pay"}
    assert copied(people(), raw) == 1


DECLARED = 'epsilon = 1\ndelta = 1e-9\ncategories = { sex = ["F", "M"], job = ["clerk", "nurse", "smith"] }\n'
DECLARED += "bounds = { age = [0, 110], pay = [0, 10000] }\n"
NEIGHBOURS = {
    "as it is": "",
    "decimals": "37.5,F,,1e3\n",
    "other types": "2024-02-29,NaN,a long text that is no job,inf\n",
}


@pytest.fixture(scope="module", params=["dp_marginals", "dp_network"])
def private(request, tmp_path_factory) -> dict[str, tuple[int, dict, Path]]:
    step = f'[[protect]]\nmethod = "{request.param}"\n{DECLARED}' + ("degree = 1\n" if "net" in request.param else "")
    plan = HEAD + step + "[require]\ndifferential_privacy = { epsilon = 1, delta = 1e-9 }\n" + TAIL
    data = people().write_csv()
    lines = (
        NEIGHBOURS
        if request.param == "dp_marginals"
        else {name: NEIGHBOURS[name] for name in ("as it is", "other types")}
    )
    return run_jobs(tmp_path_factory.mktemp("private"), {name: (plan, data + line) for name, line in lines.items()})


def seen_from_outside(code: int, told: dict, public: Path) -> dict:
    """All that who has no data sees of a run, but for the figures that the guarantee covers."""
    files = sorted(str(file.relative_to(public)) for file in public.rglob("*"))
    table = read_public(public)
    whole = {name: bool(table[name].str.contains(r"^-?\d+$").all()) for name in table.columns}
    found = {"code": code, "state": told["state"], "files": files, "columns": table.columns, "whole": whole}
    trace = json.loads((public / "trace.json").read_text())
    page = re.sub(r"\d[\d,.]*", "0", re.sub(r"<[^>]*>", " ", (public / "report.html").read_text()))
    head = page.split("What was done")[0]
    return {**found, "steps": [(step["method"], sorted(step["outcome"])) for step in trace], "page": len(head.split())}


def test_no_line_of_the_data_is_seen_in_a_run_with_a_guarantee(private):
    seen = {name: seen_from_outside(*result) for name, result in private.items()}
    assert seen["as it is"]["code"] == 0 and seen["as it is"]["state"] == "met"
    for name, one in seen.items():
        assert one == seen["as it is"], name


def test_public_pages_of_a_guarantee_do_not_count_the_records(private):
    """A noisy count may be near the truth by chance, and is the number of lines of the file: no other number may be the true one."""
    for name, (_, _, public) in private.items():
        true_counts = {str(PEOPLE), str(PEOPLE + 1)} - {str(len(read_public(public)))}
        for file in ("report.html", "trace.json"):
            text = re.sub(r"<style.*?</style>", "", (public / file).read_text(), flags=re.DOTALL)
            numbers = set(re.findall(r"(?<![\d.#\w-])\d+(?![\d.\w%])", re.sub(r"<[^>]*>", " ", text)))
            assert not numbers & true_counts, (name, file)


def test_private_values_stay_within_their_declarations(private):
    for _, _, public in private.values():
        table = read_public(public)
        assert set(table["sex"]) <= {"F", "M"} and set(table["job"]) <= set(JOBS)
        assert table["age"].cast(int).is_between(0, 110).all() and table["pay"].cast(int).is_between(0, 10_000).all()


def test_power_a_type_that_follows_the_data_is_seen(tmp_path):
    """The watcher tells a file whose ages became decimals, and a run without a file, from the usual one."""
    for name, ages in {"usual": ["30", "40"], "leaky": ["30.0", "37.5"]}.items():
        (tmp_path / name).mkdir()
        pl.DataFrame({"age": ages}).write_csv(tmp_path / name / "people.csv")
        (tmp_path / name / "trace.json").write_text("[]")
        (tmp_path / name / "report.html").write_text("<p>learnt from 240 records</p>")
    usual, leaky = (seen_from_outside(0, {"state": "met"}, tmp_path / name) for name in ("usual", "leaky"))
    assert usual != leaky and usual["whole"] == {"age": True}
