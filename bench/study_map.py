"""The map with 5,000 points in a real browser: how soon it answers."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from bars import Bars

from tacit.loss.score import WeightedMeasure
from tacit.report import write_page
from tacit.study import Candidate, Evaluation, Figure, Point, Study, front

POINTS, MOVES = 5000, 40
HINT, AXIS = 100, 500
"""Milliseconds: an answer to a movement that feels immediate, and to a choice that does not interrupt a thought."""
HINTED = """async ([x, y]) => {
  const box = document.querySelector('#map .canvas').getBoundingClientRect();
  const target = document.elementFromPoint(box.x + x, box.y + y);
  const start = performance.now();
  target.dispatchEvent(new PointerEvent('pointermove', { clientX: box.x + x, clientY: box.y + y, bubbles: true }));
  target.dispatchEvent(new MouseEvent('mousemove', { clientX: box.x + x, clientY: box.y + y, bubbles: true }));
  await new Promise(next => requestAnimationFrame(() => requestAnimationFrame(next)));
  return [performance.now() - start, !document.querySelector('.hint').hidden];
}"""
CHOSEN = """async place => {
  const select = document.querySelector('#map-risk');
  const start = performance.now();
  select.selectedIndex = place;
  select.dispatchEvent(new Event('change', { bubbles: true }));
  await new Promise(next => requestAnimationFrame(() => requestAnimationFrame(next)));
  return performance.now() - start;
}"""


def bars(bars: Bars) -> None:
    """Median time from a movement to its painted hint, and from a choice to the map painted on other axes."""
    found = os.environ.get("TACIT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        bars.skipped("the map of 5,000 points", "there is no chromium")
        return
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = write_page(_study(), Path(folder) / "map.html")
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.goto(page_file.as_uri())
        page.wait_for_selector("#map[data-drawn]")
        hints, answered = _hints(page)
        axes = [page.evaluate(CHOSEN, place % 2) for place in range(1, 7)]
        browser.close()
        bars.at_most(
            "ms from a movement to its hint, 5,000 points", median(hints), HINT, at_scale=True, worst=max(hints)
        )
        bars.true("a hint was shown", answered, moves=MOVES)
        bars.at_most("ms from a choice to other axes, 5,000 points", median(axes), AXIS, at_scale=True, worst=max(axes))
        bars.stated("MB of the page", page_file.stat().st_size / 1e6)


def _hints(page: Any) -> tuple[list[float], bool]:
    page.locator("#map").scroll_into_view_if_needed()
    box = page.locator("#map .canvas").bounding_box()
    draws = np.random.default_rng(2)
    places = [
        (float(draws.uniform(0.1, 0.9) * box["width"]), float(draws.uniform(0.1, 0.9) * box["height"]))
        for _ in range(MOVES)
    ]
    found = [page.evaluate(HINTED, place) for place in places]
    return [milliseconds for milliseconds, _ in found], any(shown for _, shown in found)


def _study() -> Study:
    """Points at random in the unit square, of six strategies."""
    draws = np.random.default_rng(1)
    places = draws.random((POINTS, 2))
    points = tuple(
        Point(
            number=number,
            candidate=Candidate(
                strategy=f"strategy {number % 6}", steps=({"method": "shuffle"},), values={"k": number}
            ),
            evaluation=Evaluation(
                state="done",
                figures=(
                    Figure("loss", "moments", float(loss)),
                    Figure("risk", "reidentification", float(risk), "distance"),
                ),
            ),
            risk=float(risk),
            loss=float(loss),
        )
        for number, (risk, loss) in enumerate(places)
    )
    return Study(
        title="5,000 points",
        points=points,
        front=front([tuple(place) for place in places]),
        chosen=front([tuple(place) for place in places])[0],
        nearest=None,
        risk=(WeightedMeasure(name="reidentification", weight=1.0),),
        loss=(WeightedMeasure(name="moments", weight=1.0),),
        attacks=("distance",),
        plan_text='title = "5,000 points"\n',
    )
