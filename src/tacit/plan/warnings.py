"""What a reader must know beside the verdict: free text, and columns that nobody thought of."""

from __future__ import annotations

from collections.abc import Sequence

from ..release.release import Release
from ..release.suggest import free_text
from ..release.trace import Trace
from ..risk.joint_uniqueness import UNPROTECTED, JointUniqueness, joint_uniqueness
from .privacy import GUARANTEE

RUINED = 0.2
"""From this share of suppressed cells on, a column is named."""


def column_warnings(release: Release) -> tuple[str, ...]:
    """Warnings about the columns of a release."""
    texts = [
        f"column {column!r} holds free text, which may name people: read it or drop it" for column in free_text(release)
    ]
    return (*texts, *_over_suppressed(release))


def guarantee_warnings(trace: Sequence[Trace]) -> tuple[str, ...]:
    """What no guarantee of differential privacy covers, where a step has one."""
    found = ", ".join(dict.fromkeys(step.method for step in trace if GUARANTEE in step.outcome))
    said = (
        f"the guarantee of {found} is of the released values and the trace: sizes, losses and attacks in this report "
    )
    # promise: synthetic-internal-report-says-so
    return (f"{said}are computed from the original and not covered by it; keep the report inside",) if found else ()


def _over_suppressed(release: Release) -> list[str]:
    """Columns of which so much was suppressed that little is left to use."""
    shares = {column: count / max(1, release.size) for column, count in release.suppressed.items()}
    return [
        f"{100 * share:.0f} % of column {column!r} was suppressed: a coarser hierarchy level would keep more of it"
        for column, share in shares.items()
        if share >= RUINED
    ]


def unprotected_columns(release: Release) -> JointUniqueness | None:
    """How far the columns that are released and that no attack looks at single records out, all together; None without any."""
    there = any(role in UNPROTECTED for role in release.roles.values())
    return joint_uniqueness(release) if there and release.size else None
