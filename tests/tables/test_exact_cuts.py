"""Every cut is met by every pattern that protects: tried on minimal ones, which meet them most narrowly."""

from dataclasses import replace

import numpy as np
import pytest

from tacit.tables.suppress.clean import clean_pattern
from tacit.tables.suppress.exact.block import split_blocks
from tacit.tables.suppress.exact.cuts import Cutter, all_company
from tacit.tables.suppress.exact.effort import Effort
from tacit.tables.suppress.limits import Limits

from .instances import balanced, flat, random_problem
from .oracles import protects, various

SHAPES = {
    "square": [flat(4, "a"), flat(4, "b")],
    "tree": [balanced([2, 3]), flat(3, "b")],
    "cube": [flat(2, "a"), flat(3, "b"), flat(3, "c")],
}


def minimal(problem, rng, count):
    """Patterns that protect and lose that with every cell less, found in random orders."""
    every = problem.must_suppress | problem.may_suppress
    if not protects(problem, every):
        return []
    found = [clean_pattern(replace(problem, cost=rng.random(problem.size)), every) for _ in range(count)]
    assert all(protects(problem, hidden) for hidden in found[:2])
    return found


# catalogue: G-04
@pytest.mark.parametrize("shape", SHAPES)
def test_no_pattern_that_protects_is_cut_off(shape):
    tried = 0
    for seed in range(3):
        problem = random_problem(SHAPES[shape], share=0.15, seed=seed, level=0.9, zero=0.05)
        problem = various(problem, seed) if seed % 2 else problem
        rng = np.random.default_rng(seed)
        good = minimal(problem, rng, 15)
        for block in split_blocks(problem):
            cutter = Cutter(block, Effort(Limits()))
            cuts = all_company(block, np.ones(block.size, dtype=bool), most=10**6)
            for goal in block.goals:
                for _ in range(3):
                    y = np.where(block.fixed, 1.0, rng.random(block.size) * (rng.random(block.size) < 0.5))
                    cuts += [cutter.capacity_cut(goal, y, capped=capped) for capped in (True, False)]
                    start = block.fixed | (rng.random(block.size) < 0.2)
                    if cutter.is_missed(goal, start):
                        cuts.append(cutter.cover_cut(goal, start, y))
            for cut in cuts:
                if cut is not None:
                    tried += 1
                    assert not any(cut.is_violated(hidden[block.cells].astype(float)) for hidden in good)
    assert tried > 100
