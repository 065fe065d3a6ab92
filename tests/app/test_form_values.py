"""Whatever stands in a form comes back from it: odd names and texts, every control, values written in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.app.forms import Column, Columns, FormErrors, parse_form
from tacit.plan.table.schema import Mark, TableOf
from tacit.toml_text import from_inline_toml, to_inline_toml

from .filled_forms import through

NAMES = ("zip", 'a "b" & <c>', "größe:x", "日本", "it's, one", "a=b")
ODD = Columns(every=tuple(Column(name=name) for name in NAMES), heights=dict.fromkeys(NAMES, 7))


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    """A parameter for each control."""

    column: str | None = None
    columns: str | Sequence[str] = ()
    geography: str | Sequence[str] = ()
    levels: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    share: float | None = None
    k: int | None = None
    text: str = ""
    form: Literal["a", "b c"] = "a"
    flag: bool = True
    bound: float | str | None = None
    anything: Mapping[str, Any] = field(default_factory=dict)


LETTERS = st.characters(blacklist_categories=("Cs", "Cc"), whitelist_characters="\n\t")
"""All but control signs: a browser sends no lone carriage return."""
TEXTS = st.text(LETTERS, min_size=1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.booleans() | st.integers(-(2**70), 2**70) | FLOATS | st.text(LETTERS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(LETTERS), inner, max_size=3)
)
SEVERAL = st.lists(st.sampled_from(NAMES), unique=True, min_size=1)


def each(values):
    return st.dictionaries(st.sampled_from(NAMES), values, min_size=1)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "column": st.sampled_from(NAMES),
            "columns": SEVERAL,
            "geography": SEVERAL,
            "levels": each(st.integers(0, 7)),
            "weights": each(FLOATS),
            "counts": each(st.integers()),
            "share": FLOATS,
            "k": st.integers(),
            "text": TEXTS,
            "form": st.just("b c"),
            "flag": st.just(False),
            "bound": FLOATS | TEXTS | each(FLOATS),
            "anything": st.dictionaries(st.text(LETTERS), VALUES, min_size=1, max_size=3),
        },
    )
)
def test_whatever_stands_in_a_form_comes_back(said):
    assert through(Everything, said, ODD) == said


@pytest.mark.parametrize("text", ["two\nlines", "\nan empty line first", "end\n", " blanks ", "'\"<&>\t", "7", "é日本"])
def test_odd_texts_come_back(text):
    said = {"text": text, "bound": text, "anything": {text: [text]}}
    assert through(Everything, said, ODD) == said


def test_a_section_of_a_plan_is_asked_for_by_the_names_that_a_plan_has():
    assert through(Mark, {"as": "hidden", "level": 15.0}) == {"as": "hidden", "level": 15.0}
    assert through(TableOf, {"by": ["sex", "zip"], "top": ["rent", "income"], "zeros": 0.5, "total": "T"}) == {
        "by": ["sex", "zip"],
        "top": ["rent", "income"],
        "zeros": 0.5,
        "total": "T",
    }


@given(VALUES)
def test_a_value_in_one_line_is_the_value(value):
    assert "\n" not in to_inline_toml(value)
    found = from_inline_toml(to_inline_toml(value))
    assert found == value
    assert type(found) is type(value)


def test_what_json_and_toml_write_differently_is_toml():
    assert from_inline_toml(to_inline_toml("\x7f\x00\u2028")) == "\x7f\x00\u2028"
    assert math.isinf(from_inline_toml(to_inline_toml(-math.inf)))
    assert from_inline_toml(to_inline_toml([date(2001, 2, 3)])) == [date(2001, 2, 3)]
    assert to_inline_toml({"ä": 1, "none": None}) == '{ "ä" = 1 }'


@given(st.text())
def test_no_text_makes_anything_but_a_value_or_a_mistake(text):
    """Whatever is sent for a parameter by hand, past the page and its browser."""
    for name in ("column", "share", "k", "form", "flag", "bound", "anything", "levels:zip", "geography:zip"):
        try:
            parse_form(Everything, {name: [text]}, columns=ODD)
        except FormErrors as mistakes:
            assert list(mistakes.problems) == [name.partition(":")[0]]
