import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.errors import Cancelled
from tacit.loss import LOSSES, divergence

BEFORE = Release(pl.DataFrame({"pay": [1.0, 2.0, 10.0], "sex": ["f", "m", "m"]}))
AFTER = Release(pl.DataFrame({"pay": [1.0, 3.0, 8.0], "sex": ["f", "f", "m"]}))


def apart(f, between="relative", masked=AFTER):
    return divergence(masked, original=BEFORE, f=f, between=between)


def test_a_number():  # catalogue: F-01
    def median(frame):
        return frame["pay"].median()

    assert divergence(AFTER, original=BEFORE, f=median)[0].value == pytest.approx(0.5)
    assert apart(median, "absolute")[0].value == pytest.approx(1.0)
    assert apart(median, "euclidean")[0].value == pytest.approx(1.0)
    assert apart(median, lambda a, b: (a - b) ** 2 + 1)[0].value == pytest.approx(2.0)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pl.Series])
def test_several(kind):
    def ends(frame):
        return kind([frame["pay"].min(), frame["pay"].max()])

    assert apart(ends)[0].value == pytest.approx(2 / 11)
    assert apart(ends, "absolute")[0].value == pytest.approx(1.0)
    assert apart(lambda frame: frame["pay"].to_numpy(), "euclidean")[0].value == pytest.approx(np.sqrt(5))
    assert len(apart(ends)) == 1


def test_names():
    def both(frame):
        return {"mean": frame["pay"].mean(), "low": frame["pay"].min() - 1}

    found = apart(both)
    assert found[0].value == pytest.approx((1 / 3) / (13 / 3))
    assert found["mean"].value == pytest.approx(1 / 13)
    assert [part.column for part in found] == [None, "mean"]
    assert [part.column for part in apart(both, "absolute")] == [None, "mean", "low"]
    assert apart(both, "absolute")[0].value == pytest.approx(1 / 6)
    assert len(apart(both, "euclidean")) == 1


def counts(frame):
    return dict(frame["sex"].value_counts().iter_rows())


def test_distributions():
    expected = np.sqrt(((np.sqrt(1 / 3) - np.sqrt(2 / 3)) ** 2 * 2) / 2)
    assert apart(counts, "hellinger")[0].value == pytest.approx(expected)
    women = AFTER.take(np.array([0, 1]))
    # √(1 − Σ√(pq)) is the same distance; the men have no share left.
    assert apart(counts, "hellinger", women)[0].value == pytest.approx(np.sqrt(1 - np.sqrt(1 / 3)))
    with pytest.raises(TacitError, match="named 1 numbers for one file"):
        apart(counts, "absolute", women)


@given(
    st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any),
    st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any),
)
def test_hellinger_lies_between_zero_and_one(before, after):
    files = iter((before, after, before, before))
    value = apart(lambda _: next(files), "hellinger")[0].value
    assert 0 <= value <= 1 + 1e-12
    assert (value < 1e-9) == (np.allclose(np.array(before) * sum(after), np.array(after) * sum(before)))
    assert apart(lambda _: next(files), "hellinger")[0].value == 0


def test_the_frame_is_that_of_the_release():
    seen = []
    apart(lambda frame: seen.append(frame) or 1.0)
    assert [frame.columns for frame in seen] == [["pay", "sex"]] * 2
    assert seen[0].equals(BEFORE.to_native()) and seen[1].equals(AFTER.to_native())


def test_between_gets_whatever_f_returns():
    assert apart(lambda frame: frame["sex"], lambda a, b: (a != b).mean())[0].value == pytest.approx(1 / 3)


def failing(frame):
    raise KeyError(frame["sex"][0] + "SECRETCELL")


@pytest.mark.parametrize(
    ("f", "between", "message"),
    [
        (failing, "relative", "f failed on the original file: KeyError"),
        (lambda frame: 1 / (frame["pay"][1] - 3), "relative", "f failed on the masked file: ZeroDivisionError"),
        (lambda frame: frame["nope"], "relative", "f failed on the original file: ColumnNotFoundError"),
        (lambda frame: frame["sex"], "relative", "holds other things than numbers"),
        (lambda frame: None, "relative", "missing or infinite numbers for the original"),
        (lambda frame: float("inf") if frame["pay"][1] == 3 else 1, "absolute", "infinite numbers for the masked"),
        (lambda frame: [], "relative", "f gave nothing for the original file"),
        (lambda frame: [1] * frame["sex"].eq("f").sum(), "relative", "gave 1 numbers for the original file and 2"),
        (lambda frame: frame["pay"][1] - 2, "relative", "no change is relative to 0"),
        (lambda frame: -1.0, "hellinger", "no distribution"),
        (lambda frame: [0, 0], "hellinger", "no distribution"),
        (lambda frame: [1e308 * (1 if frame["pay"][1] == 2 else -1)], "absolute", "too large"),
        (lambda frame: 1, "chebyshev", "between='chebyshev'"),
        (lambda frame: 1, lambda a, b: -1, "no number from 0 on"),
        (lambda frame: 1, lambda a, b: float("nan"), "no number from 0 on"),
        (lambda frame: 1, failing, "between failed: TypeError"),
        ("median", "relative", "f is 'median', not a function"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_mistakes_are_told_without_the_data(f, between, message):
    with pytest.raises(TacitError, match=message) as problem:
        apart(f, between)
    assert problem.value.fix
    assert "SECRETCELL" not in str(problem.value)
    assert problem.value.__suppress_context__ or problem.value.__context__ is None


def test_relative_to_nothing_nothing_changed():
    assert apart(lambda frame: 0)[0].value == 0


def test_a_user_who_stops_it_is_heard():
    def stopped(_frame):
        raise Cancelled("stopped", fix="start again")

    with pytest.raises(Cancelled):
        apart(stopped)


def test_it_is_no_entry_because_it_needs_f():
    assert "divergence" not in LOSSES
