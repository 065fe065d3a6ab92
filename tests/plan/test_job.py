"""The whole job in one process: formats, engines, households, pseudonyms, what the intruder is told."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import TacitError
from tacit.examples import clinic
from tacit.plan import from_text, load, run
from tacit.release.files import save
from tacit.report import publish

PLAN = """\
[data]
path = "{file}"
missing = "{missing}"
engine = "{engine}"
[roles]
identifier = [{{ column = "name", pseudonym = "hmac" }}, "phone"]
quasi = ["sex", "education"]
confidential = ["diagnosis"]
household = "household"
keep_household = true
weight = "weight"
key_file = "secret.key"
[kinds]
education = "ordinal"
visits = "continuous"
[require]
k_anonymity = 3
[[protect]]
method = "suppress_cells"
k = 3
[[protect]]
method = "rank_swap"
columns = ["rent", "income"]
percent = 10
{more}
[output]
directory = "out"
"""


def job(
    folder: Path, file: str = "clinic.csv", *, missing: str = "own", engine: str = "auto", more: str = "", **options
):
    frame = clinic(400, seed=2).frame
    save(frame, folder / file)
    (folder / "secret.key").write_bytes(b"0123456789abcdef0123456789abcdef")
    plan = from_text(PLAN.format(file=file, missing=missing, engine=engine, more=more), folder=folder)
    outcome = run(plan, **options)
    publish(outcome, folder / "out")
    return frame, outcome


@pytest.mark.parametrize(
    "file", ["clinic.csv", "clinic.parquet", "clinic.arrow", "clinic.xlsx", "clinic.dta", "clinic.sav"]
)
def test_the_same_format_comes_out(tmp_path, file):
    _, outcome = job(tmp_path, file)
    assert outcome.holds
    assert (tmp_path / "out" / "public" / file).is_file()
    again = tacit.read(tmp_path / "out" / "public" / file, quasi=["sex", "education"], missing="own")
    assert tacit.risk.k_anonymity(again).value >= 3


@pytest.mark.parametrize("missing", ["own", "any"])
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_both_engines_and_both_policies_do_the_whole_job(tmp_path, engine, missing):
    frame, outcome = job(tmp_path, "clinic.parquet", engine=engine, missing=missing, seed=5)
    assert outcome.original.engine == engine
    assert outcome.holds
    released = pl.read_parquet(tmp_path / "out" / "public" / "clinic.parquet")
    lineage = outcome.masked.rows()
    assert released["diagnosis"].equals(frame["diagnosis"].gather(lineage))
    assert sorted(released["income"].drop_nulls()) == pytest.approx(sorted(frame["income"].drop_nulls()))


def test_the_engines_release_the_same_file_for_the_same_seed(tmp_path):
    files = []
    for engine in ("polars", "duckdb"):
        (tmp_path / engine).mkdir()
        job(tmp_path / engine, "clinic.parquet", engine=engine, seed=5)
        files.append(pl.read_parquet(tmp_path / engine / "out" / "public" / "clinic.parquet"))
    assert files[0].equals(files[1])


def test_households_stay_together_and_their_columns_equal(tmp_path):
    frame, outcome = job(tmp_path, seed=5)
    released = outcome.masked.release.to_native()
    assert (released.group_by("household").agg(pl.col("rent").n_unique())["rent"] == 1).all()
    pairs = pl.DataFrame(
        {"old": frame["household"].gather(outcome.masked.rows()), "new": released["household"]}
    ).unique()
    assert pairs["old"].n_unique() == pairs["new"].n_unique() == pairs.height
    assert not (pairs["old"].cast(pl.String) == pairs["new"].cast(pl.String)).all()


def test_one_key_gives_the_same_pseudonym_in_two_runs_and_shows_nowhere(tmp_path):
    frame, first = job(tmp_path)
    names = first.masked.release.series("name")
    _, second = job(tmp_path)
    order = [np.argsort(outcome.masked.rows()) for outcome in (first, second)]
    assert names.gather(order[0]).equals(second.masked.release.series("name").gather(order[1]))
    assert not set(frame["name"]) & set(names)
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file():
            assert b"0123456789abcdef0123456789abcdef" not in path.read_bytes()
            assert b"secret.key" not in path.read_bytes() or path.name in ("plan.toml", "report.html")
    assert "secret.key" not in (tmp_path / "out" / "public" / "report.html").read_text()


def test_no_key_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.delenv("TACIT_KEY", raising=False)
    save(clinic(50).frame, tmp_path / "clinic.csv")
    text = PLAN.format(file="clinic.csv", missing="own", engine="auto", more="").replace(
        'key_file = "secret.key"\n', ""
    )
    with pytest.raises(TacitError, match=r"(?s)roles.identifier.*TACIT_KEY"):
        run(from_text(text, folder=tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clinic.csv"]


def test_the_gate_is_on_the_worst_upper_bound(tmp_path, monkeypatch):
    more = "[intruder]\nknows = ['sex', 'education', 'visits', 'weight']\ntold = 'nothing'"
    monkeypatch.setattr(sys.modules[__name__], "PLAN", PLAN.replace("keep_household = true\n", ""))
    frame, outcome = job(tmp_path, more=more)
    results = [attack.result for attack in outcome.attacks if attack.result is not None]
    result = max(results, key=lambda result: result.interval[1])
    text = (tmp_path / "out" / "internal" / "result.json").read_text()
    written = [attack["result"]["value"] for attack in json.loads(text)["attacks"] if attack["result"]]
    assert written == pytest.approx([result.value for result in results])
    assert result.value > 0.5, "weights and visits are unmasked: a planted leak must be found"
    bound = (result.value + result.interval[1]) / 2
    plan = PLAN.format(file="clinic.csv", missing="own", engine="auto", more=more)
    strict = run(
        from_text(plan.replace("k_anonymity = 3", f"k_anonymity = 3\nreidentification = {bound}"), folder=tmp_path)
    )
    verdict = strict.verdicts[-1]
    assert not verdict.holds
    assert "too small to be sure" in verdict.notes[-1]
    assert any(note.startswith("attack transparency was not run: nothing was told") for note in verdict.notes)


def test_an_intruder_without_a_known_column_is_told(tmp_path):
    with pytest.raises(TacitError, match=r"(?s)intruder.knows.*did you mean 'sex'"):
        job(tmp_path, more="[intruder]\nknows = ['sexx']")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".tacit")]


def test_a_cancelled_job_leaves_nothing(tmp_path):
    from tacit.errors import Cancelled

    with pytest.raises(Cancelled):
        job(tmp_path, progress=lambda step, share: share < 0.7)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clinic.csv", "secret.key"]


def test_a_step_that_needs_a_dropped_identifier_says_how_to_keep_it(tmp_path):
    (tmp_path / "visits.csv").write_text(
        "id,came,ward\n" + "\n".join(f"{i // 2},2020-01-{i % 28 + 1:02},A" for i in range(60))
    )
    (tmp_path / "plan.toml").write_text(
        '[data]\npath = "visits.csv"\n[roles]\nidentifier = ["id"]\nquasi = ["ward"]\n[require]\nk_anonymity = 2\n'
        '[[protect]]\nmethod = "shift_dates"\ncolumns = ["came"]\ndays = 30\nperson = "id"\n'
    )
    with pytest.raises(TacitError, match="dropped before this step") as caught:
        run(load(tmp_path / "plan.toml"), seed=1)
    assert "pseudonym" in caught.value.fix
