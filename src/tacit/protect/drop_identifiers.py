"""Identifiers dropped: names and numbers of persons have no place in a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import TacitError
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("nothing"),
    family="frame",
    use="Always, first: names, numbers and addresses of people have no place in a release.",
    avoid="Records of one person must stay linkable across files: pseudonymise instead.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DropIdentifiers:
    """Leave out every column with the role identifier; a release without any stays as it is.

    On every engine; no record is read. It protects nobody from being found by quasi-identifiers.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"name": ["Ann"], "zip": ["N1"]}), identifier="name", quasi="zip")
    >>> r.protect(DropIdentifiers()).to_native().columns
    ['zip']
    """

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release without its identifiers; the outcome names them."""
        dropped = release.identifiers
        kept = [column for column in release.columns if column not in dropped]
        if not kept:
            raise TacitError(
                "all columns are identifiers",
                code="no_usable_column",
                fix="give the columns that may be released another role",
            )
        left = release.select(kept) if dropped else release
        return Masked(left, (Trace.of(self, dropped=Finding(list(dropped), publishable=True)),))
