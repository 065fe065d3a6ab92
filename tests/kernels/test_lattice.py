"""Groups rolled up level by level are those of grouping the table at that level anew."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.lattice import Lattice, pack_keys, project_groups, roll_cells, roll_up, stack_of
from tacit.kernels.rules import Cells


def laid(codes, ups, words):
    """A stack whose slot 0 has the given rows as groups, keys in one word or in as many as there are columns."""
    columns = codes.shape[1]
    place = np.arange(columns)
    first = np.zeros((columns, 4), np.int64)
    tables, laid_so_far = [], 0
    for j, up in enumerate(ups):
        first[j, 0] = laid_so_far
        tables.append(up)
        laid_so_far += len(up)
    word, shift = (place, place * 0) if words > 1 else (place * 0, place * 4)
    lattice = Lattice(
        word,
        shift,
        place * 0 + 15,
        first,
        np.concatenate(tables),
        np.zeros(laid_so_far),
        np.zeros((columns, 2)),
        np.zeros((columns, 2)),
        np.ones(columns),
        place * 0,
        place * 0 + 1,
        len(codes),
        0,
        0,
        -1,
        False,
    )
    ill = codes.sum(axis=1) % 3
    one = np.ones(len(codes), np.int64)
    cells = Cells(one, one[:0], np.arange(len(codes) + 1)[None, :], ill, one, np.array([0, 3]))
    leaf = np.concatenate([np.arange(8) for _ in range(columns)])
    stack = stack_of(3, len(codes), words, cells)
    pack_keys(codes, leaf, (place * 8)[:, None], place * 0, word, shift, stack.keys[0])
    stack.groups[0], stack.sizes[0] = len(codes), 1
    stack.start[0], stack.code[0], stack.number[0] = cells.start, cells.code, cells.number
    return lattice, stack, ill


def counted(stack, slot, of_row, ill):
    """Sizes and tallies of the groups, against a count of the rows."""
    groups = int(stack.groups[slot])
    assert sorted(set(of_row)) == list(range(groups))
    sizes = Counter(of_row)
    assert [sizes[g] for g in range(groups)] == stack.sizes[slot, :groups].tolist()
    for g in range(groups):
        begin, end = stack.start[slot, 0, g], stack.start[slot, 0, g + 1]
        tally = dict(zip(stack.code[slot, begin:end].tolist(), stack.number[slot, begin:end].tolist(), strict=True))
        assert tally == Counter(ill[[row for row, at in enumerate(of_row) if at == g]].tolist())


@pytest.mark.parametrize("words", [1, 3])
@given(
    rows=st.lists(st.tuples(*(st.integers(0, 7),) * 3), min_size=1, max_size=30),
    ups=st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=3, max_size=3),
    column=st.integers(0, 2),
)
def test_groups_and_tallies_are_those_of_a_fresh_grouping(rows, ups, column, words):
    codes = np.array(rows, np.int64)
    ups = [np.array(up, np.int64) for up in ups]
    lattice, stack, ill = laid(codes, ups, words)
    roll_up(stack, 0, column, ups[column], lattice)
    roll_cells(stack, 0, 1)
    up = codes.copy()
    up[:, column] = ups[column][codes[:, column]]
    number = {}
    expected = [number.setdefault(tuple(row), len(number)) for row in up.tolist()]
    assert stack.to[1, : len(codes)].tolist() == expected
    counted(stack, 1, expected, ill)

    kept = np.zeros(words, np.int64)
    kept[lattice.word[column]] |= lattice.mask[column] << lattice.shift[column]
    project_groups(stack, 0, kept, 2)
    roll_cells(stack, 0, 2)
    number = {}
    counted(stack, 2, [number.setdefault(value, len(number)) for value in codes[:, column].tolist()], ill)
