"""Normal numbers from random words: normal out to the tail, whatever the length and the spare words."""

import numpy as np
import pytest
from scipy import stats

from tacit.kernels.normals import EDGE, add_normals, settle_outside

N = 2_000_000


def words(count, key):
    return np.random.default_rng(key).integers(0, 2**64, count, dtype=np.uint64)


def normals(count=N, key=0, spare=N // 16):
    out, drawn, start = np.empty(count), words(N, key)[:count], np.zeros(count)
    start.flags.writeable = False  # as they are in the package
    outside = add_normals(drawn, start, 1.0, out)
    done = used = 0
    while done < len(outside):
        done, used = settle_outside(drawn, outside, done, words(spare, key + 100), used, 1.0, out)
        spare *= 2
    return out


def test_spare_words_that_run_out_are_followed_by_more():
    assert (normals(20_000, spare=8) == normals(20_000)).all()


def test_the_numbers_are_normal_and_a_wider_law_is_rejected():
    values = normals()
    assert stats.kstest(values, "norm").pvalue > 1e-4
    assert stats.kstest(values * 1.01, "norm").pvalue < 1e-10
    for power, wanted, error in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs((values**power).mean() - wanted) < 5 * np.sqrt(error / N)


@pytest.mark.parametrize("edge", [0.5, 2, 3.5, 3.7, 4.0, 4.5])
def test_every_part_of_the_tail_has_its_share(edge):
    """3.65 is where the layers end and the tail has a way of its own."""
    values = normals(key=3)
    for count in ((values > edge).sum(), (values < -edge).sum()):
        wanted = N * stats.norm.sf(edge)
        assert abs(count - wanted) < 5 * np.sqrt(wanted) + 1


def test_the_first_numbers_are_the_same_for_every_length_and_keys_differ():
    assert (normals(1000) == normals(5000)[:1000]).all()
    assert not (normals(1000) == normals(1000, key=1)).any()


def test_the_far_tail_has_the_shape_of_the_normal_one():
    """All words lead to the tail, which one draw in 4000 does otherwise: 11 standard errors from an exponential one."""
    count = 400_000
    beyond = np.full(count, np.uint64((1 << 63) - 256))
    spare = words(4 * count, 5)
    out = np.zeros(count)
    done, _ = settle_outside(beyond, np.arange(count, dtype=np.int32), 0, spare, 0, 1.0, out)
    assert done == count
    assert out.min() > EDGE
    for edge in (3.8, 4.0, 4.5):
        share = stats.norm.sf(edge) / stats.norm.sf(EDGE)
        assert abs((out > edge).mean() - share) < 5 * np.sqrt(share * (1 - share) / count)
