from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from tacit.protect._swapping.pairs import match_partners


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), min_size=1, max_size=60), st.integers(0, 2**32))
def test_partners_are_of_the_group_and_of_another_label(units, seed):
    group, label = (np.array(part) for part in zip(*units, strict=True))
    rng = np.random.default_rng(seed)
    partner = match_partners(rng.permutation(len(group)), group, label, most=len(group), rng=rng)
    moved = np.flatnonzero(partner >= 0)
    assert (partner[partner[moved]] == moved).all()
    assert (group[partner[moved]] == group[moved]).all() and (group[moved] >= 0).all()
    assert (label[partner[moved]] != label[moved]).all()
    for g in range(4):  # nobody is left who could have met: all that remain in a group have one label
        assert len(set(label[(group == g) & (partner < 0)].tolist())) <= 1


def test_the_partner_is_uniform_among_those_that_differ():
    label = np.array([0, 0, 0, 1, 2, 2])
    group = np.zeros(6, dtype=int)
    rng = np.random.default_rng(1)
    drawn = Counter(int(match_partners(np.array([0]), group, label, most=1, rng=rng)[0]) for _ in range(9000))
    assert set(drawn) == {3, 4, 5}
    bound = chi2.isf(1e-6, 2)
    assert sum((count - 3000) ** 2 / 3000 for count in drawn.values()) < bound
    tilted = np.array([1.3, 1, 1]) / 3.3 * 9000
    assert sum((drawn[3 + i] - tilted[i]) ** 2 / tilted[i] for i in range(3)) > bound


def test_the_number_of_pairs_is_limited_and_seekers_come_in_turn():
    group, label = np.zeros(100, dtype=int), np.arange(100)
    partner = match_partners(np.arange(100), group, label, most=3, rng=np.random.default_rng(2))
    assert (partner >= 0).sum() == 6
    assert partner[0] >= 0


def test_one_value_that_is_nearly_everywhere_costs_no_quadratic_time():
    label = np.zeros(200_000, dtype=int)
    label[:20_000] = 1
    rng = np.random.default_rng(3)
    partner = match_partners(rng.permutation(200_000), np.zeros(200_000, dtype=int), label, most=100_000, rng=rng)
    assert (partner >= 0).sum() == 40_000
