"""The parts of probabilistic linkage against slow oracles and planted parameters. catalogue: C-05."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.attack.fellegi_sunter.comparison import Files
from tacit.attack.fellegi_sunter.em import Model, iterate_accelerated, log_ratios, match_posterior, run_em
from tacit.attack.fellegi_sunter.estimate import (
    estimate_doubts,
    estimate_model,
    expected_matches,
    floor_chances,
    initial_model,
    pair_levels,
)
from tacit.attack.fellegi_sunter.linking import best_links, monotone_weights
from tacit.attack.fellegi_sunter.patterns import Patterns, by_class, by_pair, count_patterns
from tacit.attack.probabilistic import decision_thresholds, prepare_files, rarity_weights
from tacit.errors import Cancelled
from tacit.examples import clinic


def release(frame: dict | pl.DataFrame, **described) -> Release:
    table = pl.DataFrame(frame)
    described.setdefault("missing", "any")
    return Release(table, quasi=list(table.columns), **described)


def files(theirs: Release, mine: Release, near=(), partial=None, block=()) -> Files:
    return prepare_files(theirs, mine, near=near, partial=partial or {}, block=block)[0]


def planted(people: int, *, error: float, sizes: tuple[int, ...], seed: int) -> tuple[Release, Release]:
    """Independent columns, and the same people with some values drawn anew."""
    rng = np.random.default_rng(seed)
    truth = np.column_stack([rng.integers(0, size, people) for size in sizes])
    again = np.column_stack([rng.integers(0, size, people) for size in sizes])
    other = np.where(rng.random(truth.shape) < error, again, truth)
    names = [f"c{place}" for place in range(len(sizes))]
    return release(dict(zip(names, truth.astype(str).T, strict=True))), release(
        dict(zip(names, other.astype(str).T, strict=True))
    )


def slow_counts(side: Files) -> dict[tuple[int, ...], int]:
    """Pair by pair, record by record."""
    rows = np.array(
        [(q, p) for q in side.claim_of for p in side.group_of if side.begin[q] <= p < side.end[q]], dtype=np.int64
    )
    return dict(Counter(map(tuple, pair_levels(side, rows.reshape(-1, 2)).tolist())))


def as_dict(found: Patterns) -> dict[tuple[int, ...], int]:
    return {tuple(row): int(count) for row, count in zip(found.levels.tolist(), found.counts, strict=True)}


# Counts


TEXT = st.one_of(st.none(), st.sampled_from(["aa", "ab", "b", "cc"]))


@given(
    st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=12),
    st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=12),
    st.sampled_from(["any", "own"]),
    st.booleans(),
)
def test_class_counts_and_pair_counts_are_those_of_all_pairs(theirs, mine, missing, blocked):
    """Three columns with gaps, one of them with equal prefixes; with and without blocks."""
    sides = [
        release(
            {
                name: pl.Series(name, column, dtype=pl.String)
                for name, column in zip("xyz", zip(*rows, strict=True), strict=True)
            },
            missing=missing,
        )
        for rows in (theirs, mine)
    ]
    side = files(*sides, partial={"x": (1,)}, block=("z",) if blocked else ())
    if not side.comparisons:
        return
    expected = slow_counts(side)
    assert as_dict(by_class(side)) == expected
    assert as_dict(by_pair(side)) == expected
    assert sum(expected.values()) == side.pair_count


def test_missing_is_unknown_and_neither_agrees_nor_differs():
    theirs, mine = release({"job": ["cook", None, "nurse"]}), release({"job": ["cook", None]})
    assert as_dict(count_patterns(files(theirs, mine))) == {(1,): 1, (0,): 1, (-1,): 4}
    own = [release({"job": one.series("job")}, missing="own") for one in (theirs, mine)]
    assert as_dict(count_patterns(files(*own))) == {(1,): 2, (0,): 1, (-1,): 3}


def test_counts_of_the_eia_file_are_exact(reference_data):
    """4092 x 4092 x 10: the counts by classes equal those pair by pair."""
    table = pl.read_csv(reference_data / "eia.csv")[:, 5:]
    rng = np.random.default_rng(0)
    changed = table.with_columns(
        pl.Series(name, np.where(rng.random(len(table)) < 0.1, rng.permutation(table[name]), table[name]))
        for name in table.columns
    )
    side = files(release(table), release(changed))
    found = by_class(side)
    assert as_dict(found) == as_dict(by_pair(side))
    assert found.counts.sum() == 4092**2


def test_a_sample_of_the_people_is_near_the_counts_of_all_and_does_not_read_the_order():
    theirs, mine = planted(2000, error=0.1, sizes=(5, 20, 100), seed=1)
    whole = as_dict(count_patterns(files(theirs, mine)))
    part = by_pair(files(theirs, mine), share=0.3, seed=4)
    order = np.random.default_rng(0).permutation(2000)
    again = by_pair(files(theirs.take(order), mine.take(order[::-1])), share=0.3, seed=4)
    assert as_dict(part) == as_dict(again)
    assert part.counts.sum() == pytest.approx(part.pairs)
    for pattern, count in as_dict(part).items():  # five standard errors of the pairs that a sample of people holds
        assert count == pytest.approx(whole[pattern], rel=0.1 + 5 / np.sqrt(0.3 * whole[pattern]))


def test_many_columns_are_listed_instead_of_tabled():
    rng = np.random.default_rng(0)
    table = {f"c{place}": rng.integers(0, 2, 30).astype(str) for place in range(24)}
    side = files(release(table), release(table))
    assert as_dict(count_patterns(side)) == slow_counts(side)


# Levels


def test_levels_by_tolerance_by_prefix_by_hierarchy_and_by_rank():
    theirs = release({"age": [30, 40, 50], "zip": ["N1A", "N2B", "S1A"]}, kinds={"age": "continuous"})
    mine = release({"age": [31, 44, 50], "zip": ["N1B", "N2B", "S9X"]}, kinds={"age": "continuous"})
    side = files(theirs, mine, partial={"age": (1, 5), "zip": (2, 1)})
    shown = {one.column: one.level_names() for one in side.comparisons}
    assert shown["age"] == ("different", "within 5", "within 1", "exact")
    assert shown["zip"] == ("different", "first 1", "first 2", "exact")
    rows = np.column_stack([side.claim_of, side.group_of])
    assert pair_levels(side, rows).tolist() == [[2, 2], [1, 3], [3, 1]]
    ranks = files(theirs, mine, near=(0.4,))
    assert ranks.comparisons[0].level_names() == ("different", "within 0.4 of the ranks", "exact")


def test_levels_of_a_hierarchy():
    example = clinic(200, seed=2)
    whole = Release(example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own")
    side = files(whole.select(("zip",)), whole.select(("zip",)), partial={"zip": (1,)})
    assert side.comparisons[0].level_names() == ("different", "level 1", "exact")
    zips = whole.series("zip").to_list()
    equal = sum(a == b for a in zips for b in zips if a and b)
    prefix = sum(a[:3] == b[:3] and a != b for a in zips for b in zips if a and b)
    found = as_dict(count_patterns(side))
    assert found[(2,)] == equal and found[(1,)] == prefix


# Estimation


def test_planted_parameters_are_recovered_on_independent_columns():
    """m = 1 − error·(1 − 1/size), u = 1/size, one match for each person; errors within 0.012.

    The standard error is about 0.0024 where 20 000 pairs hide among 4·10⁸."""
    sizes, people, error = (12, 31, 80, 50, 100), 20_000, 0.1
    side = files(*planted(people, error=error, sizes=sizes, seed=3))
    model, notes = estimate_model(side, count_patterns(side), estimate="em")
    assert (model.estimate, model.converged, notes) == ("em", True, ())
    assert model.prior * people**2 == pytest.approx(people, rel=0.02)
    for column, size in enumerate(sizes):
        m = 1 - error * (1 - 1 / size)
        assert model.m[column][-1] == pytest.approx(m, abs=0.012)
        assert model.u[column][-1] == pytest.approx(1 / size, rel=0.02)
    wrong = 1 - 1.3 * error  # a rate 30 % off is told apart
    assert abs(model.m[2][-1] - wrong) > 0.012


def likelihood(counted: Patterns, model: Model) -> float:
    """Of one pair, on average: log(p·m + (1 − p)·u), pattern by pattern."""
    m, u = np.ones(len(counted.counts)), np.ones(len(counted.counts))
    for column, (same, other) in enumerate(zip(model.m, model.u, strict=True)):
        m *= np.append(same, 1.0)[counted.levels[:, column]]
        u *= np.append(other, 1.0)[counted.levels[:, column]]
    return float(counted.counts @ np.log(model.prior * m + (1 - model.prior) * u) / counted.counts.sum())


def plain(counted: Patterns, model: Model, *, free: bool, steps: int) -> Model:
    """The oracle: one step after the other, written pair by pair of pattern and level."""
    m, u, prior = [one.copy() for one in model.m], [one.copy() for one in model.u], model.prior
    known = [[counted.levels[:, c] == level for level in range(len(one))] for c, one in enumerate(m)]
    for _ in range(steps):
        same, other = np.full(len(counted.counts), prior), np.full(len(counted.counts), 1 - prior)
        for c, levels in enumerate(known):
            for level, rows in enumerate(levels):
                same[rows] *= m[c][level]
                other[rows] *= u[c][level]
        match = counted.counts * same / (same + other)
        rest = counted.counts - match
        m = [np.array([match[rows].sum() for rows in levels]) for levels in known]
        m = [one / one.sum() for one in m]
        if free:
            u = [np.array([rest[rows].sum() for rows in levels]) for levels in known]
            u, prior = [one / one.sum() for one in u], float(match.sum() / counted.counts.sum())
    return Model(tuple(m), tuple(u), prior, model.estimate, steps=steps)


def test_em_never_lowers_the_likelihood():
    side = files(*planted(500, error=0.3, sizes=(3, 5, 8), seed=5))
    counted = count_patterns(side)
    model = initial_model(side, counted, prior=1 / 500, estimate="em")
    values = []
    for _ in range(30):
        values.append(likelihood(counted, model))
        model = run_em(counted, model, steps=1)
    assert (np.diff(values) >= -1e-12).all()
    start = initial_model(side, counted, prior=1 / 500, estimate="em")
    ends = [likelihood(counted, run_em(counted, start, steps=steps)) for steps in range(1, 60)]
    assert (np.diff(ends) >= -1e-6).all(), "one stride more"


def test_one_step_is_the_step_of_the_oracle():
    side = files(*planted(300, error=0.2, sizes=(3, 5, 8), seed=2))
    counted = count_patterns(side)
    start = initial_model(side, counted, prior=1 / 300, estimate="em")
    for free in (True, False):
        ours, slow = run_em(counted, start, free=free, steps=2), plain(counted, start, free=free, steps=2)
        assert ours.steps == 2 and ours.prior == pytest.approx(slow.prior, rel=1e-12)
        for one, other in zip(ours.m + ours.u, slow.m + slow.u, strict=True):
            assert one == pytest.approx(other, rel=1e-10)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize(
    ("people", "error", "sizes", "seed"),
    [(300, 0.3, (3, 5, 8), 5), (400, 0.1, (60, 200), 8), (500, 0.3, (3, 5, 8), 5), (200, 0.5, (2, 2, 3, 4), 1)],
)
def test_strides_end_where_the_long_plain_iteration_leads(people, error, sizes, seed, free):
    """At least as likely as 5000 plain steps, and the same chances where those converge; the last case hardly does."""
    side = files(*planted(people, error=error, sizes=sizes, seed=seed))
    counted = count_patterns(side)
    start = initial_model(side, counted, prior=1 / people, estimate="em")
    ours, slow = run_em(counted, start, free=free), plain(counted, start, free=free, steps=5000)
    assert ours.converged or error == 0.5
    assert likelihood(counted, ours) >= likelihood(counted, slow) - 1e-10
    further = plain(counted, slow, free=free, steps=1)
    moved = max(float(np.abs(a - b).max()) for a, b in zip(further.m + further.u, slow.m + slow.u, strict=True))
    if moved < 1e-10:
        assert ours.prior == pytest.approx(slow.prior, rel=1e-3)
        for one, other in zip(ours.m + ours.u, slow.m + slow.u, strict=True):
            assert one == pytest.approx(other, abs=1e-4)
    for one in (*ours.m, *ours.u):
        assert one.sum() == pytest.approx(1) and one.min() >= 0


def test_a_stride_over_the_top_is_not_taken():
    """Steps of 0.01 lead up to 1; beyond it lies a lower plain, from which no step leads back."""

    def step(at: np.ndarray) -> tuple[np.ndarray, float]:
        low = at[0] > 1 + 1e-9
        return (np.array([5.0]), -100.0) if low else (np.minimum(at + 0.01, 1.0), float(at[0]))

    end, taken, ended = iterate_accelerated(
        step, np.array([0.5]), near=lambda new, old: bool(new[0] == old[0]), steps=500
    )
    assert end[0] == 1.0 and ended and taken < 60


def test_a_chance_near_zero_that_still_rises_is_waited_for():
    """One chance falls to nearly 0 and must rise again: that a step hardly moves it is no end."""
    example = clinic(1500, seed=3)
    whole = Release(example.frame, **example.roles, kinds=example.kinds, hierarchies=example.hierarchies, missing="own")
    quasi = whole.select(("zip", "birth", "sex", "occupation"))
    side = files(quasi, quasi, near=(0.01, 0.05, 0.2), partial={"zip": (1,)})
    counted = count_patterns(side)
    start = initial_model(side, counted, prior=1 / 1500, estimate="em")
    ours, slow = run_em(counted, start), plain(counted, start, free=True, steps=1000)
    assert ours.converged and ours.steps < 500
    assert likelihood(counted, ours) >= likelihood(counted, slow) - 1e-10


def test_em_on_dependent_columns_is_found_out(reference_data):
    """EIA: far more matches than records; said, and another estimate taken."""
    table = pl.read_csv(reference_data / "eia.csv")[:, 5:]
    rng = np.random.default_rng(0)
    changed = table.with_columns(
        pl.Series(name, np.where(rng.random(len(table)) < 0.1, rng.permutation(table[name]), table[name]))
        for name in table.columns
    )
    side = files(release(table), release(changed))
    counted = count_patterns(side)
    plain = run_em(counted, initial_model(side, counted, prior=1 / 4092, estimate="em"))
    assert plain.prior * counted.pairs > 10 * 4092
    assert "at most 4,092 are possible" in estimate_doubts(counted, plain, columns=table.columns, sizes=(4092, 4092))[0]
    model, notes = estimate_model(side, counted, estimate="em")
    assert model.estimate in ("fixed", "single")
    assert "'em' is implausible" in notes[0]
    assert 0.85 < np.mean([one[-1] for one in model.m]) < 0.95  # a tenth was changed


def test_doubts():
    counted = Patterns(np.array([[0], [1]]), np.array([90, 10]), 100)
    good = Model((np.array([0.1, 0.9]),), (np.array([0.9, 0.1]),), 0.05, "em")
    assert estimate_doubts(counted, good, columns=["x"], sizes=(10, 10)) == ()
    assert expected_matches(counted, good) == pytest.approx(90 * 0.005 / 0.86 + 10 * 0.045 / 0.14)
    turned = Model(good.u, good.m, 0.05, "em")
    assert (
        "agreeing on x would speak against a link"
        in estimate_doubts(counted, turned, columns=["x"], sizes=(10, 10))[-1]
    )
    none = Model(good.m, good.u, 1e-9, "em")
    assert estimate_doubts(counted, none, columns=["x"], sizes=(10, 10)) == ("it finds no matching pair",)
    stopped = Model(good.m, good.u, 0.05, "em", steps=7, converged=False)
    assert "not converged after 7 steps" in estimate_doubts(counted, stopped, columns=["x"], sizes=(10, 10))[0]


def test_known_pairs_give_their_shares():
    theirs, mine = planted(1000, error=0.2, sizes=(20, 30), seed=6)
    side = files(theirs, mine)
    known = np.column_stack([side.claim_of, side.group_of])
    model, notes = estimate_model(side, count_patterns(side), estimate="known", known=known)
    agree = (theirs.series("c0") == mine.series("c0")).sum()
    assert model.m[0][1] == pytest.approx((agree + 0.5) / 1001)
    assert notes == ()


def test_one_disagreement_that_no_match_showed_does_not_exclude_a_person():
    """200 of 200 matches agree on sex: m is 1 there, and disagreeing weighs about minus one in 400, not minus 40 bits.

    Somebody who agrees on a column of 1000 values and on one of 500 stays likelier than not, whatever the sex says."""
    levels = np.array([(sex, zip_, birth) for sex in (0, 1) for zip_ in (0, 1) for birth in (0, 1)])
    shares = [np.array([0.5, 0.5]), np.array([0.999, 0.001]), np.array([0.998, 0.002])]
    u = np.prod([share[levels[:, c]] for c, share in enumerate(shares)], axis=0)
    m = np.array([0.0, 0.0, 0.0, 0.0, 0.01, 0.09, 0.09, 0.81])
    counted = Patterns(levels, 200 * m + (200 * 200 - 200) * u, 200 * 200)
    planted = Model(
        (np.array([0.0, 1.0]), np.array([0.1, 0.9]), np.array([0.1, 0.9])), tuple(shares), 1 / 200, "planted"
    )
    assert planted.weights()[0][0] < -35
    model = floor_chances(counted, planted)
    assert model.m[0] == pytest.approx([1 / 401, 400 / 401], rel=1e-3)
    assert model.m[1] == pytest.approx([0.1, 0.9]) and model.u[0] == pytest.approx([0.5, 0.5])
    both = match_posterior(log_ratios(counted, model), model.prior)
    assert both[levels.tolist().index([0, 1, 1])] > 0.5 > both[levels.tolist().index([1, 1, 0])]
    assert both[levels.tolist().index([0, 1, 0])] < 1e-2


@pytest.mark.parametrize("estimate", ["em", "fixed"])
def test_no_weight_is_beyond_what_the_number_of_pairs_can_show(estimate):
    """A column without a single error: EM drives m to 0 there; a person with the first error is still found."""
    theirs, mine = planted(400, error=0.1, sizes=(60, 200), seed=8)
    sex = np.random.default_rng(0).integers(0, 2, 400).astype(str)
    other = sex.copy()
    frames = [side.to_native().with_columns(sex=pl.Series(values)) for side, values in ((theirs, sex), (mine, other))]
    side = files(release(frames[0]), release(frames[1]))
    counted = count_patterns(side)
    raw = run_em(counted, initial_model(side, counted, prior=1 / 400, estimate=estimate), free=estimate == "em")
    model, notes = estimate_model(side, counted, estimate=estimate)
    assert model.estimate == estimate, notes
    bound = np.log2(2 * 1.05 * 400)
    assert raw.weights()[2][0] < -1.5 * bound
    assert all(weight.min() >= -bound for weight in model.weights())
    assert all(one.sum() == pytest.approx(1) for one in model.m + model.u)
    person = [
        place for place in range(400) if (theirs.to_native()[place] == mine.to_native()[place]).row(0) == (True, True)
    ]
    alike = pair_levels(side, np.column_stack([side.claim_of, side.group_of])[person])
    alike[:, 2] = 0
    found = match_posterior(log_ratios(Patterns(alike, np.ones(len(alike)), len(alike)), model), model.prior)
    without = match_posterior(log_ratios(Patterns(alike, np.ones(len(alike)), len(alike)), raw), model.prior)
    assert found.min() > 10 * without.max()


def test_a_level_that_no_pair_has_weighs_what_the_one_below_does():
    """Ages of few values: none lies within a hundredth of the ranks of another."""
    rng = np.random.default_rng(0)
    age = rng.integers(0, 20, 300)
    tables = [{"age": age, "zip": rng.integers(0, 50, 300).astype(str)}, {"age": age}]
    tables[1]["zip"] = tables[0]["zip"]
    sides = [release(table, kinds={"age": "continuous"}) for table in tables]
    side = files(*sides, near=(0.01, 0.2))
    model, _ = estimate_model(side, count_patterns(side), estimate="single")
    weight = model.weights()[0]
    assert model.u[0][2] == 0 and weight[2] == weight[1]
    assert monotone_weights(model)[0][-1] == weight[-1] < 8
    wide = files(*sides, partial={"age": (1, 100)})
    weight = estimate_model(wide, count_patterns(wide), estimate="single")[0].weights()[0]
    assert weight[0] == weight[1] < 0 < weight[-1]


def test_estimation_tells_its_progress_and_can_be_cancelled():
    side = files(*planted(300, error=0.3, sizes=(3, 5, 8), seed=5))
    told: list[float] = []
    for estimate in ("em", "fixed", "single"):
        estimate_model(side, count_patterns(side), estimate=estimate, progress=lambda step, share: told.append(share))
    assert told and min(told) >= 0 and max(told) <= 1
    with pytest.raises(Cancelled):
        estimate_model(side, count_patterns(side), estimate="em", progress=lambda step, share: share < 0)


# Decisions


def test_thresholds_keep_the_allowed_errors_and_no_threshold_in_between_would():
    theirs, mine = planted(1500, error=0.15, sizes=(12, 31, 40, 20), seed=7)
    side = files(theirs, mine)
    counted = count_patterns(side)
    model, _ = estimate_model(side, counted, estimate="em")
    found = decision_thresholds(counted, model, false_links=0.05, missed_links=0.05)
    assert found.false_links <= 0.05 and found.missed_links <= 0.05
    weight, chance = log_ratios(counted, model), match_posterior(log_ratios(counted, model), model.prior)
    for lower in np.unique(weight[weight < found.upper])[-1:]:
        above = weight >= lower
        assert (counted.counts[above] @ (1 - chance[above])) / counted.counts[above].sum() > 0.05
    above = weight >= found.upper
    true = sum(  # the true share of wrong links is near what the model says
        count for pattern, count in slow_true(side).items() if above[list(map(tuple, counted.levels)).index(pattern)]
    )
    assert 1 - true / counted.counts[above].sum() == pytest.approx(found.false_links, abs=0.04)
    assert set(found.classify_weights(np.array([found.upper, found.lower - 1e-9])).tolist()) == {2, 0}


def slow_true(side: Files) -> dict[tuple[int, ...], int]:
    rows = np.column_stack([side.claim_of, side.group_of])
    return dict(Counter(map(tuple, pair_levels(side, rows).tolist())))


def test_without_any_error_allowed_for_links_all_go_to_the_clerk():
    counted = Patterns(np.array([[0], [1]]), np.array([90, 10]), 100)
    model = Model((np.array([0.5, 0.5]),), (np.array([0.9, 0.1]),), 0.01, "em")
    found = decision_thresholds(counted, model, false_links=0.01, missed_links=0.01)
    assert found.upper == np.inf
    assert found.classify_weights(model.weights()[0]).tolist() == [1, 1]


# Links


@pytest.mark.parametrize("missing", ["any", "own"])
@pytest.mark.parametrize("block", [(), ("job",)])
@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_pairs_of_the_highest_weight(missing, block, seed):
    """Codes, prefixes, tolerances and gaps: the nearest-neighbour search equals the comparison of all pairs."""
    rng = np.random.default_rng(seed)

    def side(rows: int) -> Release:
        gaps = rng.random((rows, 3)) < 0.15
        age = pl.Series("age", rng.integers(20, 40, rows)).set(pl.Series(gaps[:, 0]), None)
        place = pl.Series("zip", [f"{a}{b}" for a, b in rng.integers(0, 4, (rows, 2))]).set(pl.Series(gaps[:, 1]), None)
        job = pl.Series("job", rng.integers(0, 5, rows).astype(str)).set(pl.Series(gaps[:, 2]), None)
        return release({"age": age, "zip": place, "job": job}, kinds={"age": "continuous"}, missing=missing)

    both = files(side(60), side(50), partial={"age": (1, 4), "zip": (1,)}, block=block)
    counted = count_patterns(both)
    model = initial_model(both, counted, prior=0.01, estimate="fixed")
    quick = best_links(both, model)
    slow = best_links(both, model, extra=np.zeros((len(both.value), len(both.comparisons))))
    assert quick.start.tolist() == slow.start.tolist()
    for at, end in zip(quick.start[:-1], quick.start[1:], strict=True):
        assert set(quick.found[at:end]) == set(slow.found[at:end])
    assert quick.weight == pytest.approx(slow.weight)


def test_weights_rise_with_agreement():
    model = Model(
        (np.array([0.2, 0.1, 0.7]), np.array([0.6, 0.4])), (np.array([0.5, 0.4, 0.1]), np.array([0.5, 0.5])), 0.1, "em"
    )
    risen = monotone_weights(model)
    assert (np.diff(risen[0]) >= 0).all()
    assert risen[1].tolist() == [0, 0]


def test_rare_values_weigh_more():
    theirs, mine = release({"name": ["Ann"] * 9 + ["Zoe"]}), release({"name": ["Ann", "Zoe", "Kim", None]})
    side = files(theirs, mine)
    model = Model((np.array([0.1, 0.9]),), (np.array([0.5, 0.5]),), 0.1, "em")
    extra = rarity_weights(side, model)[side.claim_of, 0]
    assert extra == pytest.approx([np.log2(0.5 / 0.9), np.log2(0.5 / 0.1), 0, 0])


def test_posterior_is_bayes():
    assert match_posterior(np.array([3.0]), 0.01)[0] == pytest.approx(0.08 / (0.08 + 0.99))
    assert match_posterior(np.array([-5000.0, 5000.0]), 0.5).tolist() == pytest.approx([0, 1])


def test_wrong_levels_are_refused():
    theirs = release({"zip": ["N1", "N2"], "age": [1.5, 2.5]})
    for partial in ({"zip": (1.5,)}, {"zip": (0,)}, {"age": (-1.0,)}, {"rent": (1,)}):
        with pytest.raises(TacitError):
            files(theirs, theirs, partial=partial)
