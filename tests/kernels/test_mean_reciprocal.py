"""E(1/F) against decimal arithmetic with as many digits as it takes."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.kernels.mean_reciprocal import mean_reciprocal, mean_reciprocal_approx


def oracle(f: int, p: float) -> Decimal:
    """p·h_f by the recurrence q·h_{f+1} = 1/f − p·h_f from h_1 = ln(1/p)/q; digits enough for what it loses."""
    with localcontext() as context:
        context.prec = 60 + int(2 * f * max(0.0, np.log10(p / (1 - p)))) if p < 1 else 60
        share = Decimal(p)
        if p == 1:
            return 1 / Decimal(f)
        h = -share.ln() / (1 - share)
        for j in range(1, f):
            h = (1 / Decimal(j) - share * h) / (1 - share)
        return share * h


def series(f: int, p: float) -> Decimal:
    """(p/f) Σ k! q^k / (f + 1)_k, for f too large for the recurrence."""
    with localcontext() as context:
        context.prec = 60
        total, term, k = Decimal(1), Decimal(1), 0
        while term > Decimal(10) ** -50:
            term *= (1 - Decimal(p)) * (k + 1) / (f + 1 + k)
            total += term
            k += 1
        return Decimal(p) * total / f


@pytest.mark.parametrize("f", [1, 2, 3, 49, 50, 99, 100, 1000, 10**6])
def test_the_mean_reciprocal_holds_far_out(f):
    # catalogue: C-02; SciPy's hyp2f1 gives infinity or NaN here from f = 100 on
    for p in (1e-9, 1e-4, 0.01, 0.05, 0.2, 0.2499, 0.25, 0.5, 0.75, 0.99, 1.0):
        expected = oracle(f, p) if f <= 1000 and p < 0.99 else series(f, p)
        found = mean_reciprocal(np.array([f]), np.array([p]))[0]
        assert found == pytest.approx(float(expected), rel=4e-15), (f, p)


def test_two_oracles_agree():
    for f, p in ((1, 0.3), (7, 0.05), (60, 0.4), (150, 0.7)):
        assert float(oracle(f, p)) == pytest.approx(float(series(f, p)), rel=1e-15)


@given(st.integers(1, 10**6), st.floats(1e-9, 1.0))
def test_the_risk_lies_between_the_chance_of_one_person_and_that_of_f(f, p):
    """1/F with F = f/p on average: by Jensen at least p/f, and at most 1/f because F ≥ f; it grows with p."""
    risk = mean_reciprocal(np.array([f]), np.array([p]))[0]
    assert p / f * (1 - 1e-14) <= risk <= 1 / f * (1 + 1e-14)
    assert mean_reciprocal(np.array([f]), np.array([p / 2]))[0] <= risk


def test_the_approximation_is_exact_for_one_and_two_and_close_above():
    f = np.arange(1, 200).repeat(30)
    p = np.tile(np.linspace(0.01, 1, 30), 199)
    exact, approx = mean_reciprocal(f, p), mean_reciprocal_approx(f, p)
    assert (exact == approx)[f <= 2].all()
    assert approx[p == 1] == pytest.approx(1 / f[p == 1])
    assert (np.abs(approx / exact - 1) < 0.1).all()
    assert (np.abs(approx / exact - 1)[f > 20] < 0.003).all()
