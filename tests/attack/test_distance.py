"""Distance-based linkage: power, ties, levels, missing cells, both directions. catalogue: C-04."""

from __future__ import annotations

import datetime as dt

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, Result, TacitError
from tacit.attack import Distance
from tacit.claims import Scenario, Truth, judge
from tacit.examples import clinic
from tacit.release.hierarchy.base import label_expression


def release(frame: dict, **described) -> Release:
    table = pl.DataFrame(frame)
    return Release(table, quasi=list(table.columns), **described)


def clinical(rows: int = 500) -> Release:
    example = clinic(rows, seed=2)
    described = {"kinds": example.kinds, "hierarchies": example.hierarchies, "missing": "own"}
    return Release(example.frame, **example.roles, **described).select(("zip", "birth", "sex", "occupation", "income"))


def attacked(masked: Release, original: Release, lineage=None, knows=None, **parameters) -> Result:
    scenario = Scenario.worst_case(original, knows=knows)
    claims = Distance(**parameters).claims(masked, scenario)
    return judge(claims, Truth.by_lineage(lineage, original.size))


# Power: a planted leak is found, and where nothing is left nothing is found


@pytest.mark.parametrize("direction", ["intruder", "release"])
def test_an_unmasked_release_is_found_completely(direction):
    rng = np.random.default_rng(0)
    original = release({"age": rng.normal(size=400), "zip": rng.integers(0, 30, 400).astype(str)})
    order = rng.permutation(400)
    result = attacked(original.take(order), original, order, direction=direction)
    assert result.value == 1.0
    assert result.facts["right single links"] == 1.0
    assert result.facts["sure links"] == 0.0  # distance alone never knows


@pytest.mark.parametrize("direction", ["intruder", "release"])
def test_independent_permutations_leave_about_guessing(direction):
    rng = np.random.default_rng(1)
    columns = {f"x{j}": rng.normal(size=500) for j in range(3)} | {"sex": rng.integers(0, 2, 500).astype(str)}
    masked = {name: rng.permutation(values) for name, values in columns.items()}
    result = attacked(release(masked), release(columns), direction=direction)
    # hits are about Poisson(1): more than 7 come once in a hundred thousand seeds
    assert result.value <= 7 / 500
    assert result.facts["baseline"] == pytest.approx(1 / 500)


def test_more_noise_less_found():
    rng = np.random.default_rng(2)
    columns = rng.normal(size=(800, 3))
    original = release({f"x{j}": columns[:, j] for j in range(3)})
    found = []
    for noise in (0.01, 0.2, 2.0):
        masked = columns + noise * rng.normal(size=columns.shape)
        found.append(attacked(release({f"x{j}": masked[:, j] for j in range(3)}), original).value)
    assert found[0] > 0.95
    assert found[0] > found[1] > found[2]


# Ties: sets, never the order of a file


@pytest.mark.parametrize("direction", ["intruder", "release"])
def test_groups_of_three_alike_are_found_with_a_third_whatever_the_order(direction):
    """Microaggregated by hand: every three neighbours get their mean."""
    rng = np.random.default_rng(3)
    values = np.sort(rng.normal(size=300))
    original = release({"x": values})
    means = values.reshape(-1, 3).mean(1).repeat(3)
    results = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(300)
        results.append(attacked(release({"x": means[order]}), original, order, direction=direction).value)
    assert max(results) <= 1 / 3 + 1e-12
    assert results == pytest.approx([results[0]] * 4, abs=1e-12)
    if direction == "intruder":
        assert results[0] > 0.25  # nearly every value is nearest to the mean of its own three


def test_swapped_neighbours_are_ties_decided_in_whole_numbers():
    """Person b lies exactly between two records, in units that no float holds exactly."""
    original = release({"x": [1, 3, 5, 30], "y": [7, 7, 7, 7]}, kinds={"x": "continuous", "y": "continuous"})
    masked = release({"x": [2, 4, 6, 30], "y": [7, 7, 7, 7]}, kinds={"x": "continuous", "y": "continuous"})
    claims = Distance().claims(masked, Scenario.worst_case(original))
    assert claims.set_sizes().tolist() == [1, 2, 2, 1]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=2, max_size=30), st.randoms())
def test_permuting_the_release_changes_no_record(rows, random):
    x, sex = zip(*rows, strict=True)
    original = release({"x": x, "sex": [str(one) for one in sex]}, kinds={"x": "ordinal"})
    masked = original.with_columns({"x": np.array(x) // 2 * 2})
    order = list(range(len(rows)))
    random.shuffle(order)
    plain = attacked(masked, original).per_record.values()
    shuffled = attacked(masked.take(np.array(order)), original, np.array(order)).per_record.values()
    assert shuffled == pytest.approx(plain, abs=1e-12)


# Columns: levels, codes, dates, constants, gaps


def test_a_generalised_column_is_compared_at_its_level():
    """With zip alone at the level of three characters a person is found with chance 1/size of its prefix."""
    original = clinical()
    ladder = original.hierarchies["zip"]
    masked = original.with_columns({"zip": label_expression(ladder, "zip", 1)}, levels={"zip": 1})
    result = attacked(masked, original, knows="zip")
    prefixes = original.series("zip").str.slice(0, 3)
    sizes = prefixes.to_frame().select(pl.len().over("zip"))["len"].to_numpy()
    assert result.per_record.values() == pytest.approx(1 / sizes)
    top = original.with_columns({"zip": label_expression(ladder, "zip", 2)}, levels={"zip": 2})
    coarser = attacked(top, original, knows="zip")
    assert coarser.value < result.value


def test_an_intruder_who_knows_less_exactly_meets_the_release_at_its_level():
    original = clinical()
    coarse = original.with_columns(
        {"birth": label_expression(original.hierarchies["birth"], "birth", 2)}, levels={"birth": 2}
    )
    years = original.series("birth").dt.year()
    sizes = years.to_frame().select(pl.len().over("birth"))["len"].to_numpy()
    claims = Distance().claims(original, Scenario(file=coarse, knows=("birth",)))
    assert claims.set_sizes().tolist() == sizes.tolist()
    finer = original.with_columns(
        {"birth": label_expression(original.hierarchies["birth"], "birth", 1)}, levels={"birth": 1}
    )
    with pytest.raises(TacitError, match="'birth' stands at level 1 in the release and at level 2"):
        Distance().claims(finer, Scenario(file=coarse, knows=("birth",)))


def test_dates_are_compared_as_days():
    days = [dt.date(1980, 1, 1) + dt.timedelta(days=100 * place) for place in range(5)]
    near = [day + dt.timedelta(days=40) for day in days]
    assert attacked(release({"birth": near}), release({"birth": days})).value == 1.0
    clock = [dt.datetime.combine(day, dt.time(12)) for day in near]
    assert attacked(release({"birth": clock}), release({"birth": days})).value == 1.0


def test_a_column_that_became_text_is_compared_as_text():
    original = release({"age": [20, 30, 40, 50]}, kinds={"age": "continuous"})
    recoded = release({"age": ["20", "young", "40", "old"]})
    assert attacked(recoded, original).per_record.values().tolist() == [1, 0.25, 1, 0.25]


def test_whole_numbers_declared_a_code_are_equal_or_not():
    file = {"job": [11, 12, 91, 92]}
    masked = {"job": [13, 12, 91, 14]}
    as_code = attacked(release(masked, kinds={"job": "code"}), release(file, kinds={"job": "code"}))
    assert as_code.per_record.values().tolist() == [0.25, 1, 1, 0.25]
    as_number = attacked(release(masked, kinds={"job": "continuous"}), release(file, kinds={"job": "continuous"}))
    assert as_number.per_record.values().tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("standardise", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_two_values_count_the_same_as_numbers_and_as_words(standardise, seed):
    """With a dozen records the nearest in age is often of the other sex, so that the price of sex decides."""
    rng = np.random.default_rng(seed)
    sex, age = rng.integers(0, 2, 12), 3 * rng.normal(size=12)
    other = np.where(rng.random(12) < 0.3, 1 - sex, sex)
    found = []
    for written in (lambda codes: codes.astype(float), lambda codes: codes.astype(str)):
        masked, original = (
            release({"age": age + 0.5, "sex": written(other)}),
            release({"age": age, "sex": written(sex)}),
        )
        claims = Distance(standardise=standardise).claims(masked, Scenario.worst_case(original))
        named = [claims.candidates[a:b] for a, b in zip(claims.start[:-1], claims.start[1:], strict=True)]
        found.append([set(np.flatnonzero(np.isin(claims.group_of, named[one]))) for one in claims.claim_of])
    assert found[0] == found[1]


def test_without_standardising_a_unit_is_a_unit():
    """Two years and the same sex, or the same age and another sex: one year squared costs as much as another sex."""
    original = release({"age": [40.0, 80.0], "sex": ["f", "f"]})
    masked = release({"age": [42.0, 40.0, 90.0], "sex": ["f", "m", "m"]})
    names = {True: [0], False: [1]}  # standardised, two years are little; as they are, 4 is more than 1
    for standardise, nearest in names.items():
        claims = Distance(standardise=standardise).claims(masked, Scenario.worst_case(original))
        group = claims.candidates[claims.start[claims.claim_of[0]] : claims.start[claims.claim_of[0] + 1]]
        assert np.flatnonzero(np.isin(claims.group_of, group)).tolist() == nearest


@pytest.mark.parametrize("constant", [0.1, "same", None])
def test_a_column_that_tells_nobody_apart_counts_nothing(constant):
    x = np.random.default_rng(7).normal(size=50)
    plain = attacked(release({"x": x + 0.1}), release({"x": x}))
    dtype = pl.String if constant is None else None
    still = pl.Series("c", [constant] * 50, dtype=dtype)
    masked = release({"x": x + 0.1, "c": still}, missing="any")
    original = release({"x": x, "c": pl.Series("c", [constant] * 49 + [None], dtype=still.dtype)}, missing="any")
    assert attacked(masked, original).per_record.values() == pytest.approx(plain.per_record.values())
    alone = attacked(masked, original, knows="c")
    assert alone.value == pytest.approx(1 / 50)


def test_a_suppressed_cell_speaks_neither_for_nor_against():
    """Zip decides among three; where it was suppressed, those with another zip are as far as the suppressed record."""
    zips = ["A", "A", "B", "C"]
    original = release({"zip": zips, "age": [20, 20, 20, 60]}, kinds={"age": "continuous"}, missing="any")
    masked = original.suppress_cells({"zip": np.array([False, False, True, False])})
    chance = attacked(masked, original).per_record.values()
    assert chance.tolist() == [0.5, 0.5, 1.0, 1.0]


def test_missing_is_equal_to_missing_only_as_a_category_of_its_own():
    file = {"job": ["cook", None, "nurse", "nurse"]}
    own = attacked(release(file, missing="own"), release(file, missing="own"))
    assert own.per_record.values().tolist() == [1, 1, 0.5, 0.5]
    matches_any = attacked(release(file, missing="any"), release(file, missing="any"))
    assert matches_any.per_record.values().tolist() == [1, 0.25, 0.5, 0.5]


def test_under_any_a_gap_is_no_value_that_tells_records_apart():
    """One value and gaps: under "any" the column counts nothing, under "own" it separates."""
    file = {"x": [1.0, 2.0, 1.0], "ill": ["yes", None, None]}
    for missing, expected in (("any", [0.5, 1, 0.5]), ("own", [1, 1, 1])):
        described = release(file, missing=missing)
        assert attacked(described, described).per_record.values().tolist() == expected


def test_pseudonyms_do_not_make_every_pair_a_candidate():
    """Two thousand values that match nothing are one group and one claim, not four million pairs."""
    original = release({"phone": [f"a{place}" for place in range(2000)]})
    masked = release({"phone": [f"b{place}" for place in range(2000)]})
    claims = Distance().claims(masked, Scenario.worst_case(original))
    assert len(claims.candidates) == 1
    assert claims.set_sizes().tolist() == [2000] * 2000


def distances(masked: Release, original: Release, knows: list[str]) -> np.ndarray:
    """The slow way: numbers by twice the variance, words by the chance to differ; rows are the intruder's."""
    own = masked.missing == "own"
    total = np.zeros((original.size, masked.size))
    for column in knows:
        theirs, mine = masked.series(column), original.series(column)
        if column == "income":
            a, b = (side.to_numpy() for side in (theirs, mine))
            apart, usual = (b[:, None] - a) ** 2, 2 * np.nanvar(a)
        else:
            a, b = (side.fill_null("?").to_numpy() for side in (theirs, mine))
            counts = np.unique(a if own else a[a != "?"], return_counts=True)[1]
            apart, usual = (b[:, None] != a).astype(float), 1 - ((counts / counts.sum()) ** 2).sum()
        gaps = mine.is_null().to_numpy()[:, None].astype(int) + theirs.is_null().to_numpy()
        total += np.choose(gaps, [np.nan_to_num(apart / usual), 1.0, 0.0 if own else 1.0])
    return total


@pytest.mark.parametrize("missing", ["own", "any"])
def test_the_slow_way_gives_the_same(missing):
    original = clinical(150).with_metadata(missing=missing)
    rng = np.random.default_rng(9)
    masked = original.with_columns({"income": original.series("income") * rng.lognormal(0, 0.3, 150)})
    masked = masked.suppress_cells({"sex": rng.random(150) < 0.3, "occupation": rng.random(150) < 0.3})
    knows = ["sex", "occupation", "income"]
    total = distances(masked, original, knows)
    tied = total <= total.min(1, keepdims=True) * (1 + 1e-12)
    expected = np.diag(tied) / tied.sum(1)
    assert attacked(masked, original, knows=knows).per_record.values() == pytest.approx(expected)
    assert 0.1 < expected.mean() < 0.9
    # the other way: a record spreads over the people it ties; a person's chances are cut to one
    named = (total <= total.min(0) * (1 + 1e-12)) / (total <= total.min(0) * (1 + 1e-12)).sum(0)
    other = np.diag(named) / np.maximum(1, named.sum(1))
    turned = attacked(masked, original, knows=knows, direction="release")
    assert turned.per_record.values() == pytest.approx(other)
    assert turned.facts["without candidate"] == pytest.approx((named.sum(1) == 0).mean())


def test_records_that_name_several_people_leave_each_its_part():
    """Two people of one age are named by one record: each is it with chance one half; nobody else is named."""
    original, masked = release({"age": [30.0, 30.0, 80.0]}), release({"age": [31.0, 79.0, 82.0]})
    result = attacked(masked, original, direction="release")
    assert result.per_record.values() == pytest.approx([0.5, 0.0, 0.5])


# Other engines, and mistakes


def test_duckdb_gives_the_same_number():
    frame = clinic(200, seed=3).frame
    original = Release(frame, quasi=["zip", "sex", "birth"])
    relation = Release(duckdb.from_arrow(frame.to_arrow()), quasi=["zip", "sex", "birth"])
    masked = frame.with_columns(birth=pl.col("birth").dt.offset_by("30d"))
    plain = attacked(Release(masked, quasi=["zip", "sex", "birth"]), original)
    lazy = attacked(Release(duckdb.from_arrow(masked.to_arrow()), quasi=["zip", "sex", "birth"]), relation)
    assert lazy.value == pytest.approx(plain.value)


def test_extreme_numbers_are_survived():
    x = [0.0, 5e-324, 1.0, 1e300, -1e300, 1.7e308, -1.7e308]
    result = attacked(release({"x": x}), release({"x": x}))
    assert 0 < result.value <= 1
    with pytest.raises(TacitError, match="'x' holds an infinite number in row 2"):
        attacked(release({"x": [1.0, np.inf]}), release({"x": [1.0, 2.0]}))


def test_what_cannot_be_linked_says_why():
    original = release({"zip": ["A", "B"]})
    scenario = Scenario.worst_case(original)
    empty, other = original.take(np.zeros(0, dtype=int)), release({"age": [1.0, 2.0]})
    for masked, why in ((empty, "no rows"), (other, "none of the columns")):
        assert why in str(Distance().applies(masked, scenario))
        with pytest.raises(TacitError, match=why):
            Distance().claims(masked, scenario)
    assert Distance().applies(original, scenario) is None
    with pytest.raises(TacitError, match="direction='up'"):
        Distance(direction="up")
