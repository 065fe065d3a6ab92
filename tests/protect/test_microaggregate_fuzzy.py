"""What an intruder gains who knows the method: against plain microaggregation much, against the randomised one less."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release
from tacit.loss import squared_error
from tacit.protect import Microaggregate
from tacit.protect.microaggregate import fuzzy_memberships

N, K = 1500, 5


@pytest.fixture(scope="module")
def original():
    rng = np.random.default_rng(11)
    mixing = np.array([[1.0, 0.6, 0.3], [0.0, 0.8, 0.3], [0.0, 0.0, 0.9]])
    return pl.DataFrame(rng.normal(size=(N, 3)) @ mixing, schema=["a", "b", "c"])


def masked(original, **how):
    return Release(original).protect(Microaggregate(columns=["a", "b", "c"], k=K, **how), seed=3)


def nearest_centre(original, published):
    """The intruder knows all of a target and takes the records that show the centre nearest to it (M-05).

    Returns how often the target's own record is among them, and how often a guess among them is right.
    """
    scale = original.std().to_numpy()
    centres, shown = np.unique(published.to_numpy(), axis=0, return_inverse=True)
    apart = ((original.to_numpy() / scale)[:, None, :] - (centres / scale)[None]) ** 2
    guess = apart.sum(axis=2).argmin(axis=1)
    hit = guess == shown.ravel()
    return hit.mean(), (hit / np.bincount(shown.ravel())[guess]).mean()


def intersection(original, published):
    """Columns grouped one by one: a value lies between two centres, and its record shows one of the two (M-05).

    The records that do in every column are the candidates. Returns how often the target's record is among them, and
    how often it is the only one.
    """
    candidates = np.ones((N, N), dtype=bool)
    for column in original.columns:
        centres = np.unique(published[column].to_numpy())
        above = np.searchsorted(centres, original[column].to_numpy())
        low, high = centres[np.maximum(above - 1, 0)], centres[np.minimum(above, len(centres) - 1)]
        shown = published[column].to_numpy()
        candidates &= (shown[None] == low[:, None]) | (shown[None] == high[:, None])
    inside = candidates.diagonal()
    return inside.mean(), (inside & (candidates.sum(axis=1) == 1)).mean()


def likeliest(original, published, groups, m=4.0):
    """How often the record that the target became with the greatest likelihood is the target's own."""
    total = np.zeros((N, N))
    for columns in groups:
        scale = original[columns].std().to_numpy()
        centres, shown = np.unique(published[columns].to_numpy(), axis=0, return_inverse=True)
        squares = (((original[columns].to_numpy() / scale)[:, None] - (centres / scale)[None]) ** 2).sum(axis=2)
        near = np.argsort(squares, axis=1)[:, :8]
        chance = np.full(squares.shape, 1e-6)
        np.put_along_axis(chance, near, fuzzy_memberships(np.take_along_axis(squares, near, 1), m) + 1e-6, 1)
        total += np.log(chance)[:, shown.ravel()]
    tied = total >= total.max(axis=1, keepdims=True) - 1e-9
    return (tied.diagonal() / tied.sum(axis=1)).mean()


def test_the_attack_on_groups_of_several_columns_fails_more_often(original):  # catalogue: E-08, M-05
    plain_inside, plain_right = nearest_centre(original, masked(original).to_native())
    inside, right = nearest_centre(original, masked(original, randomised=2).to_native())
    assert plain_inside > 0.75  # the nearest centre is the record's own
    assert inside < 0.6 * plain_inside
    assert right < 0.6 * plain_right


def test_the_attack_on_columns_one_by_one_is_sure_and_then_fails(original):  # catalogue: E-08, M-05
    plain_inside, plain_sure = intersection(original, masked(original, groups="each").to_native())
    inside, sure = intersection(original, masked(original, groups="each", randomised=4).to_native())
    assert plain_inside == 1  # never wrong: the attack is a proof
    assert plain_sure > 0.9
    assert inside < 0.4
    assert sure < 0.4


def test_whoever_weighs_the_lots_is_right_once_in_k_at_most_but_not_column_by_column(original):  # catalogue: M-05
    """The most likely record by the memberships: k bounds it for groups of all columns; single columns are too exact."""
    together, each = (masked(original, randomised=4, groups=groups).to_native() for groups in ("together", "each"))
    assert likeliest(original, together, [original.columns]) < 1 / K
    assert likeliest(original, each, [[column] for column in original.columns]) > 0.9


def test_k_holds_and_more_fuzziness_moves_more_records_at_a_larger_loss(original):  # catalogue: E-08
    moved, losses = [], []
    for m in (1.05, 1.5, 2.0, 4.0):
        made = masked(original, randomised=m)
        assert made.to_native().group_by(pl.all()).len()["len"].min() >= K
        moved.append(made.trace[0].outcome["moved"].value)
        losses.append(squared_error(made, original=Release(original))[0].value)
    assert moved == sorted(moved) and moved[-1] > 0.5 * N
    assert losses == sorted(losses)
    plain = squared_error(masked(original), original=Release(original))[0].value
    assert plain < losses[0] and losses[2] < 8 * plain < 0.5


def test_what_is_published_are_the_centres_of_the_groups(original):
    """A record takes the values of a group of k or more, whoever draws them: no centre is moved by the lots."""
    plain, drawn = (masked(original, randomised=m).to_native().unique() for m in (1.0000001, 3.0))
    groups = masked(original).to_native().unique()
    for one in (plain, drawn):
        assert one.join(groups, on=["a", "b", "c"], how="anti").height == 0


@given(st.lists(st.floats(0, 100), min_size=2, max_size=8), st.floats(1.1, 5))
def test_memberships_are_those_of_fuzzy_c_means(squares, m):
    shares = fuzzy_memberships(np.array([squares]), m)[0]
    assert shares.sum() == pytest.approx(1)
    if min(squares) > 1e-3:
        slow = [1 / sum((one / other) ** (1 / (m - 1)) for other in squares) for one in squares]
        assert shares.tolist() == pytest.approx(slow, abs=1e-9)


def test_a_centre_is_drawn_as_often_as_its_membership_says():  # 20 000 draws; 30 % off is rejected
    from tacit.protect.microaggregate import _draw_near_centres

    centres = np.array([[0.0], [3.0]])
    points = np.ones((20_000, 1))  # squared distances 1 and 4: memberships 0.8 and 0.2 for m = 2
    share = _draw_near_centres(points, centres, 2.0, np.random.default_rng(1)).mean()
    deviation = np.sqrt(0.2 * 0.8 / 20_000)
    assert abs(share - 0.2) < 4 * deviation < abs(0.2 * 1.3 - share)
