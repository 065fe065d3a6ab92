"""New household ids: members stay together, under a number that says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Trace
from .parameters import drop_metadata, make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("hides", role="household"),
    family="frame",
    use="Household ids of the source could be known elsewhere, and members must stay together.",
    avoid="The release has no households, or is to be joined with another file by them.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class NewHouseholds:
    """Number the households anew, 1 to their count, in random order.

    Old ids often follow the address or the order of the interviews, and other files may hold them. Who lives with whom
    can still be seen, and whoever knows it finds whole households (:class:`tacit.attack.Household`): a plan drops the number
    unless ``keep_household = true``. Records without an id stay without. O(n) time and memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"home": [4711, 4711, 4712]}), household="home")
    >>> sorted(r.protect(NewHouseholds(), seed=7).to_native()["home"].value_counts()["count"])
    [1, 2]
    """

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with new ids."""
        rng = make_rng(self, seed)
        column = release.household
        if column is None:
            raise TacitError(
                "the release has no household column",
                code="no_household_column",
                fix="say which one it is, e.g. household='hh'",
            )
        ids = release.codes(column)
        fresh = rng.permutation(len(ids.dictionary)).astype(np.int64) + 1
        numbers = pl.Series(column, [*fresh.tolist(), None], dtype=pl.Int64).gather(ids.codes)
        return Masked(
            drop_metadata(release.with_columns({column: numbers}), [column], hierarchies=True), (Trace.of(self),)
        )
