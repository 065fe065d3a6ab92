"""Rank swapping against an intruder who was told it. catalogue: M-03, M-04, M-06, E-03, E-04."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.published import published_step

from tacit import Release, TacitError
from tacit.attack import Distance, Transparency
from tacit.attack.masking_models.rank_swap import rank_swap_model
from tacit.claims import LinkClaims, Scenario, Truth, judge
from tacit.protect import NewHouseholds, Pipeline, RankSwap, Sample
from tacit.release.trace import Trace

# The example of the course on transparency: 10 records of 4 attributes; p = 2 means two positions.
ORIGINAL = [
    (8, 9, 1, 3), (6, 7, 10, 2), (10, 3, 4, 1), (7, 1, 2, 6), (9, 4, 6, 4),
    (2, 2, 8, 8), (1, 10, 3, 9), (4, 8, 7, 10), (5, 5, 5, 5), (3, 6, 9, 7),
]  # fmt: skip
MASKED = [
    (10, 10, 3, 5), (5, 5, 8, 1), (8, 4, 2, 2), (9, 2, 4, 4), (7, 3, 5, 6),
    (4, 1, 10, 10), (3, 9, 1, 7), (2, 6, 9, 8), (6, 7, 6, 3), (1, 8, 7, 9),
]  # fmt: skip
NAMES = ["a1", "a2", "a3", "a4"]


def numbers(rows, names=None) -> Release:
    values = np.asarray(rows)
    names = names or [f"x{j}" for j in range(values.shape[1])]
    frame = pl.DataFrame({name: values[:, j] for j, name in enumerate(names)})
    return Release(frame, quasi=names, kinds=dict.fromkeys(names, "continuous"))


def swapped(columns, **parameters) -> Trace:
    return published_step("rank_swap", {"columns": list(columns), **parameters})


def allowed(masked: Release, scenario: Scenario) -> np.ndarray:
    """Which released records the law leaves possible, person by person: read off its windows, by brute force."""
    known = rank_swap_model(scenario.told[0], scenario.knows, masked, scenario)
    found = np.ones((scenario.file.size, masked.size), dtype=bool)
    for pair in known.compared:
        if pair.table is not None:
            x, y = (np.nan_to_num(side).astype(int) for side in (pair.intruder, pair.release))
            gap = np.isnan(pair.intruder)[:, None] | np.isnan(pair.release)[None]
            found &= gap | np.isfinite(pair.table[x[:, None], y[None]])
            continue
        low = -np.inf if pair.low is None else pair.low[:, None]
        high = np.inf if pair.high is None else pair.high[:, None]
        beyond = (pair.release[None] < low) | (pair.release[None] > high)
        found &= ~beyond
    return found


def candidates(claims: LinkClaims, person: int) -> set[int]:
    claim = claims.claim_of[person]
    groups = claims.candidates[claims.start[claim] : claims.start[claim + 1]]
    return set(np.flatnonzero(np.isin(claims.group_of, groups)).tolist())


# M-03, to the record


def test_the_example_of_the_course_to_the_record():
    masked, original = numbers(MASKED, NAMES), numbers(ORIGINAL, NAMES)
    told = (swapped(NAMES, percent=20),)
    x2 = [(6, 7, 10, 2)]
    sets = []
    for name in NAMES:
        alone = Scenario(file=numbers(x2, NAMES), knows=(name,), told=told)
        sets.append({MASKED[row] for row in np.flatnonzero(allowed(masked, alone)[0])})
    assert sets == [
        {(4, 1, 10, 10), (5, 5, 8, 1), (6, 7, 6, 3), (7, 3, 5, 6), (8, 4, 2, 2)},
        {(5, 5, 8, 1), (2, 6, 9, 8), (6, 7, 6, 3), (1, 8, 7, 9), (3, 9, 1, 7)},
        {(5, 5, 8, 1), (2, 6, 9, 8), (4, 1, 10, 10)},
        {(5, 5, 8, 1), (8, 4, 2, 2), (6, 7, 6, 3), (9, 2, 4, 4)},
    ]
    whole = allowed(masked, Scenario.worst_case(original, told=told))
    assert whole.sum(1).tolist() == [1, 1, 1, 1, 2, 1, 1, 1, 2, 2]
    assert whole.diagonal().all()


def test_a_single_known_record_is_enough():
    scenario = Scenario(
        file=numbers([(6, 7, 10, 2)], NAMES), knows=tuple(NAMES), told=(swapped(NAMES, percent=20),), inside=True
    )
    claims = Transparency().claims(numbers(MASKED, NAMES), scenario)
    assert candidates(claims, 0) == {1}
    assert claims.sure.tolist() == [True]


def test_who_covers_the_release_is_sure_of_more_than_who_is_inside():
    """Records 4, 8 and 9 have two possible records each; turned round, some of these are possible for nobody else."""
    masked, original = numbers(MASKED, NAMES), numbers(ORIGINAL, NAMES)
    told = (swapped(NAMES, percent=20),)
    found = {}
    for inside, covers in ((True, False), (False, True), (False, False), (True, True)):
        scenario = Scenario(file=original, knows=tuple(NAMES), told=told, inside=inside, covers=covers)
        claims = Transparency().claims(masked, scenario)
        found[inside, covers] = set(np.flatnonzero(claims.sure[claims.claim_of]).tolist())
        assert all(candidates(claims, person) == {person} for person in found[inside, covers])
    whole = allowed(masked, Scenario.worst_case(original, told=told))
    assert found[True, False] == {0, 1, 2, 3, 5, 6, 7}
    assert found[False, True] == set(np.flatnonzero(whole.sum(0) == 1).tolist())
    assert found[False, False] == set()
    assert found[True, True] == found[True, False] | found[False, True]


# Properties


@st.composite
def files(draw):
    rows, columns = draw(st.integers(4, 60)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.integers(0, draw(st.sampled_from([3, 20, 1000])), (rows, columns))
    original = numbers(values)
    percent = draw(st.sampled_from([25, 30, 50, 100]))
    return original, RankSwap(columns=original.quasi, percent=percent), draw(st.integers(0, 2**32))


@given(files())
def test_the_truth_is_always_inside_and_more_columns_never_add_a_candidate(file):
    original, method, seed = file
    m = original.protect(method, seed=seed)
    before = np.ones((original.size, original.size), dtype=bool)
    for known in range(1, len(original.quasi) + 1):
        scenario = Scenario.worst_case(original, knows=original.quasi[:known], told=m.trace)
        now = allowed(m.release, scenario)
        assert now.diagonal().all()
        assert not (now & ~before).any()
        before = now


@given(files(), st.randoms())
def test_every_sure_link_is_right_and_all_sets_are_those_of_the_windows(file, random):
    original, method, seed = file
    order = list(range(original.size))
    random.shuffle(order)
    m = original.protect(method, seed=seed)
    masked = m.release.take(np.array(order))
    scenario = Scenario.worst_case(original, told=m.trace)
    claims = Transparency().claims(masked, scenario)
    possible = allowed(masked, scenario)
    for person in range(original.size):
        named = candidates(claims, person)
        assert named <= set(np.flatnonzero(possible[person]).tolist())
        if claims.sure[claims.claim_of[person]]:
            assert [order[row] for row in named] == [person]
        elif possible[person].sum() == 1:  # a twin of the person shares the claim
            assert (np.bincount(claims.claim_of)[claims.claim_of[person]]) > 1
    assert not claims.notes


@given(files(), st.randoms())
def test_the_order_of_the_files_changes_nothing(file, random):
    original, method, seed = file
    m = original.protect(method, seed=seed)
    orders = [list(range(original.size)) for _ in range(2)]
    for order in orders:
        random.shuffle(order)
    mine, theirs = (np.array(order) for order in orders)
    plain = Transparency().claims(m.release, Scenario.worst_case(original, told=m.trace))
    moved = Transparency().claims(m.release.take(theirs), Scenario.worst_case(original.take(mine), told=m.trace))
    for place, person in enumerate(mine):
        assert {int(theirs[row]) for row in candidates(moved, place)} == candidates(plain, int(person))
        assert moved.sure[moved.claim_of[place]] == plain.sure[plain.claim_of[person]]


# Forms of the method: strata, percentages by column, households, gaps, text


def correlated(rows=300, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)) + rng.standard_normal((rows, 1))


def truth_is_possible(m, original, **knowledge) -> float:
    scenario = Scenario.worst_case(original, told=m.trace, **knowledge)
    rows = m.rows()
    return float(allowed(m.release, scenario)[rows, np.arange(m.release.size)].mean())


def all_sure_are_right(m, original, **knowledge) -> int:
    claims = Transparency().claims(m.release, Scenario.worst_case(original, told=m.trace, **knowledge))
    rows = m.rows()
    sure = np.flatnonzero(claims.sure[claims.claim_of])
    for person in sure:
        assert [int(rows[row]) for row in candidates(claims, person)] == [person]
    return len(sure)


def stratified() -> Release:
    values = correlated()
    frame = pl.DataFrame({f"x{j}": values[:, j] for j in range(4)}).with_columns(
        region=pl.Series(np.where(np.arange(300) % 7 == 0, "north", np.where(np.arange(300) % 2, "east", "west"))),
    )
    return Release(frame, quasi=frame.columns, kinds={"region": "nominal"})


def test_strata_have_ranks_of_their_own():
    original = stratified()
    columns = ["x0", "x1", "x2", "x3"]
    method = RankSwap(columns=columns, percent=dict(zip(columns, (4, 6, 8, 10), strict=True)), strata="region")
    m = original.protect(method, seed=3)
    assert truth_is_possible(m, original, knows=columns + ["region"]) == 1.0
    known = all_sure_are_right(m, original, knows=columns + ["region"])
    assert truth_is_possible(m, original, knows=columns) == 1.0
    hidden = all_sure_are_right(m, original, knows=columns)
    assert known > hidden  # who knows the region has the narrower windows
    assert known > 150


def test_strata_that_another_step_coarsened_bound_nothing():
    original = stratified()
    m = original.protect(RankSwap(columns=["x0", "x1"], percent=5, strata="region"), seed=3)
    told = (*m.trace, published_step("recode", {"column": "region", "groups": {"any": ["north", "east"]}}))
    known = rank_swap_model(m.trace[0], ("x0", "x1"), m.release, Scenario.worst_case(original, told=told))
    assert all(pair.low is None for pair in known.compared)
    assert not known.certain
    assert "strata" in known.notes[0]


def test_households_are_ranked_as_one():
    rng = np.random.default_rng(4)
    home = np.sort(rng.integers(0, 120, 300))
    frame = pl.DataFrame({"home": home, "rent": rng.permutation(400)[home], "pay": rng.random(300)})
    original = Release(frame, household="home", quasi=["rent", "pay"], kinds={"rent": "continuous"})
    m = original.protect(RankSwap(columns=["rent", "pay"], percent=10), seed=5).then(NewHouseholds(), seed=6)
    assert truth_is_possible(m, original) == 1.0
    all_sure_are_right(m, original)
    # Without its household column the release does not show what was ranked: the reach is too small for records.
    bare = m.release.select(["rent", "pay"])
    scenario = Scenario.worst_case(original, told=m.trace)
    known = rank_swap_model(scenario.told[0], ("rent", "pay"), bare, scenario)
    assert known.columns == ("pay",)
    assert "households" in known.notes[0]
    claims = Transparency().claims(bare, scenario)
    assert any("'rent' was changed by rank_swap" in note for note in claims.notes)


def test_missing_cells_stay_possible():
    values = correlated()
    values[np.random.default_rng(1).random(values.shape) < 0.2] = np.nan
    frame = pl.DataFrame({f"x{j}": values[:, j] for j in range(4)}).fill_nan(None)
    original = Release(frame, quasi=frame.columns, missing="own")
    m = original.protect(RankSwap(columns=frame.columns, percent=5), seed=3)
    assert truth_is_possible(m, original) == 1.0
    assert all_sure_are_right(m, original) > 50


def test_ordered_text_is_ranked_by_its_order():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"grade": [f"g{i:02}" for i in rng.integers(0, 40, 200)], "size": rng.random(200)})
    original = Release(frame, quasi=frame.columns, kinds={"grade": "ordinal"})
    m = original.protect(RankSwap(columns=frame.columns, percent=3), seed=3)
    assert truth_is_possible(m, original) == 1.0
    assert all_sure_are_right(m, original) > 50
    absent = pl.DataFrame({"grade": ["g00a", None], "size": [0.5, 0.5]})
    scenario = Scenario(file=Release(absent, quasi=absent.columns), knows=("grade",), told=m.trace)
    found = allowed(m.release, scenario)
    assert 0 < found[0].sum() < 60
    assert found[1].all()


def test_removed_records_bring_ranks_closer_and_leave_the_truth_inside():
    original = numbers(correlated())
    m = original.protect(Pipeline(steps=[RankSwap(columns=original.quasi, percent=4), Sample(fraction=0.6)]), seed=3)
    rows = m.rows()
    scenario = Scenario.worst_case(original, told=m.trace)
    assert allowed(m.release, scenario)[rows, np.arange(len(rows))].all()
    claims = Transparency().claims(m.release, scenario)
    sure = np.flatnonzero(claims.sure[claims.claim_of])
    assert len(sure) > 30  # by the records that are possible for one person only
    assert all([int(rows[row]) for row in candidates(claims, person)] == [person] for person in sure)
    only_inside = Scenario(file=original, knows=original.quasi, told=m.trace, inside=True)
    assert not Transparency().claims(m.release, only_inside).sure.any()


def test_blanks_after_swapping_do_not_narrow_the_windows():
    frame = pl.DataFrame({"x": np.random.default_rng(0).permutation(100), "y": np.arange(100) % 5})
    original = Release(frame, quasi=frame.columns, kinds={"x": "continuous", "y": "ordinal"}, missing="own")
    m = original.protect(RankSwap(columns=["x"], percent=10), seed=1)
    rows = np.arange(100) % 3 == 0
    blank = m.release.suppress_cells({"x": rows})
    scenario = Scenario.worst_case(original, told=(*m.trace, published_step("suppress_cells", {"k": 2})))
    assert allowed(blank, scenario).diagonal().all()
    claims = Transparency().claims(blank, scenario)
    for person in np.flatnonzero(claims.sure[claims.claim_of]):
        assert candidates(claims, person) == {person}


# M-06: the reach is not told


def test_an_upper_bound_still_attacks_and_one_too_low_is_noticed():
    original = numbers(correlated())
    m = original.protect(RankSwap(columns=original.quasi, percent=5), seed=3)
    truth = Truth.by_lineage(m.rows(), original.size)
    told = (swapped(original.quasi),)
    scenario = Scenario.worst_case(original, told=told)
    exact = judge(Transparency().claims(m.release, Scenario.worst_case(original, told=m.trace)), truth)
    by_distance = judge(Distance().claims(m.release, scenario), truth)
    above = Transparency(percent=8).claims(m.release, scenario)
    wide = judge(above, truth)
    assert above.notes == ()
    assert exact.value > wide.value > by_distance.value
    assert wide.facts["sure links that are right"] == 1.0
    low = Transparency(percent=2).claims(m.release, scenario)
    assert "no possible record" in low.notes[0]
    assert not low.sure.any()
    assert (np.diff(low.start) > 0).all()  # they are linked by distance all the same


def test_a_bound_of_the_intruder_does_not_replace_what_was_told():
    original = numbers(correlated())
    m = original.protect(RankSwap(columns=original.quasi, percent=5), seed=3)
    scenario = Scenario.worst_case(original, told=m.trace)
    one, two = (attack.claims(m.release, scenario) for attack in (Transparency(), Transparency(percent=50)))
    assert one.sure.tolist() == two.sure.tolist()


@pytest.mark.parametrize("percent", [3, 10])
def test_without_any_bound_the_least_reach_is_estimated(percent):
    original = numbers(correlated())
    m = original.protect(RankSwap(columns=original.quasi, percent=percent), seed=3)
    truth = Truth.by_lineage(m.rows(), original.size)
    scenario = Scenario.worst_case(original, told=(swapped(original.quasi),))
    claims = Transparency().claims(m.release, scenario)
    estimate = float(claims.notes[0].split(": ")[1].split(" %")[0])
    assert 0.5 * percent <= estimate <= percent
    assert not claims.sure.any()  # the estimate is a lower bound
    found = judge(claims, truth).value
    assert found > judge(Distance().claims(m.release, scenario), truth).value
    # Nobody is known to be inside: then nothing can be estimated.
    outside = Scenario(file=original, knows=original.quasi, told=scenario.told)
    assert "not told" in Transparency().claims(m.release, outside).notes[0]


def test_an_untold_reach_of_one_column_is_found_by_the_columns_beside_it():  # catalogue: M-06
    original = numbers(correlated())
    column, beside = original.quasi[0], original.quasi[1]
    m = original.protect(RankSwap(columns=column, percent=10), seed=3)
    scenario = Scenario.worst_case(original, knows=(column, beside), told=(swapped([column]),))
    claims = Transparency().claims(m.release, scenario)
    assert "10 % is the least" in claims.notes[0]
    assert judge(claims, Truth.by_lineage(m.rows(), original.size)).value == 1.0, "the column beside it tells everybody"


def test_a_trace_that_most_people_contradict_is_not_believed():  # catalogue: M-06
    original = numbers(correlated())
    m = original.protect(RankSwap(columns=original.quasi, percent=10), seed=3)
    scenario = Scenario.worst_case(original, told=(swapped(original.quasi, percent=0.1),))
    claims = Transparency().claims(m.release, scenario)
    truth = Truth.by_lineage(m.rows(), original.size)
    assert "is not believed" in claims.notes[0]
    assert not claims.sure.any()
    found, untold = judge(claims, truth).value, judge(Distance().claims(m.release, scenario), truth).value
    assert found == pytest.approx(untold), "as if nothing had been told"


def test_the_name_of_the_method_alone_still_attacks():
    """The columns are not told either: all may have been swapped, and what was not lies within every reach."""
    values = correlated()
    original = numbers(values)
    m = original.protect(RankSwap(columns=["x0", "x1", "x2"], percent=5), seed=3)
    scenario = Scenario.worst_case(original, told=(published_step("rank_swap", {}),))
    truth = Truth.by_lineage(m.rows(), original.size)
    bounded = judge(Transparency(percent=5).claims(m.release, scenario), truth)
    assert bounded.facts["sure links"] > 0.5
    assert bounded.facts["sure links that are right"] == 1.0
    assert judge(Transparency().claims(m.release, scenario), truth).value > 0.5


@pytest.mark.parametrize("given", ["ten", -5, {"other": 5}])
def test_a_percentage_that_cannot_be_read_was_not_told(given):
    """It must not be taken for a reach of no rank, which would make wrong links sure."""
    original = numbers(correlated())
    columns = ["x0", "x1", "x2"]
    m = original.protect(RankSwap(columns=columns, percent=5), seed=3)
    told = [(published_step("rank_swap", {"columns": columns, **more}),) for more in ({"percent": given}, {})]
    read, silent = (Transparency().claims(m.release, Scenario.worst_case(original, told=one)) for one in told)
    assert read.notes == silent.notes and "was not told" in read.notes[0]


@pytest.mark.parametrize("given", [0, 101, "5", True])
def test_a_bound_is_a_percentage(given):
    with pytest.raises(TacitError, match="percent"):
        Transparency(percent=given)


# E-04: p-buckets and p-distribution


@pytest.mark.parametrize("form", ["buckets", "distribution"])
def test_resistant_forms_empty_the_intersection_and_leave_nothing_sure(form, reference_data):
    original = census(reference_data)
    m = original.protect(RankSwap(columns=original.quasi, percent=10, form=form), seed=1)
    truth = Truth.by_lineage(m.rows(), original.size)
    pretended = Scenario.worst_case(original, told=(swapped(original.quasi, percent=10),))
    inside = allowed(m.release, pretended)
    assert inside.diagonal().mean() < 0.15  # the truth is lost nearly always
    by_distance = judge(Distance().claims(m.release, pretended), truth).value
    fooled = Transparency(within="distance").claims(m.release, pretended)
    assert not fooled.sure.any()
    assert judge(fooled, truth).value < by_distance + 0.05
    # Told the form, the intruder weighs shifts of ranks instead: nothing is sure, and yet more is found than by distance.
    claims = Transparency().claims(m.release, Scenario.worst_case(original, told=m.trace))
    assert not claims.sure.any()
    found = judge(claims, truth)
    assert found.value > by_distance + 0.05
    uniform = original.protect(RankSwap(columns=original.quasi, percent=10), seed=1)
    exposed = judge(Transparency().claims(uniform.release, Scenario.worst_case(original, told=uniform.trace)), truth)
    assert found.value < exposed.value - 0.1


# M-04: power


def census(reference_data) -> Release:
    frame = pl.read_csv(reference_data / "census.csv").with_columns(pl.all().cast(pl.Float64))
    return Release(frame, quasi=frame.columns)


def test_census_is_found_far_better_than_by_distance(reference_data):
    original = census(reference_data)
    m = original.protect(RankSwap(columns=original.quasi, percent=10), seed=1)
    truth = Truth.by_lineage(m.rows(), original.size)
    scenario = Scenario.worst_case(original, told=m.trace)
    told = judge(Transparency().claims(m.release, scenario), truth)
    by_distance = judge(Distance().claims(m.release, scenario), truth)
    assert told.value > 0.95
    assert by_distance.value < 0.7
    assert told.facts["sure links"] > 0.9
    assert told.facts["sure links that are right"] == 1.0


def test_within_the_windows_far_is_likelier_than_near(reference_data):
    """The shift of rank swapping has the density 2^(d/p) up to p, so the nearest possible record is a poor choice."""
    original = census(reference_data)
    found = {}
    for seed in range(3):
        m = original.protect(RankSwap(columns=original.quasi, percent=20), seed=seed)
        scenario = Scenario(file=original, knows=original.quasi, told=m.trace)  # nobody inside: nothing is sure
        for within in ("likelihood", "distance"):
            claims = Transparency(within=within).claims(m.release, scenario)
            value = judge(claims, Truth.by_lineage(m.rows(), original.size)).value
            found.setdefault(within, []).append(value)
    assert np.mean(found["distance"]) == pytest.approx(0.631, abs=0.03)  # RSLD, as an earlier study measured it
    assert np.mean(found["likelihood"]) > np.mean(found["distance"]) + 0.1


def test_the_law_of_the_shift_is_that_of_the_method():
    """Whole ranks without ties, far from the ends: the shares of short and of long shifts, to three standard errors."""
    rows, reach = 40_000, 400
    values = numbers(np.arange(rows)[:, None])
    m = values.protect(RankSwap(columns="x0", percent=1), seed=1)
    shift = np.abs(m.to_native()["x0"].to_numpy() - np.arange(rows))[2000:-2000] / reach
    for part in (0.25, 0.5, 0.75):
        expected = 2**part - 1  # the integral of ln 2 · 2^d
        error = np.sqrt(2 * expected * (1 - expected) / len(shift))  # shifts come in pairs
        assert (shift <= part).mean() == pytest.approx(expected, abs=3 * error)
        assert abs((shift <= part).mean() - part) > 3 * error  # a uniform law is rejected


def test_a_trace_read_from_json_tells_the_same():
    original = numbers(correlated())
    m = original.protect(RankSwap(columns=original.quasi, percent={"x0": 3, "x1": 4, "x2": 5, "x3": 6}), seed=3)
    public = tuple(Trace.from_json(json.loads(json.dumps(step.as_json(public=True)))) for step in m.trace)
    one, two = (
        Transparency().claims(m.release, Scenario.worst_case(original, told=told)) for told in (m.trace, public)
    )
    assert one.sure.tolist() == two.sure.tolist()
    assert one.candidates.tolist() == two.candidates.tolist()


def test_totals_of_swapped_parts_are_not_taken_for_swapped():
    values = np.abs(correlated())
    frame = pl.DataFrame({"a": values[:, 0], "b": values[:, 1], "sum": values[:, 0] + values[:, 1]})
    original = Release(frame, quasi=frame.columns)
    m = original.protect(RankSwap(columns=["a", "b"], percent=5, totals={"sum": ["a", "b"]}), seed=3)
    claims = Transparency().claims(m.release, Scenario.worst_case(original, told=m.trace))
    assert any("'sum' was changed by rank_swap" in note for note in claims.notes)
    assert all_sure_are_right(m, original) > 0


def test_invented_records_spoil_the_ranks():
    original = numbers(correlated())
    told = (swapped(original.quasi, percent=5), published_step("dummy_records", {"t": 0.1}))
    known = rank_swap_model(told[0], original.quasi, original, Scenario.worst_case(original, told=told))
    assert all(pair.low is None for pair in known.compared)
    assert "invented" in known.notes[0]
