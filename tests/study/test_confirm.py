"""The choice attacked by all before it is recommended."""

import sys
from dataclasses import replace as changed

import pytest

from tacit.plan import from_text, run
from tacit.release.write import write
from tacit.study import Evaluation, explore
from tacit.study.evaluate import evaluate_candidate
from tacit.study.selection import rank_candidates

EXPLORE = sys.modules["tacit.study.explore"]
"""The module: the package has a function of the same name."""
SWAP = {
    "name": "swap",
    "steps": [{"method": "rank_swap", "columns": ["age", "rent"], "percent": {"from": 5.0, "to": 50.0}}],
}
GROUPS = {"name": "groups", "steps": [{"method": "mdav", "columns": ["age", "rent"], "k": {"from": 2, "to": 30}}]}

ASKED = {"strategy": [GROUPS, SWAP], "loss": {"squared_error": 1}, "search": "grid", "candidates": 14, "workers": 1}


def by_all(task, steps):
    """As the real one, but every attack by all finds more: so much that only strong protection is left."""
    found = evaluate_candidate(task, steps)
    if "one_to_one" not in task.chosen.about["identity"]:
        return found
    k = steps[0].get("k", 0)
    verdicts = tuple({**one, "holds": bool(k >= 15), "margin": 0.1 if k >= 15 else -0.1} for one in found.verdicts)
    return changed(found, verdicts=verdicts)


def test_the_choice_holds_against_all_attacks_of_a_release(release, tmp_path):  # catalogue: F-06
    found = explore(release, require={"reidentification": 0.5}, seed=5, **ASKED)
    best = found.point(found.chosen)
    assert {"distance", "transparency", "one_to_one", "probabilistic", "learned"} <= set(best.attacked)
    assert set(best.evaluation.attacks) == {"distance", "transparency"}, "its place is by what all were attacked by"
    write(release, tmp_path / "data.csv", order="kept")
    outcome = run(from_text(found.plan(), folder=tmp_path), seed=5, out=tmp_path / "out")
    assert outcome.holds
    shares = {one.name: one.result.value for one in outcome.attacks if one.result is not None}
    assert best.attacked == pytest.approx(shares)


def test_one_that_falls_is_named_and_the_next_with_less_risk_is_taken(release, monkeypatch):
    quick = explore(release, require={"reidentification": 0.5}, attacks=["distance", "transparency"], **ASKED)
    monkeypatch.setattr(EXPLORE, "evaluate_candidate", by_all)
    found = explore(release, require={"reidentification": 0.5}, **ASKED)
    assert found.chosen != quick.chosen
    assert found.best.candidate.values["k"] >= 15
    assert not found.point(quick.chosen).holds
    assert (found.point(quick.chosen).risk, found.point(quick.chosen).loss) == (quick.best.risk, quick.best.loss)
    assert any(f"point {quick.chosen}" in note and "not hold against all attacks" in note for note in found.notes)


def test_when_all_fall_there_is_no_choice(release, monkeypatch):
    missed = {
        "model": "re-identification",
        "column": None,
        "holds": False,
        "margin": -0.1,
        "required": 0.5,
        "found": 0.6,
    }
    monkeypatch.setattr(
        EXPLORE, "evaluate_candidate", lambda task, steps: changed(by_all(task, steps), verdicts=(missed,))
    )
    found = explore(release, require={"reidentification": 0.5}, **ASKED)
    assert found.chosen is None
    assert found.nearest is not None


def test_named_attacks_and_models_need_no_confirmation(release):
    named = explore(release, require={"reidentification": 0.5}, attacks=["distance"], **ASKED)
    models = explore(release, require={"k_anonymity": 3}, **ASKED)
    assert not named.best.attacked
    assert not models.best.attacked


def test_what_was_confirmed_is_kept(release, tmp_path, monkeypatch):
    asked = {**ASKED, "require": {"reidentification": 0.5}, "store": tmp_path / "study.sqlite"}
    first = explore(release, **asked)
    monkeypatch.setattr(EXPLORE, "evaluate_candidate", lambda *_: pytest.fail("computed again"))
    assert explore(release, **asked).chosen == first.chosen


class Asked:
    """Counts whom all attacks were made on, and lets them all fall."""

    def __init__(self):
        self.ks = []

    def __call__(self, task, steps):
        self.ks.append(steps[0]["k"])
        missed = {"model": "re-identification", "column": None, "holds": False, "margin": -0.1, "required": 0.5}
        return Evaluation(state="done", verdicts=({**missed, "found": 0.6},))


def test_after_one_that_falls_only_one_with_less_risk_is_tried(release, monkeypatch):
    """By preference for risk and loss alike the order is not that of risk: those with more risk than a fallen one are left out."""
    asked = Asked()
    monkeypatch.setattr(EXPLORE, "evaluate_candidate", asked)
    quick = {"attacks": ["distance", "transparency"], **ASKED, "strategy": [GROUPS]}
    wanted = {"require": {"reidentification": 0.9}, "prefer": {"risk": 1, "loss": 8}}
    known = explore(release, **wanted, **quick)
    order = rank_candidates(known.points[1:], prefer=wanted["prefer"], at_most={})
    risks = [point.risk for point in order]
    falling = [
        point.candidate.values["k"] for place, point in enumerate(order) if point.risk < min([2.0, *risks[:place]])
    ]
    assert len(falling) < len(order), "some have more risk than one before them"
    explore(release, **wanted, **{**ASKED, "strategy": [GROUPS]})
    assert asked.ks == falling[:8]


def test_one_that_cannot_be_attacked_by_all_is_not_recommended(release, monkeypatch):
    monkeypatch.setattr(EXPLORE, "evaluate_candidate", lambda *_: Evaluation(state="failed", why="no room"))
    assert explore(release, require={"reidentification": 0.5}, **ASKED).chosen is None


def test_the_one_that_holds_is_not_said_to_fall(release):
    found = explore(release, require={"reidentification": 0.5}, seed=5, **ASKED)
    assert found.chosen is not None
    fallen = [note for note in found.notes if "would be preferred" in note]
    assert not any(f"point {found.chosen} " in note for note in fallen)
    assert bool(fallen) == (sum(bool(point.attacked) for point in found.points) > 1)
