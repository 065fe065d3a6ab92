"""The common case in one call: how many people an attack finds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..claims import Scenario, Truth, judge
from ..errors import TacitError
from ..release.masked import Masked
from ..release.release import Release
from .distance import Distance

if TYPE_CHECKING:
    from ..progress import Progress
    from ..result import Result

__all__ = ["reidentify"]


def reidentify(
    masked: Masked | Release,
    *,
    original: Release,
    knows: str | Iterable[str] | None = None,
    lineage: np.ndarray | None = None,
    attack: Distance | None = None,
    progress: Progress | None = None,
) -> Result:
    """The share of the original's people whom an intruder finds in the masked release, beside guessing.

    The intruder knows the columns ``knows`` (all quasi-identifiers when absent) of everybody and is told the trace. A
    bare release needs its ``lineage`` (original row of every masked row): without the truth nobody can judge.
    """
    release, told = (masked.release, masked.trace) if isinstance(masked, Masked) else (masked, ())
    rows = masked.rows() if isinstance(masked, Masked) and lineage is None else lineage
    if rows is None:
        raise TacitError(
            "the truth is not known", fix="give the Masked itself, or lineage= (the original row of every masked row)"
        )
    scenario = Scenario.worst_case(original, knows=knows, told=told)
    made = attack or Distance()
    claims = made.claims(release, scenario, progress=progress)
    return judge(claims, Truth.by_lineage(np.asarray(rows), original.size))
