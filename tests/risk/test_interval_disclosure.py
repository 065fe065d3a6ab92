"""Interval disclosure and same values against hand-worked numbers, the definition itself, and random dealing.

catalogue: B-01, B-02, B-03
"""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Masked, Release, TacitError
from tacit.claims.claims import ValueClaims
from tacit.claims.values import right_values
from tacit.protect import Generalise, RankSwap, Shuffle
from tacit.risk import disclosure_curve, interval_disclosure, same_values

BEFORE, AFTER = [10, 20, 30, 40, 50], [12, 35, 31, 39, 80]


def table(**columns: object) -> Release:
    return Release(pl.DataFrame(columns, strict=False))


def by_rank(before, after, percent):
    """Straight from the definition; ties give the union over all orders."""
    ranked = sorted(value for value in after if value is not None)
    width = math.floor(Fraction(str(percent)) * len(ranked) / 200)
    ends = {}
    for i, value in enumerate(ranked):
        low, high = ranked[max(i - width, 0)], ranked[min(i + width, len(ranked) - 1)]
        ends[value] = min(low, ends.get(value, (low, high))[0]), max(high, ends.get(value, (low, high))[1])
    return [
        v is not None and m is not None and ends[m][0] <= v <= ends[m][1] for v, m in zip(before, after, strict=True)
    ], ends


def by_deviation(before, after, percent):
    reach = percent * np.std([value for value in before if value is not None]) / 100 * (1 + 1e-12)
    ends = {value: (value - reach, value + reach) for value in after if value is not None}
    return [v is not None and m is not None and abs(v - m) <= reach for v, m in zip(before, after, strict=True)], ends


ORACLE = {"rank": by_rank, "deviation": by_deviation}
VALUES = st.one_of(st.none(), st.integers(-6, 6))
PAIRS = st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=25).filter(
    lambda pairs: len({v for v, _ in pairs if v is not None}) > 1 and any(m is not None for _, m in pairs)
)


def test_hand_worked():
    # w = 40·5/200 = 1: 10 ∉ [12, 31], 20 ∉ [31, 39], 30 ∈ [12, 35], 40 ∈ [35, 80], 50 ∈ [39, 80]
    found = interval_disclosure(table(pay=AFTER), original=table(pay=BEFORE), percent=40)["pay"]
    assert found.value == 3 / 5
    assert found.per_record.values().tolist() == [0, 0, 1, 1, 1]
    assert found.per_record.rows_of == "release"
    assert found.facts["baseline"] == (2 + 0 + 2 + 2 + 2) / 25
    # sd = √200 = 14.142, 40 % of it 5.657; the differences are 2, 15, 1, 1, 30
    found = interval_disclosure(table(pay=AFTER), original=table(pay=BEFORE), percent=40, by="deviation")["pay"]
    assert found.per_record.values().tolist() == [1, 0, 1, 1, 0]
    assert found.facts["baseline"] == (1 + 2 + 1 + 1 + 0) / 25  # 10; 30 and 40; 30; 40; none


def test_the_ends_are_those_of_the_file_not_of_the_slip():  # catalogue: B-01, min and max swapped in the deck
    swapped = interval_disclosure(table(pay=[1, 2, 3, 4, 5]), original=table(pay=[5, 4, 3, 2, 1]), percent=40)
    assert swapped["pay"].value == 1 / 5, "the slip gives everybody the whole range, and 1"


def test_a_fractional_width_is_its_whole_part():
    before, after = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5]
    narrow = interval_disclosure(table(a=after), original=table(a=before), percent=39)["a"]  # w = 0.975
    wide = interval_disclosure(table(a=after), original=table(a=before), percent=40)["a"]  # w = 1
    assert (narrow.value, wide.value) == (1 / 5, 1)
    rows = np.arange(1000)
    exact = interval_disclosure(table(a=rows), original=table(a=np.roll(rows, 1)), percent=0.2)["a"]
    assert exact.value == 999 / 1000, "0.2 · 1000 / 200 is 1, also in binary"


def test_ties_are_reached_together():
    # R = 1 5 5 5 9, w = 1: who shows 5 may stand anywhere in the middle, so that [1, 9] is possible
    found = interval_disclosure(table(a=[5, 5, 5, 1, 9]), original=table(a=[1, 5, 9, 6, 2]), percent=40)["a"]
    assert found.per_record.values().tolist() == [1, 1, 1, 0, 0]


@settings(max_examples=60)
@given(PAIRS, st.floats(0.5, 100), st.sampled_from(["rank", "deviation"]))
def test_as_defined(pairs, percent, by):
    before, after = [v for v, _ in pairs], [m for _, m in pairs]
    found = interval_disclosure(table(a=after), original=table(a=before), percent=percent, by=by, columns="a")["a"]
    disclosed, ends = ORACLE[by](before, after, percent)
    known = [v for v in before if v is not None]
    assert found.per_record.values().tolist() == disclosed
    assert found.value == pytest.approx(sum(disclosed) / len(known))
    claims = [ends[m] for v, m in pairs if v is not None and m is not None]
    at_random = sum(low <= v <= high for low, high in claims for v in known) / len(known) ** 2
    assert found.facts["baseline"] == pytest.approx(at_random)


@settings(max_examples=30)
@given(PAIRS, st.floats(0.5, 100))
def test_the_judge_of_claims_agrees(pairs, percent):
    """The same intervals as claims, scored by the judge of attacks: share and baseline are the same."""
    before, after = [v for v, _ in pairs], [m for _, m in pairs]
    _, ends = by_rank(before, after, percent)
    low, high = (np.array([ends[m][i] if m is not None else np.nan for m in after], dtype=float) for i in (0, 1))
    claims = ValueClaims(column="a", low=low, high=high)
    judged = right_values(claims, np.array([np.nan if v is None else v for v in before], dtype=float))
    found = interval_disclosure(table(a=after), original=table(a=before), percent=percent)["a"]
    assert found.value == pytest.approx(judged.value)
    assert found.facts["baseline"] == pytest.approx(judged.facts["baseline"])


@settings(max_examples=40)
@given(PAIRS, st.floats(0.5, 100), st.floats(0.5, 100), st.sampled_from(["rank", "deviation"]))
def test_wider_intervals_hold_more_and_row_order_does_not_matter(pairs, one, other, by):
    before, after = table(a=[v for v, _ in pairs]), table(a=[m for _, m in pairs])
    narrow, wide = disclosure_curve(after, original=before, percents=sorted((one, other)), by=by).points
    assert narrow.share <= wide.share and narrow.baseline <= wide.baseline + 1e-12
    order = np.random.default_rng(len(pairs)).permutation(len(pairs))
    turned = interval_disclosure(after.take(order), original=before, lineage=order, percent=wide.percent, by=by)["a"]
    plain = interval_disclosure(after, original=before, percent=wide.percent, by=by)["a"]
    assert turned.value == plain.value == wide.share
    assert turned.facts == plain.facts and plain.facts["baseline"] == pytest.approx(wide.baseline)
    assert (turned.per_record.values() == plain.per_record.values()[order]).all()


@settings(max_examples=30)
@given(st.lists(st.integers(-5, 5), min_size=2, max_size=30).filter(lambda v: len(set(v)) > 1), st.floats(0.01, 100))
def test_an_unchanged_file_is_disclosed_at_any_width(values, percent):
    for by in ("rank", "deviation"):
        found = interval_disclosure(table(a=values), original=table(a=values), percent=percent, by=by)["a"]
        assert found.value == 1.0


def test_the_curve_reaches_everybody_once_the_interval_is_wider_than_the_noise():
    rng = np.random.default_rng(1)
    before = rng.normal(0, 1, 500)
    masked, original = table(a=before + rng.uniform(-0.5, 0.5, 500)), table(a=before)
    shares = disclosure_curve(masked, original=original, by="deviation", percents=(1, 10, 60)).frame()["share"]
    assert shares[0] < 0.1 < shares[1] < 0.5 and shares[2] == 1.0


def test_a_leak_is_found_and_strangers_are_at_the_baseline():
    rng = np.random.default_rng(2)
    before = rng.lognormal(size=4000)
    original = table(a=before, b=before)
    masked = table(a=before * rng.normal(1, 0.01, 4000), b=rng.permutation(before))
    for by in ("rank", "deviation"):
        leak, null = interval_disclosure(masked, original=original, percent=5, by=by)
        assert leak.value > 0.7 and leak.facts["baseline"] < 0.25
        assert null.value == pytest.approx(null.facts["baseline"], abs=0.02)


def test_masked_brings_its_lineage_and_invented_records_are_left_out():
    original = table(a=np.arange(200.0))
    swapped = original.protect(RankSwap(columns=["a"], percent=4), seed=1)
    shuffled = swapped.then(Shuffle(), seed=2)
    plain = interval_disclosure(swapped, original=original, percent=8)["a"]
    assert interval_disclosure(shuffled, original=original, percent=8)["a"].value == plain.value == 1.0
    with pytest.raises(TacitError, match="random order.*\n.*lineage"):
        interval_disclosure(shuffled.release, original=original, percent=8)
    with pytest.raises(TacitError, match="200.*lineage|lineage"):
        interval_disclosure(original.take(np.arange(9)), original=original, percent=8)
    grown = Masked(table(a=[0.0, 1.0, 1.0, 199.0]), (), lineage=np.array([0, 1, -1, 199]))
    found = interval_disclosure(grown, original=original, percent=1)["a"]
    assert found.value == 1.0 and found.facts["left out, invented records"] == 1
    assert found.per_record.values().tolist() == [1, 1, 0, 1]


def test_hidden_values_are_not_disclosed_and_unknown_ones_left_out():
    found = interval_disclosure(table(a=[1, None, 3, 4]), original=table(a=[1, 2, None, 9]), percent=10)["a"]
    assert found.value == 1 / 3
    assert found.facts["records compared"] == 3
    assert found.facts["of them hidden in the release"] == 1
    assert found.facts["left out, original value missing"] == 1


def test_dates_and_roles():
    days = [dt.date(2000, 1, day) for day in (1, 5, 9, 20)]
    frame = pl.DataFrame({"born": days, "pay": [1.0, 2.0, 3.0, 9.0], "id": [1, 2, 3, 4], "note": [1, 2, 3, 4]})
    release = Release(frame, quasi="born", confidential="pay", identifier="id")
    found = interval_disclosure(release, original=release, percent=10)
    assert [(one.column, one.facts["role"]) for one in found] == [("born", "quasi"), ("pay", "confidential")]
    assert interval_disclosure(release, original=release, percent=10, columns="note")["note"].value == 1.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"percent": 0}, "percent=0 is no width"),
        ({"percent": 101}, "up to 100"),
        ({"percent": float("nan")}, "no width"),
        ({"percent": "10"}, "percent='10'"),
        ({"percent": 10, "by": "ranks"}, "did you mean 'rank'"),
        ({"percent": 10, "columns": "text"}, "does not hold numbers.*\n.*same_values"),
        ({"percent": 10, "columns": "one"}, "one value only"),
        ({"percent": 10, "columns": "none"}, "missing everywhere"),
        ({"percent": 10, "columns": "pey"}, "did you mean 'pay'"),
        ({"percent": 10, "columns": "gone"}, "is not in both files"),
        ({"percent": 10, "lineage": [0, 1]}, "lineage does not lead"),
    ],
)
def test_mistakes_are_named(options, words):
    nothing = pl.Series([None] * 3, dtype=pl.Float64)
    masked = table(pay=[1, 2, 3], text=["SECRET"] * 3, one=[1, 2, 3], none=nothing)
    original = table(pay=[1, 2, 3], text=["SECRET"] * 3, one=[7, 7, 7], none=nothing, gone=[1, 2, 3])
    with pytest.raises(TacitError, match=words) as caught:
        interval_disclosure(masked, original=original, **options)
    assert "SECRET" not in str(caught.value)


def test_columns_that_disclose_nothing_are_passed_over():
    masked, original = table(pay=[1, 2, 3], one=[1, 2, 3]), table(pay=[1, 2, 3], one=[7, 7, 7])
    assert [one.column for one in interval_disclosure(masked, original=original, percent=10)] == ["pay"]
    with pytest.raises(TacitError, match="original"):
        interval_disclosure(masked, percent=10)
    with pytest.raises(TacitError, match="no column holds varying numbers"):
        interval_disclosure(table(a=["x"]), original=table(a=["x"]), percent=10)
    with pytest.raises(TacitError, match="infinite number in row 2"):
        interval_disclosure(table(a=[1.0, math.inf]), original=table(a=[1.0, 2.0]), percent=10)


def test_huge_numbers_do_not_overflow():
    huge = table(a=[-1e300, 0.0, 1e300])
    for by in ("rank", "deviation"):
        assert interval_disclosure(huge, original=huge, percent=10, by=by)["a"].value == 1.0


def test_the_curve_is_the_measure_at_each_width():
    rng = np.random.default_rng(3)
    before, after = rng.integers(0, 40, 300), rng.integers(0, 40, 300)
    masked, original = table(a=after, b=before), table(a=before, b=before)
    for by in ("rank", "deviation"):
        for row in disclosure_curve(masked, original=original, percents=(1, 7.5, 30), by=by).frame().to_dicts():
            found = interval_disclosure(masked, original=original, percent=row["percent"], by=by)[row["column"]]
            assert (row["share"], row["baseline"]) == (found.value, found.facts["baseline"])
    with pytest.raises(TacitError, match="no widths"):
        disclosure_curve(masked, original=original, percents=())


def test_same_values_by_hand():  # catalogue: B-03
    original, masked = table(a=["x", "x", "y", "z", None]), table(a=["x", "y", "y", None, "z"])
    found = same_values(masked, original=original)["a"]
    assert found.value == 2 / 4
    assert found.per_record.values().tolist() == [1, 0, 1, 0, 0]
    assert found.facts["baseline"] == (2 * 1 + 1 * 2) / 16, "x: 2 people, shown once; y: 1 person, shown twice"
    assert found.facts["of them hidden in the release"] == 1


@settings(max_examples=40)
@given(st.lists(st.tuples(*[st.one_of(st.none(), st.sampled_from("abc"))] * 2), min_size=1, max_size=20))
def test_same_values_as_defined(pairs):
    before, after = [v for v, _ in pairs], [m for _, m in pairs]
    known = [(v, m) for v, m in pairs if v is not None]
    masked = Release(pl.DataFrame({"a": pl.Series(after, dtype=pl.String)}))
    original = Release(pl.DataFrame({"a": pl.Series(before, dtype=pl.String)}))
    if not known:
        with pytest.raises(TacitError):
            same_values(masked, original=original)
        return
    found = same_values(masked, original=original)["a"]
    assert found.value == sum(v == m for v, m in known) / len(known)
    assert found.facts["baseline"] == pytest.approx(sum(v == m for v, _ in known for _, m in known) / len(known) ** 2)


def test_generalised_values_are_compared_at_their_level():
    zips = ["08001", "08002", "17001", "17002"]
    original = Release(pl.DataFrame({"zip": zips}), quasi="zip", hierarchies={"zip": {"prefix": [5, 2]}})
    masked = original.protect(Generalise(levels={"zip": 1}))
    found = same_values(masked, original=original)["zip"]
    assert (found.value, found.facts["baseline"], found.facts["level"]) == (1.0, 0.5, 1)
    crossed = Masked(masked.release.take(np.array([2, 1, 0, 3])), masked.trace)
    assert same_values(crossed, original=original)["zip"].value == 0.5


def test_same_values_leaves_numbers_alone_and_says_what_cannot_be_compared():
    original = Release(pl.DataFrame({"pay": [1.5, 2.5], "code": [1, 2]}), kinds={"code": "nominal"})
    assert [one.column for one in same_values(original, original=original)] == ["code"]
    recoded = table(pay=["low", "high"], code=[1, 2])
    assert [one.column for one in same_values(recoded, original=original)] == ["code"]
    with pytest.raises(TacitError, match="hierarchy by which it was recoded"):
        same_values(recoded, original=original, columns="pay")
    with pytest.raises(TacitError, match="no column holds categories"):
        same_values(table(a=[1.5]), original=table(a=[1.5]))
    with pytest.raises(TacitError, match="nobody said which"):
        same_values(recoded.take(np.array([0])), original=original)


def test_a_shuffled_category_is_at_the_baseline():
    rng = np.random.default_rng(5)
    before = rng.choice(list("abcd"), 5000, p=[0.6, 0.2, 0.1, 0.1])
    found = same_values(table(a=rng.permutation(before)), original=table(a=before))["a"]
    assert found.value == pytest.approx(found.facts["baseline"], abs=0.02)
    assert found.facts["baseline"] == pytest.approx(0.42, abs=0.02)
