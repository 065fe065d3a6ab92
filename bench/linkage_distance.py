"""Distance-based linkage: exact ties, nearest records as fast as the best search there is, and one-to-one links."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bars import ROOT, Bars, child_cpu, spent

if TYPE_CHECKING:
    import numpy as np

DATA = ROOT.parent / "shared" / "data"
ABSENT = "the reference data are not beside the project"
MASKINGS = "noise 10 %", "rank swap", "microaggregation", "noise 50 %"
STEPS = 17, 23, 9, 31, 13
MILLION = """
import resource
from linkage_distance import answered, masked, mixture, spent
answered(mixture(3000, 5), mixture(3000, 5))
points = mixture(10**6, 5)
other = masked(points, "noise 10 %")
seconds = spent(lambda: answered(other, points))[0]
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    answered(mixture(3000, 5), mixture(3000, 5))
    ties(bars)
    few_columns(bars)
    many_columns(bars)
    if bars.smoke:
        one_to_one(bars)
    if bars.quick:
        bars.skipped("nearest of 1e6 x 1e6 x 5, one to one, Census", "it takes longer")
        return
    one_to_one(bars)
    million(bars)
    if DATA.is_dir():
        census(bars)
    else:
        bars.skipped("linkage of Census", ABSENT)


def mixture(n: int, columns: int) -> np.ndarray:
    """Eight clumps, two of the columns skewed, all standardised."""
    import numpy as np

    rng = np.random.default_rng(1)
    clump, centre = rng.integers(0, 8, n), rng.normal(0, 2, (8, columns))
    shape = rng.normal(0, 0.6, (8, columns, columns))
    points = centre[clump]
    for number in range(8):
        rows = np.flatnonzero(clump == number)
        points[rows] += rng.normal(size=(len(rows), columns)) @ shape[number].T
    points[:, :2] = np.exp(points[:, :2] / 2)
    return np.ascontiguousarray((points - points.mean(axis=0)) / points.std(axis=0))


def masked(points: np.ndarray, how: str) -> np.ndarray:
    """The points after one of the maskings."""
    import numpy as np

    rng, n = np.random.default_rng(2), len(points)
    if how.startswith("noise"):
        return points + float(how.split()[1]) / 100 * rng.normal(size=points.shape)
    if how == "rank swap":
        swapped = points.copy()
        for j in range(points.shape[1]):
            order = np.argsort(points[:, j])
            swapped[order, j] = points[order[np.argsort(np.arange(n) + rng.uniform(0, 0.05 * n, n))], j]
        return swapped
    from tacit.protect._microaggregation.partition import partition_points

    group = np.asarray(partition_points(points, 5, rng=rng))
    sums = np.zeros((group.max() + 1, points.shape[1]))
    np.add.at(sums, group, points)
    return (sums / np.bincount(group)[:, None])[group]


def answered(points: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the attack does: like rows taken together, then all nearest of each."""
    import numpy as np

    from tacit.kernels.nearest import Costs, distinct_rows, nearest_points

    ones = np.ones(points.shape[1])
    _, first = distinct_rows(points)
    _, asked = distinct_rows(queries)
    return nearest_points(points[first], queries[asked], Costs(np.zeros(len(ones), dtype=np.int64), ones, ones, ones))


def fastest(files: tuple[np.ndarray, np.ndarray], *works: Callable[[np.ndarray, np.ndarray], Any]) -> list[float]:
    """The least CPU seconds of each work on the files, of three runs side by side."""
    times = [[spent(lambda work=work: work(*files))[0] for work in works] for _ in range(3)]
    return [min(own) for own in zip(*times, strict=True)]


def ties(bars: Bars) -> None:
    """The size of every tie set on a standardised grid of whole numbers, beside exact arithmetic."""
    import numpy as np

    from tacit.kernels.nearest import Costs, nearest_points

    rng, steps = np.random.default_rng(0), np.array(STEPS)
    points = rng.integers(0, 12, (20_000, 5))
    queries = points + rng.integers(-1, 2, points.shape)
    weight = (int(np.prod(steps)) // steps) ** 2
    some = queries[:: 10 if bars.quick else 1]
    scaled = points / (steps / 10), some / (steps / 10)
    truth, by_floats = (np.empty(len(some), dtype=np.int64) for _ in range(2))
    for q in range(len(some)):
        apart = some[q] - points
        total, rounded = apart**2 @ weight, ((scaled[1][q] - scaled[0]) ** 2).sum(1)
        truth[q], by_floats[q] = (total == total.min()).sum(), (rounded == rounded.min()).sum()
    ones = np.ones(5)
    start, _ = nearest_points(*scaled, Costs(np.zeros(5, dtype=np.int64), ones, ones, ones))
    wrong = int((np.diff(start) != truth).sum())
    facts = {"rows with ties": int((truth > 1).sum()), "wrong with ==": int((by_floats != truth).sum())}
    bars.at_most("wrong tie sets on a standardised grid, 2e4 x 5", wrong, 0, **facts)


def few_columns(bars: Bars) -> None:
    """1e5 x 1e5 x 5 beside SciPy's tree."""
    points = mixture(100_000, 5)
    for how in MASKINGS[:1] if bars.quick else MASKINGS:
        ours, tree = fastest((masked(points, how), points), answered, by_tree)
        bars.at_most(
            f"nearest of 1e5 x 5, {how}: CPU / cKDTree k=2", ours / tree, 1.0, at_scale=True, ours=ours, tree=tree
        )


def many_columns(bars: Bars) -> None:
    """2e4 x 2e4 x 13 beside SciPy's tree and scikit-learn's brute force, in both directions."""
    points = mixture(20_000, 13)
    for how in MASKINGS[3:] if bars.quick else MASKINGS:
        other = masked(points, how)
        directions = {"": (other, points), ", turned": (points, other)}
        for direction, files in list(directions.items())[: 1 if bars.quick else 2]:
            ours, tree, brute = fastest(files, answered, by_tree, by_brute_force)
            name = f"nearest of 2e4 x 13, {how}{direction}: CPU / better"
            bars.at_most(name, ours / min(tree, brute), 1.2, ours=ours, tree=tree, brute=brute)


def by_tree(points: np.ndarray, queries: np.ndarray) -> None:
    """SciPy: the two nearest, so that a tie could be seen."""
    from scipy.spatial import cKDTree

    cKDTree(points).query(queries, k=2)


def by_brute_force(points: np.ndarray, queries: np.ndarray) -> None:
    """scikit-learn: the two nearest by products of matrices."""
    from sklearn.neighbors import NearestNeighbors

    NearestNeighbors(n_neighbors=2, algorithm="brute").fit(points).kneighbors(queries)


def one_to_one(bars: Bars) -> None:
    """The assignment of 2,000 people beside the dense one of SciPy, and how 2e4 people are assigned."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    from tacit.attack.one_to_one import assign_one_to_one
    from tacit.kernels.nearest import Costs

    def assign(other: np.ndarray, points: np.ndarray) -> Any:
        ones, each = np.ones(points.shape[1]), np.ones(len(points), dtype=np.int64)
        costs = Costs(np.zeros(len(ones), dtype=np.int64), ones, ones, ones)
        return assign_one_to_one(other, points, costs, supply=each, capacity=each, told=lambda _: None)

    points = mixture(bars.size(1400, quick=1400, smoke=200), 5)
    other = masked(points, "noise 10 %")
    found = assign(other, points)
    apart = ((points[:, None] - other) ** 2).sum(2)
    least = float(apart[linear_sum_assignment(apart)].sum())
    bars.true("one to one, 1400 people: the least total of all", abs(float(found.distance.sum()) / least - 1) < 1e-9)
    points = mixture(bars.size(20_000, quick=20_000, smoke=1000), 5)
    other = masked(points, "noise 10 %")
    seconds, found = spent(lambda: assign(other, points))
    right = float((found.source == found.place).mean())
    bars.stated("one to one, 2e4 x 5, noise 10 %: CPU s", seconds, right=right, left=found.left)


def million(bars: Bars) -> None:
    """1e6 x 1e6 x 5: CPU, and memory with the files and all modules; a matrix of pairs would take 8,000 GB."""
    done = child_cpu([sys.executable, "-c", MILLION], cwd=ROOT / "bench")[1]
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, memory = (float(number) for number in done.stdout.split())
    bars.at_most("nearest of 1e6 x 1e6 x 5, CPU s", seconds, 30, at_scale=True)
    bars.at_most("nearest of 1e6 x 1e6 x 5, GB at the peak", memory, 2, at_scale=True)


def census(bars: Bars) -> None:
    """No more than one third under MDAV k=3, and what each metric and one-to-one find under rank swapping."""
    import polars as pl

    from tacit import Release
    from tacit.attack import Distance, OneToOne
    from tacit.claims import Scenario, Truth, judge
    from tacit.protect import Mdav, RankSwap

    frame = pl.read_csv(DATA / "census.csv").select(pl.selectors.numeric().cast(pl.Float64))
    original = Release(frame, quasi=frame.columns)
    scenario, truth = Scenario.worst_case(original), Truth.by_lineage(None, original.size)
    grouped = Mdav(columns=original.quasi, k=3).apply(original).release
    attacks = {
        "distance": Distance(),
        "distance, Mahalanobis": Distance(metric="mahalanobis"),
        "one to one": OneToOne(),
        "one to one, Mahalanobis": OneToOne(metric="mahalanobis"),
    }
    for name, attack in attacks.items():
        found = judge(attack.claims(grouped, scenario, seed=1), truth).value
        bars.at_most(f"Census, MDAV k=3: {name}", found, 1 / 3, sdcmicro=0.5565)
    for percent in (4, 10, 20):
        swapped = RankSwap(columns=original.quasi, percent=percent).apply(original, seed=1).release
        for name, attack in attacks.items():
            found = judge(attack.claims(swapped, scenario, seed=1), truth).value
            bars.stated(f"Census, rank swap {percent} %: {name}", found)
