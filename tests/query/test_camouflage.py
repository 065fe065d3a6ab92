"""Hull vectors: bands enforced, truth inside, whole numbers within the bounds, the same for ever.

catalogue: H-06
"""

import stat
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import TacitError
from tacit.query.camouflage.band import Band
from tacit.query.camouflage.draws import STEPS, Draws
from tacit.query.camouflage.hull import hull
from tacit.query.camouflage.key import kept_key
from tacit.query.column import Column

KEY = b"k" * 16


def drawn(count, key=KEY):
    return Draws.of(key, "income", [f"p{number}" for number in range(count)])


def held(value, band, low, high):
    """What must stay open of a value: its band, moved inside the bounds."""
    shift = max(low - (value - band), 0) - max(value + band - high, 0)
    return max(low, min(value - band, value - band + shift)), min(high, max(value + band, value + band + shift))


@given(st.data())
def test_every_band_lies_between_the_vectors_and_the_truth_is_their_mean(data):
    low = data.draw(st.integers(-(10**6), 10**6))
    high = low + data.draw(st.integers(2, 10**6))
    values = np.array(data.draw(st.lists(st.integers(low, high), min_size=1, max_size=30)), np.int64)
    bands = np.array(data.draw(st.lists(st.integers(1, (high - low) // 2), min_size=len(values), max_size=len(values))))
    draws = drawn(len(values), data.draw(st.binary(min_size=16, max_size=16)))
    vectors = hull(values, bands, (low, high), draws)
    assert (vectors >= low).all() and (vectors <= high).all()
    assert (vectors[0] * (STEPS - draws.step) + vectors[1] * draws.step == STEPS * values).all()
    for value, band, least, most in zip(values, bands, vectors.min(0), vectors.max(0), strict=True):
        first, last = held(value, band, low, high)
        assert least <= first <= value <= last <= most and last - first >= 2 * band


@given(st.integers(1, 500), st.binary(min_size=16, max_size=16))
def test_who_knows_the_method_and_all_vectors_still_has_three_worlds(band, key):
    """With an absolute band each inner step of the hull would have led to the same vectors, had it been the truth."""
    draws = drawn(20, key)
    values = np.random.default_rng(1).integers(-1000, 1000, 20)
    bounds = (-20_000, 20_000)
    vectors = hull(values, np.full(20, band), bounds, draws)
    worlds = [vectors[0] + (vectors[1] - vectors[0]) // STEPS * step for step in range(1, STEPS)]
    assert (worlds[draws.step - 1] == values).all()
    for step, world in enumerate(worlds, 1):
        again = Draws(step=step, signs=draws.signs, sizes=draws.sizes)
        assert (hull(world, np.full(20, band), bounds, again) == vectors).all()
    apart = np.abs(np.diff(worlds, axis=0))
    assert (apart >= band).all()


def test_draws_depend_on_key_column_and_unit_alone():
    draws, other = drawn(400), Draws.of(KEY, "income", ["new", *(f"p{number}" for number in range(400))])
    assert (
        (other.signs[1:] == draws.signs).all() and (other.sizes[1:] == draws.sizes).all() and other.step == draws.step
    )
    apart = [drawn(400, b"x" * 16), Draws.of(KEY, "debt", [f"p{number}" for number in range(400)])]
    for one in apart:
        assert 120 < (one.signs == draws.signs).sum() < 280  # of 400 even tosses: 8 standard deviations, below 1e-15
    assert {Draws.of(bytes([number]) * 16, "income", []).step for number in range(60)} == {
        1,
        2,
        3,
    }  # else 60·(2/3)^60 ≈ 1e-9


@given(st.integers(1, 10**6), st.fractions(0, Fraction(1, 3)), st.lists(st.integers(-(10**6), 10**6), min_size=1))
def test_bands_are_rounded_up(absolute, relative, codes):
    column = Column(name="x", kind="number", low=-(10**9), high=10**9, step=Fraction(1, 10))
    widths = Band(Fraction(absolute), relative).widths(np.array(codes), column)
    assert widths.tolist() == [max(10 * absolute, ceil(relative * abs(code))) for code in codes]


def test_a_band_that_does_not_fit_or_protects_nothing_is_refused():
    column = Column(name="x", kind="integer", low=0, high=100)
    Band.of(50).widths(np.array([0]), column)
    with pytest.raises(TacitError, match="twice its band"):
        Band.of(51).widths(np.array([0]), column)
    with pytest.raises(TacitError, match="twice its band"):
        Band.of(1, "0.6").widths(np.array([0]), column)  # the same whatever the values are
    for wrong in ((0,), (0, 1), (-1,), (1, -1), ("x",)):
        with pytest.raises(TacitError):
            Band.of(*wrong)


def test_a_key_is_made_once_and_only_for_its_owner(tmp_path):
    path = tmp_path / "camouflage.key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: kept_key(path), range(16)))
    assert keys == {kept_key(path)} and len(keys.pop()) == 16
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and list(tmp_path.iterdir()) == [path]
    path.chmod(0o640)
    with pytest.raises(TacitError, match="others"):
        kept_key(path)


@pytest.mark.parametrize("content", ["", "xyz", "00ff"])
def test_a_damaged_key_is_never_replaced(tmp_path, content):
    path = tmp_path / "camouflage.key"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(TacitError, match="no key"):
        kept_key(path)
    assert path.read_text() == content
