"""The solution space of a lattice search as a picture: a row for every total of levels, the coarsest on top."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ..protect.lattice.space import Node
from .charts import BEFORE, NOW

if TYPE_CHECKING:
    import altair as alt


LINE = 21
"""Nodes beside each other at most; more of the same total go on in the next line, so that none is too small to be hit."""
NARROW, WIDE = 26, 96
"""Room for a node: one that can be hit, one with its levels written below."""
LOW, HIGH = 30, 52
EDGES = 160
"""Nodes beyond which the lines between neighbours would be a blot, as they are where rows go on in the next line."""
SMALL, LARGE = 60, 330


def lattice_chart(nodes: Sequence[Node], *, best: int | None) -> alt.LayerChart:
    """Blue dots are safe, the larger the less is lost; ochre crosses are not; a ring marks the ``best`` of them.

    Of a small space, nodes that differ by one level of one column are joined by a line. The href channel holds the place of the node.

    >>> pair = [Node({"zip": 0}, 0.1, 2, False), Node({"zip": 1}, 0.5, 0, True)]
    >>> [mark["shape"] for mark in lattice_chart(pair, best=1).layer[1].data.values]
    ['circle', 'cross']
    """
    import altair as alt

    lines = _nodes_by_total(nodes)
    most = max(len(line) for _, line in lines)
    slot, tall = (_label_width(nodes), HIGH) if has_room_for_labels(nodes) else (NARROW, LOW)
    marks = [one for row, (total, line) in enumerate(lines) for one in _line_marks(nodes, line, row, total, most)]
    across = alt.X("x:Q", axis=None, scale=alt.Scale(domain=[-1.6, most], nice=False, zero=False))
    up = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[len(lines), 0], nice=False, zero=False))
    drawn = alt.Chart(alt.InlineData(values=marks)).encode(x=across, y=up)
    whole = len(nodes) <= EDGES and len({total for total, _ in lines}) == len(lines)
    layers = [
        _edge_layer(nodes, marks if whole else []).encode(x=across, y=up),
        _dot_layer(drawn),
        *_text_layers(drawn, best, has_room_for_labels(nodes)),
    ]
    totals = [
        {"x": -1.5, "y": row + 0.5, "total": total, "first": not row or lines[row - 1][0] != total}
        for row, (total, _) in enumerate(lines)
    ]
    told = alt.Chart(alt.InlineData(values=totals)).transform_filter("datum.first").mark_text(align="left")
    layers.append(told.encode(x=across, y=up, text="total:Q"))
    return alt.LayerChart(layer=layers).properties(width=slot * (most + 1.6), height=tall * len(lines))


def has_room_for_labels(nodes: Sequence[Node]) -> bool:
    """Whether there is room for the levels below each node."""
    most = max(len(line) for _, line in _nodes_by_total(nodes))
    return _label_width(nodes) <= WIDE and most * _label_width(nodes) <= LINE * NARROW


def _label_width(nodes: Sequence[Node]) -> int:
    """Pixels for the levels of a node in figures."""
    return max(NARROW, max(len(_format_levels(node)) for node in nodes) * 8 + 8)


def _nodes_by_total(nodes: Sequence[Node]) -> list[tuple[int, list[int]]]:
    """The places of the nodes line by line, each with its total of levels, the coarsest first."""
    order = sorted(
        range(len(nodes)), key=lambda place: (-_total_level(nodes[place]), tuple(nodes[place].levels.values()))
    )
    found = []
    for total, same in groupby(order, key=lambda place: _total_level(nodes[place])):
        row = list(same)
        each = math.ceil(len(row) / math.ceil(len(row) / LINE))
        found += [(total, row[start : start + each]) for start in range(0, len(row), each)]
    return found


def _line_marks(nodes: Sequence[Node], line: Sequence[int], row: int, total: int, most: int) -> list[dict[str, Any]]:
    scores = [node.score for node in nodes if node.admissible]
    low, high = (min(scores), max(scores)) if scores else (0.0, 0.0)
    found = []
    for place, number in enumerate(line):
        node = nodes[number]
        good = 1 - (node.score - low) / (high - low) if node.admissible and high > low else 1.0
        found.append(
            {
                "number": number,
                "x": place + (most - len(line)) / 2,
                "y": row + 0.5,
                "total": total,
                "levels": _format_levels(node),
                "shape": "circle" if node.admissible else "cross",
                "colour": NOW if node.admissible else BEFORE,
                "size": SMALL + (LARGE - SMALL) * good if node.admissible else SMALL + 20,
            }
        )
    return found


def _dot_layer(drawn: alt.Chart) -> alt.Chart:
    import altair as alt

    dots: alt.Chart = drawn.mark_point(filled=True, opacity=1).encode(
        shape=alt.Shape("shape:N", scale=None),
        color=alt.Color("colour:N", scale=None),
        size=alt.Size("size:Q", scale=None),
        href="number:Q",
    )
    return dots


def _text_layers(drawn: alt.Chart, best: int | None, written: bool) -> list[alt.Chart]:
    ring = drawn.transform_filter(f"datum.number == {-1 if best is None else best}").mark_point(
        shape="circle", filled=False, size=620, stroke="currentColor", strokeWidth=2.4, opacity=1
    )
    below = drawn.mark_text(dy=19, fontSize=12).encode(text="levels:N")
    return [ring, below] if written else [ring]


def _edge_layer(nodes: Sequence[Node], marks: Sequence[Mapping[str, Any]]) -> alt.Chart:
    import altair as alt

    at = {tuple(nodes[one["number"]].levels.values()): one for one in marks}
    lines = []
    for levels, one in at.items():
        for place in range(len(levels)):
            above = at.get((*levels[:place], levels[place] + 1, *levels[place + 1 :]))
            if above is not None:
                lines.append({"x": one["x"], "y": one["y"], "right": above["x"], "top": above["y"]})
    rules = alt.Chart(alt.InlineData(values=lines)).mark_rule(color="currentColor", opacity=0.18)
    edges: alt.Chart = rules.encode(x2="right:Q", y2="top:Q")
    return edges


def _format_levels(node: Node) -> str:
    return " ".join(map(str, node.levels.values()))


def _total_level(node: Node) -> int:
    return sum(node.levels.values())
