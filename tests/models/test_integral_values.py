"""Integral privacy: generators that share no record may share a value (B7). catalogue: D-09."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Release
from tacit.models.integral import IntegralPrivacy, Moments, enumerate_models


def candidates(pay: list[float]):
    return enumerate_models(
        Release(pl.DataFrame({"pay": pay})), Moments(on="pay", grid={"pay": 10}), sizes=2
    ).candidates


def test_a_value_of_two_people_that_every_generator_has_is_noticed():
    """Two people earn 402: each generator of the mean of 210 has one of them, and nobody is in all."""
    for one in candidates([9.0, 10.0, 11.0, 12.0, 9.0, 10.0, 402.0, 402.0]):
        verdict = IntegralPrivacy(k=5).holds(one)
        has_402 = one.generators.matrix()[:, -2:].any(axis=1).all()
        assert one.common == 0 or one.count == 1
        assert bool(verdict) == (one.count >= 5 and not has_402)
        if has_402 and one.count >= 5:
            assert "same value" in verdict.notes[0]
            break
    else:
        pytest.fail("no model is given by the rich alone")


def test_a_value_that_many_have_tells_of_nobody():
    """A 10 is in every generator of the usual mean, and eight people have it."""
    usual = candidates([10.0] * 8 + [402.0])[0]
    assert usual.common_values(5) == 0 and bool(IntegralPrivacy(k=5).holds(usual))
    assert usual.common_values(100) == 0  # every pair has one, whatever the model
