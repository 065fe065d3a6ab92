"""Charts are drawn from bins, stand alone and have a name."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.per_record import Histogram, PerRecord
from tacit.report import plot
from tacit.report.charts import BEFORE, NOW, bar_chart, bin_labels, interval_chart, render_svg
from tacit.result import Result


def result(**more: object) -> Result:
    return Result(name="re-identification", value=0.2, worse="high", about="identity", **more)  # type: ignore[arg-type]


def marks(found: object) -> list[str]:
    return [layer["mark"]["type"] for layer in plot(found).to_dict()["layer"]]  # type: ignore[arg-type]


def test_what_can_be_plotted() -> None:
    histogram = Histogram((0, 1, 2), (3, 4))
    assert marks(histogram) == marks(PerRecord(histogram=histogram)) == ["bar", "text"]
    assert marks(result(per_record=PerRecord(array=np.array([0.1, 0.5])))) == ["bar", "text"]
    assert marks(result(interval=(0.1, 0.3))) == marks([result(), result()]) == ["rule", "tick", "circle"]
    with pytest.raises(TacitError, match="str has no chart"):
        plot("text")  # type: ignore[arg-type]
    with pytest.raises(TacitError, match="list has no chart"):
        plot([])


def test_a_chart_holds_bins_and_no_records() -> None:
    values = np.random.default_rng(1).random(5000)
    spec = plot(PerRecord(array=values)).to_dict()
    (rows,) = spec["datasets"].values()
    assert len(rows) == 20
    assert sum(row["records"] for row in rows) == 5000


def test_the_svg_has_a_name_and_nothing_from_outside() -> None:
    drawn = render_svg(bar_chart(["1", "2–4"], [1203, 20]), label='Class sizes "before" & after')
    assert drawn.startswith('<svg role="img" aria-label="Class sizes &quot;before&quot; &amp; after"')
    assert "1,203" in drawn
    assert "currentColor" in drawn
    assert not re.search(r"http|xmlns|script|href|url\(", drawn)
    assert len(drawn) < 8000


def test_the_longest_bar_leaves_room_for_its_number() -> None:
    drawn = render_svg(bar_chart(["1"], [12_345_678]), label="x")
    width = float(re.search(r'viewBox="0 0 (\d+)', drawn)[1])  # type: ignore[index]
    start = max(float(x) for x in re.findall(r'translate\(([\d.]+),[\d.]+\)"[^>]*>12,345,678', drawn))
    assert start + 8 * len("12,345,678") <= width


def test_a_label_of_the_data_cannot_break_out() -> None:
    drawn = render_svg(interval_chart([("<script>alert(1)</script>", result(interval=(0.1, 0.3)))]), label="x")
    assert "<script" not in drawn


@pytest.mark.parametrize("colour", [BEFORE, NOW])
@pytest.mark.parametrize("ground", ["#fcfcfa", "#14181c"])
def test_marks_stand_out_on_light_and_dark_pages(colour: str, ground: str) -> None:
    """WCAG 1.4.11 asks 3 : 1 of graphics."""
    lighter, darker = sorted([luminance(colour), luminance(ground)], reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_bins_that_differ_late_are_told_apart() -> None:
    assert len(set(bin_labels(Histogram((1.00001, 1.00002, 1.00003), (1, 1))))) == 2


def test_a_long_label_is_cut_by_letters_and_two_that_begin_alike_stay_two_bars() -> None:
    alike = "Geburtsdatum + Aufnahmedatum + Staatsangehörigkeit"
    drawn = render_svg(bar_chart([f"{alike} {end}" for end in ("one", "two")], [3, 4]), label="sets")
    written = [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawn) if text.startswith("Geburtsdatum")]
    assert len(written) == 2 and all(len(text) == 44 and text.endswith("…") for text in written)
