"""How a file seems to write its numbers, days and missing values (A-03)."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Release
from tacit.release.suggest import CsvConventions, detect_csv_conventions


def of(**columns: list[str] | list[float]) -> CsvConventions:
    return detect_csv_conventions(Release(pl.DataFrame(columns)))


def test_a_german_export_is_recognised_with_the_columns_that_show_it() -> None:
    found = of(
        born=["31.12.1990", "NA"], pay=["1234,5", "NA"], age=["34", "NA"], zip=["01067", "04109"], sex=["m", "NA"]
    )
    assert (found.dates, found.decimal, found.missing_values) == ("DD.MM.YYYY", ",", ("NA",))
    assert found.columns == {"dates": ("born",), "decimal": ("pay",), "missing_values": ("born", "pay", "age", "sex")}
    assert found.as_json()["columns"]["dates"] == ["born"]


def test_thousands_are_recognised_where_nothing_plainer_explains_the_numbers() -> None:
    found = of(turnover=["1,299,577", "85241", "n/a"], staff=["1,250", "40", "7"], form=["AG", "KG", "OG"])
    assert (found.decimal, found.thousands, found.missing_values) == (None, ",", ("n/a",))
    assert found.columns["thousands"] == ("turnover", "staff")
    german = of(pay=["1.234,50", "2.000,00", "3,5"])
    assert (german.decimal, german.thousands) == (",", ".")
    assert of(pay=["1 234", "1\u202f500"]).thousands == " "
    assert of(size=["1,250", "2,5"]).thousands is None  # a decimal comma


def test_days_that_may_be_two_are_not_guessed() -> None:
    assert of(day=["03/04/2001", "05/06/2002"]).dates is None
    assert of(day=["03/04/2001", "25/06/2002"]).dates == "DD/MM/YYYY"


@pytest.mark.parametrize("pay", [[1.5, 2.5], ["1.5", "NA"]])
def test_a_comma_is_not_suggested_where_numbers_have_points(pay: list[float] | list[str]) -> None:
    assert of(pay=pay, size=["1,5", "2,5"]).decimal is None


def test_a_country_code_is_no_missing_value_but_null_is() -> None:
    assert of(country=["NA", "DE"]).missing_values == ()
    assert of(country=["NULL", "DE"]).missing_values == ("NULL",)


def test_a_file_that_was_read_well_needs_nothing() -> None:
    assert of(sex=["f", "m"], age=[1.0, 2.0]) == CsvConventions() == of(age=[1.0])
