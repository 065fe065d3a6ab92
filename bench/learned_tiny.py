"""The bar of tiny files: the optimum of the solver is that of trying every set of people."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from bars import Bars
from learned_files import FAMILY
from scipy.optimize import linprog

from tacit.attack.learning.all_pairs import nearest_outcome
from tacit.attack.learning.certificate import certified_links
from tacit.attack.learning.families import Family, family_of
from tacit.attack.learning.learn import all_rivals, learn_distance, rows_of
from tacit.attack.learning.pairs import Pairs
from tacit.kernels.nearest import NUMBER, Costs

TRIED = ("WM", "WM_s", "OWA", "SB", "CI")
PEOPLE, COLUMNS, GRID = 7, 3, 5
LEAST = 1e-7
"""A margin below this is none: on a grid of small whole numbers real ones are far larger."""


def bars(bars: Bars) -> None:
    """All bars of this part."""
    instances = 6 if bars.quick else 40
    for name in TRIED:
        family = family_of(FAMILY[name])
        same = checked = 0
        for seed in range(instances):
            pairs = tiny(seed)
            found = learn_distance(pairs, family, rng=np.random.default_rng(seed), effort="exact", seconds=10.0)
            same += int(found.found.sum()) == best(pairs, family) == found.bound
            checked += bool(
                (
                    certified_links(pairs, family, found.parameters)
                    == nearest_outcome(pairs, family, found.parameters).found
                ).all()
            )
        facts = {"instances": instances, "people": PEOPLE, "columns": COLUMNS}
        bars.at_least(f"tiny files, {name}: optimum of brute force, proven (share)", same / instances, 1.0, **facts)
        bars.at_least(f"tiny files, {name}: found in fractions as in floats (share)", checked / instances, 1.0, **facts)


def tiny(seed: int) -> Pairs:
    """A few people on a small grid, masked by steps of one or two; ties and equals are common."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, GRID, (PEOPLE, COLUMNS)).astype(float)
    seekers = places + rng.integers(-2, 3, places.shape)
    ones = np.ones(COLUMNS)
    return Pairs(seekers, places, np.arange(PEOPLE), Costs(np.full(COLUMNS, NUMBER), ones, ones, ones))


def best(pairs: Pairs, family: Family) -> int:
    """The largest set of people that one distance finds together: each set is a linear program."""
    rows = rows_of(pairs, family, all_rivals(pairs))
    parts = [rows.values[start:end] for start, end in zip(rows.start[:-1], rows.start[1:], strict=True)]
    nonnegative = family.cone(pairs.columns).nonnegative
    for size in range(PEOPLE, 0, -1):
        if any(_together([parts[one] for one in some], nonnegative) for some in combinations(range(PEOPLE), size)):
            return size
    return 0


def _together(parts: list[np.ndarray], nonnegative: bool) -> bool:
    """Whether all rows can be above zero: the largest margin over parameters within the unit box."""
    values = np.vstack(parts)
    size = values.shape[1]
    above = np.column_stack([-values, np.ones(len(values))])
    lowest = 0.0 if nonnegative else -1.0
    solved = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=above,
        b_ub=np.zeros(len(values)),
        bounds=[(lowest, 1.0)] * size + [(None, 1.0)],
    )
    return bool(solved.status == 0 and -solved.fun > LEAST)
