"""Several synthetic files of one release."""

import polars as pl
import pytest

from tacit import Release, TacitError
from tacit.loss import combine_estimates
from tacit.protect import DpIdentity, SynthTrees, implicates


def release() -> Release:
    return Release(pl.DataFrame({"sex": list("fm") * 100, "pay": [float(i * i % 97) for i in range(200)]}))


def test_each_file_has_draws_of_its_own_and_seeds_repeat():  # catalogue: L-01
    files, again = (implicates(release(), SynthTrees(leaf=5), 3, seed=7) for _ in range(2))
    frames = [m.to_native() for m in files]
    assert not frames[0].equals(frames[1]) and not frames[1].equals(frames[2])
    assert all(one.equals(other.to_native()) for one, other in zip(frames, again, strict=True))
    plain = release().protect(SynthTrees(leaf=5), seed=7).to_native()
    assert not any(plain.equals(frame) for frame in frames)


def test_estimates_of_several_files_are_put_together():
    files = implicates(release(), SynthTrees(leaf=5), 5, seed=7)
    pays = [m.to_native()["pay"] for m in files]
    found = combine_estimates([pay.mean() for pay in pays], [pay.var() / 200 for pay in pays], synthesis="full")
    assert found.interval[0] < release().to_native()["pay"].mean() < found.interval[1]


def test_mistakes_are_said():
    with pytest.raises(TacitError, match="count=1"):
        implicates(release(), SynthTrees(leaf=5), 1, seed=7)
    with pytest.raises(TacitError, match="got no seed"):
        implicates(release(), SynthTrees(leaf=5), 3)
    with pytest.raises(TacitError, match="spend epsilon=1 again"):
        implicates(release(), DpIdentity(columns="pay", epsilon=1, bounds={"pay": [0, 100]}), 3, seed=7)


def test_progress_runs_once_over_all_files():
    told = []
    implicates(release(), SynthTrees(leaf=5), 2, seed=7, progress=lambda step, share: told.append(share))
    assert told == sorted(told) and told[0] == 0 and told[-1] == 1
