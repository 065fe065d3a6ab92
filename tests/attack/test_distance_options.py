"""Distances by Mahalanobis, beliefs, labels of every sort, and files that do not fit. catalogue: C-04."""

from __future__ import annotations

import datetime as dt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.attack import Distance, reidentify
from tacit.attack._belief import link_belief
from tacit.claims import Scenario, Truth, judge
from tacit.examples import clinic
from tacit.protect import Generalise, Mdav, RankSwap, SuppressCells


def release(frame: dict, **described) -> Release:
    table = pl.DataFrame(frame)
    return Release(table, quasi=list(table.columns), **described)


def numbers(values: np.ndarray, **more) -> Release:
    return release({f"x{j}": values[:, j] for j in range(values.shape[1])} | more)


def attacked(masked: Release, original: Release, lineage=None, **parameters):
    claims = Distance(**parameters).claims(masked, Scenario.worst_case(original))
    return judge(claims, Truth.by_lineage(lineage, original.size))


def candidates(claims, person: int) -> set[int]:
    claim = claims.claim_of[person]
    named = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
    return set(np.flatnonzero(np.isin(claims.group_of, named)).tolist())


# Mahalanobis


@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_mahalanobis_is_the_quadratic_form_of_the_released_covariance(seed, columns, dependent):
    """By hand with the pseudo-inverse of the covariance; words count beside it as in the other metric."""
    rng = np.random.default_rng(seed)
    mine = rng.normal(size=(30, columns)) @ rng.normal(size=(columns, columns)) * [1, 100, 0.01, 5][:columns]
    theirs = mine + 0.5 * rng.normal(size=mine.shape) * mine.std(0)
    if dependent:
        mine, theirs = (np.column_stack([side, side @ np.arange(1, columns + 1)]) for side in (mine, theirs))
    sex = rng.integers(0, 2, (2, 30)).astype(str)
    sex[0, :2] = "0", "1"
    claims = Distance(metric="mahalanobis").claims(
        numbers(theirs, sex=sex[0]), Scenario.worst_case(numbers(mine, sex=sex[1]))
    )
    scale = theirs.std(0)
    inverse = np.linalg.pinv(np.atleast_2d(np.cov((theirs / scale).T, bias=True)), rcond=1e-9, hermitian=True)
    apart = (mine[:, None] - theirs) / scale
    share = np.mean(sex[0] == "1")
    total = np.einsum("abi,ij,abj->ab", apart, inverse, apart) / 2 + (sex[1][:, None] != sex[0]) / (
        2 * share * (1 - share)
    )
    for person in range(30):
        assert candidates(claims, person) == {int(total[person].argmin())}
    assert bool(claims.notes) == dependent
    assert all("pseudo-inverse" in note for note in claims.notes)


def test_what_is_said_three_times_counts_once():
    """Three copies of a noisy column outweigh one that is nearly exact; by Mahalanobis they count as one."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 500))
    noisy = x + 0.8 * rng.normal(size=500)
    mine, theirs = numbers(np.column_stack([x, x, x, y])), numbers(np.column_stack([noisy] * 3 + [y + 0.01]))
    found = [attacked(theirs, mine, metric=metric).value for metric in ("euclidean", "mahalanobis")]
    assert found[1] > 1.2 * found[0]


def test_numbers_with_gaps_are_compared_one_by_one_and_a_note_says_so():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(100, 3))
    gapped = values.copy()
    gapped[3, 1] = np.nan
    frame = {f"x{j}": pl.Series(gapped[:, j]).fill_nan(None) for j in range(3)}
    claims = Distance(metric="mahalanobis").claims(release(frame), Scenario.worst_case(numbers(values)))
    assert claims.notes == ("columns with missing cells were standardised one by one: x1",)
    assert judge(claims, Truth.by_lineage(None, 100)).per_record.values()[np.arange(100) != 3].tolist() == [1.0] * 99
    words = release({"sex": ["f", "m"]})
    alone = Distance(metric="mahalanobis").claims(words, Scenario.worst_case(words))
    assert alone.notes == ("no number could be whitened: the distance is the Euclidean one",)


def test_mahalanobis_ignores_the_units_and_every_linear_change_of_them():
    rng = np.random.default_rng(3)
    mine = rng.normal(size=(200, 3))
    theirs = mine + 0.3 * rng.normal(size=mine.shape)
    change = np.array([[1.0, 2.0, 0.0], [0.0, 50.0, 1.0], [0.3, 0.0, 7.0]])
    plain = attacked(numbers(theirs), numbers(mine), metric="mahalanobis")
    turned = attacked(numbers(theirs @ change), numbers(mine @ change), metric="mahalanobis")
    assert turned.per_record.values() == pytest.approx(plain.per_record.values())


def test_mahalanobis_on_census_under_mdav_stays_below_one_third(reference_data):
    frame = pl.read_csv(reference_data / "census.csv").select(pl.selectors.numeric().cast(pl.Float64))
    original = Release(frame, quasi=frame.columns)
    masked = Mdav(columns=original.quasi, k=3).apply(original).release
    assert attacked(masked, original, metric="mahalanobis").value <= 1 / 3


# Beliefs


def test_beliefs_put_right_links_before_wrong_ones_on_census(reference_data):
    """The area under the ROC curve, at least that of the ratio of the two distances, and far from that of the distance."""
    frame = pl.read_csv(reference_data / "census.csv").select(pl.selectors.numeric().cast(pl.Float64))
    original = Release(frame, quasi=frame.columns)
    for percent, least in ((4, 0.95), (10, 0.82), (20, 0.68)):
        masked = RankSwap(columns=original.quasi, percent=percent).apply(original, seed=1).release
        claims = Distance().claims(masked, Scenario.worst_case(original))
        right = judge(claims, Truth.by_lineage(None, original.size)).per_record.values() > 0.5
        order = np.argsort(claims.scores[claims.claim_of])
        place = np.empty(len(order))
        place[order] = np.arange(len(order))
        hits = right.sum()
        area = (place[right].sum() - hits * (hits - 1) / 2) / (hits * (len(order) - hits))
        assert area > least


@pytest.mark.parametrize("direction", ["intruder", "release"])
def test_identical_records_are_believed_as_often_as_they_are_alike(direction):
    file = release({"x": [1.0, 1.0, 2.0, 7.0], "sex": ["f", "f", "m", "m"]})
    claims = Distance(direction=direction).claims(file, Scenario.worst_case(file))
    assert claims.scores[claims.claim_of] == pytest.approx([0.5, 0.5, 1.0, 1.0])


def test_a_rival_for_the_same_record_weakens_both():
    """Three people at 1, 2 and 4 from the same single record, the next record farther than four times."""
    made = link_belief(
        np.array([0, 1, 2, 3]),
        np.array([0, 0, 0]),
        distance=np.array([1.0, 2.0, 4.0]),
        following=np.array([4.0, 8.0, 16.0]),
        people=np.ones(3, dtype=int),
        records=np.ones(2, dtype=int),
    )
    usual = 1.5  # the lower quartile of 1, 2 and 4
    margins = 1 / (2 + usual), -1 / (2 + usual), -3 / (4 + usual)
    assert made == pytest.approx([(1 + margin) / 2 for margin in margins])
    nobody = link_belief(
        np.array([0, 0, 1]),
        np.array([0]),
        distance=np.array([0.0, 1.0]),
        following=np.array([0.0, 2.0]),
        people=np.ones(2, dtype=int),
        records=np.array([2]),
    )
    assert nobody == pytest.approx([0.0, (1 + 1 / (2 + 0.25)) / 2 / 2])


# Labels: prefixes, intervals, dates, suppressed cells


@pytest.mark.parametrize("hierarchies", [{}, {"zip": {"prefix": [6, 3]}}])
def test_prefixes_intervals_dates_and_blanks_are_read(hierarchies):
    """A recoded file: postcodes cut to "N1C***", ages as "[43,52]", births to the year, one cell suppressed."""
    people = pl.DataFrame(
        {
            "zip": ["N1C4AG", "N1C4AX", "N1D1AA", "W1A1AA", "W1A2BB", "W1B3CC"],
            "age": [44, 51, 60, 43, 70, 71],
            "birth": [dt.date(1980 - year, 3, 1) for year in range(6)],
        }
    )
    original = Release(
        people,
        quasi=people.columns,
        kinds={"age": "continuous", "zip": "code"},
        hierarchies=hierarchies,
        missing="any",
    )
    shown = people.with_columns(
        zip=pl.Series(["N1C***", "N1C***", "N1D***", "W1A***", "W1A***", None]),
        age=pl.Series(["[43,52]", "[43,52]", "[53,62]", "[43,52]", "[63,72]", "[63,72]"]),
    )
    masked = Release(shown, quasi=shown.columns, missing="any").with_metadata(
        hierarchies=original.hierarchies, mixed=("zip", "age")
    )
    scenario = Scenario.worst_case(original, knows=("zip", "age"))
    claims = Distance().claims(masked, scenario)
    assert [candidates(claims, person) for person in range(6)] == [{0, 1}, {0, 1}, {2}, {3}, {4}, {5}]
    assert attacked(masked, original).value == 1.0  # the year of birth tells the two apart


def test_generalised_and_suppressed_example_data_have_the_right_record_among_the_candidates():
    example = clinic(300, seed=2)
    original = Release(
        example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="any"
    )
    masked = original.protect(Generalise(levels={"zip": 2, "birth": 3, "occupation": 1})).then(SuppressCells(k=2))
    claims = Distance().claims(masked.release, Scenario.worst_case(original))
    chance = judge(claims, Truth.by_lineage(masked.rows(), original.size)).per_record.values()
    complete = masked.release.to_native().select(pl.all_horizontal(pl.col(original.quasi).is_not_null())).to_series()
    assert (chance[complete.to_numpy()] > 0).all()


# Files that do not fit


def test_types_that_differ_are_compared_as_text():
    mine = release({"age": [20, 30, 40], "x": [1.0, 2.0, 3.0]}, kinds={"age": "continuous"})
    theirs = release({"age": ["20", "30", "41"], "x": [1.0, 2.0, 3.0]})
    assert attacked(theirs, mine).value == 1.0
    when = release({"age": [dt.date(2000, 1, day) for day in (1, 2, 3)], "x": [1.0, 2.0, 3.0]})
    assert attacked(when, mine).value == 1.0  # no age equals a day: x alone decides


@pytest.mark.parametrize("direction", ["intruder", "release"])
@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_files_of_any_size_and_columns_without_news(direction, metric):
    rng = np.random.default_rng(4)
    values = rng.normal(size=(60, 2))
    everybody = numbers(values, constant=np.ones(60), gone=pl.Series([None] * 60, dtype=pl.String))
    some = np.arange(0, 60, 3)
    for inside, file in ((some, np.arange(60)), (np.arange(60), some)):
        masked, mine = everybody.take(inside), everybody.take(file)
        claims = Distance(direction=direction, metric=metric).claims(masked, Scenario.worst_case(mine))
        truth = Truth(released=np.asarray(inside), intruder=np.asarray(file))
        chance = judge(claims, truth).per_record.values()[np.isin(file, inside)]
        if direction == "intruder" or len(inside) < len(file):
            assert chance == pytest.approx(1.0)
        assert (chance > 0).all()  # else records of strangers name the nearest person too
        assert (claims.scores >= 0).all() and (claims.scores <= 1).all()


def test_nothing_in_common_says_so():
    mine = release({"zip": ["A", "B"]})
    with pytest.raises(TacitError, match="none of the columns that the intruder knows"):
        reidentify(release({"age": [1.0, 2.0]}), original=mine, lineage=np.arange(2), attack=Distance())
    gone = release({"zip": pl.Series([None, None], dtype=pl.String)}, missing="any")
    claims = Distance().claims(gone, Scenario.worst_case(mine))
    assert claims.set_sizes().tolist() == [2, 2]
    assert claims.notes == ("no column tells anybody apart",)
    with pytest.raises(TacitError, match="metric='cosine' is unknown"):
        Distance(metric="cosine")
    with pytest.raises(TacitError, match="scales by itself"):
        Distance(metric="mahalanobis", standardise=False)
