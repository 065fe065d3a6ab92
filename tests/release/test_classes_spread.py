"""How values spread within classes and match sets: every kind against a slow oracle, on every engine."""

from __future__ import annotations

import math
from collections import Counter
from typing import get_args

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import digamma
from tests.lazily import relation

from tacit import Release, TacitError
from tacit.release.classes.spread import Spread
from tacit.risk.tree import tree_of

cell = st.sampled_from(["a", "b", None])
value = st.sampled_from(["1a", "1b", "2a", "2b", "3c", None])
rows = st.lists(st.tuples(cell, cell, value), min_size=1, max_size=30)
KINDS = [
    *((kind, 0.0) for kind in get_args(Spread) if kind not in ("recursive", "ratio", "hierarchical")),
    *(("recursive", c) for c in (0.5, 1.0, 3.0)),
    *(("ratio", absent) for absent in (0.0, 1.0)),
]
PREFIXES = {"s": {"prefix": [2, 1]}}


def release_of(table, missing):
    frame = pl.DataFrame(table, schema={"p": pl.String, "q": pl.String, "s": pl.String}, orient="row")
    return Release(frame, quasi=["p", "q"], confidential="s", missing=missing, hierarchies=PREFIXES)


def inside(table, missing):
    """For each record the values that count of those who match it, and all values of the file that count."""

    def agree(one, other):
        wild = missing == "any"
        return all(x == y or (wild and (x is None or y is None)) for x, y in zip(one[:2], other[:2], strict=True))

    def known(values):
        return [value for value in values if missing == "own" or value is not None]

    sets = [known(other[2] for other in table if agree(one, other)) for one in table]
    return sets, known(row[2] for row in table)


def corrected(n):
    return digamma(n) + 0.5 * (-1) ** n * (digamma((n + 1) / 2) - digamma(n / 2))


def moved(p, q, cost):
    """The earth mover's distance of two laws, as a linear program."""
    m = len(p)
    leaving, arriving = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    return float(linprog(cost.ravel(), A_eq=np.vstack([leaving, arriving]), b_eq=np.concatenate([p, q])).fun)


def oracle(kind, extra, values, everybody):
    """The definition, from lists of values."""
    if not values:
        return 0.0
    n, whole = Counter(values), Counter(everybody)
    p = {v: n[v] / len(values) for v in whole}
    q = {v: whole[v] / len(everybody) for v in whole}
    falling = sorted(n.values(), reverse=True)
    gains = {v: (p[v] - q[v]) / q[v] for v in whole}
    order = sorted(whole, key=lambda v: (v is None, v))
    match kind:
        case "distinct":
            return len(n)
        case "entropy":
            return math.exp(-sum(p[v] * math.log(p[v]) for v in n))
        case "grassberger":
            estimate = corrected(len(values)) - sum(c * corrected(c) for c in falling) / len(values)
            return min(len(n), math.exp(estimate))
        case "recursive":
            return max([0, *(l + 1 for l in range(len(n)) if falling[0] < extra * sum(falling[l:]))])  # noqa: E741
        case "others":
            return len(values) - falling[0]
        case "largest":
            return falling[0] / len(values)
        case "variational":
            return sum(abs(p[v] - q[v]) for v in whole) / 2
        case "ordered":
            known = [v for v in order if v is not None]
            apart = [
                [
                    0.0
                    if a == b
                    else 1.0
                    if None in (a, b)
                    else abs(known.index(a) - known.index(b)) / (len(known) - 1)
                    for b in order
                ]
                for a in order
            ]
            return moved(np.array([p[v] for v in order]), np.array([q[v] for v in order]), np.array(apart))
        case "gain":
            return max(gains.values())
        case "enhanced":
            return math.inf if any(gains[v] > -math.log(q[v]) + 1e-12 for v in whole) else max(gains.values())
        case "ratio":
            if extra and len(n) < len(whole):
                return math.inf
            return max(abs(math.log2(p[v] / q[v])) for v in n)


def transport(values, everybody):
    """The earth mover's distance on the tree value → first character → root, as a linear program."""
    whole = sorted(set(everybody), key=str)
    p = np.array([values.count(v) / len(values) for v in whole])
    q = np.array([everybody.count(v) / len(everybody) for v in whole])

    def apart(one, other):
        if one == other:
            return 0.0
        return 0.5 if None not in (one, other) and one[0] == other[0] else 1.0

    cost = np.array([apart(one, other) for one in whole for other in whole])
    m = len(whole)
    leaving, arriving = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    return linprog(cost, A_eq=np.vstack([leaving, arriving]), b_eq=np.concatenate([p, q])).fun


@pytest.mark.parametrize("missing", ["own", "any"])
@settings(max_examples=30)
@given(rows)
def test_every_kind_is_its_definition(missing, table):
    # catalogue: D-02 D-03 D-04 B-07 under both policies for missing values
    sets, everybody = inside(table, missing)
    if not everybody:
        return
    matches = release_of(table, missing).matches()
    for kind, extra in KINDS:
        expected = [oracle(kind, extra, values, everybody) for values in sets]
        found = matches.spread("s", kind, extra).per_record().values().tolist()
        assert found == pytest.approx(expected, abs=1e-9 if kind == "ordered" else 1e-11), kind


@pytest.mark.parametrize("missing", ["own", "any"])
@settings(max_examples=15)
@given(rows)
def test_the_tree_distance_is_the_cheapest_transport(missing, table):
    # catalogue: D-04, hierarchical earth mover's distance
    sets, everybody = inside(table, missing)
    if not everybody:
        return
    release = release_of(table, missing)
    found = release.matches().spread("s", "hierarchical", tree=tree_of(release, "s")).per_record().values()
    for place, values in enumerate(sets):
        expected = transport(values, everybody) if values else 0.0
        assert found[place] == pytest.approx(expected, abs=1e-8)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 11)), min_size=1, max_size=30))
def test_a_deeper_tree_too(table):
    """Four levels with heights 1/3, 2/3 and 1, from a code list."""
    names = {f"v{i:02}": [f"v{i:02}", f"g{i // 2}", f"h{i // 6}", "*"] for i in range(12)}
    frame = pl.DataFrame([(q, f"v{i:02}") for q, i in table], schema=["q", "s"], orient="row")
    hierarchy = {"table": {name: levels[1:3] for name, levels in names.items()}}
    release = Release(frame, quasi="q", confidential="s", hierarchies={"s": hierarchy})
    found = release.matches().spread("s", "hierarchical", tree=tree_of(release, "s")).per_record().values()
    whole = sorted(set(frame["s"]))
    apart = [[next(h for h in range(4) if names[x][h] == names[y][h]) / 3 for y in whole] for x in whole]
    m = len(whole)
    both = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])
    q = np.array([(frame["s"] == v).mean() for v in whole])
    for place, (key, _) in enumerate(table):
        mine = frame.filter(pl.col("q") == key)["s"]
        p = np.array([(mine == v).mean() for v in whole])
        expected = linprog(np.ravel(apart), A_eq=both, b_eq=np.concatenate([p, q])).fun
        assert found[place] == pytest.approx(expected, abs=1e-8)


def skewed(count, seed):
    rng = np.random.default_rng(seed)
    shares = [0.4, 0.3, 0.1, 0.1, 0.05, 0.05]
    return pl.DataFrame(
        {
            "p": (rng.zipf(1.5, count) % 40).astype(str),
            "q": rng.choice(["f", "m", None], count, p=[0.5, 0.48, 0.02]).tolist(),
            "s": rng.choice(["u", "v", "w", "x", "y", None], count, p=shares).tolist(),
        }
    )


LAZY = [(kind, extra) for kind, extra in KINDS if kind not in ("ordered", "grassberger")]


def same(lazy, memory):
    for kind, extra in LAZY:
        one, other = memory.spread("s", kind, extra), lazy.spread("s", kind, extra)
        assert (other.smallest, other.largest) == pytest.approx((one.smallest, one.largest), abs=1e-12), kind
        middle = float(np.median(one.per_class))
        assert (other.below(middle), other.above(middle)) == (one.below(middle), one.above(middle)), kind
        yield kind, one.per_record().values(), other


@pytest.mark.parametrize("missing", ["own", "any"])
@pytest.mark.parametrize("count", [60, 5000])
def test_duckdb_gives_the_same_numbers(missing, count):
    frame = skewed(count, count)
    keys = ["p", "q"] if missing == "own" else ["p"]  # a key that matches anything is no group-by
    memory, lazy = (Release(given, quasi=keys, confidential="s", missing=missing) for given in (frame, relation(frame)))
    for kind, expected, found in same(lazy.matches(), memory.matches()):
        assert np.allclose(found.per_record().values(), expected), kind


def test_spark_gives_the_same_numbers(spark):
    frame = skewed(500, 7)
    given = spark.createDataFrame(frame.rows(), frame.columns)
    memory, lazy = (Release(table, quasi=["p", "q"], confidential="s", missing="own") for table in (frame, given))
    for kind, extra in (("enhanced", 0.0), ("recursive", 1.0)):  # few: every number is a job of seconds
        one, other = (release.matches().spread("s", kind, extra) for release in (memory, lazy))
        middle = float(np.median(one.per_class))
        assert other.below(middle) == one.below(middle), kind
    rows = other.records.select("__tacit_row", "value").collect("polars").to_native().sort("__tacit_row")
    assert np.allclose(rows["value"], one.per_record().values())


@pytest.mark.parametrize("kind", ["ordered", "hierarchical", "grassberger"])
def test_what_is_no_group_by_is_refused_with_a_remedy(kind):
    release = Release(relation(skewed(20, 0)), quasi="p", confidential="s", missing="own")
    with pytest.raises(TacitError, match="(?s)column 's' .*engine='polars'"):
        release.matches().spread("s", kind)


def test_a_tree_needs_a_hierarchy_of_the_values_as_they_are():
    plain = Release(pl.DataFrame({"q": ["a"], "s": ["1a"]}), quasi="q", confidential="s")
    with pytest.raises(TacitError, match="column 's' has no hierarchy"):
        tree_of(plain, "s")
    coarse = release_of([("a", "b", "1a")], "own").with_columns({"s": np.array(["1*"])}, levels={"s": 1})
    with pytest.raises(TacitError, match="column 's' was generalised"):
        tree_of(coarse, "s")


subset = st.lists(st.sampled_from("pqr"), min_size=1, max_size=3, unique=True)


@pytest.mark.parametrize("missing", ["own", "any"])
@settings(max_examples=20)
@given(st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=25), st.lists(subset, min_size=1, max_size=3))
def test_sizes_on_subsets_of_the_keys(missing, table, subsets):
    # catalogue: D-01 on chosen subsets
    frame = pl.DataFrame(table, schema=dict.fromkeys("pqr", pl.String), orient="row")
    found = Release(frame, quasi=list("pqr"), missing=missing).matches().sizes_on(subsets).per_record().values()

    def match(one, other, columns):
        cells = [(one["pqr".index(name)], other["pqr".index(name)]) for name in columns]
        return all(x == y or (missing == "any" and None in (x, y)) for x, y in cells)

    expected = [min(sum(match(one, other, columns) for other in table) for columns in subsets) for one in table]
    assert found.tolist() == expected
    if missing == "own":
        release = Release(relation(frame), quasi=list("pqr"), missing=missing)
        lazy = release.matches().sizes_on(subsets)
        assert lazy.per_record().values().tolist() == expected
        assert lazy.smallest == min(expected)
        assert lazy.below(3).records == sum(size < 3 for size in expected)
