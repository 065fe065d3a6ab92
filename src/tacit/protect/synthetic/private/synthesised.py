"""The way of every private synthesis: places as declared, answers within the budget, records drawn from the answers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ....progress import report
from ....release.masked import Masked
from ....release.trace import Finding, Trace, method_name
from ...parameters import forgotten, random
from ...private.given import guarantee
from ..discrete.axes import Axis
from ..discrete.chain import Link, drawn
from .declared import Declared, affordable, axes_of, counted_on
from .spending import NEIGHBOURS, Spending

if TYPE_CHECKING:
    from ....progress import Progress
    from ....release.release import Release
    from ....seed import Seed


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What the budget bought: a chain to draw from, the noisy number of records, and what both were fitted to."""

    chain: tuple[Link, ...]
    records: float
    captured: Mapping[str, Any]


def synthesised(
    method: Declared,
    release: Release,
    answer: Callable[[Spending, Sequence[str], Progress | None], Answer],
    proof: str,
    *,
    seed: Seed | None,
    progress: Progress | None,
) -> Masked:
    """New records of the declared columns from what ``answer`` asks with the budget; the others are left out.

    After the answer nothing reads the records any more (post-processing, H-04).
    """
    rng, name = random(method, seed), method_name(method)
    axes = axes_of(method, release)
    columns = [axis.column for axis in axes]
    inside = counted_on(axes, release)
    spending = Spending(inside.counted, affordable(method))
    report(progress, name, 0.0)
    found = answer(spending, columns, progress)
    report(progress, name, 0.9)
    sizes = tuple(axis.size for axis in axes)
    nobody = np.zeros((method.rows or max(1, round(found.records)), len(axes)), dtype=np.int64)
    made = _release(release, axes, drawn(found.chain, nobody, sizes, rng, even=True), rng)
    report(progress, name, 1.0)
    outcome = {
        **guarantee(made, columns, method.epsilon, delta=method.delta, neighbours=NEIGHBOURS),
        "rho": Finding(float(f"{float(spending.ledger.spent.amount):.6g}"), publishable=True),
        "spent": Finding(spending.spent(), publishable=True),
        "sensitivity": Finding(proof, publishable=True),
        "captured": Finding(found.captured, publishable=True),
        "synthetic_columns": Finding(columns, publishable=True),
        "left_out": Finding(inside.left_out, publishable=False),
    }
    return Masked(made, (Trace.of(method, **outcome),), np.full(len(nobody), -1))


def _release(release: Release, axes: Sequence[Axis], places: np.ndarray, rng: np.random.Generator) -> Release:
    """The declared columns of the release, with new records and none of the old ones."""
    frame = pl.DataFrame([axis.drawn(places[:, number], rng) for number, axis in enumerate(axes)])
    empty = release.selected(frame.columns).taken(np.zeros(0, dtype=np.int64))
    typed = empty.replaced({column: empty.series(column).cast(frame.schema[column]) for column in frame.columns})
    return forgotten(typed.extended(frame), frame.columns, hierarchies=False).described(shuffled=True)
