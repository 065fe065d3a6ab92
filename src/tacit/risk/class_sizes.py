"""How many classes there are of each size: all that the estimators of population uniqueness read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..release.release import Release

__all__ = ["ClassSizes", "class_sizes"]


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """``counts[i]`` classes have ``sizes[i]`` records."""

    sizes: np.ndarray
    counts: np.ndarray

    @property
    def records(self) -> int:
        """The number of records."""
        return int((self.sizes * self.counts).sum())

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.counts.sum())

    def of(self, size: int) -> int:
        """How many classes have this size."""
        return int(self.counts[self.sizes == size].sum())


def class_sizes(release: Release) -> ClassSizes:
    """The sizes of the exact classes, on any engine; a missing key is a category of its own."""
    release.matches()  # asks what a missing key means, when nobody said
    tally = release.classes().size().tally()
    return ClassSizes(np.array(list(tally), dtype=np.int64), np.array([found.classes for found in tally.values()]))
