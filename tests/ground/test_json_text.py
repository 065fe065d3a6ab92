"""The one JSON encoder."""

import json
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl
import pytest

from tacit.frozen import FrozenDict
from tacit.json_text import json_text, spell_infinity, to_plain_values
from tacit.result import Result


class Colour(Enum):
    RED = "red"


class Level(int, Enum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (True, True),
        (np.bool_(True), True),
        (np.int64(7), 7),
        (np.float32(0.5), 0.5),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (pl.Series([1, None]), [1, None]),
        ((1, "a"), [1, "a"]),
        ({3, 1, "b"}, [1, 3, "b"]),
        (frozenset(), []),
        (FrozenDict(zip=2), {"zip": 2}),
        (MappingProxyType({1: None}), {"1": None}),
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29, 12, tzinfo=UTC), "2024-02-29T12:00:00+00:00"),
        (time(12, 30), "12:30:00"),
        (np.datetime64("2024-02-29"), "2024-02-29"),
        (Decimal("1.50"), "1.50"),
        (Fraction(1, 3), "1/3"),
        (Path("a") / "b.csv", str(Path("a") / "b.csv")),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (range(3), [0, 1, 2]),
    ],
)
def test_a_value_becomes_what_json_gives_back(value, plain):
    converted = to_plain_values({"value": value})
    assert converted == {"value": plain}
    assert json.loads(json_text({"value": value})) == converted
    assert type(converted["value"]) is type(plain)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), np.float64("nan"), np.float32("inf")])
@pytest.mark.parametrize(
    ("wrap", "place"),
    [
        (lambda number: {"models": {"risk": [0.5, number]}}, "models.risk[1]"),
        (lambda number: [{"interval": (0.0, number)}], "[0].interval[1]"),
        (lambda number: {"histogram": np.array([1.0, number])}, "histogram[1]"),
        (lambda number: {"column": pl.Series([1.0, float(number)])}, "column[1]"),
        (lambda number: number, "the value"),
    ],
)
def test_what_is_not_finite_is_refused_with_its_place(number, wrap, place):
    with pytest.raises(ValueError) as refused:
        json_text(wrap(number))
    assert str(refused.value).startswith(f"{place} is ")


@pytest.mark.parametrize("value", [object(), b"secret", lambda: None, 1j])
def test_what_has_no_json_form_is_refused_without_its_content(value):
    with pytest.raises(TypeError) as refused:
        json_text({"facts": [value]})
    assert str(refused.value) == f"facts[0] is of type {type(value).__name__}, which has no JSON form"


def test_the_text_is_readable_and_ends_without_a_line():
    assert json_text({"größe": [1]}) == '{\n  "größe": [\n    1\n  ]\n}'


def test_an_unbounded_result_is_spelled_out():
    result = Result(
        name="gap",
        value=float("inf"),
        interval=(1.0, float("inf")),
        worse="high",
        about="utility",
        facts={"most": np.inf},
    )
    plain = json.loads(json_text(result.as_json()))
    assert (plain["value"], plain["interval"], plain["facts"]) == ("inf", [1.0, "inf"], {"most": "inf"})
    assert spell_infinity(float("nan")) != spell_infinity(float("nan"))  # not a number is a mistake, and stays one
