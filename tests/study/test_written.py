import tomllib

import pytest

from tacit import TacitError
from tacit.plan import from_text, load
from tacit.study import explore
from tacit.study.plan_text import plan_with_steps


def test_a_point_as_a_plan_keeps_the_users_own_text(plan):  # catalogue: F-06
    found = explore(plan, workers=1, candidates=4)
    point = found.points[-1]
    text = found.plan(point.number)
    assert 'title = "Pay of a town"          # a comment that stays' in text
    assert f"# point {point.number}: {point.strategy}" in text
    before, after = tomllib.loads(plan.read_text(encoding="utf-8")), tomllib.loads(text)
    assert after.pop("protect") == [
        {name: list(value) if isinstance(value, tuple) else value for name, value in step.items()}
        for step in point.candidate.steps
    ]
    assert after == {name: section for name, section in before.items() if name not in ("study", "protect")}
    assert from_text(text, folder=plan.parent).steps


def test_the_file_as_it_is_has_no_steps(plan):
    found = explore(plan, workers=1, candidates=1)
    assert "protect" not in tomllib.loads(found.plan(0))


def test_a_study_of_data_in_memory_gives_a_plan_to_fill_in(release):
    group = {"name": 'a "name"\nof two lines', "steps": [{"method": "mdav", "columns": ["age", "rent"], "k": 5}]}
    found = explore(release, strategy=[group], candidates=1, workers=1, search="grid", require={"k_anonymity": 5})
    made = from_text(found.plan())
    assert made.plan.roles.quasi == ["age", "rent"]
    assert made.plan.kinds == {"age": "continuous"}
    assert made.plan.require == {"k_anonymity": 5}
    assert found.best.number == 1


def test_a_point_that_is_not_there(plan):
    found = explore(load(plan), workers=1, candidates=1)
    with pytest.raises(TacitError, match="there is no point 7"):
        found.plan(7)


def test_what_is_none_is_left_out():
    step = {"method": "rank_swap", "columns": ("x",), "percent": 5, "strata": None, "totals": {"a": None, "b": 1}}
    made = tomllib.loads(plan_with_steps("", [step], said="x"))["protect"]
    assert made == [{"method": "rank_swap", "columns": ["x"], "percent": 5, "totals": {"b": 1}}]
