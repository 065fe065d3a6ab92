"""Which columns single people out: against counting by hand, one set after the other (A-03, C-02, C-08)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tacit import Release
from tacit.errors import Cancelled
from tacit.risk.singling_out import column_contributions, growing_knowledge, riskiest_sets
from tacit.risk.special_uniques import special_uniques

KEYS = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def people() -> Release:
    rng = np.random.default_rng(3)
    return Release(
        pl.DataFrame({key: rng.integers(0, top, 60) for key, top in zip(KEYS, (3, 9, 5, 2), strict=True)}), quasi=KEYS
    )


def alone(release: Release, columns: tuple[str, ...]) -> int:
    rows = list(zip(*(release.values(column).tolist() for column in columns), strict=True))
    return sum(rows.count(row) == 1 for row in rows)


def test_the_riskiest_sets_are_those_that_leave_most_alone(people: Release) -> None:
    found = riskiest_sets(people, largest=2, each=2)
    for size in (1, 2):
        counts = sorted((alone(people, columns) for columns in combinations(KEYS, size)), reverse=True)
        here = [one for one in found if len(one.columns) == size]
        assert [one.spread.alone for one in here] == [count for count in counts[:2] if count]
        assert all(one.spread.alone == alone(people, one.columns) for one in here)


def test_knowledge_grows_by_the_column_that_leaves_most_alone(people: Release) -> None:
    taken: tuple[str, ...] = ()
    for one in growing_knowledge(people):
        best = max(alone(people, (*taken, key)) for key in KEYS if key not in taken)
        assert one.columns[:-1] == taken and one.spread.alone == best == alone(people, one.columns)
        taken = one.columns
    assert set(taken) == set(KEYS)


def test_a_column_is_left_out(people: Release) -> None:
    facts = special_uniques(people)[0].facts
    found = column_contributions(people)
    for one in found:
        assert one.without == alone(people, tuple(key for key in KEYS if key != one.column))
        assert (one.alone, one.together) == (alone(people, (one.column,)), alone(people, KEYS))
        assert one.score == pytest.approx(facts[f"contribution of {one.column} in %"] / 100)
    assert [one.without for one in found] == sorted(one.without for one in found)


def test_one_column_one_record_and_constants() -> None:
    (only,) = column_contributions(Release(pl.DataFrame({"a": [1, 1, 2]}), quasi="a"))
    assert (only.alone, only.without) == (1, 0)
    (single,) = column_contributions(Release(pl.DataFrame({"a": [1]}), quasi="a"))
    assert (single.alone, single.without) == (1, 1)
    constant = Release(pl.DataFrame({"a": [1, 1], "b": [2, 2]}), quasi=["a", "b"])
    assert riskiest_sets(constant) == () and [one.spread.alone for one in growing_knowledge(constant)] == [0, 0]


def test_many_columns_make_smaller_sets() -> None:
    wide = Release(
        pl.DataFrame({f"c{place}": [1, 2, 3] for place in range(40)}), quasi=[f"c{place}" for place in range(40)]
    )
    assert max(len(one.columns) for one in riskiest_sets(wide)) == 2


def test_counting_can_be_cancelled(people: Release) -> None:
    for count in (riskiest_sets, growing_knowledge, column_contributions):
        with pytest.raises(Cancelled):
            count(people, progress=lambda _step, _share: False)
