"""The chart of the game: the two distributions as in the lecture, drawn from their law."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tacit.dp.game import game
from tacit.report import plot
from tacit.report.charts import render_svg


@pytest.mark.parametrize(("law", "shape"), [("laplace", "linear"), ("discrete laplace", "step")])
def test_both_distributions_are_drawn_with_their_answers(law, shape):  # catalogue: H-05
    spec = plot(game(1, answers=(5, 6), law=law)).to_dict()
    assert [layer["mark"]["type"] for layer in spec["layer"]] == ["area", "rule"]
    assert spec["layer"][0]["mark"]["interpolate"] == shape
    rows = next(rows for rows in spec["datasets"].values() if "chance" in rows[0])
    names = sorted({row["database"] for row in rows})
    assert names == ["with D, true answer 5", "with D′, true answer 6"]
    first, second = (np.array([row["chance"] for row in rows if row["database"] == name]) for name in names)
    assert np.abs(np.log(first / second)).max() == pytest.approx(1)


def test_the_drawing_names_both_and_takes_nothing_from_outside():
    drawn = render_svg(plot(game(1)), label="two answers")
    assert "true answer 5" in drawn
    assert "true answer 6" in drawn
    assert not re.search(r"http|xmlns|script|href|url\(", drawn)
