import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.study import dominates, front, hypervolume

SHARE = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1)
PLACES = st.lists(st.tuples(SHARE, SHARE), max_size=25)


@given(PLACES)
def test_the_front_is_what_nobody_dominates(places):  # catalogue: F-06
    slow = {one for one, place in enumerate(places) if not any(dominates(other, place) for other in places)}
    found = front(places)
    assert set(found) == slow
    assert len(found) == len(slow)
    assert [places[one][0] for one in found] == sorted(places[one][0] for one in found)


@given(PLACES)
def test_the_area_is_that_of_the_dominated_cells(places):  # catalogue: F-06
    """Oracle: the cells of the grid through all points, each asked whether a point lies below and left of it."""
    lines = np.unique([0.0, 1.0, *(x for place in places for x in place)])
    slow = 0.0
    for left, right in zip(lines, lines[1:], strict=False):
        for low, high in zip(lines, lines[1:], strict=False):
            if any(risk <= left and loss <= low for risk, loss in places):
                slow += (right - left) * (high - low)
    assert hypervolume(places) == pytest.approx(slow, abs=1e-12)


def test_no_point_takes_nothing():
    assert front([]) == ()
    assert hypervolume([]) == 0
    assert hypervolume([(0.0, 0.0)]) == 1
    assert hypervolume([(2.0, 0.0), (0.0, 1.0)]) == 0
