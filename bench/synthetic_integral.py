"""Integral privacy: enumeration beside sets on tiny populations, and a tree of Adult that a hundred databases give."""

from __future__ import annotations

from itertools import combinations
from math import floor
from statistics import mean, stdev
from typing import Any

import numpy as np
import polars as pl
from bars import ROOT, Bars, spent

from tacit import Release, read
from tacit.models.integral import IntegralPrivacy, Moments, Tree, completions, enumerate_models, find_recurrent_models

ADULT = ROOT.parent / "shared" / "data" / "adult" / "adult.csv"
STEP, SIZE = 10, 3


def bars(bars: Bars) -> None:
    """The bars of this part."""
    _enumerated(bars, 3 if bars.quick else 20)
    _intruder(bars)
    if not ADULT.exists():
        bars.skipped("integral: a tree of Adult", "the reference data are not beside the project")
        return
    _adult(bars, depth=3, draws=800) if bars.quick else _adult(bars, depth=4, draws=1500)


def _enumerated(bars: Bars, populations: int) -> None:
    """Every generator of every model, and nothing else, by the definition; what is drawn lies within."""
    learner, same, within = Moments(on="pay", grid={"pay": STEP}), 0, 0
    for seed in range(populations):
        pay = np.random.default_rng(seed).integers(0, 90, 11).tolist()
        release = Release(pl.DataFrame({"pay": [float(one) for one in pay]}))
        truth = _listed(pay)
        same += _found(enumerate_models(release, learner, sizes=SIZE)) == truth
        drawn = _found(find_recurrent_models(release, learner, draws=60, sizes=SIZE, seed=seed))
        within += all(sets <= truth[key] for key, sets in drawn.items())
    bars.at_least("integral: enumerations equal to the definition", same, populations, databases=165)
    bars.at_least("integral: samples within the enumeration", within, populations)


def _listed(pay: list[int]) -> dict[tuple[int, ...], set[frozenset[int]]]:
    found: dict[tuple[int, ...], set[frozenset[int]]] = {}
    for rows in combinations(range(len(pay)), SIZE):
        values = [pay[row] for row in rows]
        key = tuple(floor(figure / STEP + 0.5 + 1e-9) for figure in (mean(values), stdev(values)))
        found.setdefault(key, set()).add(frozenset(rows))
    return found


def _found(space: Any) -> dict[tuple[int, ...], set[frozenset[int]]]:
    origin, rows = space.population.design.features[0].origin, space.population.rows
    return {
        (one.key[0] + origin, one.key[1]): {frozenset(rows[inside].tolist()) for inside in one.generators.matrix()}
        for one in space.candidates
    }


def _intruder(bars: Bars) -> None:
    """Who knows all of a database but one record names it behind a lonely model, and not behind a recurrent one."""
    release = Release(pl.DataFrame({"pay": [float(2**power) for power in range(8)]}))
    lonely = enumerate_models(release, Moments(grid={"pay": 0.001}), sizes=SIZE)
    rows = lonely.population.rows
    chances = [
        completions(release, one.model, known=rows[one.generators.matrix()[0]][:2].tolist()).value
        for one in lonely.candidates
    ]
    bars.at_least("integral: last record named, one generator", min(chances), 1, models=len(chances))
    alike = Release(pl.DataFrame({"pay": [10.0, 11.0, 12.0, 9.0, 10.0, 11.0, 12.0, 402.0]}))
    space = enumerate_models(alike, Moments(grid={"pay": 10}), sizes=SIZE)
    coarse = space.candidates[0]
    known = space.population.rows[coarse.generators.matrix()[0]][:2].tolist()
    chance = completions(alike, coarse.model, known=known).value
    bars.at_most("integral: last record named, most recurrent model", chance, 0.2, generators=coarse.count)
    bars.at_most("integral: records in all its generators", coarse.common, 0)


def _adult(bars: Bars, *, depth: int, draws: int) -> None:
    release = read(ADULT, separator=";")
    learner = Tree(target="salary-class", depth=depth, grid={"age": 5})
    seconds, space = spent(lambda: find_recurrent_models(release, learner, draws=draws, sizes=2400, seed=7))
    asked = IntegralPrivacy(k=100)
    found = space.select_candidate(asked)
    bars.true("integral: Adult, a tree with 100 generators", found is not None, depth=depth, databases=space.looked)
    if found is None:
        return
    bars.at_least("integral: Adult, generators of the tree", found.count, 100, models=len(space.candidates))
    bars.at_most("integral: Adult, records in all of them", found.common, 0)
    family = found.family()
    bars.stated("integral: Adult, disjoint generators", family.size, bound=family.bound)
    bars.stated("integral: Adult, most frequent record: share of generators", found.share)
    bars.stated("integral: Adult, shared by two generators", found.overlap)
    bars.stated("integral: Adult, accuracy of the tree", found.score, interval=found.interval)
    bars.stated("integral: Adult, accuracy of the best guess", space.population.majority_share() or 0.0)
    bars.at_least("integral: Adult, accuracy less the best of all found", found.score - space.best_score, -0.01)
    deepest = max(_all_records(release, depth) for depth in (6, 8, 10))
    bars.at_least(
        "integral: Adult, accuracy less the best tree of any depth", found.score - deepest, -0.02, best=deepest
    )
    bars.at_most("integral: Adult, CPU s", seconds, 120, at_scale=True, draws=draws)


def _all_records(release: Release, depth: int) -> float:
    """The tree of all records with leaves of a dozen people; on the same grid, so that the same people are held out."""
    learner = Tree(target="salary-class", depth=depth, leaf=0.0005, grid={"age": 5})
    space = find_recurrent_models(release, learner, draws=1, sizes=2400, seed=7)
    return space.population.score(space.whole)
