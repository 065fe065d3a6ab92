"""The classes of a masked file beside those of the original, and the records that were removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import TacitError
from ...release.pairs import pair_records

if TYPE_CHECKING:
    import numpy as np

    from ...release.masked import Masked
    from ...release.release import Release


@dataclass(frozen=True, slots=True)
class ClassTally:
    """How many classes there are, and the sum over the records of the size of their class."""

    classes: int
    records: int
    pairs: int


def class_tallies(
    release: Release | Masked, original: Release, lineage: np.ndarray | None
) -> tuple[ClassTally, ClassTally, int]:
    """Those of the masked file, those of the original, and how many records were removed; a group-by of each."""
    pairs = pair_records(release, original, lineage)
    if not pairs.original.quasi:
        raise TacitError(
            "the original has no quasi-identifier",
            code="no_quasi_identifier",
            fix="say which columns an intruder may know, e.g. quasi=['zip', 'birth']",
        )
    keys = tuple(column for column in pairs.original.quasi if column in pairs.masked.columns)
    return _tally_classes(pairs.masked, keys), _tally_classes(pairs.original, pairs.original.quasi), pairs.removed


def _tally_classes(release: Release, keys: tuple[str, ...]) -> ClassTally:
    if not release.size or not keys:
        return ClassTally(min(1, release.size), release.size, release.size**2)
    classes = release.matches(keys)
    counted = classes.size().tally()
    return ClassTally(classes.count, release.size, sum(int(size) * found.records for size, found in counted.items()))


def scale_between(now: float, before: float, most: float) -> float:
    """Where a number lies between that of the original, 0, and the worst there is, 1."""
    return min(1.0, max(0.0, (now - before) / (most - before))) if most > before else 0.0
