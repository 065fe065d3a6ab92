"""Wildcard matching under missing="any" against a double loop."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.risk import k_anonymity, l_diversity, t_closeness

cell = st.sampled_from(["a", "b", None])
rows = st.lists(st.tuples(cell, cell, cell, st.sampled_from(["u", "v", "w", None])), min_size=1, max_size=30)


def match_sets(table):
    """For each record the records that agree with it on every key that both have."""

    def agree(one, other):
        return all(x is None or y is None or x == y for x, y in zip(one[:3], other[:3], strict=True))

    return [[other for other in table if agree(one, other)] for one in table]


def release_of(table, missing):
    frame = pl.DataFrame(table, schema={"p": pl.String, "q": pl.String, "r": pl.String, "s": pl.String}, orient="row")
    return Release(frame, quasi=["p", "q", "r"], confidential="s", missing=missing)


@given(rows)
def test_wildcard_counts_are_those_of_the_definition(table):
    # catalogue: D-01 D-03 D-04 under "matches anything"
    release = release_of(table, "any")
    sets = match_sets(table)
    sizes = [len(found) for found in sets]
    assert k_anonymity(release).per_record.values().tolist() == sizes
    known = [row[3] for row in table if row[3] is not None]
    if not known:
        return
    distinct = [len({row[3] for row in found} - {None}) for found in sets]
    assert l_diversity(release)["s"].per_record.values().tolist() == distinct
    share = {value: known.count(value) / len(known) for value in set(known)}
    for form in ("variational", "ordered"):
        expected = [distance([row[3] for row in found if row[3] is not None], share, form) for found in sets]
        assert t_closeness(release, form=form)["s"].per_record.values().tolist() == pytest.approx(expected, abs=1e-12)


def distance(inside, share, form):
    if not inside:
        return 0.0
    apart = [inside.count(value) / len(inside) - share[value] for value in sorted(share)]
    if form == "variational":
        return sum(map(abs, apart)) / 2
    return sum(abs(sum(apart[: i + 1])) for i in range(len(apart) - 1)) / max(1, len(apart) - 1)


@given(rows)
def test_missing_as_its_own_category_is_plain_grouping(table):
    release = release_of(table, "own")
    keys = [row[:3] for row in table]
    assert k_anonymity(release).per_record.values().tolist() == [keys.count(key) for key in keys]
    assert l_diversity(release)["s"].per_record.values().tolist() == [
        len({row[3] for row in table if row[:3] == key}) for key in keys
    ]


@given(rows)
def test_ordered_and_variational_distances_are_those_of_the_formula(table):
    release = release_of([(row[0], row[1], row[2], row[3] or "u") for row in table], "own")
    values = [row[3] or "u" for row in table]
    share = {value: values.count(value) / len(values) for value in set(values)}
    for form in ("variational", "ordered"):
        expected = [
            distance([v for other, v in zip(table, values, strict=True) if other[:3] == row[:3]], share, form)
            for row in table
        ]
        assert t_closeness(release, form=form)["s"].per_record.values().tolist() == pytest.approx(expected, abs=1e-12)


def test_the_policy_is_asked_for_only_when_a_key_is_missing():
    assert k_anonymity(release_of([("a", "b", "a", "u")], None)).value == 1
    with pytest.raises(TacitError, match="(?s)column 'q' .*missing='own'") as caught:
        k_anonymity(release_of([("a", None, "a", "u")], None))
    assert caught.value.column == "q"


def test_reference_numbers_of_sdcmicro_with_missing_keys(reference_data):
    """Counts when `relat` is missing in every 50th row, as sdcMicro 5.8.1 freqCalc gives them.

    Its alpha=1 is "any". Its alpha=0 is neither policy: records that lack a key still match everything, but nobody
    counts them; so a key that is missing protects its own record only.
    """
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    frame = pl.read_csv(reference_data / "testdata.csv").with_row_index("i")
    frame = frame.with_columns(pl.when(pl.col("i") % 50 == 0).then(None).otherwise(pl.col("relat")).alias("relat"))
    sizes = {policy: Release(frame, quasi=keys, missing=policy).matches().size() for policy in ("any", "own")}
    counts = {policy: size.per_record().values() for policy, size in sizes.items()}
    assert tuple(sizes["any"].below(k).records for k in (2, 3, 5)) == (104, 209, 390)
    assert counts["any"].sum() == 286012
    mixed = np.where(frame["relat"].is_null().to_numpy(), counts["any"], counts["own"])
    assert (*((mixed < k).sum() for k in (2, 3, 5)), mixed.sum()) == (156, 279, 462, 276287)


def test_reference_numbers_of_sdcmicro_on_complete_keys(reference_data):
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    release = Release(pl.read_csv(reference_data / "testdata.csv"), quasi=keys, confidential="hhcivil")
    sizes = release.matches().size()
    assert (release.classes().count, *(sizes.below(k).records for k in (2, 3, 5))) == (412, 157, 281, 458)
    distinct = l_diversity(release)["hhcivil"].per_record.values()
    assert (round(distinct.mean(), 6), int((distinct < 2).sum()), int((distinct < 3).sum())) == (1.694760, 2466, 3689)
