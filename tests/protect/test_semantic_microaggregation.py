"""Microaggregation along a taxonomy (E-16): its centroid is nearest to its group, and less meaning is lost than without."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.examples import clinic
from tacit.protect import Microaggregate
from tacit.protect._semantic.taxonomies import of_the_data
from tacit.protect.mask_terms import group_centroids
from tacit.risk import k_anonymity

JOBS = ("occupation", "diagnosis")


@cache
def register(rows: int) -> Release:
    example = clinic(rows, seed=1)
    frame = example.frame.select(JOBS).drop_nulls()
    return Release(frame, quasi=JOBS, hierarchies={name: example.hierarchies[name] for name in JOBS})


def lost(original: Release, masked: Release) -> float:
    """The mean semantic distance between old and new values."""
    total = 0.0
    for column in JOBS:
        known = of_the_data(original, column)
        old = original.codes(column).codes
        new = known.values.search_sorted(masked.series(column)).to_numpy()
        total += known.distance(old, new).mean()
    return total / len(JOBS)


def test_less_meaning_is_lost_than_by_groups_that_know_no_taxonomy():  # catalogue: E-16
    release = register(800)
    along = release.protect(Microaggregate(columns=JOBS, k=4), seed=1).release
    blind = release.with_metadata(hierarchies={}).protect(Microaggregate(columns=JOBS, k=4), seed=1).release
    assert k_anonymity(along).value >= 4
    assert lost(release, along) < 0.95 * lost(release, blind)


@given(st.lists(st.integers(0, 59), min_size=4, max_size=9), st.integers(0, 99))
def test_one_group_shows_a_central_value(members, seed):
    """With one group the released value has the least summed distance by levels, and nearly the least by ancestors."""
    release = register(300)
    values = release.codes("occupation").dictionary
    members = [one % len(values) for one in members]
    chosen = Release(
        pl.DataFrame({"job": values.gather(members)}), hierarchies={"job": release.hierarchies["occupation"]}
    )
    masked = chosen.protect(Microaggregate(columns="job", k=len(members)), seed=seed).release.series("job")
    assert masked.n_unique() == 1
    ladder = {row[0]: row for row in release.hierarchies["occupation"].rows}

    def by_levels(one: str) -> int:
        return sum(a != b for other in chosen.series("job") for a, b in zip(ladder[one], ladder[other], strict=True))

    assert by_levels(masked[0]) == min(by_levels(one) for one in chosen.series("job"))
    known = of_the_data(chosen, "job")
    codes = chosen.codes("job").codes
    centre = group_centroids(known, codes, np.zeros(len(codes), dtype=np.int64))[0]
    shown = int(known.values.search_sorted(masked[0]))
    assert known.distance(shown, codes).sum() <= known.distance(centre, codes).sum() * 1.25 + 1e-9


def test_the_groups_do_not_need_the_taxonomy_to_be_listed():
    """Hierarchies by rule serve as well: prefixes of codes."""
    codes = ["N1A", "N1B", "N2A", "S1A", "S1B", "S1C"]
    release = Release(pl.DataFrame({"zip": codes}), hierarchies={"zip": {"prefix": [3, 2, 1]}})
    known = of_the_data(release, "zip")
    assert known.distances("wu_palmer")[0, :4] == pytest.approx([0, 0.25, 0.5, 0.75])
    masked = release.protect(Microaggregate(columns="zip", k=3), seed=1).release.series("zip")
    assert [value[0] for value in masked] == [code[0] for code in codes]
