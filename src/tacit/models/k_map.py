"""k-map as a requirement: at least k people of the population behind every record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import Note, check_int
from ..registry import Tags, describe
from ..risk.population_match import match_population
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="identity", kind="model", shown="proven"),
    example={"k": 5},
    needs=("population",),
)
@dataclass(frozen=True, slots=True, kw_only=True)
class KMap:
    r"""At least ``k`` people of the population have the quasi-identifiers of every record.

    .. math:: \min_i F_i \ge k

    Weaker than k-anonymity when the release is a sample, enough when nobody knows who was sampled. The population is
    data, so an argument of :meth:`holds`, never part of the model. O(n + N).

    >>> import polars as pl
    >>> from tacit import Release
    >>> town = Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")
    >>> print(KMap(k=2).holds(town, population=town))
    k-map     does not hold
    required  2
    found     1
    failing   1 classes with 1 records

    References
    ----------
    Sweeney (2002), k-anonymity: a model for protecting privacy, IJUFKS 10, 557–570.
    """

    k: int

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)

    def demands(self, release: Release) -> tuple[Demand, ...]:  # noqa: ARG002 - the same of every release
        """At least k people behind every class."""
        return (Demand(mapped=self.k),)

    def holds(self, release: Release | Masked, *, population: Release | Masked | None = None) -> Verdict:
        """Whether it does, against this population."""
        both = match_population(release, population)
        found, failing = int(both.people.min()), both.people < self.k
        short = self.k > both.population
        notes: tuple[Note, ...] = ()
        if short:
            said = f"k is above the {both.population} people of the population: no release can reach it"
            notes += (Note(said, code="unreachable", people=both.population),)
        if not both.people.any():
            said = "no record has anybody behind it: are the keys written alike in both files?"
            notes += (Note(said, code="nobody_behind_records"),)
        return Verdict(
            holds=found >= self.k,
            model="k-map",
            required=self.k,
            found=found,
            margin=found - self.k,
            failing_classes=int(failing.sum()),
            failing_records=int(both.exact_records[failing].sum()),
            notes=notes,
        )
