"""Pictures whose marks are links: each leads where it should, under its own name, and a map keeps its bounds and front (F-06)."""

from __future__ import annotations

import re
from itertools import product

import polars as pl

from tacit import Release
from tacit.protect.lattice.space import Node
from tacit.report.lattice_chart import LINE, has_room_for_labels, lattice_chart
from tacit.report.map_picture import map_picture
from tacit.report.svg_links import Link, linked_svg
from tacit.study import explore

SPACE = [Node({"zip": a, "age": b}, a + b / 10, 3 - a, a > 0) for a, b in product(range(3), range(2))]


def names(drawn: str) -> list[tuple[str, str]]:
    return re.findall(r'<a href="([^"]*)"><title>([^<]*)</title>', drawn)


def test_every_node_is_a_link_with_its_own_name() -> None:
    links = {place: Link(f"?node={place}&x=<", f"node <{place}>") for place in range(len(SPACE))}
    drawn = linked_svg(lattice_chart(SPACE, best=2), label="levels", links=links)
    assert sorted(names(drawn)) == sorted(
        (f"?node={place}&amp;x=&lt;", f"node &lt;{place}&gt;") for place in range(len(SPACE))
    )
    assert 'role="group" aria-label="levels"' in drawn and "http" not in drawn and "style=" not in drawn


def test_nodes_lie_by_the_total_of_their_levels_the_safe_ones_larger_the_better() -> None:
    marks = {one["number"]: one for one in lattice_chart(SPACE, best=2).layer[1].data.values}
    assert {place: one["total"] for place, one in marks.items()} == {0: 0, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3}
    assert marks[5]["y"] < marks[0]["y"], "the coarsest on top"
    assert marks[2]["size"] > marks[3]["size"] > marks[4]["size"] > marks[5]["size"]
    assert [marks[place]["shape"] for place in (0, 2)] == ["cross", "circle"]


def test_a_long_row_goes_on_in_the_next_line_and_has_no_words() -> None:
    many = [Node({"a": a, "b": 60 - a}, 1.0, 0, True) for a in range(60)]
    lines = {one["y"] for one in lattice_chart(many, best=None).layer[1].data.values}
    assert len(lines) == -(-60 // LINE) and not has_room_for_labels(many) and has_room_for_labels(SPACE)


def test_every_point_of_a_map_that_has_a_place_is_a_link() -> None:
    release = Release(
        pl.DataFrame({"pay": [float(x * x) for x in range(40)]}), quasi="pay", kinds={"pay": "continuous"}
    )
    swap = {"name": "swap <b>", "steps": [{"method": "rank_swap", "columns": ["pay"], "percent": {"any_of": [5, 20]}}]}
    bad = {"name": "bad", "steps": [{"method": "mdav", "columns": ["pay"], "k": {"any_of": [90]}}]}
    study = explore(
        release, strategy=[swap, bad], search="grid", candidates=3, workers=1, require={"reidentification": 0.2}
    )
    placed = [point.number for point in study.points if point.risk is not None]
    assert len(placed) == len(study.points) - 1
    drawn = map_picture(study, label="map", links={number: Link(f"?point={number}", f"P{number}") for number in placed})
    assert sorted(names(drawn)) == sorted((f"?point={number}", f"P{number}") for number in placed)
    assert "at most 20 %" in drawn and "swap &lt;b&gt;" in drawn and "currentColor" in drawn
