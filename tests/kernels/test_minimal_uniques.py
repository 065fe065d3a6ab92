"""Minimal sample uniques against their definition, on the fast and on the hashed path."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.groups import group_rows
from tacit.kernels.minimal_uniques import minimal_uniques


def by_definition(table: np.ndarray, largest: int) -> set[tuple[int, tuple[int, ...]]]:
    """Alone on the set, on no proper subset."""
    found: set[tuple[int, tuple[int, ...]]] = set()
    for size in range(1, min(largest, len(table)) + 1):
        for columns in combinations(range(len(table)), size):
            cells = [tuple(row) for row in table[list(columns)].T]
            often = Counter(cells)
            for i, cell in enumerate(cells):
                inner = any((i, part) in found for s in range(1, size) for part in combinations(columns, s))
                if often[cell] == 1 and not inner:
                    found.add((i, columns))
    return found


def found(table: np.ndarray, largest: int) -> set[tuple[int, tuple[int, ...]]]:
    """As a measure calls the kernel: equal rows as one."""
    spans = [int(column.max()) + 1 for column in table]
    groups, count = group_rows(list(table), spans)
    first = np.zeros(count, dtype=np.int64)
    first[groups] = np.arange(table.shape[1])
    rows, masks = minimal_uniques(
        np.ascontiguousarray(table[:, first]), np.array(spans), np.bincount(groups) == 1, largest
    )
    pairs = [
        (int(first[row]), tuple(j for j in range(len(table)) if mask >> j & 1))
        for row, mask in zip(rows, masks.tolist(), strict=True)
    ]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


tables = st.tuples(st.integers(1, 5), st.integers(1, 25), st.integers(1, 4), st.integers(0, 2**32 - 1))


@given(tables, st.integers(1, 6))
def test_they_are_those_of_the_definition(shape, largest):
    # C-02: SUDA2 = definition, all sizes and bounded ones.
    columns, rows, values, seed = shape
    table = np.random.default_rng(seed).integers(0, values, (columns, rows)).astype(np.int32)
    assert found(table, largest) == by_definition(table, largest)


@pytest.mark.parametrize("largest", [2, 4])
def test_columns_with_many_values_take_the_hashed_path(largest):
    # 400 · 400 possible cells for each group, far above four per row: keys cannot be a table.
    rng = np.random.default_rng(5)
    table = np.stack([rng.integers(0, 40, 600), *rng.integers(0, 60, (2, 600)) * 5000, rng.integers(0, 2, 600)])
    assert found(table.astype(np.int32), largest) == by_definition(table, largest)
