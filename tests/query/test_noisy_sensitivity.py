"""What one unit can change, against all pairs of small neighbouring data sets: never more than claimed, and that much."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.query.column import Column
from tacit.query.condition import Condition
from tacit.query.noisy import part
from tacit.query.noisy.part import Part
from tacit.query.question import Key
from tacit.query.tally import Measure
from tacit.query.value_set import Codes

from .noisy_case import ALL, X, ask, design_of, promise
from .row_source import RowSource, schema_of

# catalogue: H-01, H-03

PLACE = Column(name="place", kind="category", values=("a", "b"))
BASES = [(), ((0, 1), (0, 2), (1, -1)), ((0, None), (None, 0), (1, 2), (1, 2))]


def contents(rows, values):
    """All that a unit can have: up to so many rows of a group and a value, and some with more than count."""
    one = list(product((0, 1, None), values))
    found = [mix for size in range(rows + 1) for mix in combinations_with_replacement(one, size)]
    return [*found, tuple(one[: rows + 2]), tuple(reversed(one[: rows + 2]))]


def vectors(design, schema, base, units, names=None):
    """For each content of the unit the figures of all groups: a row of numbers per part, scores per choice."""
    others = [f"other {name}" for name in (range(len(base)) if names is None else names)]
    found = {one: [] for one in design.laws}
    for content in units:
        rows = [*base, *content]
        table = {"place": [row[0] for row in rows], "x": [row[1] for row in rows]}
        source = RowSource(schema, table, [*others, *["the unit"] * len(content)])
        for one, vector in found.items():
            vector.append(_sums(one, design, source) if isinstance(one, Part) else _scores(one, design, source))
    return {one: np.array(vector) for one, vector in found.items()}


def _sums(one, design, source):
    tally = source.tally(design.question.where, design.question.by, one.measures)
    figures = dict.fromkeys(design.groups, 0)
    for place, group in enumerate(tally.groups):
        figures[group] = one.exact_value({measure: tally.measures[measure][place] for measure in one.measures})
    return [[figures[group]] for group in design.groups]


def _scores(one, design, source):
    tally = source.tally(design.question.where, (*design.question.by, one.key), (Measure("rows"),))
    counts = {group: {} for group in design.groups}
    for (*group, value), number in zip(tally.groups, tally.measures[Measure("rows")], strict=True):
        if value is not None:
            counts[tuple(group)][one.bin_index(value)] = number
    return [one.scores(counts[group]) for group in design.groups]


def largest_changes(table, neighbours):
    """Over all neighbours: the largest sum of the groups' changes, and of their squares; of scores the worst candidate."""
    pairs = [(0, other) for other in range(len(table))]
    if neighbours == "replace":
        pairs = [(one, other) for one in range(len(table)) for other in range(one)]
    first, second = (table[list(side)] for side in zip(*pairs, strict=True))
    moved = np.abs(first - second).max(axis=2)
    return moved.sum(axis=1).max(), (moved**2).sum(axis=1).max()


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
@pytest.mark.parametrize(("rows", "low", "high"), [(1, -1, 2), (2, -1, 2), (1, -3, 2), (1, 0, 5)])
def test_the_claimed_change_is_the_largest_that_any_neighbour_makes(rows, low, high, neighbours, grouped):
    schema = schema_of(PLACE, Column(name="x", kind="integer", low=low, high=high), unit="who", rows=rows)
    given = promise(neighbours=neighbours, rows=rows)
    design = design_of(ask(*ALL, by=(Key("place"),) if grouped else ()), schema, given)
    units = contents(rows, (None, low, (low + high) // 2, high))
    seen = dict.fromkeys(design.laws, (0, 0))
    for base in BASES:
        for one, table in vectors(design, schema, base, units).items():
            seen[one] = tuple(np.maximum(seen[one], largest_changes(table, neighbours)))
    for one, (l1, l2_squared) in seen.items():
        reach = one.sensitivity(groups=len(design.groups), promise=given)
        assert l1 == reach.l1, one
        assert l2_squared == reach.l2_squared, one


@pytest.mark.parametrize("neighbours", ["add_remove", "replace"])
def test_rounding_a_sum_to_grains_adds_nothing_to_the_claimed_change(neighbours, monkeypatch):
    monkeypatch.setattr(part, "WIDEST", 2)
    wide = Column(name="x", kind="integer", low=-7, high=9)
    schema, given = schema_of(PLACE, wide, unit="who", rows=2), promise(neighbours=neighbours, rows=2)
    design = design_of(ask(*ALL, by=(Key("place"),)), schema, given)
    assert any(isinstance(one, Part) and one.grain > 1 for one in design.laws)
    for base in ((), ((0, 3), (1, -5)), ((0, 1), (0, 1), (1, 6))):
        for one, table in vectors(design, schema, base, contents(2, (None, -7, 2, 9))).items():
            l1, l2_squared = largest_changes(table, neighbours)
            reach = one.sensitivity(groups=len(design.groups), promise=given)
            assert l1 <= reach.l1, one
            assert l2_squared <= reach.l2_squared, one


UNIT = st.lists(st.tuples(st.sampled_from([0, 1, None]), st.one_of(st.none(), st.integers(-9, 9))), max_size=5)
CONDITION = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)).map(sorted), max_size=2).map(
    lambda found: Condition.of(X, Codes.of(found)) if found else Condition.everything()
)


@given(st.lists(UNIT, max_size=6), UNIT, UNIT, CONDITION, st.integers(1, 3), st.sampled_from(["add_remove", "replace"]))
def test_no_neighbour_moves_more_whatever_the_rest_and_the_condition(rest, gone, come, where, rows, neighbours):
    """Values beyond the bounds, missing ones, units with too many rows, rows that do not meet the condition."""
    schema, promised = schema_of(PLACE, X, unit="who", rows=rows), promise(neighbours=neighbours, rows=rows)
    design = design_of(ask(*ALL, where=where, by=(Key("place"),)), schema, promised)
    contents = [(), come] if neighbours == "add_remove" else [gone, come]
    names = [name for name, unit in enumerate(rest) for _ in unit]
    for one, table in vectors(design, schema, [row for unit in rest for row in unit], contents, names).items():
        l1, l2_squared = largest_changes(table, neighbours)
        reach = one.sensitivity(groups=len(design.groups), promise=promised)
        assert l1 <= reach.l1
        assert l2_squared <= reach.l2_squared


def test_a_change_claimed_too_small_would_be_seen():
    schema, given = schema_of(PLACE, X, unit="who", rows=2), promise(neighbours="replace", rows=2)
    design = design_of(ask(*ALL, by=(Key("place"),)), schema, given)
    tables = vectors(design, schema, (), contents(2, (None, -1, 0, 2)))
    as_if_added = promise(rows=2)
    assert all(
        largest_changes(table, "replace")[0] > one.sensitivity(groups=len(design.groups), promise=as_if_added).l1
        for one, table in tables.items()
    )
