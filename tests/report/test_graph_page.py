"""The page about a network: what each audience sees, and how it looks in a real browser. catalogue: K-02, K-04"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import polars as pl
import pytest

from tacit.graphs import Graph, graph
from tacit.plan.graph import GraphOutcome, graph_plan, protect_graph
from tacit.report import render
from tacit.report.graph_page import can_draw_network, draw_network, laid_out_nodes, on_a_map
from tacit.report.graph_statement import graph_statement, graph_summary

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")
HOSTILE = "<script>window.broken=1</script>"
PLAN = f"""title = "{HOSTILE} & club"
[graph]
edges = "edges.csv"
nodes = "people.csv"
[roles]
confidential = ["club"]
[require]
k_degree = 3
reidentification = 0.7
[[protect]]
method = "k_degree"
k = 3
[intruder]
structure = "degree"
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> GraphOutcome:
    place, club = tmp_path_factory.mktemp("club"), nx.karate_club_graph()
    ends = [(f"person{a}", f"person{b}") for a, b in club.edges]
    pl.DataFrame(ends, schema=["source", "target"], orient="row").write_csv(place / "edges.csv")
    rows = [(f"person{a}", HOSTILE if a % 2 else "b") for a in club]
    pl.DataFrame(rows, schema=["name", "club"], orient="row").write_csv(place / "people.csv")
    return protect_graph(graph_plan(PLAN, folder=place))


@pytest.fixture(scope="module", params=["internal", "public"])
def page(
    request: pytest.FixtureRequest, browser: Browser, outcome: GraphOutcome, tmp_path_factory: Any
) -> Iterator[Page]:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(outcome, audience=request.param), encoding="utf-8")
    opened = browser.new_page()
    trouble: list[str] = []
    opened.on("console", lambda message: trouble.append(f"console: {message.text}"))
    opened.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    opened.on("request", lambda request: trouble.append(request.url))
    opened.route("http*://**", lambda route: route.abort())
    opened.goto(path.as_uri())
    opened.eval_on_selector_all("details", "nodes => nodes.forEach(node => node.open = true)")
    opened.trouble = [said for said in trouble if not said.startswith(("file:", "data:"))]  # type: ignore[attr-defined]
    yield opened
    opened.close()


def test_it_opens_without_network_or_complaint_and_nothing_sticks_out(page: Any) -> None:
    assert page.trouble == [] and page.evaluate("window.broken") is None
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.get_by_role("img").count() == page.locator("svg").count() >= 3
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_verdict_comes_first(page: Any) -> None:
    said = page.locator(".verdict.open").inner_text()
    assert "Both requirements you set are met, but they do not cover everything" in said and "may go out" not in said
    assert page.locator("h2").first.inner_text() == "Requirements"


def test_the_public_page_tells_nothing_of_the_original(outcome: GraphOutcome) -> None:
    public, internal = (render(outcome, audience=who) for who in ("public", "internal"))
    assert "original network" in internal and "The original network" not in public
    assert "person" not in re.sub(r"people|persons?\b", "", public.split("</style>")[-1])
    assert "Links removed" not in public and "Without protection" not in public
    assert public.count("<circle") == outcome.masked.graph.size


def test_the_public_picture_is_made_from_the_release_alone(outcome: GraphOutcome) -> None:
    released = outcome.masked.graph
    alone = draw_network(released, laid_out_nodes(released), label="The released network.")
    assert alone in render(outcome, audience="public")


def test_the_statement_and_the_summary_say_the_same(outcome: GraphOutcome) -> None:
    said = graph_statement(outcome)
    assert said.verdict == "open" and said.headline in graph_summary(outcome)
    assert "knows how many links everybody has" in " ".join(said.reasons)


def test_large_networks_have_no_picture_but_those_on_a_map_do() -> None:
    ring = np.column_stack([np.arange(600), (np.arange(600) + 1) % 600])
    assert not can_draw_network(Graph(size=600, edges=ring))
    at = pl.DataFrame({"node": range(600), "x": np.cos(np.arange(600) / 95.5), "y": np.sin(np.arange(600) / 95.5)})
    mapped = graph(pl.DataFrame({"source": ring[:, 0], "target": ring[:, 1]}), nodes=at)
    assert on_a_map(mapped) and can_draw_network(mapped)
    drawn = draw_network(mapped, laid_out_nodes(mapped), label="ring")
    assert drawn.count("<circle") == 600 and drawn.count("M") == 600
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([^"]+)" cy="([^"]+)"', drawn)]
    assert all(0 <= value <= 360 for place in places for value in place)
    # North is above: the node with the largest y stands as high as any, to the tenth that is written.
    assert places[int(np.argmax(at["y"].to_numpy()))][1] == min(place[1] for place in places)


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_directed_network_with_links_both_ways_has_its_page(tmp_path, audience):
    ends = [(f"p{a}", f"p{b}") for a, b in nx.karate_club_graph().to_directed().edges]
    pl.DataFrame(ends, schema=["source", "target"], orient="row").write_csv(tmp_path / "edges.csv")
    text = PLAN.replace('nodes = "people.csv"', "directed = true").replace('confidential = ["club"]', "")
    text = text.replace("k_degree = 3\nreidentification = 0.7", "reidentification = 1.0")
    text = text.replace('method = "k_degree"\nk = 3', 'method = "change_edges"\ndelete = 0.1\nadd = 0.1')
    found = protect_graph(graph_plan(text, folder=tmp_path), seed=7)
    assert found.original.directed and "<svg" in render(found, audience=audience)
