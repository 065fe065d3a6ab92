import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import TacitError
from tacit.study import Candidate, Choose, Range, Strategy


@given(st.integers(0, 50), st.integers(0, 50), st.floats(0, 1), st.booleans())
def test_a_whole_range_gives_whole_numbers_inside(low, width, share, log):  # catalogue: F-06
    found = Range(low + 1, low + 1 + width, log).value_at(share)
    assert isinstance(found, int)
    assert low + 1 <= found <= low + 1 + width


@given(st.floats(1e-3, 10), st.floats(1.01, 100), st.integers(2, 9))
def test_levels_hold_both_ends_and_go_by_equal_factors(low, factor, count):
    levels = Range(low, low * factor, log=True).levels(count)
    assert len(levels) == count
    assert levels[0] == pytest.approx(low, rel=1e-5)
    assert levels[-1] == pytest.approx(low * factor, rel=1e-5)
    ratios = [after / before for before, after in zip(levels, levels[1:], strict=False)]
    assert max(ratios) == pytest.approx(min(ratios), rel=1e-3)


def test_a_step_may_leave_parameters_open_anywhere():
    given_steps = [
        {"method": "generalise", "levels": {"zip": {"from": 0, "to": 3}, "sex": 0}},
        {"method": "mondrian", "models": {"k_anonymity": {"any_of": [3, 5]}}},
    ]
    strategy = Strategy.of("both", given_steps)
    assert strategy.open_parameters == {(0, "levels", "zip"): Range(0, 3), (1, "models", "k_anonymity"): Choose(3, 5)}
    filled = strategy.fill_steps({(0, "levels", "zip"): 2, (1, "models", "k_anonymity"): 5})
    assert filled[0]["levels"] == {"zip": 2, "sex": 0}
    assert filled[1]["models"] == {"k_anonymity": 5}


def test_the_same_method_twice_keeps_its_parameters_apart():
    open_percent = {"from": 1, "to": 9}
    steps = [{"method": "rank_swap", "columns": [column], "percent": open_percent} for column in "ab"]
    found = Candidate.of(Strategy.of("two", steps), {(0, "percent"): 3, (1, "percent"): 7})
    assert found.values == {"rank_swap 1.percent": 3, "rank_swap 2.percent": 7}
    assert [step["percent"] for step in found.steps] == [3, 7]


def test_what_is_unsaid_is_part_of_the_key():
    short = Candidate(strategy="a", steps=({"method": "rank_swap", "columns": ["x"], "percent": 5},))
    long = Candidate(strategy="b", steps=({"method": "rank_swap", "columns": ["x"], "percent": 5, "form": "uniform"},))
    other = Candidate(strategy="a", steps=({"method": "rank_swap", "columns": ["x"], "percent": 6},))
    assert short.key == long.key != other.key


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "has no steps"),
        ([{"method": "rank_swop"}], "rank_swop"),
        ([{"method": "mdav", "k": {"from": 5, "to": 2}}], "no range"),
        ([{"method": "mdav", "k": {"from": 0, "to": 2, "scale": "log"}}], "no logarithms"),
        ([{"method": "mdav", "k": {"from": 2, "to": 5, "scale": "cubic"}}], "cubic"),
        ([{"method": "mdav", "k": {"any_of": []}}], "nothing to choose"),
        ([{"method": "mdav", "k": {"from": "2", "to": 5}}], "no range"),
        (
            [{"method": "mdav", "columns": ["a"], "k": {"any_of": [{"from": 2, "to": 5}, 9]}}],
            "among the values of any_of",
        ),
        ([{"method": "mdav", "columns": ["a"], "k": {"any_of": [[{"any_of": [2]}], 9]}}], "among the values of any_of"),
        ([{"method": "mdav", "colunms": ["a"], "k": 3}], "has no parameter 'colunms'"),
        ([{"method": "mdav", "k": 3}], "lacks its parameter 'columns'"),
    ],
)
def test_what_cannot_be_tried_is_said(steps, said):
    with pytest.raises(TacitError, match=said):
        Strategy.of("x", steps)


@given(st.floats(-1e9, 1e9), st.floats(0, 1e6), st.floats(0, 1))
def test_no_number_lies_beyond_the_ends_of_its_range(low, width, share):
    """Six digits are what is tried; rounding to them must not lead out of the range."""
    found = Range(low, low + width)
    assert low <= found.value_at(share) <= low + width
    assert Range(0.1234561, 0.9999999).levels(2) == (0.1234561, 0.9999999)


def test_models_may_be_left_to_what_is_required():
    assert Strategy.of("x", [{"method": "mondrian"}]).open_parameters == {}
