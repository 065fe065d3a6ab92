"""Compare a masked file that is already on disk with its original."""

from __future__ import annotations

from pathlib import Path

from ..loss import moments, summary
from ..release.masked import Masked
from ..release.read import read
from ..release.release import Release
from ..result import Results
from .levels import levelled
from .pairing import Pairing, paired

__all__ = ["recompared"]


def recompared(
    masked: Path, original: Release, *, key: str | None = None, same_order: bool = False, lineage: Path | None = None
) -> Results:
    """Every loss that applies; only those of whole columns when it is not said which rows belong together."""
    released = read(masked, missing=original.missing)
    if key is None and not same_order and lineage is None:
        return moments(released, original=original)
    rows = paired(released, original, Pairing(key=key, same_order=same_order, lineage=lineage))
    common = [column for column in original.columns if column in released.columns]
    levels, _ = levelled(released, original, common)
    return summary(Masked(levels, (), lineage=rows), original=original)
