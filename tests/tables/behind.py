"""A table from lists of contributions, by loops: small, and made by other code than the one under test."""

import numpy as np
import polars as pl

from tacit.tables.dimension import Dimension
from tacit.tables.equations import Equations
from tacit.tables.table import Contributions, Table


def table_of(cells, *, weights=None, owners=None, top=4):
    """One dimension: a cell for each list of contributions and the total over all of them, which comes first."""
    names = [f"c{i}" for i in range(len(cells))]
    weights = weights or [[1.0] * len(one) for one in cells]
    if owners is None:
        count = iter(range(10**6))
        owners = [[next(count) for _ in one] for one in cells]
    everything = [
        [triple for three in zip(cells, weights, owners, strict=True) for triple in zip(*three, strict=True)],
        *(list(zip(*three, strict=True)) for three in zip(cells, weights, owners, strict=True)),
    ]
    kept = {name: np.zeros((len(everything), top)) for name in ("values", "owners", "weights")}
    kept["owners"] = np.full((len(everything), top), -1)
    for place, entries in enumerate(everything):
        for rank, (value, weight, owner) in enumerate(sorted(entries, key=lambda e: -abs(e[0]))[:top]):
            kept["values"][place, rank], kept["weights"][place, rank] = value, weight
            kept["owners"][place, rank] = owner
    return Table(
        labels=pl.DataFrame({"a": ["Total", *names]}),
        values=np.array([sum(w * v for v, w, _ in one) for one in everything], dtype=float),
        equations=Equations.of([[-1.0] + [1.0] * len(cells)]),
        dimensions=(Dimension.flat("a", names),),
        response="turnover",
        contributors=np.array([len(one) for one in everything]),
        contributions=Contributions(**kept),
        shadow=np.array([sum(w * abs(v) for v, w, _ in one) for one in everything], dtype=float),
    )


def count_table(counts):
    """Counts in one dimension, the total first."""
    names = [f"c{i}" for i in range(len(counts))]
    values = np.array([sum(counts), *counts], dtype=float)
    return Table(
        labels=pl.DataFrame({"a": ["Total", *names]}),
        values=values,
        equations=Equations.of([[-1.0] + [1.0] * len(counts)]),
        dimensions=(Dimension.flat("a", names),),
        contributors=values.astype(int),
    )
