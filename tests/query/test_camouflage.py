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
from tacit.query.column import Column
from tacit.query.modes.interval import CamouflageDraws, camouflage_hull, max_displacement, steps_of
from tacit.query.startup import kept_key

KEY = b"k" * 16


def drawn(count, key=KEY, band=100):
    return CamouflageDraws.of(key, "income", [f"p{number}" for number in range(count)], band)


def held(value, band, low, high):
    """What must stay open of a value: its band, moved inside the bounds."""
    shift = max(low - (value - band), 0) - max(value + band - high, 0)
    return max(low, min(value - band, value - band + shift)), min(high, max(value + band, value + band + shift))


@given(st.data())
def test_every_band_lies_between_the_vectors_and_the_truth_is_their_mean(data):
    low = data.draw(st.integers(-(10**6), 10**6))
    high = low + data.draw(st.integers(2, 10**6))
    values = np.array(data.draw(st.lists(st.integers(low, high), min_size=1, max_size=30)), np.int64)
    band = data.draw(st.integers(1, (high - low) // 2))
    draws = drawn(len(values), data.draw(st.binary(min_size=16, max_size=16)), band)
    vectors = camouflage_hull(values, band, (low, high), draws)
    assert (vectors >= low).all() and (vectors <= high).all()
    assert (vectors[0] * (draws.steps - draws.step) + vectors[1] * draws.step == draws.steps * values).all()
    for value, least, most in zip(values, vectors.min(0), vectors.max(0), strict=True):
        first, last = held(value, band, low, high)
        assert least <= first <= value <= last <= most and last - first >= 2 * band


@given(st.integers(1, 5000), st.binary(min_size=16, max_size=16))
def test_who_knows_the_method_and_all_vectors_still_has_many_worlds(band, key):
    """Each inner step of the hull would have led to the same vectors, had it been the truth; some values are near a bound."""
    draws = drawn(40, key, band)
    bounds = (-100_000, 100_000)
    values = np.random.default_rng(1).integers(-60_000, 60_000, 40)
    values[:6] = [
        -100_000,
        -99_000,
        -100_000 + max_displacement(band, draws),
        100_000 - max_displacement(band, draws),
        99_999,
        90_000,
    ]
    vectors = camouflage_hull(values, band, bounds, draws)
    least = steps_of(band)
    worlds = [vectors[0] + (vectors[1] - vectors[0]) // (4 * least) * step for step in range(least, 3 * least + 1)]
    assert (worlds[draws.step - least] == values).all() and len(worlds) == 2 * least + 1
    for step, world in enumerate(worlds, least):
        again = CamouflageDraws(step=step, steps=4 * least, signs=draws.signs, sizes=draws.sizes)
        far = np.minimum(world + 100_000, 100_000 - world) >= max_displacement(band, draws)
        assert (camouflage_hull(world, band, bounds, again)[:, far] == vectors[:, far]).all()
    covered = vectors[0] != vectors[1]
    assert (np.ptp(worlds, axis=0)[covered] >= 2 * band).all()


@given(st.integers(1, 5000), st.binary(min_size=16, max_size=16))
def test_who_is_near_a_bound_does_not_tell_the_step(band, key):
    """Which units stay at their value is the same whatever the step is: else the largest of them would tell it."""
    draws = drawn(50, key, band)
    values = np.linspace(-100_000, 100_000, 50).astype(np.int64)
    moved = {
        tuple((vectors[0] != vectors[1]).tolist())
        for step in (steps_of(band), 2 * steps_of(band), 3 * steps_of(band))
        for vectors in [
            camouflage_hull(
                values,
                band,
                (-100_000, 100_000),
                CamouflageDraws(step=step, steps=draws.steps, signs=draws.signs, sizes=draws.sizes),
            )
        ]
    }
    assert len(moved) == 1


def test_draws_depend_on_key_column_and_unit_alone():
    draws, other = drawn(400), CamouflageDraws.of(KEY, "income", ["new", *(f"p{number}" for number in range(400))], 100)
    assert (
        (other.signs[1:] == draws.signs).all() and (other.sizes[1:] == draws.sizes).all() and other.step == draws.step
    )
    apart = [drawn(400, b"x" * 16), CamouflageDraws.of(KEY, "debt", [f"p{number}" for number in range(400)], 100)]
    for one in apart:
        assert 120 < (one.signs == draws.signs).sum() < 280  # of 400 even tosses: 8 standard deviations, below 1e-15
    steps = {CamouflageDraws.of(bytes([number]) * 16, "income", [], 1).step for number in range(60)}
    assert steps == {1, 2, 3}  # else 3·(2/3)^60 ≈ 1e-10
    assert len({CamouflageDraws.of(bytes([number]) * 16, "income", [], 10_000).step for number in range(60)}) > 30


@given(st.integers(1, 10**6))
def test_bands_are_rounded_up(absolute):
    column = Column(name="x", kind="number", low=-(10**9), high=10**9, step=Fraction(3, 10))
    assert Band(Fraction(absolute)).width(column) == ceil(Fraction(absolute) / column.step)


def test_a_band_that_does_not_fit_or_protects_nothing_is_refused():
    column = Column(name="x", kind="integer", low=0, high=100)
    Band.of(50).width(column)
    with pytest.raises(TacitError, match="twice its band"):
        Band.of(51).width(column)
    for wrong in (0, -1, "x"):
        with pytest.raises(TacitError):
            Band.of(wrong)


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
