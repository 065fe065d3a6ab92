"""A data set keeps under its name what it promised: with another band both intervals give the value away.

catalogue: H-06, H-07
"""

from __future__ import annotations

import numpy as np
import pytest

from tacit.errors import TacitError
from tacit.query.ledger import Ledger
from tacit.query.modes.interval import steps_of
from tacit.query.startup import promise_of

from .attacks.world import MODES, World, people

ASK = {"clinic": "SELECT COUNT(*) FROM clinic", "payroll": "SELECT {}(income) FROM payroll WHERE who = {}"}
WIDER = MODES["payroll"].replace("absolute = 100", "absolute = 150")


def intervals(folder, mode: str, what: str) -> list:
    with World(folder, people(), payroll=mode) as world:
        return [world.ask(ASK["payroll"].format(what, who))[0][0] for who in range(40)]


def worlds(given, steps: int):
    """The values that each step and sign would give each person: step × sign × person."""
    low, high = given.T
    shares = np.linspace(1 / 4, 3 / 4, 2 * steps + 1)[:, None]
    return np.stack([low + shares * (high - low), high - shares * (high - low)], axis=1)


def test_two_bands_around_the_same_values_would_give_them_away(tmp_path, monkeypatch):
    """[a − te, a + (T − t)e] for two bands: of all pairs of steps one gives everybody the same value twice."""
    monkeypatch.setattr("tacit.query.startup.check_promise", lambda *_: None)
    monkeypatch.setattr("tacit.query.modes.interval.Interval.decide", lambda *_: None)
    first, second = (
        worlds(np.array(intervals(tmp_path, mode, what)), steps_of(band))
        for mode, what, band in ((MODES["payroll"], "SUM", 10_000), (WIDER, "AVG", 15_000))
    )
    apart = np.abs(first[:, None] - second[None]).min(axis=2).max(axis=2)
    best = np.unravel_index(apart.argmin(), apart.shape)
    same = np.abs(first[best[0]] - second[best[1]]).argmin(axis=0)
    learned = first[best[0]][same, np.arange(len(same))]
    assert learned == pytest.approx(people()["income"].to_list(), abs=0.05)


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("payroll", MODES["payroll"], WIDER),
        ("payroll", MODES["payroll"], MODES["register"]),
        ("payroll", MODES["register"], MODES["payroll"]),
        ("payroll", MODES["register"], MODES["clinic"]),
        ("clinic", MODES["clinic"], MODES["clinic"].replace("add_remove", "replace")),
        ("clinic", MODES["clinic"], MODES["clinic"] + '\nunit = "name"\nrows_per_unit = 1'),
    ],
)
def test_what_was_asked_cannot_be_offered_under_another_promise(tmp_path, name, before, after):
    def opened(mode: str) -> World:
        return World(tmp_path, people(), **{name: mode})

    with opened(before) as world:
        world.ask("SELECT COUNT(*) FROM " + name, "1" if '"dp"' in before else None)
    with pytest.raises(TacitError, match=rf"dataset\.{name}.*asked before") as caught:
        opened(after)
    assert caught.value.fix.startswith("restore")
    opened(before).close()


def test_another_secret_is_another_promise(tmp_path):
    """Two hulls around the same values can be intersected; a secret that was lost must be restored."""
    with World(tmp_path, people(), "payroll") as world:
        world.ask("SELECT SUM(income) FROM payroll")
    kept = (tmp_path / "interval.secret").read_bytes()
    (tmp_path / "interval.secret").unlink()
    with pytest.raises(TacitError, match="asked before"):
        World(tmp_path, people(), "payroll")
    (tmp_path / "interval.secret").write_bytes(kept)
    World(tmp_path, people(), "payroll").close()


def test_what_was_not_asked_may_change(tmp_path):
    with World(tmp_path, people(), payroll=MODES["payroll"]) as world:
        assert world.code("SELECT nonsense FROM payroll") == "unknown_column"
    World(tmp_path, people(), payroll=WIDER).close()


def test_budgets_versions_and_bounds_of_noisy_answers_may_change(tmp_path):
    with World(tmp_path, people(), "clinic") as world:
        world.ask(ASK["clinic"], "1")
    wider = MODES["clinic"].replace("epsilon = 1000", "epsilon = 2000").replace("1e-8", "1e-9")
    with World(tmp_path, people(41), clinic=wider) as world:
        assert world.code(ASK["clinic"], "1") == "answered" and world.spent() == 2
    with Ledger.open(tmp_path / "ledger.db") as ledger:
        versions = ledger.versions("clinic")
        assert len(versions) == 2 and len({one.rpartition("+")[2] for one in versions}) == 1


def test_the_promise_has_nothing_of_the_data_and_the_secret_only_under_a_key(tmp_path):
    found = []
    for place, frame in enumerate((people(), people(41))):
        with World(tmp_path / str(place), frame, "clinic", "payroll") as world:
            found.append({name: room.schema.version.rpartition("+")[2] for name, room in world.desk.rooms.items()})
            assert found[-1]["payroll"] != promise_of(world.desk.service.datasets["payroll"])
    assert found[0]["clinic"] == found[1]["clinic"] and found[0]["payroll"] != found[1]["payroll"]
