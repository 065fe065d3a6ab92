"""The way of every private synthesis: places as declared, answers within the budget, records drawn from the answers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from ....progress import report_progress
from ....release.masked import Masked
from ....release.trace import Finding, Trace, method_name
from ...parameters import drop_metadata, make_rng
from ...private.params import guarantee_findings
from ..discrete.axes import Axis
from ..discrete.chain import Link, draw_chain
from .params import PrivateSynthesis, affordable_rho, axes_of, counted_on
from .spending import NEIGHBOURS, Spending

if TYPE_CHECKING:
    from ....progress import Progress
    from ....release.release import Release
    from ....seed import Seed


@dataclass(frozen=True, slots=True, eq=False)
class PrivateAnswer:
    """What the budget bought: a chain to draw from, the noisy number of records, and what both were fitted to."""

    chain: tuple[Link, ...]
    records: float
    captured: Mapping[str, Any]


def synthesise_private(
    method: PrivateSynthesis,
    release: Release,
    answer: Callable[[Spending, Sequence[str], Progress | None], PrivateAnswer],
    proof: str,
    *,
    seed: Seed | None,
    progress: Progress | None,
) -> Masked:
    """New records of the declared columns from what ``answer`` asks with the budget; the others are left out.

    After the answer nothing reads the records any more (post-processing).
    """
    rng, name = make_rng(method, seed), method_name(method)
    axes = axes_of(method, release)
    columns = [axis.column for axis in axes]
    inside = counted_on(axes, release)
    spending = Spending(inside.counted, affordable_rho(method))
    report_progress(progress, name, 0.0)
    found = answer(spending, columns, progress)
    report_progress(progress, name, 0.9)
    sizes = tuple(axis.size for axis in axes)
    nobody = np.zeros((method.rows or max(1, round(found.records)), len(axes)), dtype=np.int64)
    made = _release_of_new(release, axes, draw_chain(found.chain, nobody, sizes, rng, even=True), rng)
    report_progress(progress, name, 1.0)
    outcome = {
        **guarantee_findings(made, columns, method.epsilon, delta=method.delta, neighbours=NEIGHBOURS),
        "rho": Finding(float(f"{float(spending.ledger.spent.amount):.6g}"), publishable=True),
        "spent": Finding(spending.spent_by_purpose(), publishable=True),
        "sensitivity": Finding(proof, publishable=True),
        "captured": Finding(found.captured, publishable=True),
        "synthetic_columns": Finding(columns, publishable=True),
        "left_out": Finding(inside.left_out, publishable=False),
    }
    return Masked(made, (Trace.of(method, **outcome),), np.full(len(nobody), -1))


def _release_of_new(release: Release, axes: Sequence[Axis], places: np.ndarray, rng: np.random.Generator) -> Release:
    """The declared columns of the release, with new records and none of the old ones."""
    frame = pl.DataFrame([axis.draw_values(places[:, number], rng) for number, axis in enumerate(axes)])
    empty = release.select(frame.columns).take(np.zeros(0, dtype=np.int64))
    typed = empty.with_columns({column: empty.series(column).cast(frame.schema[column]) for column in frame.columns})
    return drop_metadata(typed.append(frame), frame.columns, hierarchies=False).with_metadata(shuffled=True)
