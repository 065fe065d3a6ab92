"""Locally recoded columns under attack: a label stands for all the values that it covers. catalogue: C-04, D-07."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.attack import Distance
from tacit.claims import Scenario, Truth, judge

PLACES = {"N1A": ["N1*", "*"], "N1B": ["N1*", "*"], "N2A": ["N2*", "*"], "N2B": ["N2*", "*"]}
COVERS = {"N1*": {"N1A", "N1B"}, "N2*": {"N2A", "N2B"}, "*": set(PLACES)} | {place: {place} for place in PLACES}
AGES = ["[20, 29]", "[20, 24]", "[25, 39]", "30", "*"]


def covers(label: str | None, value: object) -> bool | None:
    """What the label says of the value, read by hand; None when nothing is said."""
    if label is None or value is None:
        return None
    if isinstance(value, str):
        return value in COVERS[label]
    if label == "*":
        return True
    low, high = (label.strip("[]").split(", ") * 2)[:2]
    return int(low) <= value <= int(high)


rows = st.tuples(st.sampled_from([None, *PLACES]), st.sampled_from([None, 20, 24, 27, 30, 39]))
released_rows = st.tuples(st.sampled_from([None, *COVERS]), st.sampled_from([None, *AGES]))


@given(st.lists(rows, min_size=1, max_size=12), st.lists(released_rows, min_size=1, max_size=12))
def test_the_candidates_are_those_of_a_reading_by_hand(people, shown):
    schema = {"place": pl.String, "age": pl.Int64}
    file = Release(
        pl.DataFrame(people, schema=schema, orient="row"),
        quasi=["place", "age"],
        kinds={"age": "continuous"},
        hierarchies={"place": {"table": PLACES}},
        missing="any",
    )
    table = pl.DataFrame(shown, schema={"place": pl.String, "age": pl.String}, orient="row")
    released = Release(table, quasi=["place", "age"], missing="any").with_metadata(
        hierarchies=file.hierarchies, mixed=("place", "age")
    )
    columns = list(zip(*people, strict=True)), list(zip(*shown, strict=True))
    usual = []
    for mine, theirs in zip(*columns, strict=True):
        said = [covers(label, value) for label in theirs for value in mine]
        known = [one for one in said if one is not None]
        usual.append(1 - sum(known) / len(known) if known else 0.0)

    def apart(person, record):
        total = 0.0
        for value, label, often in zip(person, record, usual, strict=True):
            if often > 1e-12:
                said = covers(label, value)
                total += 1.0 if said is None else (0.0 if said else 1.0 / often)
        return total

    claims = Distance().claims(released, Scenario(file=file, knows=file.quasi))
    expected = []
    for person in people:
        distances = np.array([apart(person, record) for record in shown])
        expected.append(int((distances <= distances.min() * (1 + 1e-9) + 1e-9).sum()))
    assert claims.set_sizes().tolist() == expected


def test_everybody_lies_under_their_own_label_and_the_chance_is_one_over_the_group():
    ages = np.arange(20, 40)
    original = Release(pl.DataFrame({"age": ages}), quasi="age", kinds={"age": "continuous"})
    low = (ages // 5) * 5
    released = original.with_columns({"age": pl.Series([f"[{a}, {a + 4}]" for a in low])}).with_metadata(mixed=("age",))
    for direction in ("intruder", "release"):
        claims = Distance(direction=direction).claims(released, Scenario.worst_case(original))
        found = judge(claims, Truth.by_lineage(np.arange(20), 20))
        assert found.value == pytest.approx(0.2), direction


@pytest.mark.parametrize("flagged", [True, False])
@pytest.mark.parametrize(
    ("values", "hierarchy", "shown"),
    [
        (["N1A", "N1B", "N2A", "N2B"], {"table": PLACES}, ["N1*", "N1A", "N2A", "N2B"]),
        (["N1A", "N1B", "N2A", "N2B"], None, ["*", "N1B", "N2A", "N2B"]),
        ([21, 22, 33, 38], {"intervals": [10, 20]}, ["[20, 30)", "[20, 30)", "33", "*"]),
    ],
)
def test_an_intruder_whose_own_file_holds_labels_too_compares_them_as_text(values, hierarchy, shown, flagged):
    ladders = {} if hierarchy is None else {"at": hierarchy}
    known = Release(pl.DataFrame({"at": values}), quasi="at", hierarchies=ladders).hierarchies
    released = Release(pl.DataFrame({"at": shown}), quasi="at").with_metadata(hierarchies=known, mixed=("at",))
    own = Release(pl.DataFrame({"at": shown}), quasi="at")
    own = own.with_metadata(hierarchies=known, mixed=("at",)) if flagged else own
    claims = Distance().claims(released, Scenario(file=own, knows=("at",)))
    assert claims.set_sizes().tolist() == [shown.count(label) for label in shown]
