"""Ordered t-closeness with missing values: an earth mover's distance that does not know up from down (D-04)."""

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

import tacit
from tacit.kernels.class_spread import ORDERED, VARIATIONAL, whole_of
from tacit.kernels.diversity import spreads_of_counts
from tacit.kernels.rules import meets_rules
from tacit.models import TCloseness
from tacit.models.demand import compile_demands
from tacit.protect import DummyRecords, FullDomain
from tacit.risk import t_closeness


def file_with_gaps(seed: int, *, size: int = 60, classes: int = 6) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, size).astype(float)
    gaps = rng.random(size) < 0.12
    return pl.DataFrame(
        {
            "zip": [f"N{code}" for code in rng.integers(0, classes, size)],
            "pay": [None if gap else value for value, gap in zip(values, gaps, strict=True)],
        }
    )


def described(frame: pl.DataFrame, **more) -> tacit.Release:
    return tacit.Release(
        frame, quasi="zip", confidential="pay", kinds={"pay": "continuous"}, **({"missing": "own"} | more)
    )


def negated(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(-pl.col("pay"))


def transport(group: np.ndarray, whole: np.ndarray) -> float:
    """The cheapest transport by linear programming; the last code is missing."""
    known = len(group) - 1
    order = np.arange(known)
    cost = np.ones((known + 1, known + 1))
    cost[:known, :known] = np.abs(np.subtract.outer(order, order)) / max(1, known - 1)
    cost[known, known] = 0.0
    rows = np.kron(np.eye(known + 1), np.ones(known + 1))
    columns = np.kron(np.ones(known + 1), np.eye(known + 1))
    shares = np.concatenate([group / group.sum(), whole / whole.sum()])
    return float(linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=shares, method="highs").fun)


def measured(group: np.ndarray, whole: np.ndarray, kind: int = ORDERED) -> float:
    code = np.flatnonzero(group)
    laid = whole_of(whole, known=len(whole) - 1)
    return float(spreads_of_counts(np.array([0, len(code)]), code, group[code], kind, 0.0, laid)[0])


def test_it_is_the_cheapest_transport_with_missing_at_distance_one():
    rng = np.random.default_rng(1)
    for _ in range(150):
        known = int(rng.integers(1, 9))
        whole = np.append(rng.integers(1, 6, known), rng.integers(1, 6))
        group = np.array([rng.integers(0, count + 1) for count in whole])
        if group.sum():
            assert measured(group, whole) == pytest.approx(transport(group, whole), abs=1e-9)
            assert measured(group, whole) <= measured(group, whole, VARIATIONAL) + 1e-12
            turned = np.append(group[-2::-1], group[-1]), np.append(whole[-2::-1], whole[-1])
            assert measured(group, whole) == pytest.approx(measured(*turned), abs=1e-12)


def test_no_other_place_for_missing_gives_a_larger_distance():
    """Missing one step above or below, as a code such as -9 has it, or anywhere between the values, which keep their distances."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        whole = np.append(rng.integers(1, 6, 5), 3)
        group = np.append(np.array([rng.integers(0, count + 1) for count in whole[:5]]), rng.integers(1, 4))
        for place, unit in [(-1.0, 5), (5.0, 5), *((place, 4) for place in np.linspace(0, 4, 9))]:
            at = np.append(np.arange(5.0), place)
            assert wasserstein_distance(at, at, group, whole) / unit <= measured(group, whole) + 1e-12


def test_a_verdict_does_not_depend_on_the_sign_of_a_column():
    table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "pay": [1.0, None, 2.0, 3.0]})
    for frame in (table, negated(table)):
        assert t_closeness(described(frame))["pay"].value == pytest.approx(0.375)
        assert not TCloseness(t=0.2).holds(described(frame))
        assert TCloseness(t=0.375).holds(described(frame))
        assert t_closeness(described(frame, missing="any"))["pay"].value == pytest.approx(0.5)


@pytest.mark.parametrize("missing", ["own", "any"])
def test_nobody_s_distance_depends_on_the_sign_of_a_column(missing):
    for seed in range(40):
        frame = file_with_gaps(seed)
        one, other = (
            t_closeness(described(each, missing=missing))["pay"].per_record.values() for each in (frame, negated(frame))
        )
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_the_searches_judge_a_class_as_the_measure_does():
    """Each class alone, by the rules that full-domain search, clustering and Mondrian ask."""
    for seed in range(20):
        release = described(file_with_gaps(seed))
        distances = t_closeness(release)["pay"].per_record.values()
        of_record = release.classes().of_record
        for t in (0.15, 0.25, 0.35):
            wanted = compile_demands(release, [TCloseness(t=t)])
            room = np.zeros(int(wanted.cells.first[-1]), dtype=np.int64)
            for group in range(release.classes().count):
                good = meets_rules(wanted.rules, wanted.cells, np.array([group]), room, room.copy())
                assert good == (distances[of_record == group][0] <= t + 1e-12)


def test_the_lattice_search_releases_the_same_of_a_column_and_its_negative():
    hierarchy = {"zip": {"groups": {"low": ["N0", "N1", "N2"], "high": ["N3", "N4", "N5"]}}}
    for seed in range(6):
        frame = file_with_gaps(seed, size=120)
        levels = [
            described(each, hierarchies=hierarchy).protect(FullDomain(models=[TCloseness(t=0.2)])).release.levels
            for each in (frame, negated(frame))
        ]
        assert levels[0] == levels[1]


def test_dummies_bring_a_class_with_gaps_as_near_as_the_measure_asks():
    for seed in range(8):
        for frame in (file_with_gaps(seed), negated(file_with_gaps(seed))):
            masked = described(frame).protect(DummyRecords(t=0.15), seed=1)
            assert t_closeness(masked)["pay"].value <= 0.15
            assert masked.release.size < 3 * len(frame)
