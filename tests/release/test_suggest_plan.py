"""The starter plan: valid TOML that says what was suggested and why (catalogue: A-03)."""

from __future__ import annotations

import tomllib
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit
from tacit.plan.job import run
from tacit.plan.load import load
from tacit.release.suggest import Suggestion, safe_harbor, suggest
from tacit.release.suggest.starter import starter_plan


@pytest.fixture(scope="module")
def clinic():
    frame = tacit.examples.clinic(1500, seed=4).frame
    return frame, suggest(tacit.Release(frame))


def test_the_plan_has_the_sections_of_the_job(clinic):
    _, found = clinic
    plan = tomllib.loads(found.plan_text("data/clinic.csv"))
    assert list(plan) == ["data", "roles", "kinds", "hierarchies", "require", "protect", "output"]
    assert plan["data"] == {"path": "data/clinic.csv", "missing": "own"}
    assert plan["require"] == {"k_anonymity": 5}
    assert [step["method"] for step in plan["protect"]] == ["generalise", "suppress_cells"]
    assert plan["protect"][1]["k"] == 5
    assert plan["output"] == {"directory": "out"}


def test_the_plan_says_the_roles_and_the_reasons(clinic):
    _, found = clinic
    text = found.plan_text("clinic.csv")
    roles = tomllib.loads(text)["roles"]
    assert {name: tuple(value) if isinstance(value, list) else value for name, value in roles.items()} == found.roles()
    for one in found.columns:
        assert one.reasons[0] in text
    assert "# choose" in text


def test_a_release_takes_the_kinds_and_hierarchies_of_the_plan(clinic):
    frame, found = clinic
    plan = tomllib.loads(found.plan_text("clinic.csv"))
    release = tacit.Release(frame, **found.roles(), kinds=plan["kinds"], hierarchies=plan["hierarchies"], missing="own")
    assert plan["kinds"]["education"] == "ordinal" and plan["kinds"]["zip"] == "geographic"
    assert plan["hierarchies"]["zip"] == {"prefix": [5, 3, 1]}
    assert plan["hierarchies"]["birth"] == {"dates": ["month", "year", "decade"]}
    for column, level in plan["protect"][0]["levels"].items():
        assert 1 <= level < release.hierarchies[column].height
    assert {column for column in release.columns if release.types[column] == "integer"} <= set(release.kinds)


def test_numbers_are_cut_into_round_intervals():
    frame = pl.DataFrame({"age": [3 + place % 95 for place in range(400)]})
    plan = tomllib.loads(suggest(tacit.Release(frame)).plan_text("ages.csv"))
    assert plan["hierarchies"]["age"] == {"intervals": [5, 10, 20]}


def test_a_table_without_quasi_identifiers_still_gets_a_plan():
    frame = pl.DataFrame({"income": [1.5, 2.5, 2.5]})
    plan = tomllib.loads(suggest(tacit.Release(frame)).plan_text("a.csv"))
    assert plan["roles"]["quasi"] == [] and [step["method"] for step in plan["protect"]] == ["suppress_cells"]


@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=6, unique=True),
    st.lists(st.sampled_from(["identifier", "quasi", "confidential", "other"]), min_size=6, max_size=6),
    st.text(),
)
def test_any_column_name_survives_toml(names, roles, path):
    columns = [
        Suggestion(
            column=name,
            role=role,
            confidence="guess",
            reasons=(f"like {name}",),
            warning=name,
            kind="ordinal",
            hierarchy={"intervals": [5, 10]} if place % 2 else None,
        )
        for place, (name, role) in enumerate(zip(names, roles, strict=False))
    ]
    plan = tomllib.loads(starter_plan(columns, path, {}))
    assert plan["data"]["path"] == path
    for role in ("identifier", "quasi", "confidential"):
        assert plan["roles"][role] == [one.column for one in columns if one.role == role]
    kept = [one.column for one in columns if one.role != "identifier"]
    assert list(plan.get("kinds", {})) == kept
    proposed = [one.column for one in columns if one.role == "quasi" and one.hierarchy]
    assert list(plan.get("hierarchies", {})) == proposed


def test_the_plan_lists_what_is_decided_and_leaves_guesses_undecided():
    frame = pl.DataFrame({"sex": ["f", "m"] * 30, "land": ["DE"] * 60, "v17": [place % 7 for place in range(60)]})
    text = suggest(tacit.Release(frame)).plan_text("a.csv")
    roles = tomllib.loads(text)["roles"]
    assert roles["quasi"] == ["sex"] and roles["unrestricted"] == ["land"]
    undecided = text[text.index("# Undecided") :]
    assert '#     "v17",  # guess: its name says nothing known' in undecided
    taken = text.replace('#     "v17",  # guess', '    "v17",  # guess').splitlines()
    line = next(one for one in taken if one.startswith('    "v17"'))
    moved = text.replace("unrestricted = [", f"unrestricted = [\n{line}")
    assert tomllib.loads(moved)["roles"]["unrestricted"] == ["v17", "land"], "a line can be moved as it is"


def test_a_plan_removes_what_the_safe_harbor_check_finds():
    frame = pl.DataFrame(
        {
            "age": [30 + place % 70 for place in range(140)],
            "birth": [date(1920 + place % 80, 3, 17) for place in range(140)],
            "date_of_death": ["17-Mar-2023", None] * 70,
            "city": ["Bonn", "Ulm"] * 70,
            "zip": ["02139", "10115"] * 70,
            "patient": [f"p{place}" for place in range(140)],
        }
    )
    release = tacit.Release(frame)
    found, harbor = suggest(release), safe_harbor(release, today=date(2026, 1, 1))
    plan = tomllib.loads(found.plan_text("a.csv", harbor=harbor))
    assert plan["roles"]["quasi"] == ["age", "birth", "zip"]
    assert plan["roles"]["identifier"] == ["date_of_death", "city", "patient"]
    steps = [step for step in plan["protect"] if step["method"] == "top_bottom_code"]
    assert [{**step, "method": ""} for step in steps] == [
        {"method": "", "column": "age", "top": 90},
        {"method": "", "column": "birth", "bottom": "1936-01-01"},
    ]
    assert [step["method"] for step in plan["protect"]][-2:] == ["generalise", "suppress_cells"], "coded before grouped"
    before = found.plan_text("a.csv")
    assert "top_bottom_code" not in before and "date_of_death" in tomllib.loads(before)["roles"]["quasi"]


def test_ages_over_89_and_days_do_not_leave_with_the_plan_of_the_safe_harbor(tmp_path):
    rows = "\n".join(f"{60 + place % 40},17-Mar-20{10 + place % 13}" for place in range(400))
    (tmp_path / "p.csv").write_text(f"age,date_of_death\n{rows}\n", encoding="utf-8")
    release = tacit.read(tmp_path / "p.csv")
    text = suggest(release).plan_text("p.csv", harbor=safe_harbor(release))
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    public = run(load(tmp_path / "p.toml"), seed=1).masked.to_native()
    assert public.columns == ["age"]
    oldest = max(int(label[1:].split(",")[0]) for label in public["age"].drop_nulls().unique())
    assert oldest == 90 and safe_harbor(tacit.Release(public)).holds
