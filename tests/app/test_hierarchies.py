"""Groups without a browser: what the forms write into the plan, what the levels show, and what is refused (D-01, E-10, E-11, E-12)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.app.edits import ALL as EDITS
from tacit.app.edits.edit import Editing
from tacit.app.edits.form import Form
from tacit.app.forms import FormErrors
from tacit.app.pages.hierarchies import hierarchies_context
from tacit.app.pages.page import View
from tacit.app.panels import ALL as PANELS
from tacit.app.panels.context import PanelContext, Store
from tacit.app.project.opening import new_documents
from tacit.app.project.project import Project
from tacit.app.server.studio import beside_fields, output_path
from tacit.app.work.scheduler import PanelScheduler as RealDesk
from tacit.protect import Generalise
from tacit.release.hierarchy import hierarchy
from tacit.risk import k_anonymity

TOWNS = ["Lund", "Lund", "Umeå", "Umeå", "Umeå", "Kiruna", "Visby", None]
FRAME = pl.DataFrame(
    {
        "town": TOWNS,
        "zip": ["22100", "22101", "90210", "90211", "90212", "98100", "62100", "62101"],
        "age": [3, 7, 12, 18, 18, 44, 51, 90],
        "wide": [f"w{number}" for number in range(8)],
        "day": pl.Series(["1962-01-24"] * 8).str.to_date(),
        "ip": [f"172.16.2.{number}" for number in range(8)],
    }
)


class Desk:
    """A project with panels that are computed at once."""

    def __init__(self, folder: Path, frame: pl.DataFrame = FRAME) -> None:
        file = folder / "people.parquet"
        frame.write_parquet(file)
        self.project, self._store = Project(folder / "p"), Store()
        self.project.change("opened", new_documents(self.project, file))

    def found(self, name: str, question: dict[str, Any] | None = None) -> Any:
        bench = PanelContext(
            self._store,
            folder=self.project.folder,
            documents=self.project.documents,
            question=question or {},
            seed=bytes(32),
        )
        return PANELS[name].call(bench)

    def do(self, edit: str, **form: str | list[str]) -> dict[str, Any]:
        """Make a change; gives the hierarchies of the plan on disk."""
        pairs = [(key, one) for key, given in form.items() for one in ([given] if isinstance(given, str) else given)]
        EDITS[edit](Editing(project=self.project, form=Form(pairs), found=self.found))
        plan = tomllib.loads((self.project.folder / "plan.toml").read_text(encoding="utf-8"))
        return plan.get("hierarchies", {})


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(
    ("column", "form", "written"),
    [
        ("zip", {"way": "prefix", "numbers": "3, 1"}, {"prefix": [5, 3, 1]}),
        ("zip", {"way": "prefix", "numbers": "5 3"}, {"prefix": [5, 3]}),
        ("age", {"way": "intervals", "numbers": "5, 10", "origin": "2"}, {"intervals": [5, 10], "origin": 2}),
        ("age", {"way": "intervals", "numbers": "5", "origin": ""}, {"intervals": [5]}),
        ("age", {"way": "cuts", "points": "18, 40.5\r\n18\r\n"}, {"cuts": [[18, 40.5], [18]]}),
        ("day", {"way": "dates", "units": ["month", "year"]}, {"dates": ["month", "year"]}),
        ("ip", {"way": "ip", "numbers": "24, 16"}, {"ip": [24, 16]}),
        ("town", {"way": "frequency", "numbers": "2, 3"}, {"frequency": [2, 3]}),
        (
            "town",
            {"way": "priority", "order": "Lund\r\nUmeå", "keep": "2, 1"},
            {"priority": ["Lund", "Umeå"], "keep": [2, 1]},
        ),
        ("age", {"way": "quantiles", "numbers": "4, 2"}, {"quantiles": [4, 2]}),
        ("town", {"way": "clusters", "numbers": "2", "like": "age"}, {"clusters": [2], "like": "age"}),
    ],
)
def test_each_way_writes_its_line_and_its_levels_are_those_of_the_method(
    desk: Desk, column: str, form: dict[str, Any], written: dict[str, Any]
) -> None:
    assert desk.do("by_rule", column=column, **form) == {column: written}
    plan = desk.project.raw()
    desk.project.change(
        "own", {"plan": f"{desk.project.documents['plan']}".replace("[data]", '[data]\nmissing = "own"')}
    )
    found = desk.found("levels", {"column": column})
    release = Release(FRAME, quasi=column, hierarchies=plan["hierarchies"], missing="own")
    expected = [
        k_anonymity(release.protect(Generalise(levels={column: level}))).value for level in range(len(found["levels"]))
    ]
    assert [one["k"] for one in found["levels"]] == expected
    assert found["problem"] is None and found["lacking"] == 0


@pytest.mark.parametrize(
    ("edit", "form", "says"),
    [
        ("by_rule", {"column": "zip", "way": "prefix", "numbers": "7, 3"}, "at most 5 characters"),
        ("by_rule", {"column": "zip", "way": "prefix", "numbers": "1, 3"}, "do not fall"),
        ("by_rule", {"column": "zip", "way": "prefix", "numbers": "three"}, "'three'"),
        ("by_rule", {"column": "zip", "way": "prefix", "numbers": ""}, "missing"),
        ("by_rule", {"column": "age", "way": "intervals", "numbers": "10, 5"}, "multiple of the one before"),
        ("by_rule", {"column": "age", "way": "cuts", "points": "18, 40\n50"}, "the one below lacks"),
        ("by_rule", {"column": "age", "way": "cuts", "points": ""}, "numbers that go up"),
        ("by_rule", {"column": "day", "way": "dates", "units": ["weekday"]}, "'weekday'"),
        ("by_rule", {"column": "day", "way": "dates"}, "coarser"),
        ("by_rule", {"column": "town", "way": "intervals", "numbers": "5"}, "holds text"),
        ("by_rule", {"column": "town", "way": "clusters", "numbers": "2", "like": "nothing"}, "not in the table"),
        ("by_rule", {"column": "town", "way": "magic"}, "'magic'"),
        ("regroup", {"column": "town", "level": "1", "do": "put", "name": " ", "member": ["Lund"]}, "no name"),
        ("regroup", {"column": "town", "level": "1", "do": "put", "name": "north"}, "no value is chosen"),
        (
            "regroup",
            {"column": "town", "level": "1", "do": "put", "name": "north", "member": ["gone"]},
            "not there any more",
        ),
        ("hierarchy_from_file", {"column": "town", "text": "Lund;south\nUmeå;north"}, "lacks 2 of the 4 values"),
        ("hierarchy_from_file", {"column": "town", "text": "Lund;south\nLund;north"}, "twice"),
        ("hierarchy_from_file", {"column": "town", "text": "Lund;s\ufffdder"}, "UTF-8"),
        ("hierarchy_from_file", {"column": "town", "text": "Lund\nUmeå"}, "no levels"),
        ("hierarchy_from_file", {"column": "town", "path": "nowhere.csv"}, "'nowhere.csv'"),
        ("hierarchy_from_file", {"column": "town"}, "no file is chosen"),
        ("suggested_hierarchy", {"column": "town"}, "no suggested groups"),
    ],
)
def test_a_mistake_names_the_column_and_the_fix_and_changes_nothing(
    desk: Desk, edit: str, form: dict[str, Any], says: str
) -> None:
    before = desk.project.documents
    with pytest.raises(TacitError) as caught:
        desk.do(edit, **form)
    assert says in str(caught.value) and caught.value.fix
    assert form["column"] in str(caught.value) or says in ("'magic'", "not in the table", "missing")
    assert desk.project.documents == before
    assert "Kiruna" not in str(caught.value) and "Visby" not in str(caught.value)


@pytest.mark.parametrize(
    ("edit", "form", "field", "says"),
    [
        ("by_rule", {"column": "town", "way": "frequency", "numbers": "0"}, "numbers", "0 does not rise"),
        ("by_rule", {"column": "town", "way": "frequency", "numbers": "9, 3"}, "numbers", "from 2 on that go up"),
        ("by_rule", {"column": "zip", "way": "prefix", "numbers": "1, 3"}, "numbers", "go down, e.g. 3, 1"),
        ("by_rule", {"column": "age", "way": "quantiles", "numbers": "1"}, "numbers", "e.g. 20, 5"),
        ("by_rule", {"column": "age", "way": "cuts", "points": "40, 18"}, "points", "numbers that go up"),
        ("by_rule", {"column": "age", "way": "cuts", "points": "2,5, 10"}, "points", "two ways"),
        ("by_rule", {"column": "town", "way": "priority", "order": "Lund", "keep": "5"}, "keep", "fewer of them"),
        ("by_rule", {"column": "town", "way": "clusters", "numbers": "2", "like": ""}, "numbers", "a column in which"),
        ("regroup", {"column": "town", "level": "1", "do": "put", "name": "", "member": ["Lund"]}, "name", "no name"),
        ("hierarchy_from_file", {"column": "town", "path": "nowhere.csv"}, "path", "'nowhere.csv'"),
        ("hierarchy_from_file", {"column": "town", "text": "Lund;south"}, "lacking", "lacks 3 of the 4 values"),
        ("open", {"path": "nowhere.csv"}, "path", "'nowhere.csv'"),
        ("open", {"path": __file__}, "path", "files of this kind"),
    ],
)
def test_a_mistake_stands_beside_its_field_in_the_words_of_the_page(
    desk: Desk, edit: str, form: dict[str, Any], field: str, says: str
) -> None:
    with pytest.raises(FormErrors) as caught:
        desk.do(edit, **form)
    (told,) = beside_fields(caught.value).items()
    assert told[0] == field and says in told[1]
    assert not re.search(r" = |\[|\{", told[1]), "no word of a plan"


def test_values_go_into_groups_and_groups_into_larger_ones(desk: Desk) -> None:
    put = {"edit": "regroup", "column": "town", "do": "put"}
    desk.do(**put, level="1", name="the north", member=["Umeå", "Kiruna"])
    assert desk.do(**put, level="1", name="islands", member=["Visby"])["town"] == {
        "groups": {"the north": ["Kiruna", "Umeå"], "Lund": ["Lund"], "islands": ["Visby"]}
    }
    written = desk.do(**put, level="2", name="far away", member=["the north", "islands"])["town"]["table"]
    assert written["Kiruna"] == ["the north", "far away", "*"] and written["Lund"] == ["Lund", "Lund", "*"]
    shown = desk.found("by_hand", {"column": "town", "level": "2"})
    assert shown["groups"] == ["far away"]
    assert {one["label"]: (one["group"], one["records"]) for one in shown["labels"]} == {
        "the north": ("far away", 4),
        "Lund": (None, 2),
        "islands": ("far away", 1),
    }
    assert "remote" in str(desk.do("rename_group", column="town", level="2", before="far away", after="remote"))
    assert "groups" in desk.do("drop_level", column="town", level="2")["town"]
    desk.do("regroup", column="town", level="1", do="out", member=["Umeå"])
    desk.do("regroup", column="town", level="1", dissolve="the north")
    assert desk.do("regroup", column="town", level="1", dissolve="islands") == {}


def test_rules_can_be_gone_on_with_by_hand(desk: Desk) -> None:
    desk.do("by_rule", column="zip", way="prefix", numbers="1")
    table = desk.do("regroup", column="zip", level="2", do="put", name="rest", member=["2****", "6****"])["zip"][
        "table"
    ]
    assert table["22100"] == ["2****", "rest", "*"] and table["98100"] == ["9****", "9****", "*"]


def test_many_values_go_into_a_file_that_undo_still_finds(tmp_path: Path) -> None:
    desk = Desk(tmp_path, pl.DataFrame({"code": [f"c{number}" for number in range(60)]}))
    for name in ("first", "second"):
        given = desk.do("regroup", column="code", level="1", do="put", name=name, member=[f"c{len(name)}", "c1"])
    files = sorted((desk.project.folder / "data").iterdir())
    assert len(files) == 2 and hierarchy(given["code"], folder=desk.project.folder).height == 2
    desk.project.go_to(lambda place: place - 1)
    again = hierarchy(desk.project.raw()["hierarchies"]["code"], folder=desk.project.folder)
    assert ("c5", "first", "*") in again.rows and ("c6", "c6", "*") in again.rows


def test_a_file_is_kept_as_it_came_or_completed_as_wished(desk: Desk, tmp_path: Path) -> None:
    text = "Lund;south\r\nUmeå;north\r\n"

    def given(lacking: str) -> Any:
        form = {"column": "town", "text": text, "filename": "towns.csv", "lacking": lacking}
        return desk.do("hierarchy_from_file", **form)["town"]

    assert given("other")["groups"]["other"] == ["Kiruna", "Visby"]
    assert given("own")["groups"]["Visby"] == ["Visby"]
    whole = tmp_path / "whole.csv"
    whole.write_text("Lund;south\nUmeå;north\nKiruna;north\nVisby;south\nOslo;abroad\n", encoding="utf-8")
    written = desk.do("hierarchy_from_file", column="town", path=str(whole))["town"]
    assert written == {"file": "../whole.csv"} and desk.found("levels", {"column": "town"})["lacking"] == 0
    tree = "north,Sweden\nsouth,Sweden\nLund,south\nVisby,south\nUmeå,north\nKiruna,north\n"
    written = desk.do("hierarchy_from_file", column="town", text=tree, filename="tree.csv", form="edges")["town"]
    assert (desk.project.folder / written["edges"]).read_text(encoding="utf-8") == tree
    assert desk.found("levels", {"column": "town"})["levels"][1]["groups"] == 2


def test_values_that_a_plan_forgot_are_shown_and_filled_in(desk: Desk) -> None:
    plan = desk.project.documents["plan"] + '\n[hierarchies]\ntown = {groups = {south = ["Lund"], north = ["Umeå"]}}\n'
    desk.project.change("typed", {"plan": plan})
    assert desk.found("levels", {"column": "town"})["lacking"] == 2
    assert desk.do("fill", column="town", lacking="other")["town"]["groups"]["other"] == ["Kiruna", "Visby"]


def test_a_hierarchy_that_cannot_be_made_is_told_and_the_values_are_shown(desk: Desk) -> None:
    plan = desk.project.documents["plan"] + "\n[hierarchies]\ntown = {intervals = [5]}\nage = {intervals = [5]}\n"
    desk.project.change("typed", {"plan": plan})
    found = desk.found("levels", {"column": "town"})
    assert "holds text" in found["problem"]["what"] and found["levels"][0]["groups"] == 4
    assert desk.found("levels", {"column": "age"})["problem"] is None
    assert desk.do("no_hierarchy", column="town") == {"age": {"intervals": [5]}}


def test_the_written_file_gives_the_same_groups(desk: Desk) -> None:
    desk.do("by_rule", column="age", way="intervals", numbers="5, 10")
    made = desk.found("hierarchy_file", {"column": "age"})
    file = output_path(desk.project, made["path"])
    assert file is not None and output_path(desk.project, "groups/../plan.toml") is None
    levels = [
        Release(FRAME, hierarchies={"age": given})
        .protect(Generalise(levels={"age": 2}))
        .release.series("age")
        .to_list()
        for given in ({"intervals": [5, 10]}, {"file": str(file)})
    ]
    assert levels[0] == levels[1]
    with pytest.raises(TacitError, match="no groups"):
        desk.found("hierarchy_file", {"column": "town"})


def test_a_hierarchy_file_that_was_changed_is_looked_at_again(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "towns.csv"
    file.write_text("Lund;a\nUmeå;b\nKiruna;b\nVisby;a\n", encoding="utf-8")
    desk.do("hierarchy_from_file", column="town", path=str(file))
    real = RealDesk(desk.project, PANELS, bytes(32), lambda _: None)
    before = {panel: real.cache_key(panel, {"column": "town"}) for panel in ("levels", "status", "look")}
    file.write_text("Lund;longer\nUmeå;b\nKiruna;b\nVisby;longer\n", encoding="utf-8")
    after = {panel: real.cache_key(panel, {"column": "town"}) for panel in before}
    assert [panel for panel in before if before[panel] != after[panel]] == ["levels", "status"]


@pytest.mark.parametrize(
    ("given", "way", "ways"),
    [
        ("3", "", {"prefix", "frequency", "clusters", "priority", "ip"}),
        ('"towns.csv"', "file", {"prefix", "frequency", "clusters", "priority", "ip"}),
        ("{origin = 2, intervals = [5]}", "intervals", {"prefix", "frequency", "clusters", "priority", "ip"}),
    ],
)
def test_a_plan_that_was_typed_otherwise_is_still_shown(desk: Desk, given: str, way: str, ways: set[str]) -> None:
    desk.project.change("typed", {"plan": desk.project.documents["plan"] + f"\n[hierarchies]\ntown = {given}\n"})
    view = View(desk.project, desk, {"column": "town", "level": "x"})  # type: ignore[arg-type]
    shown = hierarchies_context(view)
    assert (shown["way"], set(shown["ways"]), shown["level"]) == (way, ways, "1")
    assert desk.found("levels", {"column": "town"})["problem"] is not None


def test_the_smallest_groups_are_named_where_not_all_are_shown(tmp_path: Path) -> None:
    desk = Desk(tmp_path, pl.DataFrame({"code": [f"c{place}" for place in range(12) for _ in range(place + 1)]}))
    (level,) = desk.found("levels", {"column": "code"})["levels"]
    assert level["rare"] == [["c0", 1], ["c1", 2], ["c2", 3]]
    assert [one["label"] for one in level["top"][:2]] == ["c11", "c10"]


def test_other_columns_do_not_matter_to_a_panel(desk: Desk) -> None:
    cut, raw = PANELS["levels"].cut, {"data": 1, "hierarchies": {"age": {"intervals": [5]}}}
    changed = {"data": 1, "hierarchies": {"age": {"intervals": [5]}, "zip": {"prefix": [5, 1]}}}
    assert cut(raw, {"column": "age"}) == cut(changed, {"column": "age"})
    assert cut(raw, {"column": "zip"}) != cut(changed, {"column": "zip"})
