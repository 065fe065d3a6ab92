"""Columns without a role, measured together: the shares by counting, the smallest sets by trying all."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import Release
from tacit.errors import TacitError
from tacit.risk import joint_uniqueness

ROWS = 600


def people(seed: int = 3, columns: int = 6, values: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"sex": rng.choice(["f", "m"], ROWS)})
    return frame.with_columns(
        pl.Series(f"g{j}", [None if v == 0 and j == 1 else int(v) for v in rng.integers(0, values, ROWS)])
        for j in range(columns)
    )


def unique_share(frame: pl.DataFrame, columns: list[str]) -> float:
    counts = Counter(frame.select(columns).rows())
    return sum(size == 1 for size in counts.values()) / frame.height


def minimal_sets(frame: pl.DataFrame, least: float, largest: int) -> set[tuple[str, ...]]:
    """Every set without a smaller one inside that reaches the share: five lines, all subsets."""
    others = [name for name in frame.columns if name != "sex"]
    found: set[tuple[str, ...]] = set()
    for size in range(1, largest + 1):
        for columns in combinations(others, size):
            inside = any(set(one) <= set(columns) for one in found)
            if not inside and unique_share(frame, ["sex", *columns]) >= least:
                found.add(columns)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_shares_and_smallest_sets_are_those_of_trying_all(seed):
    frame = people(seed, values=6)
    result = joint_uniqueness(Release(frame, quasi="sex"), most=100)
    assert result.share_quasi_alone == unique_share(frame, ["sex"]) == 0
    assert result.share_joint == unique_share(frame, frame.columns)
    assert {one.columns for one in result.smallest_sets} == minimal_sets(frame, 0.05, 3) != set()
    assert all(one.share == unique_share(frame, ["sex", *one.columns]) for one in result.smallest_sets)
    assert result.complete


def test_genotypes_that_single_nobody_out_one_by_one_do_so_together():
    frame = people(columns=12)
    result = joint_uniqueness(Release(frame, quasi="sex"), largest=3)
    assert max(unique_share(frame, ["sex", f"g{j}"]) for j in range(12)) == 0
    assert result.share_joint > 0.95
    assert len(result.smallest_sets) == 1 and len(result.smallest_sets[0].columns) > 3, "grown beyond largest"
    assert result.smallest_sets[0].share == unique_share(frame, ["sex", *result.smallest_sets[0].columns]) >= 0.05


def test_engines_agree(tmp_path):
    people(values=5).write_parquet(tmp_path / "people.parquet")
    roles = {"quasi": "sex"}
    held = [tacit.read(tmp_path / "people.parquet", engine=engine).with_roles(roles) for engine in ("polars", "duckdb")]
    first, second = (joint_uniqueness(release) for release in held)
    assert first.as_json() == second.as_json() and first.smallest_sets


def test_of_a_large_file_what_is_searched_in_a_part_is_counted_in_the_whole(monkeypatch):
    module = __import__("tacit.risk.joint_uniqueness", fromlist=["SEARCHED"])
    frame = people(values=6)
    whole = joint_uniqueness(Release(frame, quasi="sex"), most=1)
    monkeypatch.setattr(module, "SEARCHED", 200)
    part = joint_uniqueness(Release(frame, quasi="sex"), most=1)
    assert not part.complete and part.share_joint == whole.share_joint
    found = part.smallest_sets[0]
    assert found.share == unique_share(frame, ["sex", *found.columns]) >= 0.05


def test_only_columns_that_no_role_protects_are_measured():
    frame = people().with_columns(pay=pl.int_range(ROWS), number=pl.int_range(ROWS), w=pl.lit(1.0))
    release = Release(
        frame, quasi=["sex", "g0"], confidential="pay", identifier="number", weight="w", unrestricted="g1"
    )
    assert joint_uniqueness(release).columns == ("g1", "g2", "g3", "g4", "g5", "w")
    assert joint_uniqueness(release, columns="g2").columns == ("g2",)
    assert release.unrestricted == ("g1",) and release.undecided == ("g2", "g3", "g4", "g5")


def test_a_threshold_counts_what_the_columns_add():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"sex": np.arange(ROWS) % 590, "g0": rng.integers(0, 2, ROWS)})
    result = joint_uniqueness(Release(frame, quasi="sex"), threshold=0.1)
    assert result.share_quasi_alone > 0.9 and result.smallest_sets == (), "nearly all are unique without them"


def test_without_quasi_identifiers_and_without_columns():
    frame = people(values=6)
    nobody = joint_uniqueness(Release(frame))
    assert nobody.share_quasi_alone == 0 and nobody.share_joint == unique_share(frame, frame.columns)
    keys = Release(frame, quasi=frame.columns)
    assert joint_uniqueness(keys).share_joint == joint_uniqueness(keys).share_quasi_alone > 0
    assert joint_uniqueness(Release(frame.clear(), quasi="sex")).share_joint == 0


@pytest.mark.parametrize("wrong", [{"threshold": 0}, {"threshold": True}, {"largest": 0}, {"columns": "g99"}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(TacitError):
        joint_uniqueness(Release(people(), quasi="sex"), **wrong)
