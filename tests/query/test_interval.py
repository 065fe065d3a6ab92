"""Interval answers: the truth is always inside, and all answers together leave every band possible.

catalogue: H-06
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from tacit.errors import TacitError
from tacit.query.camouflage.band import Band
from tacit.query.column import NULL, Column, Schema
from tacit.query.modes.interval import Interval
from tacit.query.question import Key
from tacit.query.refusal import Refusal

from .memory_source import MemorySource
from .people import COLUMNS, Asking, ask, people, schema, source, where

KEY = b"s" * 16
BANDS = {"income": Band.of(5000), "debt": Band.of(100)}


def interval(codes, version="1", names=None, key=KEY, earlier=None):
    unit = None if names is None else "name"
    return Interval(schema(version, unit), source(codes, version, names), bands=BANDS, key=key, earlier=earlier)


def possible(sets, lows, highs, unit, bounds):
    """The least and the largest value of a unit that agree with all answers, by two linear programs."""
    found = []
    for sign in (1, -1):
        aim = np.zeros(sets.shape[1])
        aim[unit] = sign
        matrix, limits = np.vstack([sets, -sets]), np.r_[highs, -lows]
        answer = linprog(aim, A_ub=matrix, b_ub=limits, bounds=bounds, method="highs")
        assert answer.status == 0
        found.append(sign * answer.fun)
    return found


def survives(values, bands, sets, sums, bounds):
    """Whether after all answers about the sets every unit's band, moved inside the bounds, is possible."""
    lows, highs = sums.min(0), sums.max(0)
    low, high = bounds
    for unit, (value, band) in enumerate(zip(values, bands, strict=True)):
        least, most = possible(sets, lows, highs, unit, bounds)
        wanted = max(low, min(value - band, high - 2 * band)), min(high, max(value + band, low + 2 * band))
        if least > wanted[0] + 1e-6 or most < wanted[1] - 1e-6:
            return False
    return True


@settings(max_examples=12)
@given(st.data())
def test_attack_23_all_answers_together_leave_every_band_possible(data):
    """All sets of nine people, asked of the mode itself; some values stand at the bounds."""
    count, (low, high) = 9, (-1000, 1000)
    values = np.array(data.draw(st.lists(st.integers(low, high), min_size=count - 2, max_size=count - 2)) + [low, high])
    band = Band.of(data.draw(st.integers(1, 300)))
    columns = {"age": COLUMNS["age"], "debt": COLUMNS["debt"]}
    plain = Schema(name="people", version="1", columns=columns, joins={})
    data_set = MemorySource(plain, {"age": np.arange(count), "debt": values})
    asking = Asking(Interval(plain, data_set, bands={"debt": band}, key=data.draw(st.binary(min_size=16, max_size=16))))
    sets = np.array([one for one in product((0, 1), repeat=count) if any(one)])
    answers = [
        asking.figure(ask("sum debt", of=where(age=[(int(i), int(i)) for i in np.flatnonzero(one)]))) for one in sets
    ]
    lows, highs = np.array(answers).T
    truth = sets @ values
    assert (lows <= truth).all() and (truth <= highs).all()
    assert data_set.asked == 0
    bands = np.full(count, band.width(COLUMNS["debt"]))
    assert survives(values, bands, sets, np.array([lows, highs]), (low, high))


def test_attack_23_a_hull_drawn_at_random_fails_the_same_test():
    """The first and the last vector on random sides of the truth, as in a naive prototype: somebody loses the band."""
    rng = np.random.default_rng(3)
    values, bands = rng.integers(-500, 500, 9), np.full(9, 100)
    vectors = values + rng.uniform(-2, 2, (2, 9)) * bands
    vectors = np.vstack([vectors, 3 * values - vectors.sum(0)])
    sets = np.array([one for one in product((0, 1), repeat=9) if any(one)])
    sums = vectors @ sets.T
    assert (sums.min(0) <= sets @ values + 1e-9).all() and (sets @ values <= sums.max(0) + 1e-9).all()
    assert not survives(values, bands, sets, sums, (-1000, 1000))


def test_attack_23_holds_over_two_versions_in_which_people_join():
    codes = people(60, seed=4, age=np.arange(60), income=np.full(60, 5_000_000))
    names = [f"p{number}" for number in range(60)]
    more = {name: np.r_[values, values[:1]] for name, values in codes.items()} | {"age": np.arange(61)}
    first = interval(codes, "1", names)
    second = interval(more, "2", [*names, "new"], earlier={"1": source(codes, "1", names)})
    asking = Asking(second)
    asking.past.add(ask("sum income"))
    for age in range(60):
        of = where(age=[(age, age)])
        assert Asking(first).figure(ask("sum income", of=of)) == asking.figure(ask("sum income", of=of, version="2"))
    everybody = Asking(first).figure(ask("sum income")), asking.figure(ask("sum income", version="2"))
    joined = everybody[1][0] - everybody[0][1], everybody[1][1] - everybody[0][0]
    assert joined[1] - joined[0] >= 2 * 5000  # what the difference tells of who joined is no narrower than the band


def test_a_version_in_which_a_value_changed_is_not_opened():  # review A6: everybody's change exactly
    codes = people(60, seed=4)
    names = [f"p{number}" for number in range(60)]
    raised = codes | {"income": codes["income"] * 103 // 100}
    with pytest.raises(TacitError, match="changed for somebody"):
        interval(raised, "2", names, earlier={"1": source(codes, "1", names)})
    for who in (names, None):  # not given at all: with names it is refused as without
        asking = Asking(interval(raised, "2", who))
        asking.past.add(ask("sum income"))
        with pytest.raises(Refusal, match="has changed"):
            asking(ask("sum income", version="2"))


def test_columns_that_add_up_are_not_offered_together():  # review A4: all values exactly
    pay = {
        name: Column(name=name, kind="integer", low=0, high=10**6, confidential=True)
        for name in ("gross", "net", "tax")
    }
    rng = np.random.default_rng(3)
    net, tax = rng.integers(100_000, 300_000, 60), rng.integers(50_000, 90_000, 60)
    codes = {"age": np.arange(60), "gross": net + tax, "net": net, "tax": tax}
    plain = Schema(name="people", version="1", columns={"age": COLUMNS["age"]} | pay, joins={})
    bands = {name: Band.of(500) for name in pay}
    with pytest.raises(TacitError, match="tied to 'net', 'tax'"):
        Interval(plain, MemorySource(plain, codes), bands=bands, key=KEY)
    apart = Schema(
        name="people", version="1", columns={n: c for n, c in plain.columns.items() if n != "gross"}, joins={}
    )
    kept = {n: c for n, c in codes.items() if n != "gross"}
    Interval(apart, MemorySource(apart, kept), bands={"net": Band.of(500), "tax": Band.of(500)}, key=KEY)


def test_without_names_another_version_is_refused():
    codes = people(30, seed=5)
    asking = Asking(interval(codes, "2"))
    asking.past.add(ask("sum income"))
    asking(ask("count", version="2"))
    with pytest.raises(Refusal) as found:
        asking(ask("sum income", version="2"))
    assert found.value.code == "would_disclose"


def test_the_truth_is_inside_and_large_sets_are_told_narrowly():
    codes = people(4000, seed=6, age=np.arange(4000) % 100)
    asking, rng = Asking(interval(codes)), np.random.default_rng(6)
    widths = {1: [], 10: [], 50: []}
    for _ in range(150):
        for ages, told in widths.items():
            chosen = rng.choice(100, ages, replace=False)
            of = where(age=[(int(age), int(age)) for age in chosen])
            figures = asking(ask("sum income", "mean income", "count", of=of)).figures[0]
            inside = np.isin(codes["age"], chosen)
            truth = Fraction(int(codes["income"][inside].sum()), 100)
            count, mean, total = figures
            assert count == [inside.sum()] * 2
            assert Fraction(total[0]) <= truth <= Fraction(total[1])
            assert Fraction(mean[0]) <= truth / count[0] <= Fraction(mean[1])
            told.append((total[1] - total[0]) / float(truth))
    medians = [float(np.median(told)) for told in widths.values()]
    assert medians[0] > 2 * medians[1] > 3 * medians[2] and medians[2] < 0.02


def test_the_same_key_gives_the_same_answers_and_another_does_not():
    codes = people(50, seed=7)
    question = ask("sum income", by=(Key("region"),))
    answers = [Asking(interval(codes, key=key))(question).figures for key in (KEY, KEY, b"t" * 16)]
    assert answers[0] == answers[1] != answers[2]


@pytest.mark.parametrize("named", [True, False])
def test_the_order_of_the_rows_changes_nothing(named):
    codes, order = people(50, seed=7), np.random.default_rng(7).permutation(50)
    names = [f"p{number}" for number in range(50)]
    mixed = {name: values[order] for name, values in codes.items()}
    sides = (codes, names if named else None), (mixed, [names[row] for row in order] if named else None)
    question = ask("sum income", "mean debt", by=(Key("age"),))
    answers = [Asking(interval(one, names=who))(question) for one, who in sides]
    assert answers[0] == answers[1]


def test_public_columns_are_answered_exactly():
    codes = people(50, seed=8)
    codes["age"][:9] = NULL
    figures = Asking(interval(codes))(ask("mean age", "sum age", of=where(sex=[(0, 1)]))).figures[0]
    mean = Fraction(int(codes["age"][9:].sum()), 41)
    assert Fraction(figures[0][0]) <= mean <= Fraction(figures[0][1]) and figures[0][1] - figures[0][0] < 1e-13
    assert figures[1] == [codes["age"][9:].sum()] * 2


def test_nobody_adds_up_to_nothing():
    codes = people(50, seed=9, sex=np.zeros(50))
    figures = Asking(interval(codes))(ask("count", "sum income", "mean income", of=where(sex=[(1, 1)]))).figures[0]
    assert figures == ([0, 0], None, [0, 0])


def test_sums_beyond_64_bits_do_not_wrap():
    huge = 2**61
    column = Column(name="debt", kind="integer", low=0, high=huge, confidential=True)
    plain = Schema(name="people", version="1", columns={"age": COLUMNS["age"], "debt": column}, joins={})
    data_set = MemorySource(plain, {"age": np.zeros(40), "debt": np.full(40, huge - 2**40)})
    mode = Interval(plain, data_set, bands={"debt": Band.of(1000)}, key=KEY)
    low, high = Asking(mode).figure(ask("sum debt"))
    assert low <= 40 * (huge - 2**40) <= high and high - low < 40 * 8000


@pytest.mark.parametrize(
    "question",
    [
        ask("variance income"),
        ask("quantile income"),
        ask("sum job"),
        ask("count", of=where(illness=[(1, 1)])),
        ask("count", of=where(income=[(0, 5)])),
        ask("sum income", by=(Key("illness"),)),
    ],
)
def test_what_is_not_offered_is_refused_before_anything_is_decided(question):
    with pytest.raises(Refusal) as found:
        interval(people(30, seed=10)).quote(question, None)
    assert found.value.code == "mode"


def test_bands_are_given_for_every_confidential_number_and_no_other():
    codes = people(30, seed=11)
    for bands in ({}, {"income": Band.of(1)}, BANDS | {"age": Band.of(1)}):
        with pytest.raises(TacitError, match="band"):
            Interval(schema(), source(codes), bands=bands, key=KEY)
