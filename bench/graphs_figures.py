"""Draws docs/images/graph-map.svg: the network of the page on made networks.

python bench/graphs_figures.py
"""

from __future__ import annotations

import numpy as np
from bars import ROOT

from tacit.graphs.graph import Graph
from tacit.graphs.synth import Exponential, Poisson, Raster, Spatial, node_positions

TOWN = Raster(cells=((0, 1, 2, 0), (1, 9, 4, 1), (0, 3, 1, 6), (0, 0, 2, 8)), side=100.0)
SCALE = 1.6


def picture(graph: Graph, cells: np.ndarray, side: float) -> str:
    """The cells shaded by weight, edges as lines, nodes as dots; y grows upwards."""
    rows, columns = cells.shape
    width, height = columns * side * SCALE, rows * side * SCALE
    at = node_positions(graph) * SCALE
    at[:, 1] = height - at[:, 1]
    step, shade = side * SCALE, 0.25 * cells / cells.max()
    parts = [
        f'<rect x="{c * step:g}" y="{height - (r + 1) * step:g}" width="{step:g}" height="{step:g}" fill-opacity="{shade[r, c]:.2f}"/>'
        for r, c in np.ndindex(rows, columns)
    ]
    ways = "".join(f"M{at[a, 0]:.0f} {at[a, 1]:.0f}L{at[b, 0]:.0f} {at[b, 1]:.0f}" for a, b in graph.edges)
    parts.append(f'<path d="{ways}" stroke="#2b5d8a" stroke-opacity=".55"/>')
    parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="2.2"/>' for x, y in at]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">'
        f"<title>A made network on a map</title><rect width='100%' height='100%' fill='#fff'/>{''.join(parts)}</svg>\n"
    )


if __name__ == "__main__":
    degrees = Poisson(nodes=600, mean=4.0)
    made = Spatial(degrees=degrees, density=TOWN, nearness=Exponential(length=15.0)).generate(seed=7)
    target = ROOT / "docs" / "images" / "graph-map.svg"
    target.write_text(picture(made.graph, TOWN.weights(), TOWN.side), encoding="utf-8")
    print(target.relative_to(ROOT))
