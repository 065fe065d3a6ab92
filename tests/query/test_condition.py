"""Conditions are equal exactly when they mean the same rows (attack 6 of the query service). catalogue: H-06, H-07."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.query.column import NULL, Column
from tacit.query.condition import LARGEST, Condition
from tacit.query.refusal import Refusal
from tacit.query.value_set import FURTHEST, Codes, Texts, column_domain

from .kleene import COLUMNS, built, expressions, reached, rows, truth

EVERY_ROW = list(rows())


def table(expression):
    return [truth(expression, row) is True for row in EVERY_ROW]


@given(expressions(), expressions())
def test_conditions_are_equal_exactly_when_their_truth_tables_are(one, other):
    assert (built(one) == built(other)) == (table(one) == table(other))


@given(expressions())
def test_a_condition_means_what_kleenes_logic_says(expression):
    condition = built(expression)
    assert [reached(condition, row) for row in EVERY_ROW] == table(expression)


@given(expressions())
def test_paraphrases_are_the_same_object(e):
    never = ("and", ("in", "age", frozenset({0})), ("false",))
    for other in [("not", ("not", e)), ("and", e, e), ("or", e, e), ("or", e, never), ("and", ("true",), e)]:
        assert built(other) == built(e)
        assert hash(built(other)) == hash(built(e))


@given(expressions(), expressions())
def test_de_morgan_and_order_make_no_difference(a, b):
    assert built(("and", a, b)) == built(("and", b, a))
    assert built(("not", ("or", a, b))) == built(("and", ("not", a), ("not", b)))


@given(expressions())
def test_json_gives_the_same_condition_back(expression):
    condition = built(expression)
    text = json.dumps(condition.as_json())
    assert Condition.from_json(json.loads(text)) == condition
    assert json.dumps(Condition.from_json(json.loads(text)).as_json()) == text
    assert pickle.loads(pickle.dumps(condition)) == condition


@given(expressions())
def test_rows_held_are_those_of_the_truth_table(expression):
    condition = built(expression)
    if "town" in condition.columns:
        with pytest.raises(Refusal) as refused:
            condition.holds(arrays())
        assert refused.value.code == "mode"
    else:
        assert condition.holds(arrays()).tolist() == table(expression)


def arrays():
    names = ("age", "sex", "ok")
    return {n: np.array([NULL if r[n] is None else r[n] for r in EVERY_ROW], dtype=np.int64) for n in names}


@given(expressions())
def test_columns_are_those_on_which_it_depends(expression):
    condition, held = built(expression), table(expression)
    by_row = {tuple(row.values()): met for row, met in zip(EVERY_ROW, held, strict=True)}
    for place, name in enumerate(COLUMNS):
        rest = [row[:place] + row[place + 1 :] for row in by_row]
        groups: dict[tuple, set[bool]] = {}
        for other, met in zip(rest, by_row.values(), strict=True):
            groups.setdefault(other, set()).add(met)
        assert (name in condition.columns) == any(len(some) > 1 for some in groups.values())


intervals = st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), max_size=4)


def members(codes):
    return {x for first, last in codes.intervals for x in range(first, last + 1)}


@given(intervals, intervals)
def test_interval_sets_behave_like_sets(one, other):
    a, b = Codes.of(one), Codes.of(other)
    plain_a = {x for first, last in one for x in range(first, last + 1)}
    assert members(a) == plain_a
    assert members(a & b) == members(a) & members(b)
    assert members(a | b) == members(a) | members(b)
    assert members(a - b) == members(a) - members(b)
    assert (a == b) == (members(a) == members(b))


texts = st.builds(
    lambda some, others: Texts.of(some, others=others), st.sets(st.sampled_from(["a", "b", None])), st.booleans()
)


@given(texts, texts)
def test_text_sets_behave_like_sets(a, b):
    universe = {"a", "b", "other", None}

    def plain(some):
        return {x for x in universe if (x in some.listed) != some.others}

    assert plain(a & b) == plain(a) & plain(b)
    assert plain(a | b) == plain(a) | plain(b)
    assert plain(a - b) == plain(a) - plain(b)
    assert a.has_null == (None in plain(a))
    assert plain(a.without_null) == plain(a) - {None}


def test_a_column_without_bounds_can_be_compared_up_to_the_ends():
    free = Column(name="x", kind="integer")
    whole = column_domain(free)
    assert Condition.of(free, whole) == Condition.everything()
    known = Condition.of(free, Codes.of([(-FURTHEST, FURTHEST)]))
    held = known.holds({"x": np.array([NULL, -FURTHEST, 0, FURTHEST], dtype=np.int64)})
    assert held.tolist() == [False, True, True, True]


def test_a_condition_that_grows_without_end_is_refused():
    many = {f"x{i:02d}": Column(name=f"x{i:02d}", kind="integer", low=0, high=9) for i in range(60)}
    whole = Condition.everything()
    with pytest.raises(Refusal) as refused:
        for name in list(many)[:40:2]:
            other = f"x{int(name[1:]) + 1:02d}"
            one = Codes.of([(1, 1)])
            whole = whole & (Condition.of(many[name], one) | Condition.of(many[other], one))
    assert refused.value.code == "too_complex"
    with pytest.raises(Refusal, match="columns"):
        deep = Condition.everything()
        for column in many.values():
            deep = deep & Condition.of(column, Codes.of([(1, 1)]))


def test_a_long_list_is_refused_before_it_slows_anything_down():
    column = Column(name="x", kind="integer")
    with pytest.raises(Refusal, match=str(LARGEST)):
        Condition.of(column, Codes.of((2 * i, 2 * i) for i in range(LARGEST + 1)))
