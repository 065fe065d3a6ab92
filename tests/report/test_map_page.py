"""The page of a study: one file, everything escaped, the choice in words, the same numbers on the map and in the tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vl_convert

from tacit.errors import TacitError
from tacit.report import plot, write_page
from tacit.report.map_chart import drawing_library, map_specification, strategy_style
from tacit.report.map_data import MapData, missed_requirements
from tacit.report.map_page import LISTED, map_page
from tacit.report.map_statement import map_statement
from tacit.report.page import lay_out
from tacit.report.words import format_percent
from tacit.study.results import Study

Studied = Callable[..., Study]
STEPS = re.compile(r'd="(M[^"]*(?:L|H|V)[^"]*)"[^>]*stroke-width="1.6"|stroke-width="1.6"[^>]*d="(M[^"]*)"')


def embedded(page: str, name: str) -> Any:
    found = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def drawn(study: Study, **signals: Any) -> str:
    """The chart of the page with other axes, as SVG."""
    data = MapData.of(study)
    specification = map_specification(data)
    next(source for source in specification["data"] if source["name"] == "points")["values"] = list(data.rows)
    for signal in specification["signals"]:
        if signal["name"] in signals:
            signal["value"] = signals[signal["name"]]
    return str(vl_convert.vega_to_svg(specification))


def near(shares: list[float | None]) -> list[Any]:
    return [None if share is None else pytest.approx(share, rel=1e-4) for share in shares]


@pytest.fixture(scope="module")
def study(studied: Studied) -> Study:
    return studied()


@pytest.fixture(scope="module")
def page(study: Study) -> str:
    return lay_out(map_page(study, command="tacit explore pay.toml"))


# catalogue: F-06
def test_the_points_of_the_map_are_those_of_the_table_of_the_study(study: Study) -> None:
    data, frame = MapData.of(study), study.frame()
    assert data.risk[:3] == ("whole risk", "re-identification", "attribute inference")
    assert data.risk[3:] == ("attack: distance", "attack: transparency", "attack: naive bayes of pay")
    columns = [
        "risk",
        "risk: reidentification",
        "risk: attribute_inference",
        "attack: distance",
        "attack: transparency",
        "attack: naive_bayes of pay",
    ]
    for row, wanted in zip(data.rows, frame.iter_rows(named=True), strict=True):
        assert row["risk"] == near([wanted[name] for name in columns])
        assert row["loss"] == near([wanted[name] for name in ("loss", "loss: moments", "loss: squared_error")])
        assert (row["number"], row["state"], row["front"]) == (wanted["number"], wanted["state"], wanted["front"])


def test_it_is_valid_and_nothing_is_fetched(page: str, parsed: Any) -> None:
    found = parsed(page)
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {anchor["href"][1:] for anchor in found.named("a")} <= set(ids)
    assert len(found.named("table")) == len(found.named("caption"))
    assert not any("src" in attributes for _, attributes in found.tags)
    (policy,) = (meta["content"] for meta in found.named("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none'")
    assert len(page) < 1_100_000


def test_the_only_addresses_are_names_of_vocabularies(page: str) -> None:
    assert "://" not in page.replace(drawing_library(), "")
    assert set(re.findall(r"https?://[^/]+/", drawing_library())) == {"http://www.w3.org/"}


@pytest.mark.parametrize(
    "name",
    [
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        "</script x",
        "<!--<script>",
        '" onclick="x',
        "a & b",
    ],
)
def test_a_name_from_the_plan_stays_a_name(studied: Studied, parsed: Any, name: str) -> None:
    study = studied(12, names=(name,), title=name, notes=(name,), ended=name)
    page = lay_out(map_page(study, command=name))
    found = parsed(page)
    assert not found.named("img")
    assert len(found.named("script")) == 4
    assert not any(word.startswith("on") for _, attributes in found.tags for word in attributes)
    data = embedded(page, "map-data")
    assert "<" not in re.search('id="map-data">(.*)</script>', page)[1]  # type: ignore[index]
    assert data["points"][1]["strategy"] == name == data["command"]
    assert found.named("button")[-1]["data-strategy"] == name


def test_the_choice_is_said_first(study: Study, page: str, parsed: Any) -> None:
    said = map_statement(study)
    best = min((one for one in study.points if one.holds), key=lambda one: one.loss)  # type: ignore[arg-type,return-value]
    assert study.chosen == best.number
    assert said.verdict == "holds"
    assert said.headline == (
        f"Point {best.number} ({best.strategy}, percent {best.number}) loses least of those that meet every requirement."
    )
    found = best.evaluation.verdicts[0]["found"]
    assert (
        said.reasons[0]
        == f"It meets re-identification (20 % required, {format_percent(found, up=True)} found at the upper end of its 95 % interval)."
    )
    assert said.reasons[1].startswith("Its risk is ")
    assert "the mean of re-identification " in said.reasons[1]
    assert said.reasons[2].endswith(" by their weights.")
    assert said.headline in parsed(page).text
    assert f"point {best.number}" not in said.reasons


def test_without_a_choice_the_nearest_is_told_and_what_it_costs(studied: Studied) -> None:
    study = studied(bound=0.0001, at_most={"loss": 0.2})
    assert study.chosen is None
    point = study.best
    said = map_statement(study)
    assert said.verdict == "fails"
    assert said.headline == (
        f"No candidate meets all that was asked; point {point.number} ({point.strategy}, percent {point.number}) misses least."
    )
    assert said.reasons[0].startswith("Re-identification: at most 0.01 % required, ")
    assert any(reason.startswith("Its loss is ") for reason in said.reasons)
    assert "nearest" in drawn(study)
    assert "chosen" not in drawn(study)


def test_other_preferences_and_no_requirement(studied: Studied) -> None:
    assert "has the least risk of those" in map_statement(studied(prefer={"risk": 1.0})).headline
    both = map_statement(studied(prefer={"risk": 1.0, "loss": 1.0})).headline
    assert both.endswith("is best of those that meet every requirement, weighing risk 1 and loss 1.")
    points = studied(6).points[5:6]
    bare = tuple(_unjudged(point) for point in points)
    said = map_statement(studied(6, points=bare, front=(5,), chosen=5, required={}))
    assert (said.verdict, said.headline) == (
        "open",
        "Point 5 (microaggregation, percent 5) loses least of all; no requirement was set.",
    )


def _unjudged(point: Any) -> Any:
    return replace(point, evaluation=replace(point.evaluation, verdicts=()))


def test_when_everything_failed_there_is_still_a_page(studied: Studied, parsed: Any) -> None:
    failed = tuple(one for one in studied(60).points if one.evaluation.state == "failed")
    study = studied(60, points=failed, front=(), chosen=None, nearest=None)
    found = parsed(lay_out(map_page(study)))
    assert "No candidate could be evaluated to the end." in found.text
    assert "the column 'pay' is constant: leave it out" in found.text


# catalogue: A-04
def test_bounds_are_drawn_where_they_mean_what_is_shown(studied: Studied) -> None:
    two = studied(at_most={"loss": 0.5})
    assert "re-identification at most 20 %" not in drawn(two)
    assert "re-identification at most 20 %" in drawn(two, y_shown=1)
    assert "re-identification at most 20 %" not in drawn(two, y_shown=2)
    assert "loss at most 50 %" in drawn(two, y_shown=2)
    assert "loss at most 50 %" not in drawn(two, x_shown=1)
    one = studied(risks=("reidentification",))
    assert "re-identification at most 20 %" in drawn(one)
    assert "re-identification at most 20 %" in drawn(one, y_shown=1)


def test_a_bound_is_a_line_across_at_its_value(studied: Studied) -> None:
    bounds = {(one["axis"], one["at"]): one["value"] for one in MapData.of(studied(at_most={"loss": 0.5})).bounds}
    assert bounds == {("loss", 0): 0.5, ("risk", 1): 0.2}
    specification = json.dumps(map_specification(MapData.of(studied(at_most={"loss": 0.5}))))
    assert '"x": {"scale": "x", "field": "value"}' in specification
    assert '"y": {"scale": "y", "field": "value"}' in specification


def test_a_bound_that_is_met_exactly_is_met(studied: Studied) -> None:
    point = studied(6).points[5]
    assert missed_requirements(point, studied(6, at_most={"loss": point.loss})) == missed_requirements(
        point, studied(6)
    )
    over = studied(6, at_most={"loss": point.loss - 1e-6})  # type: ignore[operator]
    assert len(missed_requirements(point, over)) == len(missed_requirements(point, studied(6))) + 1


def test_one_point_is_called_the_best(study: Study) -> None:
    labels = {row["label"]: row["number"] for row in MapData.of(study).rows if row["label"]}
    assert labels == {"as it is": 0, "chosen": study.chosen}
    other = next(one.number for one in study.points if one.done and one.number not in (0, study.chosen))
    assert "nearest" not in {row["label"] for row in MapData.of(replace(study, nearest=other)).rows}


def test_the_line_is_that_of_the_whole_and_steps_down(study: Study) -> None:
    (found,) = STEPS.findall(drawn(study))
    path = next(filter(None, found))
    corners = [tuple(map(float, pair)) for pair in re.findall(r"([-\d.]+),([-\d.]+)", path)]
    across, down = zip(*corners, strict=True)
    assert list(across) == sorted(across)
    assert list(down) == sorted(down)  # in SVG down is more, so risk falls
    assert all(one[0] == other[0] or one[1] == other[1] for one, other in zip(corners, corners[1:], strict=False))
    assert (
        corners[0][1] == corners[1][1]
    )  # what may be lost grows first: until the next point is reached its risk is not had
    assert len(study.front) <= len(corners) < 2 * len(study.front)
    assert not STEPS.search(drawn(study, y_shown=1))


def test_a_hidden_strategy_is_not_drawn(study: Study) -> None:
    colours = {name: strategy_style(place)[0] for place, name in enumerate(MapData.of(study).strategies)}
    assert colours["noise"] in drawn(study)
    assert colours["noise"] not in drawn(study, hidden=["noise"])


def test_the_tables(study: Study, page: str, parsed: Any) -> None:
    found = parsed(page)
    tables = {table[0][:2] == ["Point", "Strategy"] and len(table): table for table in found.tables}
    front = tables[len(study.front) + 1]
    assert [int(row[0]) for row in front[1:]] == list(study.front)
    assert all(row[5].startswith(("✓ yes", "✗ no: re-identification")) for row in front[1:])
    everything = tables[len(study.points) + 1]
    assert everything[1][0] == str(study.chosen)
    assert everything[1][1].endswith("← chosen")
    by_number = {int(row[0]): row for row in everything[1:]}
    assert by_number[6][3].startswith("≥ ")
    assert by_number[6][5].startswith("stopped: another candidate")
    assert by_number[10][3:6] == ["–", "–", "failed: the column 'pay' is constant: leave it out"]
    assert ["rank swapping", "the column 'pay' is constant: leave it out", "1", "21"] in [
        row for table in found.tables for row in table
    ]


def test_the_chosen_point_is_the_first_row_also_among_equals(studied: Studied, parsed: Any) -> None:
    found = studied(60)
    best = found.point(found.chosen)  # type: ignore[arg-type]
    twin = replace(best, number=1, risk=best.risk + 0.01)  # type: ignore[operator] # no less loss, and more risk
    study = studied(60, points=tuple(twin if one.number == 1 else one for one in found.points))
    assert study.chosen == best.number
    everything = next(table for table in parsed(lay_out(map_page(study))).tables if len(table) == len(study.points) + 1)
    assert [int(row[0]) for row in everything[1:3]] == [best.number, 1]


def test_what_a_reader_has_to_know_stands_beside_the_choice(studied: Studied, parsed: Any) -> None:
    study = studied(60, notes=("each was attacked by distance only",))
    failed = [one for one in study.points if one.evaluation.state == "failed"]
    said = map_statement(study)
    assert said.reasons[-1] == "Each was attacked by distance only."
    assert said.reasons[-2].startswith(f"{len(failed)} of 59 candidates failed; ")
    assert said.reasons[-2].endswith(": the column 'pay' is constant: leave it out.")
    text = parsed(lay_out(map_page(study))).text
    assert "Each was attacked by distance only." in text
    assert "Study of candidates, nothing is released" in text
    assert "folder internal/" not in text


def test_plans_are_written_out_for_the_front_and_the_choice(study: Study, page: str, parsed: Any) -> None:
    found = parsed(page)
    numbers = {attributes["id"] for tag, attributes in found.tags if tag == "details" and "id" in attributes}
    assert numbers == {f"plan-{number}" for number in {*study.front, study.chosen}}
    assert f"percent = {study.chosen}" in found.text
    assert "tacit explore pay.toml --point NUMBER --write FILE" in found.text


def test_without_plans_the_page_says_why(study: Study, monkeypatch: pytest.MonkeyPatch, parsed: Any) -> None:
    def refused(*_: object, **__: object) -> str:
        raise TacitError("writing a plan needs TOML Kit", code="invalid_data", fix="install it")

    monkeypatch.setattr("tacit.study.results.plan_with_steps", refused)
    found = parsed(lay_out(map_page(study)))
    assert "The plans are not written out here: writing a plan needs TOML Kit; install it." in found.text
    assert not any("id" in attributes for attributes in found.named("details"))


def test_five_thousand_points(studied: Studied, parsed: Any) -> None:
    page = lay_out(map_page(studied(5000)))
    found = parsed(page)
    assert max(len(table) for table in found.tables) == LISTED + 1
    assert "The best 500 of 5,000 candidates" in found.text
    assert len(embedded(page, "map-data")["points"]) == 5000
    assert len(page) < 4_000_000


def test_it_is_written_like_any_page_but_not_for_the_public(study: Study, tmp_path: Path) -> None:
    file = write_page(study, tmp_path / "map.html", command="tacit explore mine.toml")
    assert "tacit explore mine.toml --point NUMBER" in file.read_text(encoding="utf-8")
    with pytest.raises(TacitError, match="audience='internal'"):
        write_page(study, tmp_path / "public.html", audience="public")
    assert not (tmp_path / "public.html").exists()


def test_the_same_chart_for_a_notebook(study: Study) -> None:
    chart = plot(study)
    specification = chart.to_dict()
    selects = {one["name"]: one["bind"]["labels"] for one in specification["params"] if "labels" in one.get("bind", {})}
    assert selects["y_shown"] == list(MapData.of(study).risk)
    assert selects["x_shown"] == ["whole loss", "moments", "squared error"]
    svg = vl_convert.vegalite_to_svg(chart.to_json())
    assert all(word in svg for word in ("chosen", "as it is", "rank swapping"))
