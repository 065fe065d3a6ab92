"""Random row order, so that a record's place in the file tells nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Trace
from .parameters import make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("nothing"),
    family="frame",
    use="Always, last: the order of the rows tells who is who.",
    avoid="The order carries meaning, as in a time series.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffle:
    """Put the records in random order, each order equally likely; the lineage remembers it, for internal eyes.

    A masked file in the order of the original gives every record away by its place: one person who knows the order
    links all. The last step before a file is written. O(n) time and memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"zip": ["N1", "N2", "N3"]}), quasi="zip")
    >>> r.protect(Shuffle(), seed=7).release.shuffled
    True
    """

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release in random order."""
        order = make_rng(self, seed).permutation(release.size)
        return Masked(release.take(order, shuffled=True), (Trace.of(self),), lineage=order)
