"""SQL's three-valued logic written out row by row: the slow oracle of conditions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from hypothesis import strategies as st

from tacit.query.column import NULL, Column
from tacit.query.condition import Condition
from tacit.query.value_set import Codes, Texts, Values, column_domain

COLUMNS = {
    "age": Column(name="age", kind="integer", low=-1, high=2),
    "sex": Column(name="sex", kind="category", values=("f", "m")),
    "ok": Column(name="ok", kind="boolean", values=("false", "true")),
    "town": Column(name="town", kind="text"),
}
TEXTS = ("a", "b", "elsewhere")  # a and b are asked for, the third stands for all other texts


def leaves() -> st.SearchStrategy[tuple]:
    """A comparison as (column, accepted known values); or whether a value is missing."""
    numbers = st.sets(st.integers(-1, 2)).map(lambda some: ("in", "age", frozenset(some)))
    places = st.sets(st.integers(0, 1)).flatmap(
        lambda some: st.sampled_from(["sex", "ok"]).map(lambda name: ("in", name, frozenset(some)))
    )
    texts = st.sets(st.sampled_from("ab")).map(lambda some: ("in", "town", frozenset(some)))
    missing = st.sampled_from(sorted(COLUMNS)).map(lambda name: ("null", name))
    return st.one_of(numbers, places, texts, missing, st.sampled_from([("true",), ("false",)]))


def expressions() -> st.SearchStrategy[tuple]:
    return st.recursive(
        leaves(),
        lambda inner: st.one_of(
            st.tuples(st.just("not"), inner),
            st.tuples(st.just("and"), inner, inner),
            st.tuples(st.just("or"), inner, inner),
        ),
        max_leaves=12,
    )


def truth(expression: tuple, row: dict) -> bool | None:
    """Kleene's logic: None is unknown."""
    kind, *parts = expression
    if kind in ("true", "false"):
        return kind == "true"
    if kind == "null":
        return row[parts[0]] is None
    if kind == "in":
        value = row[parts[0]]
        return None if value is None else value in parts[1]
    told = [truth(part, row) for part in parts]
    if kind == "not":
        return None if told[0] is None else not told[0]
    decisive = kind == "or"
    if decisive in told:
        return decisive
    return None if None in told else not decisive


def rows() -> Iterator[dict]:
    """Every row of the tiny domains."""
    for age, sex, ok, town in itertools.product((None, -1, 0, 1, 2), (None, 0, 1), (None, 0, 1), (None, *TEXTS)):
        yield {"age": age, "sex": sex, "ok": ok, "town": town}


def built(expression: tuple, wanted: bool = True) -> Condition:
    """The condition that the expression is true (or, not ``wanted``, false)."""
    kind, *parts = expression
    if kind in ("true", "false"):
        return Condition.everything() if (kind == "true") is wanted else Condition.nothing()
    if kind in ("null", "in"):
        return Condition.of(COLUMNS[parts[0]], _values(expression, wanted))
    if kind == "not":
        return built(parts[0], not wanted)
    one, other = (built(part, wanted) for part in parts)
    return one & other if (kind == "and") is wanted else one | other


def _values(expression: tuple, wanted: bool) -> Values:
    kind, name, *rest = expression
    whole = column_domain(COLUMNS[name])
    if kind == "null":
        return whole - whole.without_null if wanted else whole.without_null
    some = Texts.of(rest[0]) if name == "town" else Codes.of((one, one) for one in rest[0])
    return some if wanted else whole.without_null - some


def reached(condition: Condition, row: dict) -> bool:
    """Walk the diagram itself, one value at a time."""
    while condition.branches:
        value = row[condition.column]
        condition = next(then for values, then in condition.branches if _among(value, values))
    return condition.met


def _among(value: object, values: Values) -> bool:
    if isinstance(values, Texts):
        return (value in values.listed) != values.others
    code = NULL if value is None else value
    return any(first <= code <= last for first, last in values.intervals)
