"""k-anonymity, on all quasi-identifiers or on chosen subsets of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import Note, TacitError, check_columns, check_int, format_value
from ..registry import Tags, describe
from ..release.masked import release_of
from ..risk.k_anonymity import subsets_of
from .compact_repr import CompactRepr
from .demand import Demand
from .verdict import Verdict

if TYPE_CHECKING:
    from ..release.masked import Masked
    from ..release.release import Release


@describe(
    tags=Tags(about="identity", kind="model", shown="proven"),
    example={"k": 5},
)
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class KAnonymity(CompactRepr):
    r"""Every record shares its quasi-identifiers with at least ``k`` − 1 others.

    .. math:: \min_i |\{j : q_j = q_i\}| \ge k

    With ``subsets`` the same is asked of each of these subsets of the quasi-identifiers instead, with ``combinations=m``
    of all subsets of m of them: an intruder who knows only so much. k-anonymity on all of them implies it on every subset.
    One grouping of the release, O(n·m), and one of its classes for each subset.

    >>> import polars as pl
    >>> from tacit import Release
    >>> print(KAnonymity(k=2).holds(Release(pl.DataFrame({"zip": ["N1", "N1", "N2"]}), quasi="zip")))
    k-anonymity  does not hold
    required     2
    found        1
    failing      1 classes with 1 records

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release, IEEE TKDE 13, 1010–1027.
    """

    k: int
    subsets: tuple[tuple[str, ...], ...] = ()
    combinations: int | None = None

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)
        if isinstance(self.subsets, str) or not isinstance(self.subsets, Iterable):
            raise TacitError(
                f"subsets={format_value(self.subsets)} is no list of subsets",
                code="wrong_type",
                parameter="subsets",
                fix="e.g. subsets=[['zip', 'sex'], ['zip', 'age']]",
            )
        object.__setattr__(self, "subsets", tuple(check_columns(subset) for subset in self.subsets))
        if self.combinations is not None:
            check_int("combinations", self.combinations, least=1)

    def demands(self, release: Release) -> tuple[Demand, ...]:
        """At least k records in every class; k on subsets alone asks nothing of a class, so that a search cannot meet it."""
        asked = subsets_of(release, self.subsets, self.combinations)
        if asked and not any(len(subset) == len(release.quasi) for subset in asked):
            raise TacitError(
                f"k={self.k} on subsets of the quasi-identifiers cannot be searched for by merging classes",
                code="invalid_parameter",
                parameter="k",
                fix=f"use SuppressCells, which blanks cells until the subsets hold, or KAnonymity(k={self.k}), which implies them",
            )
        return (Demand(least=self.k),)

    def holds(self, release: Release | Masked) -> Verdict:
        """Whether it does; with k above the number of records it cannot."""
        release = release_of(release)
        asked = subsets_of(release, self.subsets, self.combinations)
        sizes = release.matches().sizes_on(asked) if asked else release.matches().size()
        found, failing = sizes.smallest, sizes.below(self.k)
        notes = []
        if asked:
            said = f"on {len(asked)} subsets of the quasi-identifiers; classes and records fail if one of them does"
            notes.append(Note(said, code="judged_on_subsets", subsets=len(asked)))
        if self.k > release.size:
            said = f"k is above the {release.size} records of the release: no protection can reach it"
            notes.append(Note(said, code="unreachable", records=release.size))
        return Verdict(
            holds=failing.classes == 0,
            model="k-anonymity",
            id="k_anonymity",
            required=self.k,
            found=found,
            margin=found - self.k,
            failing_classes=failing.classes,
            failing_records=failing.records,
            notes=tuple(notes),
        )
