"""The most seekers that any distance of a family finds: found, and proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .cone import Cone
from .hitting_set import HittingSet, Proof
from .rows import Rows

if TYPE_CHECKING:
    from ...progress import Progress

__all__ = ["proven"]


def proven(
    rows: Rows,
    cone: Cone,
    start: np.ndarray,
    *,
    rng: np.random.Generator,
    seconds: float,
    progress: Progress | None = None,
) -> Proof:
    r"""Parameters that find most seekers, with a proof, or a gap when the CPU seconds are over (M-01, M-02).

    .. math:: \min_p \sum_i K_i \quad \text{s.t.} \quad v \cdot p > 0 \ \text{for all rows } v \text{ of } i, \text{ or } K_i = 1

    Sets of seekers whom no allowed p finds together (:class:`.conflicts.Conflicts`) are cuts on K; the fewest failures
    that meet all cuts (:class:`.cover.Cover`) bound the answer from above, and suggest whom to give up. Cuts are collected
    against the linear relaxation first, then against whole solutions, until the bound meets what was found: an implicit
    hitting set. ``start`` are good parameters, they set the units, and nothing worse is returned. "Proven" is meant in
    floating point (see :class:`.conflicts.Conflicts`). In whatever time the bound holds: without any it counts the lost
    and those alike.

    Exponential in the worst case; seconds where few seekers must fail.

    >>> values = np.array([[1.0, -1.0], [-1.0, 1.0], [1.0, 0.5]])
    >>> rows = Rows(values, np.array([0, 1, 2, 3]))
    >>> proof = proven(rows, Cone(2), np.ones(2), rng=np.random.default_rng(0), seconds=1.0)
    >>> proof.found, proof.bound
    (2, 2)

    References
    ----------
    Codato and Fischetti (2006), Combinatorial Benders' cuts for mixed-integer linear programming, Operations Research
    54(4), 756–766.
    Abril, Navarro-Arribas and Torra (2012), Improving record linkage with supervised learning for disclosure risk
    assessment, Information Fusion 13(4), 274–284.
    """
    search = HittingSet(rows, cone, start, rng=rng, seconds=seconds, progress=progress)
    if search.open():
        search.pack_all()
    if search.open():
        search.relax()
    while search.open():
        search.round()
        if search.open():
            search.whole()
    return search.proof()
