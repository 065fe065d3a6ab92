import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Release, TacitError
from tacit.protect import DataSwap


def table(rows=600, seed=1):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "town": rng.choice(["a", "b", "c"], rows),
            "sex": rng.choice(["f", "m"], rows),
            "job": rng.choice(["cook", "clerk", "mayor"], rows, p=[0.6, 0.39, 0.01]),
            "ill": rng.choice(["flu", "acne", "none"], rows, p=[0.2, 0.1, 0.7]),
        }
    )


def test_a_swap_is_an_exchange_of_pairs_with_other_values():
    before = table().with_columns(ill=pl.Series([f"{i}" for i in range(600)]))
    after = Release(before).protect(DataSwap(columns="ill", share=0.25), seed=3).release.to_native()
    new_of = {int(old): int(new) for old, new in zip(before["ill"], after["ill"], strict=True)}
    pairs = {tuple(sorted(pair)) for pair in new_of.items() if pair[0] != pair[1]}
    assert all(new_of[new_of[old]] == old for old in new_of)
    assert len(pairs) == 75


@given(st.integers(2, 80), st.floats(0.1, 1), st.booleans(), st.integers(0, 999))
def test_counts_within_strata_are_kept_exactly(rows, share, different, seed):
    before = table(rows, seed)
    release = Release(before)
    swap = DataSwap(columns=["ill", "job"], share=share, within="town", different=different)
    try:
        masked = release.protect(swap, seed=seed)
    except TacitError as problem:
        assert "makes no pair" in str(problem) or "nowhere two different" in str(problem)
        return
    after = masked.release.to_native()
    keys = ["town", "ill", "job"]
    assert before.group_by(keys).len().sort(keys).equals(after.group_by(keys).len().sort(keys))
    assert after.select("town", "sex").equals(before.select("town", "sex"))
    changed = ((after["ill"] != before["ill"]) | (after["job"] != before["job"])).sum()
    swapped = masked.trace[0].outcome["swapped"].value["records"]
    assert swapped <= share + 1e-6
    assert changed == round(swapped * rows) if different else changed <= round(swapped * rows)


def test_risky_records_come_first():  # catalogue: E-05
    before = table(2000)
    release = Release(before, quasi=["town", "sex", "job"])
    size = release.classes().size().per_record().values()
    risky = size < 8
    assert 10 < risky.sum() < 100
    numbered = release.with_columns({"ill": pl.Series([f"{i}" for i in range(2000)])})
    masked = numbered.protect(DataSwap(columns="ill", share=0.1, target="risk", k=8), seed=5)
    moved = (masked.release.series("ill") != numbered.series("ill")).to_numpy()
    assert moved[risky].all() and moved.sum() == 200
    found = masked.trace[0].outcome
    assert found["risky"].value == {"records": int(risky.sum())} and found["risky_in_place"].value == {"records": 0}
    plain = numbered.protect(DataSwap(columns="ill", share=0.1), seed=5)
    untargeted = (plain.release.series("ill") != numbered.series("ill")).to_numpy()
    assert untargeted[risky].mean() < 0.5
    # partners, and those drawn beside the risky ones, are anyone: neither the start nor the end of the file
    others = np.flatnonzero(moved & ~risky)
    assert abs(others.mean() - 1000) < 5 * 2000 / np.sqrt(12 * len(others))


def test_missing_values_and_households():
    before = table().with_columns(
        home=pl.Series([i // 3 for i in range(600)]),
        rent=pl.Series([None if i // 3 % 5 == 0 else i // 3 % 7 for i in range(600)], dtype=pl.Int64),
        ill=pl.when(pl.Series([i % 4 == 0 for i in range(600)])).then(pl.lit(None)).otherwise(pl.col("ill")),
    )
    release = Release(before, household="home")
    masked = release.protect(DataSwap(columns=["rent", "ill"], share=0.5), seed=5)
    after = masked.release.to_native()
    for name in ("rent", "ill"):
        assert after[name].is_null().equals(before[name].is_null())
        assert after[name].sort().equals(before[name].sort())
        assert not after[name].equals(before[name])
    assert after.group_by("home").agg(pl.col("rent").n_unique())["rent"].max() == 1
    assert masked.trace[0].outcome["swapped"].value == {"records": 0.373333, "households": 0.4}


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"share": 0}, "no share"),
        ({"share": 1.1}, "no share"),
        ({"share": "all"}, "no share"),
        ({"share": 0.1, "target": "rich", "k": 3}, "use one of risk"),
        ({"share": 0.1, "target": "risk"}, "belong together"),
        ({"share": 0.1, "k": 3}, "belong together"),
        ({"share": 0.1, "target": "risk", "k": 1}, "k=1"),
        ({"share": 0.1, "within": "ill"}, "makes the strata and is masked"),
        ({"share": 0.1, "different": 1}, "neither true nor false"),
    ],
)
def test_parameters_are_checked(wrong, text):
    with pytest.raises(TacitError, match=text):
        DataSwap(columns="ill", **wrong)


def test_mistakes_are_answered():
    release = Release(table().with_columns(same=pl.lit("x")), quasi="job")
    with pytest.raises(TacitError, match="seed=7"):
        release.protect(DataSwap(columns="ill", share=0.1))
    with pytest.raises(TacitError, match=r"share=0\.00334 or more"):
        release.protect(DataSwap(columns="ill", share=0.001), seed=1)
    with pytest.raises(TacitError, match="it is constant"):
        release.protect(DataSwap(columns="same", share=0.1), seed=1)
    with pytest.raises(TacitError, match="coarser strata"):
        release.protect(DataSwap(columns="same", share=0.1, within="town"), seed=1)
    with pytest.raises(TacitError, match="no quasi-identifier"):
        Release(table()).protect(DataSwap(columns="ill", share=0.1, target="risk", k=3), seed=1)
