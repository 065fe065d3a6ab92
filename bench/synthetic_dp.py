"""Private synthesis on Adult beside independent columns with the same budget, and audits of whole runs on neighbouring files."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

import tacit.dp.mechanisms.gaussian as gaussian_mechanism
from tacit import Release
from tacit.dp import AuditResult, Cost, Gaussian, audit
from tacit.dp.accounting import zcdp_rho
from tacit.protect import DpMarginals, DpNetwork
from tacit.protect._synthetic.discrete.axes import Axis
from tacit.protect._synthetic.discrete.beliefs import chain_of
from tacit.protect._synthetic.discrete.chain import draw_chain
from tacit.protect._synthetic.discrete.coded_records import CodedRecords
from tacit.protect._synthetic.discrete.max_entropy import joined_tree
from tacit.protect._synthetic.discrete.reconcile import estimate_total, reconcile_marginals
from tacit.protect._synthetic.private.params import affordable_rho, axes_of, counted_on
from tacit.protect._synthetic.private.spending import Spending
from tacit.protect.dp_marginals import measured_marginals

ADULT = ROOT.parent / "shared" / "data" / "adult" / "adult.csv"
DELTA = 1e-9
EPSILONS = (0.1, 1, 10)
CONFIDENCE = 1 - 1e-4
"""A right program is refuted in one of ten thousand audits."""


def bars(bars: Bars) -> None:
    """The bars of this part."""
    if ADULT.exists():
        _workload(bars, EPSILONS[1:2] if bars.quick else EPSILONS, runs=1 if bars.quick else 5)
    else:
        bars.skipped("private synthesis: workload error on Adult", "the reference data are not beside the project")
    _audits(bars)
    _engine(bars)


def declared(frame: pl.DataFrame) -> dict[str, Any]:
    """The domain of Adult as its documentation has it: categories by name, ages from 17 to 90."""
    texts = [column for column in frame.columns if frame.schema[column] == pl.String]
    return {
        "categories": {column: sorted(frame[column].unique().to_list()) for column in texts},
        "bounds": {"age": [17, 90]},
    }


def _workload(bars: Bars, epsilons: Sequence[float], runs: int) -> None:
    """Mean over all pairs and triples of columns of the L1 distance of their shares; half of it is total variation."""
    frame = pl.read_csv(ADULT, separator=";")
    release, domain = Release(frame), declared(frame)
    for epsilon in epsilons:
        said = {"epsilon": epsilon, "delta": DELTA, **domain}
        axes = axes_of(DpNetwork(**said), release)
        truth = counted_on(axes, release).counted
        known = {ways: [truth.table(of) / truth.records for of in _sets(truth, ways)] for ways in (1, 2, 3)}
        found: dict[str, list[list[float]]] = {}
        seconds: dict[str, float] = {}
        for name, run in _ways(said, axes, release, truth).items():
            used, made = spent(lambda run=run: [run(turn) for turn in range(runs)])
            seconds[name] = used / runs
            found[name] = [[_error(one, known[ways], ways) for ways in (1, 2, 3)] for one in made]
        alone = np.mean(found.pop("independent columns"), axis=0)
        for name, errors in found.items():
            ours = np.mean(errors, axis=0)
            for place, ways in ((1, "pairs"), (2, "triples")):
                bars.below(
                    f"{name}, ε = {epsilon}: L1 error of {ways}",
                    float(ours[place]),
                    float(alone[place]),
                    total_variation=float(ours[place] / 2),
                    worst_run=float(np.max(errors, axis=0)[place]),
                    records=truth.records,
                    delta=DELTA,
                )
            bars.stated(f"{name}, ε = {epsilon}: L1 error of columns", float(ours[0]), independent=float(alone[0]))
            bars.stated(f"{name}, ε = {epsilon}: CPU s", seconds[name])


def _sets(counted: CodedRecords, ways: int) -> Iterator[tuple[int, ...]]:
    return combinations(range(len(counted.sizes)), ways)


def _error(made: CodedRecords, known: Sequence[np.ndarray], ways: int) -> float:
    tables = (made.table(of) / made.records for of in _sets(made, ways))
    return float(np.mean([np.abs(one - other).sum() for one, other in zip(tables, known, strict=True)]))


def _ways(
    said: dict[str, Any], axes: Sequence[Axis], release: Release, truth: CodedRecords
) -> dict[str, Callable[[int], CodedRecords]]:
    def of(method: DpMarginals | DpNetwork) -> Callable[[int], CodedRecords]:
        return lambda turn: counted_on(axes, method.apply(release, seed=turn).release).counted

    def independent(turn: int) -> CodedRecords:
        """All of ρ on the columns, reconciled and drawn by the same program."""
        spending, columns = Spending(truth, affordable_rho(DpMarginals(**said))), [axis.column for axis in axes]
        share = spending.remaining_rho / len(columns)
        measured = [spending.noisy_table((axis,), share, "columns") for axis in range(len(columns))]
        tree = joined_tree((), truth.sizes, columns)
        logs = reconcile_marginals(tree, truth.sizes, measured).logs
        nobody = np.zeros((round(estimate_total(measured)), len(columns)), dtype=np.int64)
        chain = chain_of(tree, logs, truth.sizes)
        return CodedRecords(draw_chain(chain, nobody, truth.sizes, np.random.default_rng(turn), even=True), truth.sizes)

    return {
        "independent columns": independent,
        "marginals": of(DpMarginals(**said)),
        "network": of(DpNetwork(**said, degree=2)),
    }


WORST = {"delta": 1e-3, "categories": {"x": ["a", "b"], "y": ["a", "b"]}, "bounds": {}}
"""Two columns of two categories: tables, a choice and all of ρ. With a δ that runs can see, ε is as tight as it gets."""


def _audits(bars: Bars) -> None:
    """Whole runs on a file and one with one record more, which stands alone in its cell; each judged by two statistics."""
    runs = [(DpNetwork(**WORST, epsilon=epsilon), 3000) for epsilon in EPSILONS]
    runs.append((DpMarginals(**WORST, epsilon=EPSILONS[-1]), 1500))
    for method, count in [(DpNetwork(**WORST, epsilon=1), 100)] if bars.quick else runs:
        name = f"{type(method).__name__}, ε = {method.epsilon}"
        used, outcomes = spent(lambda m=method, r=count: [_runs(m, _cells)(more, r) for more in (0, 1)])
        alone = [[one[3] for one in found] for found in outcomes]
        for what, found in (("the cell of one person", alone), ("all four cells", outcomes)):
            judged = _audited(found, Cost.of(method.epsilon, method.delta), count)
            bars.at_most(f"{name}: audited ε, {what}", judged.lower, method.epsilon, runs=count, cpu=used)
        judged = _audited(alone, Cost(affordable_rho(method), unit="rho"), count)
        bars.true(f"{name}: refuted at no ε of its ρ", judged.holds, lower=judged.lower, at=judged.epsilon)
    _power(bars, 400 if bars.quick else 2000)


def _audited(outcomes: list[list[Any]], declared: Cost, runs: int) -> AuditResult:
    return audit(lambda side, _: outcomes[side], 0, 1, declared=declared, runs=runs, confidence=CONFIDENCE)


def _power(bars: Bars, runs: int) -> None:
    """One column, so that all of ρ is one table whose exact profile is known: 30 % less noise must be found."""
    one = DpNetwork(epsilon=10.7, delta=1e-5, categories={"x": ["a", "b"]}, bounds={})
    profile = Gaussian(sensitivity=Fraction(1), rho=affordable_rho(one), neighbours="add_remove")
    promised = Cost.of("0.5", profile.delta_at(0.5))
    right = audit(_runs(one, _single), 0, 1, declared=promised, runs=runs, confidence=CONFIDENCE)
    bars.true("network, one column: exact profile not refuted", right.holds, lower=right.lower)
    with _less_noise(0.7):
        wrong = audit(_runs(one, _single), 0, 1, declared=promised, runs=runs, confidence=0.95)
    bars.true("network, one column: 30 % less noise is refuted", not wrong.holds, lower=wrong.lower, promised=0.5)


@contextmanager
def _less_noise(share: float) -> Iterator[None]:
    scale = gaussian_mechanism.gaussian_scale
    gaussian_mechanism.gaussian_scale = lambda *given: share * scale(*given)
    try:
        yield
    finally:
        gaussian_mechanism.gaussian_scale = scale


def _runs(method: DpMarginals | DpNetwork, shown: Callable[[pl.DataFrame], Any]) -> Callable[[int, int], list[Any]]:
    def run(more: int, runs: int) -> list[Any]:
        frame = pl.DataFrame({"x": ["a"] * 20 + ["b"] * more, "y": ["a"] * 20 + ["b"] * more})
        release = Release(frame)
        return [shown(method.apply(release, seed=turn).to_native()) for turn in range(runs)]

    return run


def _cells(made: pl.DataFrame) -> tuple[int, ...]:
    counts = np.bincount(2 * (made["x"] == "b").to_numpy() + (made["y"] == "b").to_numpy(), minlength=4)
    return tuple(counts.tolist())


def _single(made: pl.DataFrame) -> int:
    return int((made["x"] == "b").sum())


def _engine(bars: Bars) -> None:
    """Private-PGM and our descent on the same noisy counts, where it is installed (extra mbi)."""
    if importlib.util.find_spec("mbi") is None:
        bars.skipped("private-PGM beside our descent", "mbi is not installed: pip install 'tacit[mbi]'")
        return
    from tacit.protect.dp_marginals import reconciled_by_mbi

    rng = np.random.default_rng(3)
    base = rng.integers(0, 6, 20_000)
    sizes = (6, 5, 4, 3)
    places = np.column_stack(
        [np.where(rng.random(20_000) < 0.6, base, rng.integers(0, 6, 20_000)) % size for size in sizes]
    )
    spending = Spending(CodedRecords(places, sizes), zcdp_rho(1, delta=DELTA))
    columns = ["a", "b", "c", "d"]
    sets, measured = measured_marginals(spending, columns)
    tree = joined_tree(sets, sizes, columns)
    ours_used, ours = spent(lambda: reconcile_marginals(tree, sizes, measured))
    used, theirs = spent(lambda: reconciled_by_mbi(tree, sizes, measured))
    gaps = [float(np.abs(ours.share(one) - theirs.share(one)).sum()) for one in sets]
    bars.at_most(
        "private-PGM beside our descent: largest L1 gap of a pair", max(gaps), 0.02, cpu=used, ours_cpu=ours_used
    )
