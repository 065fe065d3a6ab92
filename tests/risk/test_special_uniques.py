"""Special uniques, column separation and risky cells: published figures, oracles, and what a user may get wrong."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import factorial

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.risk import risky_cells, separating_sets, separation, special_uniques

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def survey(reference_data) -> Release:
    return Release(pl.read_csv(reference_data / "testdata.csv"), quasi=KEYS)


def test_scores_are_those_of_sdcmicro(survey):
    # C-02: 235 MSUs in 157 records, scores summing to 4890 and reaching 720.
    score, dis = special_uniques(survey)
    assert score.facts["minimal sample uniques"] == 235
    assert score.facts["records with one"] == 157
    assert (score.facts["sum of scores"], score.value) == (4890, 720)
    # sdcMicro works the DIS score in single precision: its eighth digit is noise.
    assert dis.facts["sum"] == pytest.approx(9.831090921, rel=5e-7)
    assert dis.value == pytest.approx(0.6781425537, rel=5e-7)
    assert dis.per_record.values().max() == dis.value


def test_contributions_are_those_of_sdcmicro(survey):
    facts = special_uniques(survey)[0].facts
    found = [round(facts[f"contribution of {key} in %"], 2) for key in KEYS]
    assert found == pytest.approx([12.04, 33.87, 18.10, 53.42, 22.52, 92.60, 24.95], abs=0.011)


def test_the_weighted_scores_are_those_of_original_scores_false(survey):
    score, dis = special_uniques(survey, scores="weighted")
    assert (round(score.facts["sum of scores"], 4), score.value) == (88.7238, 9)
    assert dis.facts["sum"] == pytest.approx(3.705861, abs=1e-6)
    assert dis.value == pytest.approx(0.311540, abs=1e-6)


@pytest.mark.parametrize(("more", "records", "total"), [([], 244, 6249), (["age", "hhcivil"], 2613, 2025440)])
def test_a_hundred_thousand_records(reference_data, more, records, total):
    table = pl.read_csv(reference_data / "testdata_100k.csv.gz")
    facts = special_uniques(Release(table, quasi=KEYS + more))[0].facts
    assert (facts["records with one"], facts["sum of scores"]) == (records, total)


def test_all_sizes_find_the_sample_uniques_and_fewer_sizes_find_fewer(survey):
    classes = survey.classes()
    alone = (classes.sizes == 1)[classes.of_record]
    score = special_uniques(survey)[0].per_record.values()
    assert np.array_equal(score > 0, alone)
    three = special_uniques(survey, largest=3)[0]
    assert three.facts["minimal sample uniques"] == 1 + 11 + 94
    assert (three.per_record.values() <= score).all()


def wildcard_scores(rows: list[tuple[int | None, ...]]) -> list[int]:
    """Alone under "matches anything", by looking at all pairs."""

    def alike(a, b, columns):
        return all(a[j] is None or b[j] is None or a[j] == b[j] for j in columns)

    width = len(rows[0])
    scores = []
    for i, row in enumerate(rows):
        sets: list[set[int]] = []
        for size in range(1, width + 1):
            for columns in combinations(range(width), size):
                alone = not any(alike(row, other, columns) for k, other in enumerate(rows) if k != i)
                if alone and not any(inner <= set(columns) for inner in sets):
                    sets.append(set(columns))
        scores.append(sum(factorial(width - len(one)) for one in sets))
    return scores


cell = st.one_of(st.none(), st.integers(0, 2))


@given(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=12))
def test_missing_keys_that_match_anything(rows):
    frame = pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.Int64, "c": pl.Int64}, orient="row")
    found = special_uniques(Release(frame, quasi=["a", "b", "c"], missing="any"))[0]
    assert found.per_record.values().tolist() == wildcard_scores(rows)


def test_a_missing_key_of_its_own_is_a_value():
    frame = pl.DataFrame({"a": [1, 1, None], "b": [1, 1, 1]})
    found = special_uniques(Release(frame, quasi=["a", "b"], missing="own"))[0]
    assert found.per_record.values().tolist() == [0, 0, 1]


def test_duckdb_brings_the_keys_to_memory():
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame({"a": [1, 1, 2], "b": [1, 2, 2]})
    relation = duckdb.sql("SELECT * FROM frame")
    plain, lazy = (special_uniques(Release(one, quasi=["a", "b"]))[0] for one in (frame, relation))
    assert lazy.per_record.values().tolist() == plain.per_record.values().tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"largest": 0}, "largest=0"),
        ({"fraction": 0}, "fraction=0"),
        ({"fraction": 1.5}, "fraction=1.5"),
        ({"scores": "classic"}, "scores='classic'"),
    ],
)
def test_wrong_parameters(options, said):
    with pytest.raises(TacitError, match=said):
        special_uniques(Release(pl.DataFrame({"a": [1, 2]}), quasi="a"), **options)


def test_a_search_that_would_not_end_is_refused_with_a_size_that_would():
    rng = np.random.default_rng(3)
    wide = pl.DataFrame({f"q{j}": rng.integers(0, 3, 2000) for j in range(40)})
    with pytest.raises(TacitError, match="column sets") as caught:
        special_uniques(Release(wide, quasi=wide.columns))
    assert "say largest=3;" in caught.value.fix
    assert special_uniques(Release(wide, quasi=wide.columns), largest=2)[0].facts["minimal sample uniques"] == 0
    holes = wide.select(pl.when(pl.int_range(2000) % 9 > 0).then(pl.all()))
    with pytest.raises(TacitError, match="missing='own'"):
        special_uniques(Release(holes, quasi=wide.columns, missing="any"), largest=9)
    more = pl.DataFrame({f"q{j}": [1, 2] for j in range(63)})
    with pytest.raises(TacitError, match="at most 62"):
        special_uniques(Release(more, quasi=more.columns), largest=1)


def test_many_columns_keep_the_order_of_the_scores():
    """From 28 columns on the published power would turn the order around; ours does not."""
    frame = pl.DataFrame({f"q{j}": [0, 0, 0, 1 if j < 3 else 0, 1 if j == 3 else 0] for j in range(30)})
    score, dis = (one.per_record.values() for one in special_uniques(Release(frame, quasi=frame.columns), largest=1))
    assert score[3] > score[4] > score[0] == 0
    assert dis[3] >= dis[4] > dis[0] == 0


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=15), st.integers(1, 3))
def test_merging_categories_never_raises_a_score(rows, largest):
    def scores(merge: bool) -> np.ndarray:
        table = [tuple(0 if merge and value == 1 else value for value in row) for row in rows]
        frame = pl.DataFrame(table, schema=["a", "b", "c"], orient="row")
        return special_uniques(Release(frame, quasi=frame.columns), largest=largest)[0].per_record.values()

    assert (scores(merge=True) <= scores(merge=False)).all()


def test_separation_is_that_of_arx(reference_data):
    # facts of ARX 3.9.2 on adult, to all digits that the two orders of summation share.
    table = pl.read_csv(reference_data / "adult" / "adult.csv", separator=";")
    release = Release(table, quasi=["sex", "age", "race", "marital-status"])
    found = {frozenset(one.columns): one for one in separating_sets(release, largest=4)}
    printed = {
        ("sex",): (6.630860022544923e-5, 0.43828434814896455),
        ("race",): (1.657715005636231e-4, 0.2510168705580825),
        ("marital-status",): (2.3208010078907233e-4, 0.6572008210359416),
        ("age",): (0.0023871096081161725, 0.9781172561484958),
        ("sex", "race"): (3.315430011272462e-4, 0.5689230170166433),
        ("sex", "marital-status"): (4.6416020157814467e-4, 0.7595907576799329),
        ("race", "marital-status"): (0.0010609376036071877, 0.7346233591152453),
        ("sex", "age"): (0.004707910616006896, 0.9875711178204718),
        ("age", "race"): (0.00954843843246469, 0.9837666715009222),
        ("age", "marital-status"): (0.012830714143624428, 0.9899105026484516),
        ("sex", "race", "marital-status"): (0.0020887209071016512, 0.8091728491615255),
        ("sex", "age", "race"): (0.0175054704595186, 0.9905147966813672),
        ("sex", "age", "marital-status"): (0.02324116437901996, 0.9932618493601612),
        ("age", "race", "marital-status"): (0.035342483920164446, 0.9922544823166048),
        ("sex", "age", "race", "marital-status"): (0.05603076719050461, 0.9947068628385531),
    }
    assert len(found) == len(printed) == 15
    for columns, (distinction, apart) in printed.items():
        one = found[frozenset(columns)]
        assert one.distinction == pytest.approx(distinction, rel=1e-15)
        assert one.separation == pytest.approx(apart, rel=1e-15)
    result = separation(release)
    assert result.value == pytest.approx(0.9947068628385531, rel=1e-15)
    assert result.facts["best set of 2"] == "age, marital-status"
    assert result.facts["smallest sets that separate 95 %"] == "age"
    assert result.per_record.values().mean() == pytest.approx(result.value, abs=1e-12)


def test_separation_is_the_same_on_duckdb():
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame({"a": [1, 1, 2, 3], "b": [1, 2, 2, 2]})
    lazy = Release(duckdb.sql("SELECT * FROM frame"), quasi=["a", "b"])
    assert dict(separation(lazy).facts) == dict(separation(Release(frame, quasi=["a", "b"])).facts)


def test_separation_says_which_parameter_is_wrong():
    release = Release(pl.DataFrame({f"q{j}": [1, 2] for j in range(40)}), quasi=[f"q{j}" for j in range(40)])
    with pytest.raises(TacitError, match="share=0"):
        separation(release, share=0)
    with pytest.raises(TacitError, match="largest=2"):
        separation(release)


def test_risky_cells_are_those_that_a_count_of_every_table_finds(survey, reference_data):
    # C-02, μ-ARGUS: thresholds 20, 10, 5 for one, two and three columns.
    table = pl.read_csv(reference_data / "testdata.csv").select(KEYS)
    result = risky_cells(survey, upto=[20, 10, 5])
    inside = np.zeros(table.height, dtype=int)
    for size, threshold in enumerate([20, 10, 5], 1):
        unsafe = 0
        for columns in combinations(KEYS, size):
            cells = [tuple(row) for row in table.select(columns).iter_rows()]
            often = Counter(cells)
            unsafe += sum(count <= threshold for count in often.values())
            inside += np.array([often[one] <= threshold for one in cells])
        assert result.facts[f"of {size} column{'s' if size > 1 else ''}"] == unsafe
    assert np.array_equal(result.per_record.values(), inside)
    assert result.value == sum(v for k, v in result.facts.items() if k.startswith("of "))


@given(st.lists(st.tuples(cell, cell), min_size=1, max_size=12))
def test_risky_cells_with_missing_keys_that_match_anything(rows):
    frame = pl.DataFrame(rows, schema={"a": pl.Int64, "b": pl.Int64}, orient="row")
    found = risky_cells(Release(frame, quasi=["a", "b"], missing="any"), upto=1).per_record.values()
    for i, row in enumerate(rows):
        expected = 0
        for columns in [(0,), (1,), (0, 1)]:
            matching = sum(all(None in (row[j], other[j]) or row[j] == other[j] for j in columns) for other in rows)
            expected += matching == 1 and any(row[j] is not None for j in columns)
        assert found[i] == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"upto": 0}, "upto=0"),
        ({"upto": "few"}, "upto='few'"),
        ({"upto": [3, 2], "largest": 3}, "2 thresholds"),
        ({"upto": []}, "0 thresholds"),
    ],
)
def test_wrong_thresholds(options, said):
    with pytest.raises(TacitError, match=said):
        risky_cells(Release(pl.DataFrame({"a": [1, 2]}), quasi="a"), **options)


def test_a_records_separation_is_the_share_of_the_others_that_differ_from_it():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"a": rng.integers(0, 3, 60).astype(str), "b": rng.integers(0, 4, 60).astype(str)})
    rows = frame.rows()
    apart = [sum(other != one for other in rows) / (len(rows) - 1) for one in rows]
    per_record = separation(Release(frame, quasi=["a", "b"])).per_record
    assert per_record is not None
    assert np.allclose(per_record.values(), apart, rtol=1e-15)
