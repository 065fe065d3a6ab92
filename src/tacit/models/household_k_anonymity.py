"""k-anonymity of households, by the composition of their members' quasi-identifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Note, check_int
from ..registry import Tags, describe
from ..release.households import household_compositions, row_profiles
from ..release.masked import release_of
from ..risk.household_classes import household_counts
from .compact_repr import CompactRepr
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release
    from .demand import Demand


@describe(
    tags=Tags(about="identity", kind="model", shown="proven"),
    example={"k": 2},
    needs=("household",),
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HouseholdKAnonymity(CompactRepr):
    r"""Every household shares its composition with at least ``k`` − 1 others.

    .. math:: \min_h |\{g : \{\!\{q_i : i \in g\}\!\} = \{\!\{q_i : i \in h\}\!\}\}| \ge k,

    the composition being the multiset of the members' quasi-identifiers, see :func:`tacit.risk.k_households`. Records
    without a household number are not judged by it. It says nothing about one member who is known alone: require k-anonymity
    besides. ``anonymise`` provides it by :class:`tacit.protect.SuppressHouseholds`, after the other models. O(n log n).

    >>> import polars as pl
    >>> from tacit import Release
    >>> home = pl.DataFrame({"sex": ["f", "m", "m", "f", "f", "f"], "home": [1, 1, 2, 2, 3, 3]})
    >>> print(HouseholdKAnonymity(k=2).holds(Release(home, quasi="sex", household="home")))
    k-anonymity of households  does not hold
    required                   2
    found                      1
    failing                    1 classes with 2 records

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027 (of records).
    """

    k: int

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)

    def demands(self, release: Release) -> tuple[Demand, ...]:  # noqa: ARG002
        """Nothing of a class of records: it is about households."""
        return ()

    def holds(self, release: Release | Masked) -> Verdict:
        """Whether it does; a release in which no record has a household number has no household to be found."""
        release = release_of(release)
        numbers, counts = household_counts(release)
        people = numbers >= 0
        rare = people & (counts < self.k)
        _, _, kind = household_compositions(numbers, row_profiles(release, release.quasi))
        found = int(counts[people].min()) if people.any() else self.k
        notes = (
            ()
            if people.all()
            else (
                Note(
                    f"{int((~people).sum()):,} records have no household number and are not judged by it",
                    code="not_judged",
                    records=int((~people).sum()),
                ),
            )
        )
        return Verdict(
            holds=not rare.any(),
            model="k-anonymity of households",
            required=self.k,
            found=found,
            margin=found - self.k,
            failing_classes=len(np.unique(kind[rare])),
            failing_records=int(rare.sum()),
            notes=notes,
        )
