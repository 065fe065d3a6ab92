"""Groups made by hand: always a tree, whatever is put where, and the file that is written is the one that is read (E-11)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.release.hierarchy import TableHierarchy, hierarchy
from tacit.release.hierarchy.manual import (
    put_into,
    rename_hierarchy_group,
    small_spec,
    taken_out,
    without_level,
)
from tacit.release.hierarchy.table import as_file, from_file

moves = st.lists(
    st.tuples(
        st.sampled_from(["put", "out", "drop"]), st.integers(1, 3), st.sets(st.integers(0, 5)), st.integers(0, 2)
    ),
    max_size=12,
)


def ungrouped_hierarchy(values):
    """Every value stands for itself, then for everything."""
    return TableHierarchy(tuple((value, "*") for value in values))


@given(moves)
def test_any_sequence_of_moves_leaves_a_tree_over_the_same_values(sequence):
    now = ungrouped_hierarchy(list("abcdef"))
    for kind, level, places, name in sequence:
        if level > now.height or (kind == "drop" and level == now.height):
            continue
        below = sorted({row[level - 1] for row in now.rows})
        members = {below[place] for place in places if place < len(below)}
        if kind == "put":
            before, now = now, put_into(now, level, members, f"group {level}.{name}") if members else now
            assert all(after[level] == f"group {level}.{name}" for after in now.rows if after[level - 1] in members)
            kept = [one[1:level] == two[1:level] for one, two in zip(before.rows, now.rows, strict=True)]
            assert all(kept)
        elif kind == "out":
            now = taken_out(now, level, members)
            assert all(row[level] == row[level - 1] for row in now.rows if row[level - 1] in members)
        else:
            now = without_level(now, level)
        # TableHierarchy refuses what is no tree; the values and the top stay
        assert [row[0] for row in now.rows] == list("abcdef") and {row[-1] for row in now.rows} == {"*"}
    spec = small_spec(now)
    assert spec is None or sorted(hierarchy(spec).rows) == sorted(now.rows)


def made() -> TableHierarchy:
    first = put_into(put_into(ungrouped_hierarchy(list("abcde")), 1, {"a", "b"}, "vowel-like"), 1, {"c"}, "hard")
    return put_into(first, 2, {"vowel-like", "hard"}, "early")


def test_groups_of_groups_follow_their_members():
    assert made().rows[2] == ("c", "hard", "early", "*") and made().rows[4] == ("e", "e", "e", "*")
    # d goes where the group is; e, alone in a new group, takes its own place above along
    assert put_into(made(), 1, {"d"}, "hard").rows[3] == ("d", "hard", "early", "*")
    assert put_into(made(), 1, {"e"}, "late").rows[4] == ("e", "late", "late", "*")
    # a new group of members from different groups stands for itself above
    assert put_into(made(), 1, {"c", "e"}, "mixed").rows[2] == ("c", "mixed", "mixed", "*")
    assert rename_hierarchy_group(made(), 2, "early", "first").rows[0] == ("a", "vowel-like", "first", "*")
    assert without_level(made(), 1).rows[2] == ("c", "early", "*")


@pytest.mark.parametrize("name", ["", "  ", "*", "a", "early", "vowel-like"])
def test_a_name_that_cannot_be_read_is_refused(name):
    level = 2 if name == "vowel-like" else 1
    member = {"d"}
    with pytest.raises(TacitError, match="name"):
        put_into(made(), level, member, name)


def test_a_value_that_is_gone_is_not_named():
    with pytest.raises(TacitError) as caught:
        put_into(made(), 1, {"secret"}, "new")
    assert "secret" not in str(caught.value)
    with pytest.raises(TacitError, match="no level 4"):
        taken_out(made(), 4, {"a"})
    with pytest.raises(TacitError, match="to leave out"):
        without_level(made(), 3)


def test_all_values_in_one_group_keep_its_name():
    spec = small_spec(put_into(ungrouped_hierarchy(["a", "b"]), 1, {"a", "b"}, "all"))
    assert hierarchy(spec).rows == (("a", "all", "*"), ("b", "all", "*"))


cells = st.text(st.sampled_from('ab;,\t"\n [)é'), min_size=1, max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=6, unique_by=lambda row: row[0]))
def test_a_written_file_is_read_as_it_was(tmp_path_factory, rows):
    given_rows = [(value, f"{label}|{place}", "*") for place, (value, label) in enumerate(rows)]
    path = tmp_path_factory.mktemp("h") / "h.csv"
    path.write_text(as_file(given_rows), encoding="utf-8")
    assert list(from_file(path).rows) == given_rows
