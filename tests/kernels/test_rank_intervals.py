"""Two sorted runs side by side, against NumPy's search. catalogue: B-01."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.rank_intervals import counts_before

RUN = st.lists(st.integers(0, 6).map(float), max_size=12).map(sorted).map(lambda run: np.array(run, dtype=float))


@pytest.mark.parametrize(("ties", "side"), [(False, "left"), (True, "right")])
@given(known=RUN, places=RUN)
def test_counts_are_those_of_a_search(ties, side, known, places):
    assert counts_before(known, places, ties).tolist() == np.searchsorted(known, places, side=side).tolist()
