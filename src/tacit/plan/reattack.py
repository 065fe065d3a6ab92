"""Attack a masked file that is already on disk, with its original at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..claims import Scenario, Truth
from ..errors import names
from ..release.read import read
from ..release.release import Release
from .gate import attacked
from .levels import levelled
from .outcome import Attacked
from .pairing import Pairing, paired

__all__ = ["reattacked"]


def reattacked(
    masked: Path,
    original: Release,
    *,
    knows: Sequence[str] = (),
    pairing: Pairing,
) -> tuple[tuple[Attacked, ...], tuple[str, ...]]:
    """Every attack that applies on a masked file, and warnings; the pairing says who is who.

    Columns that were generalised are compared at their level, found from the hierarchies of ``original``.
    """
    released = read(masked, missing=original.missing)
    truth = Truth.by_lineage(paired(released, original, pairing), original.size)
    common = [column for column in original.columns if column in released.columns and column != pairing.key]
    chosen = names(knows or [column for column in original.quasi if column in common] or common, common)
    kept = released.selected([column for column in released.columns if column != pairing.key])
    found, warnings = levelled(kept, original, chosen)
    return attacked(found, Scenario(file=original, knows=chosen), truth, {}), warnings
