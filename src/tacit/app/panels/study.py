"""The risk–utility map: methods and parameters tried on the plan, every candidate attacked and measured."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from ...json_text import to_plain_values
from ...report.map_data import MapData, left_open
from ...report.map_picture import map_picture
from ...report.map_statement import map_statement
from ...report.study_folder import MAP, STORE, write_study
from ...report.svg_links import Link
from ...report.words import format_percent
from ...study import explore
from ...study.results import Study
from ..texts import texts

if TYPE_CHECKING:
    from .context import PanelContext


FOLDER = "study"
"""Where ``tacit explore`` keeps what it found, so that either goes on where the other was."""


def study_panel(bench: PanelContext) -> dict[str, Any]:
    """Explore, keep map and table in the project's folder, and tell every point; a study that was stopped goes on."""
    folder = bench.folder / FOLDER
    found = explore(bench.whole_plan, store=folder / STORE, progress=bench.progress)
    command = f"tacit explore {quote(f'{bench.folder.name}/plan.toml')}"
    write_study(found, folder, command=command)
    said = map_statement(found)
    return {
        "verdict": said.verdict,
        "headline": said.headline,
        "reasons": list(said.reasons),
        "points": _point_rows(found),
        "front": list(found.front),
        "chosen": found.chosen,
        "nearest": found.nearest,
        "ended": found.ended,
        "axes": {"risk": list(MapData.of(found).risk), "loss": list(MapData.of(found).loss)},
        "svg": _study_map_svg(found),
        "page": f"{FOLDER}/{MAP}",
        "command": command,
    }


def _point_rows(found: Study) -> list[dict[str, Any]]:
    """A row for each point, as on the map page, with the steps that make it."""
    rows = []
    for row, point in zip(MapData.of(found).rows, found.points, strict=True):
        steps = [dict(step) for step in point.candidate.steps]
        rows.append(row | {"steps": steps, "given": dict(point.candidate.values)})
    plain: list[dict[str, Any]] = to_plain_values(rows)
    return plain


def _study_map_svg(found: Study) -> str:
    say = texts().map
    links = {}
    for point in found.points:
        if point.risk is None or point.loss is None:
            continue
        named = ", ".join(part for part in (point.strategy, left_open(point)) if part)
        figures = f"{say.risk} {format_percent(point.risk)}, {say.loss} {format_percent(point.loss)}"
        mark = say.stopped_early if not point.done else say.meets if point.holds else say.misses
        links[point.number] = Link(f"?point={point.number}", f"{say.point} {point.number}: {named}; {figures}; {mark}")
    return map_picture(found, label=say.study_title, links=links)
