"""A masked release: the release, what was done to it, and, for internal eyes only, where each record came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..errors import TacitError
from ..seed import child_seed
from .trace import Trace

if TYPE_CHECKING:
    from ..progress import Progress
    from ..seed import Seed
    from .release import Release


class Method(Protocol):
    """A masking method: a frozen dataclass of its parameters that turns a release into a release."""

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The masked release and what was done."""


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """``release`` and ``trace`` may be published; ``lineage`` and ``evidence`` never.

    ``lineage[i]`` is the row of the original that masked row i was made from, −1 for an invented row, and None when
    every row stands where it stood.
    """

    release: Release
    trace: tuple[Trace, ...]
    lineage: np.ndarray | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def then(self, method: Method, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The next step on the masked release; traces add up, lineages compose.

        Its draws are its own, also with the seed of an earlier step: the same draws twice would undo each other.
        """
        own = child_seed(seed, "then", len(self.trace)) if isinstance(seed, int | bytes) else seed
        after: Masked = self.release.protect(method, seed=own, progress=progress)
        return Masked(
            after.release,
            self.trace + after.trace,
            compose_lineages(self.lineage, after.lineage),
            {**self.evidence, **after.evidence},
        )

    def to_native(self) -> Any:
        """The masked table as the kind of frame that the original was made from."""
        return self.release.to_native()

    def rows(self) -> np.ndarray:
        """The original row of every masked row, written out."""
        return np.arange(self.release.size) if self.lineage is None else self.lineage

    def __repr__(self) -> str:
        steps = ", ".join(step.method for step in self.trace) or "nothing"
        return f"Masked by {steps}: {self.release!r}"


def release_of(given: Release | Masked) -> Release:
    """The release itself, also of a Masked: whoever measures takes either."""
    if isinstance(given, Masked):
        return given.release
    if not hasattr(given, "matches"):
        raise TacitError(
            f"a {type(given).__name__} is no release",
            code="wrong_type",
            fix="make one first: tacit.Release(frame, quasi=['zip', 'birth'])",
        )
    return given


def checked_lineage(lineage: Any, *, masked: int, original: int) -> np.ndarray:
    """A lineage as whole numbers: one for each masked row, the original row or −1 for an invented one."""
    rows = np.asarray(lineage)
    whole = rows.shape == (masked,) and (rows.dtype.kind in "iu" or not rows.size)
    if not whole or (rows.size and not -1 <= int(rows.min()) <= int(rows.max()) < original):
        raise TacitError(
            f"the lineage does not lead from {masked} masked records to {original} original ones",
            code="already_masked",
            fix="give the original row of every masked row as a whole number from 0 on, and -1 for invented ones",
        )
    return rows.astype(np.int64)


def compose_lineages(first: np.ndarray | None, second: np.ndarray | None) -> np.ndarray | None:
    """The lineage of two steps, the second read through the first; invented rows stay invented."""
    if first is None or second is None:
        return second if first is None else first
    return np.where(second >= 0, first[np.maximum(second, 0)], -1)
