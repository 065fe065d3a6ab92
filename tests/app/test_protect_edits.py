"""Changes on the page Protect, without a browser: the plan holds what was clicked (A-01, E-03, E-12)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.app.stepped import COLUMNS, HEAD, STEPS

from tacit.app.edits import ALL as EDITS
from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.forms import FormErrors
from tacit.app.pages.starts import starting_steps
from tacit.app.project.project import Project
from tacit.app.project.steps import off_of, steps_in_order
from tacit.app.server.studio import beside_fields
from tacit.errors import TacitError
from tacit.examples import clinic


@pytest.fixture
def project(tmp_path: Path) -> Project:
    clinic(20, seed=2).frame.select(COLUMNS).write_csv(tmp_path / "people.csv")
    found = Project(tmp_path)
    found.change("began", {"plan": HEAD + STEPS})
    return found


def edit(project: Project, name: str, *pairs: tuple[str, str]) -> dict[str, Any]:
    look = {"columns": [{"name": column, "kind": "nominal"} for column in COLUMNS]}
    EDITS[name](
        Editing(project=project, form=Form(list(pairs)), found=lambda panel, _=None: look if panel == "look" else None)
    )
    written: dict[str, Any] = tomllib.loads((project.folder / "plan.toml").read_text())
    return written


def methods(plan: dict[str, Any]) -> list[str]:
    return [step["method"] for step in plan.get("protect", [])]


def test_steps_are_added_changed_moved_and_removed_in_the_plan(project: Project) -> None:
    given = ("method", "rank_swap"), ("columns", "income"), ("percent", "5"), ("form", "uniform")
    assert edit(project, "step_add", *given)["protect"][2] == {
        "method": "rank_swap",
        "columns": ["income"],
        "percent": 5,
    }
    assert project.history.descriptions[-1][1] == "Rank swap added: income, 5 %"
    edit(project, "step_set", ("place", "2"), *given[:2], ("percent", "7.5"))
    assert project.raw()["protect"][2]["percent"] == 7.5
    assert methods(edit(project, "step_move", ("place", "2"), ("to", "0"))) == [
        "rank_swap",
        "generalise",
        "suppress_cells",
    ]
    assert project.history.descriptions[-1][1] == "Rank swap moved up"
    assert methods(edit(project, "step_remove", ("place", "2"))) == ["rank_swap", "generalise"]
    assert "# the analysts need decades" in project.documents["plan"]
    with pytest.raises(TacitError, match="cannot be moved"):
        edit(project, "step_move", ("place", "0"), ("to", "-1"))
    assert "protect" not in edit(edited(project), "step_remove", ("place", "0"))


def edited(project: Project) -> Project:
    edit(project, "step_remove", ("place", "0"))
    return project


def test_moving_to_and_fro_leaves_the_text_as_it_was(project: Project) -> None:
    edit(project, "step_move", ("place", "0"), ("to", "1"))
    once = project.documents["plan"]
    for to in ("0", "1", "0", "1"):
        edit(project, "step_move", ("place", "1" if to == "0" else "0"), ("to", to))
    assert project.documents["plan"] == once and "\n\n\n" not in once


def test_a_step_is_switched_off_and_on_where_it_stood(project: Project) -> None:
    before = project.raw()["protect"]
    assert methods(edit(project, "step_off", ("place", "0"))) == ["suppress_cells"]
    assert [(one.off, one.step["method"]) for one in steps_in_order(project, project.raw())] == [
        (True, "generalise"),
        (False, "suppress_cells"),
    ]
    assert methods(edit(project, "step_off", ("place", "0"))) == []
    assert [one["method"] for one in off_of(project)] == ["generalise", "suppress_cells"]
    edit(project, "step_on", ("place", "1"))
    assert edit(project, "step_on", ("place", "0"))["protect"] == before and off_of(project) == []
    edit(project, "step_off", ("place", "1"))
    edit(project, "step_remove", ("place", "0"), ("off", "1"))
    assert off_of(project) == []
    project.go_to(lambda place: place - 1)
    assert [one["method"] for one in off_of(project)] == ["suppress_cells"]


def test_a_step_that_is_off_keeps_its_place_when_others_before_it_go(project: Project) -> None:
    for percent in ("5", "6"):
        edit(project, "step_add", ("method", "rank_swap"), ("columns", "income"), ("percent", percent))
    _, second, third, last = project.raw()["protect"]
    for place in ("2", "0"):
        edit(project, "step_off", ("place", place))
    assert [one.step["method"] for one in steps_in_order(project, project.raw())] == [
        "generalise",
        "suppress_cells",
        "rank_swap",
        "rank_swap",
    ]
    assert edit(project, "step_on", ("place", "1"))["protect"] == [second, third, last]


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ([("method", "rank_swap"), ("columns", "income"), ("percent", "500")], "percent", "percent=500"),
        ([("method", "rank_swap"), ("columns", "income"), ("percent", "")], "percent", "nothing is given"),
        ([("method", "rank_swap"), ("percent", "5")], "columns", "nothing is given"),
        ([("method", "suppress_cells"), ("k", "1")], "k", "1 is not a whole number"),
        ([("method", "generalise"), ("levels:sex", "1")], "levels", "has no groups yet"),
    ],
)
def test_a_mistake_is_told_beside_its_field(
    project: Project, given: list[tuple[str, str]], field: str, said: str
) -> None:
    before = project.documents
    with pytest.raises(FormErrors) as told:
        edit(project, "step_add", *given)
    beside = beside_fields(told.value)
    assert list(beside) == [field] and said in beside[field] and "To fix it:" in beside[field]
    assert project.documents == before


def test_what_provides_requirements_asks_for_some_first(project: Project) -> None:
    assert edit(project, "step_add", ("method", "anonymise"))["protect"][2] == {"method": "anonymise"}
    project.change("nothing required", {"plan": HEAD.partition("[require]")[0]})
    with pytest.raises(FormErrors, match="nothing is required yet"):
        edit(project, "step_add", ("method", "anonymise"))


def test_starts_take_their_numbers_from_the_plan(project: Project) -> None:
    project.change("no steps", {"plan": HEAD.replace("k_anonymity = 3", "k_anonymity = 7")})
    offered = {one.name: one.steps for one in starting_steps(project.draft(), project.raw(), {"zip": 3, "birth": 3})}
    assert offered["anonymise"] == ({"method": "anonymise"},)
    assert offered["suggested"][1] == {"method": "suppress_cells", "k": 7}
    assert methods(edit(project, "step_start", ("name", "suggested"))) == ["generalise", "suppress_cells"]
    project.change("nothing required", {"plan": HEAD.partition("[require]")[0]})
    assert [one.name for one in starting_steps(project.draft(), project.raw(), {"zip": 3})] == ["coarser"]
    with pytest.raises(TacitError, match="no start 'suggested' now"):
        edit(project, "step_start", ("name", "suggested"))


def test_a_variant_is_taken_up_again_with_what_was_off(project: Project) -> None:
    edit(project, "step_off", ("place", "1"))
    project.name_variant("one")
    edit(project, "step_remove", ("place", "0"))
    edit(project, "step_on", ("place", "0"))
    assert methods(edit(project, "variant_take", ("name", "one"))) == ["generalise"]
    assert [one["method"] for one in off_of(project)] == ["suppress_cells"]
    with pytest.raises(TacitError, match="did you mean 'one'"):
        edit(project, "variant_take", ("name", "on"))


def test_a_column_gets_both_roles_and_leaves_both_lists_again(project: Project) -> None:
    both = edit(project, "role", ("column", "sex"), ("role", "quasi_confidential"))["roles"]
    assert "sex" in both["quasi"] and "sex" in both["confidential"]
    decided = edit(project, "role", ("column", "sex"), ("role", "unrestricted"))["roles"]
    assert decided["unrestricted"] == ["sex"]
    assert "sex" not in decided.get("quasi", []) and "sex" not in decided.get("confidential", [])
    undecided = edit(project, "role", ("column", "sex"), ("role", "other"))["roles"]
    assert not any("sex" in named for named in undecided.values() if isinstance(named, list))
