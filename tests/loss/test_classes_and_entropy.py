"""Losses that look at classes, and at how common values are (catalogue: F-04)."""

from math import log2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.loss import class_size, discernibility, entropy, generalisation
from tacit.protect import Generalise, LocalRecode, Mondrian, SuppressRecords

TOWNS = {"Lund": ["S"], "Malmö": ["S"], "Ystad": ["S"], "Umeå": ["N"], "Luleå": ["N"]}


def towns(*values, **described):
    frame = pl.DataFrame({"town": values}, schema={"town": pl.String})
    return Release(frame, quasi="town", hierarchies={"town": {"table": TOWNS}}, **described)


def test_discernibility_is_the_sum_of_squares():
    release = towns("Lund", "Lund", "Malmö", "Umeå")
    found = discernibility(release.protect(Generalise(levels={"town": 1})), original=release)
    assert found.facts["sum of squares"] == 3**2 + 1
    assert found.facts["in the original"] == 2**2 + 1 + 1
    assert found.value == pytest.approx((10 - 6) / (16 - 6))
    removed = discernibility(release.protect(SuppressRecords(k=2)), original=release)
    assert removed.facts["sum of squares"] == 2**2 + 4 * 2  # two removed records pay n = 4 each
    assert discernibility(release.protect(Generalise(levels={"town": 2})), original=release).value == 1


def test_the_average_class_is_records_over_classes():
    release = towns("Lund", "Lund", "Malmö", "Umeå")
    found = class_size(release.protect(Generalise(levels={"town": 1})), original=release)
    assert found.facts["average class size"] == 2
    assert found.value == pytest.approx((2 - 4 / 3) / (4 - 4 / 3))
    # the removed ones count as one class more
    removed = class_size(release.protect(SuppressRecords(k=2)), original=release)
    assert removed.facts["average class size"] == 2


def test_entropy_counts_how_common_the_values_are():
    release = towns("Lund", "Lund", "Lund", "Malmö", "Umeå", "Umeå", "Umeå", "Umeå")
    found = entropy(release.protect(Generalise(levels={"town": 1})), original=release)["town"]
    lost = 3 * log2(4 / 3) + log2(4 / 1)
    assert found.facts["bits lost"] == pytest.approx(lost)
    assert found.value == pytest.approx(lost / (3 * log2(8 / 3) + 3 + 4))
    assert found.per_record.values()[-1] == 0
    assert entropy(release.protect(Generalise(levels={"town": 2})), original=release)["town"].value == 1
    removed = entropy(release.protect(SuppressRecords(k=2)), original=release)["town"]
    assert removed.facts["bits lost"] == pytest.approx(3)


def test_a_constant_column_has_nothing_to_lose():
    release = towns("Lund", "Lund")
    masked = release.protect(Generalise(levels={"town": 2}))
    assert entropy(masked, original=release)["town"].value == 0
    assert discernibility(masked, original=release).value == 0
    assert class_size(masked, original=release).value == 0


def test_arx_figures_of_the_optimum(reference_data):
    """ARX 3.9.2 on adult, k = 5, no suppression: the loss and the levels of its optimum (facts A2)."""
    folder = reference_data / "adult"
    frame = pl.read_csv(folder / "adult.csv", separator=";")
    release = Release(
        frame, quasi=frame.columns, hierarchies={c: folder / f"adult_hierarchy_{c}.csv" for c in frame.columns}
    )
    levels = dict(zip(frame.columns, [0, 4, 1, 1, 3, 2, 0, 2, 0], strict=True))
    masked = release.protect(Generalise(levels=levels))
    parts = [part.value for part in generalisation(masked, original=release)]
    # loss-geo at k = 2, 0 %: the geometric mean of 1 + v, less 1
    assert np.exp(np.mean(np.log1p(parts))) - 1 == pytest.approx(0.529696, abs=5e-7)


@given(
    values=st.lists(st.sampled_from([*TOWNS, None]), min_size=6, max_size=20),
    labels=st.sampled_from(["intervals", "sets"]),
)
def test_mixed_labels_cost_what_they_cover(values, labels):
    release = towns(*values, missing="own")
    masked = release.protect(LocalRecode(models={"k_anonymity": 3}, labels=labels))
    below = {
        **{town: {town} for town in TOWNS},
        "S": {"Lund", "Malmö", "Ystad"},
        "N": {"Umeå", "Luleå"},
        "*": set(TOWNS),
    }
    shown = masked.to_native()["town"].to_list()
    known = [(value, label) for value, label in zip(values, shown, strict=True) if value is not None]
    count = {town: values.count(town) for town in TOWNS}
    cost, bits = [], 0.0
    for value, label in known:
        covered = set(TOWNS) if label is None else below.get(label) or set(label[1:-1].split(", "))
        cost.append((len(covered) - 1) / 4)
        bits += log2(sum(count[town] for town in covered) / count[value])
    assert generalisation(masked, original=release)["town"].value == pytest.approx(np.mean(cost) if cost else 0)
    assert entropy(masked, original=release)["town"].facts["bits lost"] == pytest.approx(bits)


def test_mixed_intervals_of_numbers():
    release = Release(pl.DataFrame({"age": [1, 2, 7, 8, 9]}), quasi="age", kinds={"age": "continuous"})
    masked = release.protect(Mondrian(models={"k_anonymity": 2}))
    assert masked.to_native()["age"].to_list() == ["[1, 2]"] * 2 + ["[7, 9]"] * 3
    result = generalisation(masked, original=release)["age"]
    assert result.value == pytest.approx((2 * 1 / 4 + 3 * 2 / 4) / 5)
    assert result.facts["labels"] == 2


def test_records_in_another_order_and_files_without_keys():
    release = towns("Lund", "Malmö", "Umeå", "Luleå")
    masked = release.protect(LocalRecode(models={"k_anonymity": 2}))
    order = np.array([2, 0, 3, 1])
    for loss in (generalisation, entropy):
        turned = loss(masked.release.take(order), original=release, lineage=order)
        assert turned["town"].value == loss(masked, original=release)["town"].value
    for loss in (discernibility, class_size, entropy):
        with pytest.raises(TacitError, match="no quasi-identifier"):
            loss(release, original=Release(release.to_native()))
