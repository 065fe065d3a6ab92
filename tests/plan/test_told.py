import json

import pytest

from tacit import TacitError
from tacit.plan.trace_file import read_trace
from tacit.protect import RankSwap
from tacit.release.trace import Finding, Trace


def test_a_public_trace_comes_back_as_it_was_published(tmp_path):  # catalogue: A-02
    step = Trace.of(
        RankSwap(columns=["pay"], percent=5),
        reach=Finding({"pay": 12}, publishable=True),
        left=Finding({"pay": 3}, publishable=True, counts=True),
        secret=Finding(7, publishable=False),
    )
    path = tmp_path / "trace.json"
    path.write_text(json.dumps([step.as_json(public=True)]))
    (read,) = read_trace(path)
    assert read.method == "rank_swap"
    assert read.parameters["percent"] == 5
    assert read.outcome["reach"].value == {"pay": 12}
    assert "secret" not in read.outcome
    assert read.as_json(public=True) == step.as_json(public=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "cannot be read as JSON"),
        ("5", "no list of steps"),
        ("[5]", "step 1 of the trace"),
        ('[{"parameters": {}}]', "names no method"),
        ('[{"method": "pram", "parameters": [1]}]', "no table"),
    ],
)
def test_a_broken_trace_is_named_with_the_remedy(tmp_path, text, says):
    path = tmp_path / "trace.json"
    path.write_text(text)
    with pytest.raises(TacitError, match=says) as problem:
        read_trace(path)
    assert "trace.json of a release job" in problem.value.fix
    with pytest.raises(TacitError, match="there is no trace"):
        read_trace(tmp_path / "absent.json")


def test_one_step_alone_is_a_trace_too(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text('{"method": "of_another_tool"}')
    assert [step.method for step in read_trace(path)] == ["of_another_tool"]
