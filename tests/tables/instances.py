"""Random tables for the tests and the bench: known sizes, known shares of unsafe cells, the same for the same seed."""

import numpy as np

from tacit.tables.build.cross import added_up, cross_dimensions
from tacit.tables.dimension import Dimension
from tacit.tables.problem import Problem, Status
from tacit.tables.table import Table


def flat(size, name="d"):
    return Dimension.flat(name, [f"{name}{i}" for i in range(size)])


def balanced(branches, name="h"):
    """A tree with the given number of branches at each level: [3, 4] has 3 groups of 4 leaves."""
    above, front = {}, ["Total"]
    for count in branches:
        new = []
        for upper in front:
            stem = name if upper == "Total" else upper
            for i in range(count):
                above[f"{stem}.{i}"] = upper
                new.append(f"{stem}.{i}")
        front = new
    return Dimension.tree(name, above)


def random_table(dimensions, seed=0, zero=0.1, high=500):
    """Uniform inner cells 1 … high−1 with a share of zeros."""
    rng = np.random.default_rng(seed)
    shape = [len(one.codes) for one in dimensions]
    inner = np.ix_(*[list(one.leaves) for one in dimensions])
    values = np.zeros(shape)
    drawn = rng.integers(1, high, values[inner].shape).astype(float)
    drawn[rng.random(drawn.shape) < zero] = 0
    values[inner] = drawn
    labels, equations = cross_dimensions(dimensions)
    full = added_up(dimensions, values)
    return Table(
        labels=labels, values=full.ravel(), equations=equations, dimensions=tuple(dimensions), response="value"
    )


def random_problem(dimensions, share=0.1, seed=0, level=0.15, zero=0.1, high=500, cost="value"):
    """Random inner cells are unsafe, with levels of a share of their value on both sides; the attacker knows x ≥ 0."""
    table = random_table(dimensions, seed, zero, high)
    rng = np.random.default_rng([seed, 1])
    cells = np.arange(table.size).reshape([len(one.codes) for one in dimensions])
    inner = cells[np.ix_(*[list(one.leaves) for one in dimensions])].ravel()
    filled = inner[table.values[inner] > 0]
    chosen = rng.choice(filled, min(len(filled), max(1, round(share * len(inner)))), replace=False)
    status = np.where(table.values > 0, Status.SAFE, Status.EMPTY).astype(np.uint8)
    status[chosen] = Status.UNSAFE
    need = np.where(status == Status.UNSAFE, np.ceil(level * table.values), 0.0)
    return Problem(
        table=table,
        status=status,
        lower=np.minimum(need, table.values),
        upper=need,
        sliding=np.zeros(table.size),
        low=np.zeros(table.size),
        high=table.values + 2 * table.values.max(),
        cost=table.values.copy() if cost == "value" else (table.values > 0).astype(float),
    )
