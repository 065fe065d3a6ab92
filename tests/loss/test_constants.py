"""Constant columns: their variance comes out as rounding, which must not be taken for a unit."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.loss import moments, squared_error


@pytest.mark.parametrize("value", [0.1, 0.7, 1e9 + 0.1])
@pytest.mark.parametrize("rows", [7, 1000])
def test_a_constant_is_measured_in_units_of_its_value(value, rows):
    before, after = (Release(pl.DataFrame({"x": [v] * rows})) for v in (value, 1.01 * value))
    shift, change = moments(after, original=before).of("x")
    assert shift.value == pytest.approx(0.01, rel=1e-6)
    assert change.value == 0
    shorter = Release(pl.DataFrame({"x": [value] * (rows - 1)}))
    assert [part.value for part in moments(shorter, original=before).of("x")] == [0, 0]


@pytest.mark.parametrize("lineage", [np.array([0.0, 1.0]), np.array(["a", "b"]), np.array([0]), np.array([0, 5]), None])
def test_a_lineage_is_checked_once_for_all(lineage):
    release = Release(pl.DataFrame({"x": [1.0, 2.0]}))
    if lineage is None:
        assert squared_error(release, original=release)["x"].value == 0
        return
    with pytest.raises(TacitError, match="fix:"):
        squared_error(release, original=release, lineage=lineage)
