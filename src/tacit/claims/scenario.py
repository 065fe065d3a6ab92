"""The scenario: all that the intruder has when the release appears."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from ..errors import TacitError, check_columns
from ..release.households import alone_where_unknown, household_numbers
from ..release.masked import Method, release_of
from ..release.release import Release
from ..release.trace import Trace
from .known_links import KnownLinks


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Scenario:
    """Who attacks, with what: an attack reads this and the release, and nothing else.

    ``file`` holds the intruder's own records; it is cut to the columns ``knows``, those that it can compare with the
    release. ``told`` is what was published about the masking: findings marked as not publishable are left out.
    ``inside`` says that the intruder knows that everybody in its file is in the release (a patient of that very ward),
    ``covers`` that everybody in the release is in its file (a register of the whole town): what it can be sure of
    depends on them, and nothing else does. ``acquaintances`` are people whom it has found already by other means, and from
    whom attacks that learn do so; what such an attack claims of somebody never rests on that person's own link. ``also`` are
    other tables about the same people that the intruder has: other releases, or other lists of its own. ``program`` is
    the method by which the release was made, for an intruder who can run it on data of its own: having it is knowledge too.
    ``households`` says who lives with whom: a number for each row of the file, the same for members of one household, whoever
    stands alone counts as a household of one. A file with a household column brings them along.

    >>> import polars as pl
    >>> register = Release(pl.DataFrame({"name": ["Ann", "Bea"], "zip": ["N1", "N2"]}), identifier="name", quasi="zip")
    >>> Scenario(file=register, knows=("zip",)).file
    Release of 2 rows on polars: quasi zip
    """

    file: Release
    knows: tuple[str, ...]
    told: tuple[Trace, ...] = ()
    inside: bool = False
    covers: bool = False
    acquaintances: KnownLinks | None = None
    also: tuple[Release, ...] = ()
    program: Method | None = None
    households: np.ndarray | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", release_of(self.file))
        if self.file.household is not None:
            object.__setattr__(self, "households", alone_where_unknown(household_numbers(self.file)))
        if self.households is not None and len(self.households) != self.file.size:
            raise TacitError(
                f"households has {len(self.households)} numbers for {self.file.size} rows of the intruder's file",
                code="not_applicable",
                fix="give one number for each row",
            )
        knows = check_columns(self.knows, self.file.columns)
        if not knows:
            raise TacitError(
                "the intruder knows no column",
                code="not_applicable",
                fix="name at least one, e.g. knows=['zip', 'birth']",
            )
        if self.file.size == 0:
            raise TacitError(
                "the intruder's file has no rows",
                code="too_few_records",
                fix="check the file or the filter that made it",
            )
        object.__setattr__(self, "knows", knows)
        object.__setattr__(self, "file", self.file.select(knows))
        if not isinstance(self.told, list | tuple) or not all(isinstance(step, Trace) for step in self.told):
            raise TacitError(
                "told is no trace", code="wrong_type", fix="give the trace of a masked release, told=masked.trace"
            )
        object.__setattr__(self, "told", tuple(_public_trace(step) for step in self.told))
        tables = self.also if isinstance(self.also, list | tuple) else (self.also,)
        object.__setattr__(self, "also", tuple(release_of(table) for table in tables))

    @staticmethod
    def worst_case(
        original: Release, *, knows: str | Iterable[str] | None = None, told: tuple[Trace, ...] = ()
    ) -> Scenario:
        """An intruder who has every original record, with all its quasi-identifiers unless ``knows`` names others.

        It knows that it has everybody in the release, and takes everybody to be in it as long as the release is no
        smaller than its file.
        """
        original = release_of(original)
        known = original.quasi if knows is None else check_columns(knows, original.columns)
        if not known and knows is None:
            raise TacitError(
                "the original has no quasi-identifier, so nobody said what an intruder may know",
                code="no_quasi_identifier",
                fix="say knows=['zip', 'birth'], or give the original quasi-identifiers",
            )
        return Scenario(file=original, knows=known, told=told, inside=True, covers=True)


def _public_trace(step: Trace) -> Trace:
    return replace(step, outcome={name: found for name, found in step.outcome.items() if found.publishable})
