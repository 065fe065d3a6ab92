"""Plans: every mistake is answered with line, key and remedy."""

from __future__ import annotations

import pytest

from tacit import TacitError
from tacit.plan import from_text, load
from tacit.plan.parse import line_of

GOOD = """\
title = "Patients"
[data]
path = "patients.csv"
missing = "own"
[roles]
identifier = [{ column = "name", pseudonym = "hmac" }, "phone"]
quasi = ["zip", "sex"]
confidential = ["diagnosis"]
[require]
k_anonymity = 5
l_diversity = { l = 3 }
reidentification = 0.05
[require.t_closeness.columns]
diagnosis = 0.2
[[protect]]
method = "suppress_cells"
k = 5
[[protect]]
method = "rank_swap"
columns = ["income"]
percent = 5
[[attack]]
method = "distance"
"""


def test_a_good_plan_is_understood():
    plan = from_text(GOOD)
    assert [type(step).__name__ for step in plan.steps] == ["SuppressCells", "RankSwap"]
    assert sorted(plan.requirements.models) == ["k_anonymity", "l_diversity", "t_closeness"]
    assert plan.requirements.models["t_closeness"].columns == {"diagnosis": 0.2}
    assert plan.requirements.reidentification.at_most == 0.05
    assert [(given.column, given.pseudonym) for given in plan.identifiers] == [("name", "hmac"), ("phone", None)]


@pytest.mark.parametrize(
    ("old", "new", "line", "shows"),
    [
        ('missing = "own"', 'missing = "none"', 4, "data.missing"),
        ('missing = "own"', 'mising = "own"', 4, "did you mean 'missing'?"),
        ('path = "patients.csv"\n', "", 2, "the key 'path' is missing"),
        ('quasi = ["zip", "sex"]', 'quasi = "zip"', 7, "roles.quasi"),
        ("percent = 5", "percent = 0", 21, "percent"),
        ("percent = 5", "prcent = 5", 21, "did you mean 'percent'?"),
        ('method = "rank_swap"', 'method = "rankswap"', 19, "did you mean 'rank_swap'?"),
        ("k_anonymity = 5", "k_anonimity = 5", 10, "did you mean 'k_anonymity'?"),
        ("k_anonymity = 5", "k_anonymity = 0", 10, "k=0"),
        ("reidentification = 0.05", "reidentification = 5", 12, "not a share"),
        ("l_diversity = { l = 3 }", "l_diversity = { m = 3 }", 11, "takes no 'm'"),
        ("[[attack]]", "[[atack]]", 22, "did you mean 'attack'?"),
        ('method = "distance"', 'family = "choquet"', 22, "it is not said which attack this is"),
        ('method = "distance"', 'method = "learnt"', 22, "did you mean 'learned'?"),
        ('method = "distance"', 'method = "learned"\nfamly = "choquet"', 24, "did you mean 'family'?"),
        ('method = "distance"', 'method = "learned"\nfamily = "chocquet"', 24, "did you mean 'choquet'?"),
        ('method = "distance"', 'method = "learned"\nadditive = 2', 24, "means nothing for family='weighted'"),
        ('method = "distance"', 'method = "learned"\nseconds = "60"', 24, "not a number above 0"),
        ('method = "distance"', 'method = "distance"\n[[attack]]\nmethod = "distance"', 24, "has two sections"),
        ("percent = 5", "percent = five", None, "not TOML"),
    ],
)
def test_mistakes_are_told_with_line_and_key(old, new, line, shows):
    with pytest.raises(TacitError, match="fix:") as caught:
        from_text(GOOD.replace(old, new), name="plan.toml")
    said = str(caught.value)
    assert shows in said
    assert said.startswith("plan.toml")
    if line is not None:
        assert f"line {line}" in said


def test_an_empty_gate_is_an_error():
    with pytest.raises(TacitError, match="nothing is required"):
        from_text('[data]\npath = "a.csv"\n[roles]\nquasi = ["a"]\n[require]\n')


def test_a_missing_plan_is_answered_with_the_nearest(tmp_path):
    (tmp_path / "plan.toml").write_text("")
    with pytest.raises(TacitError, match="did you mean 'plan.toml'"):
        load(tmp_path / "plna.toml")


def test_lines_of_nested_and_quoted_keys():
    text = 'a = 1\n["b c".d]\n"e.f" = 2\n[[g]]\nx = 1\n[[g]]\nx = 2\n'
    assert line_of(text, ("b c", "d", "e.f")) == 3
    assert line_of(text, ("g", 1, "x")) == 7
    assert line_of(text, ("nowhere",)) is None


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ('[protect]\nmethod = "shuffle"', "no list of steps", "[[protect]]"),
        ('[[protect]]\nmethod = "rank_swap"\ncolumns = "a"\npercent = 5\nseed = 7', "seed", "--seed"),
    ],
)
def test_frequent_mistakes_get_their_own_remedy(text, what, fix):
    head = '[data]\npath = "a.csv"\n[roles]\nquasi = ["a"]\n[require]\nk_anonymity = 2\n'
    with pytest.raises(TacitError, match=what) as caught:
        from_text(head + text)
    assert fix in caught.value.fix


def test_an_unknown_word_is_answered_with_the_nearest():
    with pytest.raises(TacitError) as caught:
        from_text('[data]\npath = "a.csv"\nengine = "duck"\n[roles]\nquasi = ["a"]\n[require]\nk_anonymity = 2\n')
    assert "duckdb" in caught.value.fix
