"""The search as a whole: repeatable, resumable, and true to what a release job finds."""

import json
import sqlite3
import subprocess
import sys
import time

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit import TacitError, loss
from tacit.errors import Cancelled
from tacit.loss.score import WeightedMeasure
from tacit.plan import from_text, load, run
from tacit.protect import Mdav
from tacit.study import Evaluation, Figure, Range, Strategy, explore, front, pool
from tacit.study.evaluation import place_of, stop_when_dominated

SWAP = {
    "name": "swap",
    "steps": [{"method": "rank_swap", "columns": ["age", "rent"], "percent": {"from": 5.0, "to": 50.0}}],
}
GROUPS = {"name": "groups", "steps": [{"method": "mdav", "columns": ["age", "rent"], "k": {"from": 2, "to": 30}}]}
TASK = {"strategy": [SWAP, GROUPS], "loss": {"squared_error": 1, "moments": 1}, "workers": 1}


def told(study):
    """All of a study but the seconds that it took."""
    return json.dumps(
        [{name: value for name, value in point.items() if name != "seconds"} for point in study.as_json()["points"]]
        + [study.chosen, study.front],
        default=str,
    )


def test_a_point_is_what_the_release_of_its_plan_finds(plan):  # catalogue: F-06
    found = explore(plan, workers=1, seed=11)
    point = next(point for point in found.points if point.strategy == "groups" and point.done)
    outcome = run(from_text(found.plan(point.number), folder=plan.parent), seed=11)
    attacks = {attack.name: attack.result.value for attack in outcome.attacks if attack.result is not None}
    for name, share in point.evaluation.attacks.items():
        assert attacks[name] == pytest.approx(share), name
    parts = loss.score(outcome.masked, original=outcome.original, weights={"squared_error": 2, "moments": 1})
    assert point.loss == pytest.approx(parts[0].value)
    assert point.holds == all(
        verdict.holds for verdict in outcome.verdicts if verdict.model == "re-identification"
    ) or len(attacks) > len(point.evaluation.attacks)


def test_the_numbers_are_the_weighted_means_of_their_parts(plan):
    found = explore(plan, workers=1)
    for point in (point for point in found.points if point.done):
        risks, losses = point.evaluation.risks, point.evaluation.losses
        assert point.risk == pytest.approx((risks["reidentification"] + risks["interval_disclosure"]) / 2)
        assert point.loss == pytest.approx((2 * losses["squared_error"] + losses["moments"]) / 3)
        assert risks["reidentification"] == max(point.evaluation.attacks.values())
    places = {point.number: (point.risk, point.loss) for point in found.points if point.done}
    assert found.front == tuple(list(places)[one] for one in front(list(places.values())))


def test_the_plan_as_it_stands_and_the_file_as_it_is_are_on_the_map(plan):
    found = explore(plan, workers=1)
    assert [point.strategy for point in found.points[:2]] == ["as it is", "the plan as it stands"]
    assert found.points[0].loss == 0
    assert found.points[0].risk == pytest.approx(1)
    assert found.points[1].candidate.steps == ({"method": "mdav", "columns": ["age", "rent"], "k": 4},)
    assert len(found.points) == 10


@pytest.mark.parametrize("search", ["grid", "random", "optimiser"])
def test_the_same_seed_gives_the_same_study(release, search):
    once, again = (explore(release, candidates=12, search=search, seed=3, **TASK) for _ in range(2))
    assert told(once) == told(again)
    assert told(explore(release, candidates=12, search=search, seed=4, **TASK)) != told(once)


def test_processes_change_nothing(release):
    alone = explore(release, candidates=10, search="random", seed=3, **TASK)
    several = explore(release, candidates=10, search="random", seed=3, **{**TASK, "workers": 2})
    assert told(alone) == told(several)


def test_more_candidates_begin_with_the_same_ones(release):
    few = explore(release, candidates=8, search="optimiser", seed=3, **TASK)
    more = explore(release, candidates=16, search="optimiser", seed=3, **TASK)
    assert [point.candidate.key for point in more.points[:9]] == [point.candidate.key for point in few.points]


def test_what_is_stored_is_not_computed_again(release, tmp_path, monkeypatch):
    file = tmp_path / "study.sqlite"
    first = explore(release, candidates=8, search="random", seed=3, store=file, **TASK)
    called = []
    monkeypatch.setattr("tacit.study.pool.evaluate_candidate", lambda *_, **__: called.append(1))
    assert told(explore(release, candidates=8, search="random", seed=3, store=file, **TASK)) == told(first)
    assert not called


def test_other_data_find_nothing_in_the_store(release, tmp_path):
    file = tmp_path / "study.sqlite"

    def stored():
        with sqlite3.connect(file) as base:
            return base.execute("SELECT count(*) FROM evaluation").fetchone()[0]

    explore(release, candidates=4, search="random", seed=3, store=file, **TASK)
    before = stored()
    changed = release.with_columns({"rent": release.series("rent") + pl.Series([0.01] + [0.0] * (release.size - 1))})
    explore(changed, candidates=4, search="random", seed=3, store=file, **TASK)
    assert stored() == before + 4
    explore(release, candidates=4, search="random", seed=3, store=file, **{**TASK, "loss": {"moments": 1}})
    assert stored() == before + 8


def test_another_search_in_the_same_store_asks_for_the_same_as_alone(release, tmp_path):
    """What the store has in full is cut where a fresh evaluation would have stopped."""
    file = tmp_path / "study.sqlite"
    explore(release, candidates=30, search="grid", seed=3, store=file, **TASK)
    shared = explore(release, candidates=24, search="optimiser", seed=3, store=file, **TASK)
    assert told(shared) == told(explore(release, candidates=24, search="optimiser", seed=3, **TASK))


def test_killed_and_resumed_it_is_the_same_study(plan):  # catalogue: F-06
    whole = explore(load(plan), workers=1, seed=3)
    folder = plan.parent / "study"
    code = f"""
import time
from tacit.study import explore
from tacit.study.store import Store
put = Store.put
def slow(*given):
    put(*given)
    time.sleep(0.5)
Store.put = slow
explore({str(plan)!r}, workers=1, seed=3, store={str(folder / "study.sqlite")!r})
"""
    running = subprocess.Popen([sys.executable, "-c", code])
    store = folder / "study.sqlite"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and running.poll() is None and _rows(store) < 3:
        time.sleep(0.1)
    running.kill()
    running.wait()
    kept = _rows(store)
    assert 3 <= kept < 9, "killed half-way"
    resumed = explore(load(plan), workers=1, seed=3, store=store)
    assert told(resumed) == told(whole)
    assert _rows(store) == 9


def _rows(store):
    try:
        with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as base:
            return base.execute("SELECT count(*) FROM evaluation").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_an_interruption_says_how_to_go_on(release, tmp_path):
    file = tmp_path / "study.sqlite"
    steps = []

    def stop(step, share):
        steps.append((step, share))
        return len(steps) < 7

    with pytest.raises(Cancelled, match=r"goes on where it was.*study\.sqlite"):
        explore(release, candidates=9, search="random", store=file, progress=stop, **TASK)
    assert 0 < _rows(file) < 9
    assert explore(release, candidates=9, search="random", store=file, **TASK).points[-1].number == 9
    assert steps[-1][0].startswith("candidate 6 of 9, about ")


def test_a_candidate_that_fails_is_reported_and_the_run_goes_on(release):
    bad = {"name": "bad", "steps": [{"method": "mdav", "columns": ["age"], "k": {"from": 60, "to": 200}}]}
    wrong = {"name": "wrong", "steps": [{"method": "rank_swap", "columns": ["wage"], "percent": 5}]}
    found = explore(release, candidates=12, search="grid", **{**TASK, "strategy": [bad, wrong, GROUPS]})
    failed = [point for point in found.points if point.evaluation.state == "failed"]
    assert {point.strategy for point in failed} == {"bad", "wrong"}
    assert "'wage'" in next(point.evaluation.why for point in failed if point.strategy == "wrong")
    assert any(point.done for point in found.points if point.strategy == "groups")
    assert all(point.risk is None and not point.holds for point in failed)
    assert any(
        note.startswith("every candidate of 'wrong' failed, the first because: column 'wage'") for note in found.notes
    )


def test_an_error_of_our_own_tells_its_kind_and_no_cell(release, monkeypatch):
    def broken(*_, **__):
        raise ValueError("the cell 1234.56")

    monkeypatch.setattr(Mdav, "apply", broken)
    found = explore(release, candidates=4, search="random", **{**TASK, "strategy": [GROUPS]})
    assert {point.evaluation.why for point in found.points[1:]} == {"an error inside: ValueError"}
    assert found.chosen == 0


def test_when_nothing_will_do_the_nearest_is_named(release):
    found = explore(release, candidates=8, search="grid", require={"k_anonymity": 50}, **TASK)
    assert found.chosen is None
    nearest = found.point(found.nearest)
    assert nearest.strategy == "groups"
    sizes = {
        point.number: point.evaluation.verdicts[0]["found"] for point in found.points if point.done and point.number
    }
    assert sizes[found.nearest] == max(sizes.values())


def test_the_choice_is_the_least_loss_of_those_that_will_do(release):
    found = explore(release, candidates=20, search="grid", require={"k_anonymity": 5}, **TASK)
    will_do = [point for point in found.points if point.holds]
    assert will_do
    assert found.best.loss == min(point.loss for point in will_do)
    both = explore(
        release, candidates=20, search="grid", prefer={"risk": 1, "loss": 1}, require={"k_anonymity": 2}, **TASK
    )
    assert both.best.risk + both.best.loss == min(point.risk + point.loss for point in both.points if point.holds)
    bounded = explore(release, candidates=20, search="grid", require={"k_anonymity": 2}, at_most={"risk": 0.2}, **TASK)
    assert bounded.best.risk <= 0.2


def test_one_that_does_not_meet_the_requirements_stops_nobody(release):
    """Risk and loss of the file as it is beat nobody, and a candidate without k-anonymity must not stop one that has it."""
    found = explore(release, candidates=20, search="grid", require={"k_anonymity": 3}, **TASK)
    good = [(point.risk, point.loss) for point in found.points if point.holds]
    for point in found.points:
        if point.evaluation.state == "stopped":
            assert any(risk <= point.risk and loss <= point.loss for risk, loss in good)


WEIGHED = (WeightedMeasure(name="a", weight=1.0), WeightedMeasure(name="b", weight=2.0))
FIGURES = st.lists(
    st.builds(
        Figure,
        st.sampled_from(["loss", "risk"]),
        st.sampled_from(["a", "b"]),
        st.floats(0, 1),
        st.none() | st.just("x"),
    ),
    min_size=1,
    max_size=8,
)


@given(FIGURES, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=3))
@settings(max_examples=200)
def test_stopping_changes_no_decision(figures, rivals):  # catalogue: F-06
    """Cut iff the full evaluation is dominated, and both the cut and the full one are cut at the same figure."""
    full = Evaluation(state="done", figures=tuple(figures))
    short = stop_when_dominated(full, rivals, risk=WEIGHED, loss=WEIGHED)
    risk, loss_ = place_of(figures, WEIGHED, WEIGHED)
    beaten = any(one[0] <= risk and one[1] <= loss_ and one != (risk, loss_) for one in rivals)
    assert (short.state == "stopped") == beaten
    known = place_of(short.figures, WEIGHED, WEIGHED)
    assert known[0] <= risk + 1e-12
    assert known[1] <= loss_ + 1e-12
    if beaten:
        assert stop_when_dominated(short, rivals, risk=WEIGHED, loss=WEIGHED).figures == short.figures


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"candidates": 0}, "candidates"),
        ({"budget": "soon"}, "'soon' is no time"),
        ({"budget": "0s"}, "leaves no time"),
        ({"budget": "1ms"}, "is no time"),
        ({"search": "luck"}, "search = 'luck' is unknown\n.*optimiser, random, grid"),
        ({"seed": -1}, "^a seed is a whole number"),
        ({"risk": {"membership": 1}}, "study.risk: membership cannot be judged: no attack applies"),
        ({"risk": {"linkability": 0}}, "weight 0"),
        ({"risk": {"reidentification": 1, "linkability": 1}}, "study.risk: linkability cannot be judged"),
        ({"risk": {"individual_risk": 1}}, "study.risk: individual risk needs"),
        ({"risk": {"k_anonymity": 1}}, "no share between 0 and 1"),
        ({"risk": {"reidentifikation": 1}}, "did you mean 'reidentification'"),
        ({"risk": {"reidentification": -1}}, "weight -1"),
        ({"loss": {"moments": 0}}, "weight 0"),
        ({"loss": {"generalisation": {"weight": 1, "depth": 2}}}, "takes no 'depth'"),
        ({"risk": {"interval_disclosure": 1}}, "percent"),
        ({"attacks": ["distanc"]}, "distanc"),
        ({"prefer": {"beauty": 1}}, "beauty"),
        ({"prefer": {"risk": 0}}, "neither risk nor loss"),
        ({"at_most": {"risk": "low"}}, "at_most"),
        ({"strategies": []}, "did you mean 'strategy'"),
        ({"knows": ["wage"]}, "wage"),
        ({"strategy": [GROUPS, GROUPS]}, "two strategies are called 'groups'"),
        (
            {"strategy": [{"name": "x", "steps": [{"method": "mdav", "colums": ["age"], "k": 3}]}]},
            "no parameter 'colums'",
        ),
    ],
)
def test_what_is_asked_wrongly_is_said_before_the_work(release, said, text):
    with pytest.raises(TacitError, match=text) as problem:
        explore(release, **{**TASK, **said})
    assert problem.value.fix


def test_a_budget_that_is_over_at_once(release):
    with pytest.raises(TacitError, match="before the first candidate was done"):
        explore(release, budget=1e-9, **TASK)


def test_a_budget_only_cuts_the_sequence(release, monkeypatch):
    whole = explore(release, candidates=12, search="random", **TASK)
    looks = iter([False] * 5 + [True] * 99)
    monkeypatch.setattr("tacit.study.budget.Budget.is_over", property(lambda _: next(looks)))
    part = explore(release, candidates=12, search="random", budget="1h", **TASK)
    assert part.ended == "the budget of 1 h 0 min was over"
    assert 1 < len(part.points) < len(whole.points)
    assert told(part).startswith(told(whole)[:200])
    assert [p.candidate.key for p in part.points] == [p.candidate.key for p in whole.points[: len(part.points)]]


def test_a_worker_that_dies_is_said(release, monkeypatch):
    """A method that ends its process, as the system does to one that uses up the memory."""

    def gone(*_, **__):
        import os

        os._exit(9)

    monkeypatch.setattr("tacit.study.pool._evaluate_in_worker", gone)
    with pytest.raises(TacitError, match="a worker ended") as problem:
        explore(release, candidates=4, search="random", **{**TASK, "workers": 2})
    assert "fewer workers" in problem.value.fix


def test_strategies_may_be_objects(release):
    swap = Strategy.of("swap", [{"method": "rank_swap", "columns": ["age"], "percent": Range(5, 9)}])
    plain = {"name": "swap", "steps": [{"method": "rank_swap", "columns": ["age"], "percent": {"from": 5, "to": 9}}]}
    one, other = (
        explore(release, candidates=3, search="grid", **{**TASK, "strategy": [given]}) for given in (swap, plain)
    )
    assert told(one) == told(other)


def test_a_strategy_that_had_no_turn_is_said(release):
    found = explore(release, candidates=1, search="grid", **TASK)
    assert "of 'groups' nothing was tried: allow more candidates or time" in found.notes


def test_membership_counts_by_what_is_above_guessing(plan):
    """An area under the ROC curve of one half tells nothing, so that it is no risk; a bound is drawn on the same scale."""
    pl.read_csv(plan.parent / "pay.csv").with_columns(pl.col("rent") + 1000).write_csv(plan.parent / "others.csv")
    text = plan.read_text(encoding="utf-8").replace("reidentification = 0.4", "membership = 0.75")
    text = text.replace("reidentification = 1", "membership = 1")
    plan.write_text(text + '\n[intruder]\ncontrol = "others.csv"\n', encoding="utf-8")
    found = explore(plan, workers=1, seed=11, candidates=2)
    assert found.required == {"membership": 0.5}
    point = found.points[1]
    outcome = run(from_text(found.plan(1), folder=plan.parent), seed=11)
    area = next(one.result.value for one in outcome.presence if one.name == "membership")
    assert area > 0.5
    assert point.evaluation.attacks["membership"] == pytest.approx(2 * area - 1)
    verdict = next(one for one in point.evaluation.verdicts)
    assert verdict["required"] == 0.75, "the gate still speaks of the area"


@given(st.randoms(use_true_random=False), st.sampled_from([{"loss": 1.0}, {"risk": 1.0}, {"risk": 1.0, "loss": 3.0}]))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_early_stops_change_neither_front_nor_choice(release, draw, prefer):  # catalogue: F-06
    """The loop itself on made-up evaluations with many ties: with and without rivals that stop others."""
    made = {}

    def evaluation(_, steps, *, rivals):  # made to the end, cut by the loop
        key = json.dumps(steps)
        if key not in made:
            parts = [("loss", "squared_error"), ("loss", "moments"), ("risk", "reidentification")]
            figures = [Figure(axis, kind, draw.choice([0.0, 0.1, 0.2, 0.5, 0.9])) for axis, kind in parts]
            verdict = {"model": "x", "column": None, "holds": draw.random() < 0.6, "margin": 0.1, "required": 1.0}
            made[key] = Evaluation(state="done", figures=tuple(figures), verdicts=(verdict,))
        return made[key]

    asked = {**TASK, "prefer": prefer, "at_most": {"risk": draw.choice([0.2, 1.0])}, "require": {"k_anonymity": 3}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tacit.study.pool.evaluate_candidate", evaluation)
        stopping = explore(release, candidates=32, search="random", **asked)
        patch.setattr("tacit.study.loop._acceptable_front", lambda *_: [])
        whole = explore(release, candidates=32, search="random", **asked)
    assert (stopping.chosen, stopping.front) == (whole.chosen, whole.front)
    assert all(point.done for point in whole.points)


def test_what_was_done_is_kept_while_another_takes_its_time(release, monkeypatch):
    """The first of a batch never ends; the second is stored all the same."""
    gone = []

    def sleepy(steps, _):
        import time

        time.sleep(60 if steps[0]["k"] == first else 0)
        return Evaluation(state="failed", why="made up")

    asked = {**TASK, "strategy": [GROUPS], "workers": 2, "search": "random", "candidates": 2}
    first = explore(release, **{**asked, "workers": 1}).points[1].candidate.values["k"]
    monkeypatch.setattr("tacit.study.pool._evaluate_in_worker", sleepy)
    monkeypatch.setattr("tacit.study.store.Store.put", lambda _, candidate, __: gone.append(candidate.values["k"]))
    with pytest.raises(Cancelled):
        explore(release, progress=lambda *_: not gone, **asked)
    assert gone
    assert first not in gone


def test_a_worker_whose_parent_was_killed_ends(monkeypatch):
    """It would wait for work for ever, with the data in memory."""
    ended = []
    parents = iter([7, 7, 1])
    monkeypatch.setattr(pool.os, "getppid", lambda: next(parents))
    monkeypatch.setattr(pool.os, "_exit", ended.append)
    monkeypatch.setattr(pool, "WATCH", 0.0)
    pool._end_with(7)
    assert ended == [1]


def test_an_unknown_key_of_a_strategy_is_said_with_its_line(plan):
    text = plan.read_text(encoding="utf-8")
    plan.write_text(text.replace('name = "swap"', 'name = "swap"\nstep = []'), encoding="utf-8")
    with pytest.raises(TacitError, match=r"line \d+.*study\.strategy\.step.*'step' is unknown") as problem:
        explore(plan, workers=1)
    assert "'steps'" in problem.value.fix


def test_many_strategies_without_a_turn_are_counted_not_listed(release):
    many = [{**GROUPS, "name": f"groups {place}"} for place in range(6)]
    found = explore(release, candidates=1, search="random", **{**TASK, "strategy": many})
    assert "of 5 of 6 strategies nothing was tried: allow more candidates or time" in found.notes
