"""The engine decides what anonymise can do, and a job says so before it masks and with its result (A9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacit.plan import from_text, run
from tacit.plan.engine import engine_use
from tacit.plan.original import original_of
from tacit.protect import Anonymise
from tacit.protect.candidates import IN_MEMORY, MAKERS, CandidateParams
from tacit.release.read import read

PLAN = """
[data]
path = "people.csv"
missing = "own"
engine = "{engine}"
[roles]
quasi = ["zip", "sex"]
confidential = ["ill"]
[hierarchies]
zip = {{ prefix = [2, 1] }}
[require]
k_anonymity = 2
[[protect]]
method = "anonymise"
{more}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"N{row % 8},{'mf'[row % 2]},{'ab'[row % 3 % 2]}" for row in range(40)] + ["S9,f,a", "S8,m,b"]
    (tmp_path / "people.csv").write_text("\n".join(["zip,sex,ill", *rows]) + "\n")
    return tmp_path


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_a_job_says_which_engine_was_taken_and_what_it_lacks(folder: Path, engine: str) -> None:
    told: list[str] = []
    plan = from_text(PLAN.format(engine=engine, more=""), folder=folder)
    outcome = run(plan, seed=1, say=told.append)
    assert (
        outcome.engine is not None
        and outcome.engine.taken == engine
        and outcome.as_json()["details"]["engine"]["taken"] == engine
    )
    lacking = IN_MEMORY if engine == "duckdb" else ()
    assert outcome.engine.unavailable == lacking
    assert outcome.engine.code == ("engine_methods" if lacking else None)
    assert len(told) == bool(lacking) and all(text in outcome.notes for text in told)


def test_a_step_that_names_what_the_engine_has_needs_no_warning(folder: Path) -> None:
    plan = from_text(PLAN.format(engine="duckdb", more='methods = ["suppress_cells"]'), folder=folder)
    assert engine_use(plan, original_of(plan)).code is None


def test_the_list_of_methods_that_need_memory_is_that_of_what_fails_without(folder: Path) -> None:
    release = read(folder / "people.csv", engine="duckdb", quasi=["zip", "sex"], missing="own")
    for name in ("full_domain", "suppress_cells", "mondrian", "local_recode"):
        models = Anonymise(models={"k_anonymity": 2}).models
        wanted = CandidateParams(models=models, suppression=0.0, uniform=False, weights={}, labels="hierarchy")
        method = MAKERS[name](release, wanted).method
        assert method is not None
        if name in IN_MEMORY:
            with pytest.raises(ValueError, match="in memory"):
                method.apply(release, seed=1)
        else:
            assert method.apply(release, seed=1).release.size == release.size
