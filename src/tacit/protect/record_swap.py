"""Record swapping: households that stand out change places with like households of another region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.households import household_level, one_per_household
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ._checks import refuse_empty
from ._swapping.pairs import match_partners
from ._swapping.profiles import checked_names, checked_profiles
from .parameters import check_share, make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


ROUNDING = 1e-9


@describe(
    tags=Tags(about="identity", kind="method"),
    effects=MethodEffects("changes", ("geography", "along"), exchanges=True, model="record_swap"),
    family="exchange",
    suits={"geographic": 2},
    example={"geography": ["zip"], "k": 2, "share": 0.1, "keys": ["sex", "occupation"]},
    use="Census and household files with small areas: households that stand out there move to another area.",
    avoid="Small areas are what is studied, or other columns that stay tell the place.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSwap:
    r"""Let households that stand out change places with like households of another region (targeted swapping).

    ``geography`` names the columns of the place from coarse to fine (province, municipality). At level h a region is a
    combination of its first h columns, and a record's risk is 1/f, f the records of its region that match it on
    ``keys`` (the quasi-identifiers, without the geography, unless named). A household is risky at h when fewer
    than ``k`` records match one of its members there; it must then change places with a household of ANOTHER region of the coarsest level
    at which it is risky, within the same coarser region where it can. After that, households drawn at random change
    places over the finest level until ``share`` of all households have moved: a share is the least that moves, the risky
    ones all do, also when they are more. (A random move is the only
    thing that makes a rare household found in the published file doubtful: do not choose a share of 0.)

    The partner is drawn uniformly among households that have not moved, have the same number of members
    (``same_size``), and equal values in the columns of a profile; the profiles of ``similar`` are tried in order, e.g.
    ``[["type", "age_head"], ["type"]]``. All columns of the geography, and those that go ``along`` (the name of the
    town, coordinates), change places as a whole; every other column stays with the household. Name there ALL columns
    that tell the place: one that stays gives every move away.

    Kept exactly: the households of each region, its persons (with ``same_size``), the joint counts of geography and
    the columns of the profile that was used, the file without geography. Not kept: the joint counts of geography with
    anything else, and weighted counts unless the weight is in the profile. A risky household without a partner stays;
    the trace counts these by level. Households that lack a value of the geography take no part.

    Expected time O(levels · profiles · n log n), memory O(n).

    >>> import polars as pl
    >>> from tacit import Release
    >>> frame = pl.DataFrame({"town": ["A", "A", "A", "B", "B", "B"], "job": ["cook", "cook", "mayor"] * 2})
    >>> masked = Release(frame, quasi=["town", "job"]).protect(RecordSwap(geography="town", k=2, share=0), seed=7)
    >>> masked.trace[0].outcome["risky"].value, masked.trace[0].outcome["without_partner"].value
    ({'town': 2}, {'town': 0})

    References
    ----------
    Shlomo, Tudor and Groom (2010), Data swapping for protecting census tables, Privacy in Statistical Databases, LNCS
    6344, 41–51.
    """

    geography: str | Sequence[str]
    k: int
    share: float
    similar: Sequence[str] | Sequence[Sequence[str]] = ()
    keys: str | Sequence[str] | None = None
    along: str | Sequence[str] | None = None
    same_size: bool = True

    def __post_init__(self) -> None:
        check_int("k", self.k, least=2)
        check_share(self.share, "share")
        geography = checked_names("geography", self.geography)
        object.__setattr__(self, "geography", geography)
        object.__setattr__(self, "similar", checked_profiles(self.similar))
        for name in ("keys", "along"):
            given = getattr(self, name)
            object.__setattr__(self, name, None if given is None else checked_names(name, given))
        if not isinstance(self.same_size, bool):
            raise TacitError(
                f"same_size={format_value(self.same_size)} is neither true nor false",
                code="not_boolean",
                parameter="same_size",
                fix="same_size=True",
            )
        for column in (*(self.keys or ()), *(self.along or ()), *(one for profile in self.similar for one in profile)):
            if column in geography:
                raise TacitError(
                    "is of the geography and named again",
                    code="unsuitable_column",
                    column=column,
                    fix="name it there alone",
                )

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release whose households have moved; the outcome has the share, and by level the risky ones."""
        rng = make_rng(self, seed)
        moving = self._check_columns(release)
        state = no_swaps(release, moving, self.similar, same_size=self.same_size)
        level = self._risk_levels(release, state.of_row, progress)
        stuck = {}
        for place, column in enumerate(self.geography):
            report_progress(progress, "record_swap", 0.5 + 0.3 * place / len(self.geography))
            seekers = rng.permutation(np.flatnonzero((level == place) & ~state.has_moved))
            state = state.with_pairs(seekers, state.regions_of(release, self.geography[: place + 1]), len(level), rng)
            stuck[column] = int(((level == place) & ~state.has_moved).sum())
        report_progress(progress, "record_swap", 0.8)
        more = max(0, floor(self.share * len(level) / 2 + ROUNDING) - int(state.has_moved.sum()) // 2)
        state = state.with_pairs(rng.permutation(len(level)), state.regions_of(release, self.geography), more, rng)
        if not state.has_moved.any() and (more or (level >= 0).any()):
            raise TacitError(
                "no household has a like one in another region",
                code="invalid_parameter",
                fix="use fewer columns in similar, or add a profile with fewer after it",
            )
        source = state.first[np.where(state.has_moved, state.partner, np.arange(len(level)))][state.of_row]
        changes: dict[str, np.ndarray | pl.Series] = {
            column: release.series(column).gather(source) for column in moving
        }
        report_progress(progress, "record_swap", 1.0)
        risky = {column: int((level == place).sum()) for place, column in enumerate(self.geography)}
        trace = Trace.of(
            self,
            swapped=Finding(round(float(state.has_moved.mean()), 6), publishable=True),
            risky=Finding(risky, publishable=True, counts=True),
            without_partner=Finding(stuck, publishable=True, counts=True),
        )
        return Masked(release.with_columns(changes), (trace,))

    def _check_columns(self, release: Release) -> tuple[str, ...]:
        """The columns that change places; these and the profiles are of the household."""
        moving = check_columns((*self.geography, *(self.along or ())), release.columns)
        self._check_order(release)
        profiles = dict.fromkeys(column for profile in self.similar for column in profile)
        of_household = (
            *moving,
            *(column for column in check_columns(profiles, release.columns) if column not in moving),
        )
        refuse_empty(release)
        shared = household_level(release, of_household) if release.household else of_household
        for column in of_household:
            if column not in shared:
                raise TacitError(
                    "differs within households, which move as a whole",
                    code="unsuitable_column",
                    column=column,
                    fix="use a column of the household, or describe the release without its household column",
                )
        return moving

    def _check_order(self, release: Release) -> None:
        """Refuse a geography from fine to coarse: one column inside the next."""
        for coarse, fine in pairwise(self.geography):
            first, second = release.codes(coarse), release.codes(fine)
            both = len(np.unique(first.codes.astype(np.int64) * second.count + second.codes))
            if both == first.count > second.count:
                raise TacitError(
                    f"lies within {fine!r}, which is named after it",
                    code="unsuitable_column",
                    column=coarse,
                    fix="name the geography from coarse to fine, e.g. ['province', 'municipality']",
                )

    def _risk_levels(self, release: Release, of_row: np.ndarray, progress: Progress | None) -> np.ndarray:
        """The coarsest level at which each household is risky, from 0; −1 for none."""
        keys = tuple(column for column in release.quasi if column not in self.geography)
        if self.keys is not None:
            keys = check_columns(self.keys, release.columns)
        if not keys:
            raise TacitError(
                "the release has no quasi-identifier but the geography",
                code="no_quasi_identifier",
                fix="say what makes a household stand out, e.g. keys=['age', 'occupation']",
            )
        level = np.full(int(of_row.max()) + 1, -1)
        for place in reversed(range(len(self.geography))):
            report_progress(progress, "record_swap", 0.5 * (1 - (place + 1) / len(self.geography)))
            size = release.matches((*self.geography[: place + 1], *keys)).size().per_record().values()
            level[np.bincount(of_row, weights=size < self.k) > 0] = place
        return level


class HouseholdRegions(NamedTuple):
    """A number for the region of every household, and for the coarser region around it."""

    region: np.ndarray
    around: np.ndarray


@dataclass(frozen=True, eq=False)
class HouseholdSwaps:
    """The households of a release: a row of each, the household of every row, and with whom each has changed places.

    ``partner`` is −1 for whoever has not moved, ``there`` says who may; ``alike`` numbers like households, one array for
    each profile.
    """

    first: np.ndarray
    of_row: np.ndarray
    there: np.ndarray
    alike: tuple[np.ndarray, ...]
    partner: np.ndarray

    @property
    def has_moved(self) -> np.ndarray:
        """Which households have moved."""
        return self.partner >= 0

    def regions_of(self, release: Release, columns: Sequence[str]) -> HouseholdRegions:
        """The region of every household, of the finest of the columns, and the coarser one around it."""
        return HouseholdRegions(
            _combination_codes(release, columns, self.first), _combination_codes(release, columns[:-1], self.first)
        )

    def with_pairs(
        self, seekers: np.ndarray, places: HouseholdRegions, most: int, rng: np.random.Generator
    ) -> HouseholdSwaps:
        """With at most so many more pairs: each seeker and a household like it of another region.

        Under every profile partners are sought in the same coarser region first, then everywhere.
        """
        partner, pairs = self.partner.copy(), 0
        for alike in (one for profile in self.alike for one in (_pair_codes(profile, places.around), profile)):
            if pairs == most:
                break
            free = self.there & (partner < 0)
            found = match_partners(seekers, np.where(free, alike, -1), places.region, most=most - pairs, rng=rng)
            partner = np.where(found >= 0, found, partner)
            pairs += int((found >= 0).sum()) // 2
            seekers = seekers[partner[seekers] < 0]
        return HouseholdSwaps(self.first, self.of_row, self.there, self.alike, partner)


def no_swaps(
    release: Release, moving: Sequence[str], profiles: Sequence[Sequence[str]], *, same_size: bool
) -> HouseholdSwaps:
    """Nobody has moved yet. O(n log n) time for the households, O(n) for each profile."""
    from ..kernels.groups import group_rows

    first, of_row = one_per_household(release)
    there = np.logical_and.reduce([release.valid(column)[first] for column in moving])
    size = np.bincount(of_row) if same_size else np.ones(len(first), dtype=np.int64)
    alike = []
    for profile in profiles:
        number = _combination_codes(release, profile, first)
        alike.append(group_rows([number, size], [int(number.max()) + 1, int(size.max()) + 1])[0])
    return HouseholdSwaps(first, of_row, there, tuple(alike), np.full(len(first), -1))


def _pair_codes(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """A number for each combination of two numbers."""
    from ..kernels.groups import group_rows

    return group_rows([one, other], [int(one.max()) + 1, int(other.max()) + 1])[0]


def _combination_codes(release: Release, columns: Sequence[str], rows: np.ndarray) -> np.ndarray:
    """A number for each combination of values in the columns, missing counted as a value."""
    from ..kernels.groups import group_rows

    if not columns:
        return np.zeros(len(rows), dtype=np.int32)
    codes = [release.codes(column) for column in columns]
    return group_rows([one.codes[rows] for one in codes], [one.count for one in codes])[0]
