"""Best effort on lattices (D-07): admissible, honest about its gap, and told before it starts when it is needed."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.errors import Cancelled
from tacit.models import KAnonymity, LDiversity, TCloseness
from tacit.protect import FullDomain
from tacit.protect.lattice.best_effort import best_effort, lower_bound
from tacit.protect.lattice.columns import level_limits
from tacit.protect.lattice.exact import run_search
from tacit.protect.lattice.layout import SearchRange
from tacit.protect.lattice.local_search import greedy_bound, local_search
from tacit.protect.lattice.objectives import OBJECTIVES
from tacit.protect.lattice.parts import parts_of
from tacit.protect.lattice.problem import problem_of


def table(columns, rows, seed=0, values=8):
    """Correlated columns of whole numbers, with intervals over them, and an illness that follows the first."""
    rng = np.random.default_rng(seed)
    trait = rng.normal(size=rows)
    names = [f"q{place}" for place in range(columns)]
    data = {
        name: np.clip((trait + rng.normal(size=rows) + 3) * values / 6, 0, values - 1).astype(int) for name in names
    }
    data["ill"] = (data["q0"] + rng.integers(0, 3, rows)) % 4
    trees = {name: {"intervals": [2, 4]} for name in names}
    return Release(
        pl.DataFrame(data), quasi=names, confidential="ill", hierarchies=trees, kinds={"ill": "nominal"}, missing="own"
    )


def laid(release, models, objective, suppression):
    problem = problem_of(
        release,
        models,
        objective=OBJECTIVES[objective],
        weights=np.linspace(1, 2, len(release.quasi)),
        limit=int(suppression * release.size),
        target="ill" if objective == "accuracy" else None,
    )
    return problem, *level_limits(problem.columns, {}, {})


@settings(max_examples=15)
@given(
    st.integers(0, 99),
    st.sampled_from(sorted(OBJECTIVES)),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([[KAnonymity(k=3)], [LDiversity(l=2)], [KAnonymity(k=2), TCloseness(t=0.4, form="variational")]]),
)
def test_best_effort_is_admissible_and_its_bound_below_the_optimum(seed, objective, suppression, models):
    release = table(4, 80, seed)
    problem, low, high = laid(release, models, objective, suppression)
    optimum = run_search(problem, SearchRange(low=low, high=high)).scores
    rounds = iter([True] * 4)
    bound = lower_bound(problem, low, high, rng=np.random.default_rng(seed), going=lambda: next(rounds, False))
    assert (bound is None) != OBJECTIVES[objective].by_column
    assert bound is None or not len(optimum) or bound <= optimum[0] + 1e-9
    steps = iter([True] * 20)
    search = local_search(problem, low, high, rng=np.random.default_rng(seed), going=lambda: next(steps, False))
    found = [one for one in search if len(one.scores)]
    for one in found:
        assert one.removed[0] <= problem.limit
        assert one.scores[0] >= optimum[0] - 1e-9
    answer = next(best_effort(problem, low, high, seconds=0.05, seed=seed, progress=None).candidates, None)
    assert (answer is None) == (not len(optimum))
    if answer is not None and answer.proven:
        assert answer.score == pytest.approx(optimum[0])


def test_with_time_enough_a_split_into_one_part_is_the_optimum():
    problem, low, high = laid(table(4, 80), [KAnonymity(k=3)], "loss", 0.1)
    bound = lower_bound(problem, low, high, rng=np.random.default_rng(0), going=lambda: True)
    assert bound == pytest.approx(run_search(problem, SearchRange(low=low, high=high)).scores[0])


def test_parts_are_disjoint_and_small():
    parts = parts_of(np.array([2, 0, 1, 3]), np.array([4, 3, 2, 5]), 8)
    assert sorted(np.concatenate(parts)) == [0, 1, 2, 3]
    assert [part.tolist() for part in parts] == [[2, 0], [1], [3]]


def test_a_lattice_too_large_says_so_before_it_starts_and_can_be_tried():
    release = table(16, 400)
    with pytest.raises(TacitError, match="4,294,967,296 combinations") as caught:
        FullDomain(models={"k_anonymity": 3}).apply(release)
    assert "seconds=" in caught.value.fix
    masked = FullDomain(models={"k_anonymity": 3}, suppression=0.1, seconds=1.0).apply(release)
    evidence = masked.evidence
    assert not evidence["proven"]
    assert 0 <= evidence["bound"] <= evidence["score"]
    assert len(evidence["space"].best(3)) == 3
    assert evidence["gap"] == pytest.approx(1 - evidence["bound"] / evidence["score"])
    assert KAnonymity(k=3).holds(masked.release).holds
    top = FullDomain(models={"k_anonymity": 3}, lowest=dict.fromkeys(release.quasi, 3)).apply(release)
    assert evidence["score"] < top.evidence["score"]


def test_a_small_lattice_is_proven_also_with_a_time_limit():
    assert FullDomain(models={"k_anonymity": 3}, seconds=30).apply(table(3, 60)).evidence["proven"]


def test_it_can_be_cancelled():
    with pytest.raises(Cancelled):
        FullDomain(models={"k_anonymity": 3}, seconds=5).apply(table(16, 400), progress=lambda _, share: share < 0.1)


def test_nodes_that_fail_after_the_removal_are_passed_over():
    """t-closeness is to the file as it is released: of the first candidates some miss it once records are gone."""
    found = 0
    for seed in range(12):
        models = [TCloseness(t=0.25, form="variational"), KAnonymity(k=2)]
        try:
            masked = FullDomain(models=models, suppression=0.4).apply(table(3, 60, seed))
        except TacitError:
            continue
        assert all(model.holds(masked.release).holds for model in models)
        found += masked.evidence["passed_over"] > 0
    assert found


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("limit", [0, 6, 60])
def test_the_bounds_of_five_columns_leave_out_nothing_better(objective, limit):
    # D-07: bounds of several depths at work, at k of 2 to 5, against all nodes of the same lattice
    for seed in range(8):
        rng = np.random.default_rng(seed)
        skewed = {f"q{j}": np.minimum(rng.geometric(0.3 + 0.1 * j, 60), 6) for j in range(5)}
        tree = {str(v): [f"a{v // 2}", *([f"b{v // 4}"] if seed % 2 else []), "*"] for v in range(1, 7)}
        release = Release(
            pl.DataFrame({name: values.astype(str) for name, values in skewed.items()} | {"ill": ["x", "y", "z"] * 20}),
            quasi=list(skewed),
            confidential="ill",
            hierarchies={f"q{j}": {"table": tree} for j in range(0, 5, 2)},
        )
        models = [KAnonymity(k=2 + seed % 4), *([LDiversity(l=2)] if seed > 5 else [])]
        problem = problem_of(
            release,
            models,
            objective=OBJECTIVES[objective],
            weights=np.ones(5),
            limit=limit,
            target="ill" if objective == "accuracy" else None,
        )
        low, high = level_limits(problem.columns, {}, {})
        every = run_search(problem, SearchRange(low=low, high=high, every=True))
        found = run_search(problem, SearchRange(low=low, high=high))
        assert found.done
        assert len(found.scores) == len(every.scores)
        assert found.scores == pytest.approx(every.scores)
        again = run_search(problem, SearchRange(low=low, high=high, worst=greedy_bound(problem, low, high)))
        assert again.scores == pytest.approx(every.scores)
