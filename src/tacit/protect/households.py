"""Households protected: their number dropped, large ones split, members exchanged, rare compositions generalised or suppressed.

Whoever knows who lives with whom looks for whole households (:class:`tacit.attack.Household`): a household that is the only one
of its composition is found although each member shares its quasi-identifiers with many people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value
from ..registry import MethodEffects, Tags, describe
from ..release.households import composition_counts, household_level, household_numbers, row_profiles
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from .parameters import check_share, column_names, drop_metadata, make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("nothing"),
    family="frame",
    needs=("household",),
    use="Always, unless analysts need to know who lives with whom.",
    avoid="Analyses of households: keep the number, and require household_k_anonymity and a bound on re-identification.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DropHousehold:
    """Leave out the household number: nothing in the file says who lives with whom, unless another column does.

    The default of every plan; ``keep_household = true`` under [roles] keeps it, numbered anew. A column that is the same
    for all members and for few others (the rent) still groups them: a plan looks for such columns (``row_links``). On
    every engine; no record is read.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"home": [4711, 4711], "age": [31, 33]}), household="home", quasi="age")
    >>> r.protect(DropHousehold()).to_native().columns
    ['age']
    """

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release without its household column."""
        column = _household_column(release)
        kept = [one for one in release.columns if one != column]
        if not kept:
            raise TacitError(
                "the household number is the only column", code="no_usable_column", fix="release something besides it"
            )
        return Masked(release.select(kept), (Trace.of(self),))


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("hides", role="household", regroups=True),
    family="remove",
    example={"size": 2},
    needs=("household",),
    use="Large households stand out, and pairs of people are enough for the analysis.",
    avoid="The size or the whole composition of households is analysed.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SplitHouseholds:
    """Split households of more than ``size`` members at random into parts of at most that, each with a number of its own.

    Small parts have commoner compositions than large households: with ``size=2`` couples and pairs stay visible, with
    ``size=1`` nobody lives with anybody. The parts differ in size by at most one. All numbers are drawn anew. What analysts
    lose: the size and composition of the households that were split; columns of the household (its rent) stay with the
    members, and tell the parts' common origin where they are rare. O(n log n) time.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"home": [1, 1, 1, 2]}), household="home")
    >>> sorted(r.protect(SplitHouseholds(size=2), seed=7).to_native()["home"].value_counts()["count"])
    [1, 1, 2]
    """

    size: int

    def __post_init__(self) -> None:
        check_int("size", self.size, least=1)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with smaller households."""
        rng = make_rng(self, seed)
        column = _household_column(release)
        numbers = household_numbers(release)
        members = np.bincount(numbers[numbers >= 0], minlength=int(numbers.max(initial=-1)) + 1)
        parts = -(-members // self.size)
        order = np.lexsort((rng.random(release.size), numbers))
        order = order[numbers[order] >= 0]
        place = np.arange(len(order)) - (np.cumsum(members) - members)[numbers[order]]
        part_of = np.full(release.size, -1, dtype=np.int64)
        part_of[order] = (np.cumsum(parts) - parts)[numbers[order]] + place % np.maximum(parts[numbers[order]], 1)
        split = int((parts > 1).sum())
        trace = Trace.of(self, split=Finding(split, publishable=True, counts=True))
        return Masked(_renumber_households(release, column, part_of, rng), (trace,))


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("changes", ("columns",), exchanges=True, regroups=True),
    family="exchange",
    example={"share": 0.2, "similar": ["sex"]},
    needs=("household",),
    use="Households are kept, and their counts by composition need hold on average only.",
    avoid="Relations within the household (parent and child) are what is analysed.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SwapMembers:
    """Let a ``share`` of the people change households with somebody like them, in pairs drawn at random.

    Two people change places who live in different households and are equal in the columns ``similar`` (none: in nothing), so
    that the joint counts of these columns with everything of the household stay as they were. Columns that are the
    same for all members of every household (rent, region) go along with the household. Whoever has no partner stays. Every
    matched household is doubtful then, and one that was changed no longer has the composition that an intruder knows. Expected O(n log n) time.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"home": [1, 1, 2, 2], "sex": ["f", "m", "f", "m"]}), household="home")
    >>> m = r.protect(SwapMembers(share=0.5, similar="sex"), seed=7)
    >>> int(m.trace[0].outcome["swapped"].value), sorted(m.to_native()["home"].to_list())
    (2, [1, 1, 2, 2])
    """

    share: float
    similar: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_share(self.share, "share")
        object.__setattr__(self, "similar", column_names(self.similar) if self.similar else ())

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with some people in another household."""
        rng = make_rng(self, seed)
        column = _household_column(release)
        check_columns(self.similar, release.columns)
        numbers = household_numbers(release)
        moved = [one for one in release.columns if one not in (column, *self.similar)]
        along = household_level(release, moved)
        source = _swap_members(release, numbers, self.similar, self.share, rng)
        changed = {one: release.series(one).gather(source) for one in (column, *along)}
        swapped = int((source != np.arange(release.size)).sum())
        trace = Trace.of(
            self,
            swapped=Finding(swapped, publishable=True, counts=True),
            columns=Finding(dict.fromkeys(changed, 1), publishable=True),
        )
        return Masked(release.with_columns(changed), (trace,))


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("hides", role="household", drops=True, regroups=True),
    family="remove",
    example={"k": 3},
    needs=("household",),
    use="Households are kept, and those of a rare composition or size may stand without their number.",
    avoid="Most households are rare: little is left of them; split them, or drop the number.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressHouseholds:
    r"""Suppress rare households: those whose composition fewer than ``k`` households have, and those of more than ``largest``.

    The composition of a household is the multiset of its members' quasi-identifiers. With ``how="number"`` the number of a
    rare household is left out, so that its members stand in the file as records without a household; with ``how="records"``
    its records are removed. **Claim**: afterwards every household number belongs to a composition that at least k households
    have (:class:`tacit.models.HouseholdKAnonymity`). *Argument*: all households of a composition are rare or none is, so that
    leaving some out changes no other composition's count; where a missing cell matches any value, the counts are taken
    anew until nothing is rare. That the number is missing says that the household was rare: the attack on households
    takes these records as a pool of their own. O(n log n) time, in memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"home": [1, 2, 3, 3], "sex": ["f", "f", "f", "m"]}), household="home", quasi="sex")
    >>> r.protect(SuppressHouseholds(k=2)).to_native()["home"].to_list()
    [1, 2, None, None]
    """

    k: int
    largest: int | None = None
    how: Literal["number", "records"] = "number"

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)
        if self.largest is not None:
            check_int("largest", self.largest, least=1)
        if self.how not in ("number", "records"):
            raise TacitError(
                f"how={format_value(self.how)} is unknown",
                code="unknown_name",
                parameter="how",
                fix="how is 'number' or 'records'",
            )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release without what singles rare households out."""
        column = _household_column(release)
        numbers = household_numbers(release)
        kept = numbers >= 0
        if self.largest is not None:
            kept &= np.bincount(numbers[kept], minlength=int(numbers.max(initial=-1)) + 1)[numbers] <= self.largest
        while True:  # promise: households-suppression-provides-k
            counts = composition_counts(release, np.where(kept, numbers, -1))
            rare = kept & (counts < self.k)
            if not rare.any():
                break
            kept &= ~rare
        lost = (numbers >= 0) & ~kept
        households = Finding(len(np.unique(numbers[lost])), publishable=True, counts=True)
        removed = int(lost.sum()) if self.how == "records" else 0
        trace = Trace.of(self, households=households, removed=Finding(removed, publishable=True, counts=True))
        if self.how == "records":
            rows = np.flatnonzero(~lost)
            if not len(rows):
                raise TacitError(
                    f"every household is rarer than k={self.k}",
                    code="invalid_parameter",
                    fix="lower k, or take how='number'",
                )
            return Masked(release.take(rows), (trace,), rows)
        ids = pl.select(pl.when(pl.Series(~lost)).then(release.series(column))).to_series().alias(column)
        return Masked(release.with_columns({column: ids}), (trace,))


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("nothing", blanks=True),
    family="remove",
    example={"k": 3},
    needs=("household",),
    use="Households are kept, and rare ones may lose detail about their members.",
    avoid="Many households are rare: the cells suppressed are most of the file; drop or split households instead.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class GeneraliseComposition:
    """Suppress quasi-identifiers of rare households, one column after the other, until ``k`` households share the composition.

    Of all members of a household whose composition fewer than ``k`` have, the first of ``columns`` (the quasi-identifiers, those
    with most values first, unless named) is suppressed, then the next, as long as it is rare. What is left rare at last (an
    unusual size) keeps its number: :class:`SuppressHouseholds` takes that, too. O(columns · n log n) time, in memory.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(
    ...     pl.DataFrame({"home": [1, 2], "age": [31, 33], "sex": ["f", "f"]}),
    ...     household="home",
    ...     quasi=["age", "sex"],
    ...     missing="own",
    ... )
    >>> r.protect(GeneraliseComposition(k=2)).to_native()["age"].to_list()
    [None, None]
    """

    k: int
    columns: Sequence[str] | None = None

    def __post_init__(self) -> None:
        check_int("k", self.k, least=1)
        if self.columns is not None:
            object.__setattr__(self, "columns", column_names(self.columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:  # noqa: ARG002
        """The release with coarser rare households."""
        _household_column(release)
        numbers = household_numbers(release)
        usual = sorted(release.quasi, key=lambda one: -release.distinct(one))
        counts: dict[str, int] = {}
        for column in usual if self.columns is None else check_columns(self.columns, release.columns):
            rare = (numbers >= 0) & (composition_counts(release, numbers) < self.k)
            if not rare.any():
                break
            counts[column] = int((rare & release.valid(column)).sum())
            release = release.suppress_cells({column: rare})
        trace = Trace.of(self, suppressed=Finding(counts, publishable=True, counts=True))
        return Masked(release, (trace,))


def _household_column(release: Release) -> str:
    """The column of household ids; an error where there is none."""
    if release.household is None:
        raise TacitError(
            "the release has no household column",
            code="no_household_column",
            fix="say which one it is, e.g. household='hh'",
        )
    return release.household


def _renumber_households(release: Release, column: str, part_of: np.ndarray, rng: np.random.Generator) -> Release:
    """The release with household numbers drawn anew for these parts; −1 has none."""
    fresh = rng.permutation(int(part_of.max(initial=-1)) + 1).astype(np.int64) + 1
    numbers = pl.Series(column, [*fresh.tolist(), None], dtype=pl.Int64).gather(
        np.where(part_of < 0, len(fresh), part_of)
    )
    return drop_metadata(release.with_columns({column: numbers}), [column], hierarchies=True)


def _swap_members(
    release: Release, numbers: np.ndarray, similar: Sequence[str], share: float, rng: np.random.Generator
) -> np.ndarray:
    """Whose household each row gets: pairs of people of different households who are alike."""
    source = np.arange(release.size)
    alike = row_profiles(release, similar)
    rows = rng.permutation(np.flatnonzero(numbers >= 0))
    rows = rows[np.argsort(alike[rows], kind="stable")]
    place = np.arange(len(rows)) - np.searchsorted(alike[rows], alike[rows])
    first = rows[:-1][(place[:-1] % 2 == 0) & (alike[rows[:-1]] == alike[rows[1:]])]
    second = rows[1:][(place[:-1] % 2 == 0) & (alike[rows[:-1]] == alike[rows[1:]])]
    pairs = np.flatnonzero(numbers[first] != numbers[second])
    chosen = rng.permutation(pairs)[: round(share * release.size / 2)]
    source[first[chosen]], source[second[chosen]] = second[chosen], first[chosen]
    return source
