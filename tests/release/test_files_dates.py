"""Days as people write them: the same days on both engines, and never a wrong guess."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError, read
from tacit.release.files.typing import ORDERS

days = st.lists(st.one_of(st.none(), st.dates(dt.date(1000, 1, 1), dt.date(9999, 12, 31))), min_size=1, max_size=20)


def written(day: dt.date | None, order: str) -> str:
    if day is None:
        return ""
    return order.replace("YYYY", f"{day.year:04}").replace("MM", f"{day.month:02}").replace("DD", f"{day.day:02}")


@given(days, st.sampled_from(ORDERS))
def test_days_come_back_on_both_engines(tmp_path_factory, values, order):
    path = tmp_path_factory.mktemp("d") / "x.csv"
    path.write_text("day,n\n" + "".join(f"{written(day, order)},1\n" for day in values))
    for engine in ("polars", "duckdb"):
        release = read(path, dates=order, engine=engine)
        if any(values):
            assert release.types["day"] == "date"
        assert release.series("day").to_list() == values


@pytest.mark.parametrize("cell", ["31.02.2020", "3.4.2020", "2020-01-03", "31/12/2020", "00.01.2020", "31.12.20"])
def test_what_is_no_such_day_stays_text(tmp_path, cell):
    path = tmp_path / "x.csv"
    path.write_text(f"day,n\n{cell},1\n24.12.1962,2\n")
    for engine in ("polars", "duckdb"):
        release = read(path, dates="DD.MM.YYYY", engine=engine)
        assert release.types["day"] == "text"
        assert release.series("day").to_list() == [cell, "24.12.1962"]


def test_an_unknown_way_is_answered_with_the_known_ones(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("day\n24.12.1962\n")
    with pytest.raises(TacitError, match=r"dates='D.M.Y'(?s:.*)DD.MM.YYYY"):
        read(path, dates="D.M.Y")


def test_suggestions_say_what_was_read_as_text_by_mistake(tmp_path):
    from tacit import suggest

    path = tmp_path / "x.csv"
    rows = [f"{1 + i % 28:02}.0{1 + i % 9}.19{50 + i % 40};{i},5" for i in range(80)]
    path.write_text("Geburtsdatum;Einkommen\n" + "\n".join(rows) + "\n")
    found = suggest(read(path))
    assert "DD.MM.YYYY" in found["Geburtsdatum"].warning
    assert found["Geburtsdatum"].hierarchy is None, "the first characters of a day are the day itself"
    assert "decimal" in found["Einkommen"].warning
    again = suggest(read(path, dates="DD.MM.YYYY", decimal=","))
    assert again["Geburtsdatum"].hierarchy == {"dates": ["month", "year", "decade"]}
    assert 'dates = "DD.MM.YYYY"' in again.plan_text("x.csv", reading={"dates": "DD.MM.YYYY"})
