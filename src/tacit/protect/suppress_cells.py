"""Cell suppression: single quasi-identifiers blanked in the records that are too rare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from ..errors import TacitError, check_columns, check_int, format_value
from ..frozen import FrozenDict
from ..models.k_anonymity import KAnonymity
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..seed import make_generator
from ._suppression_search import SuppressionSearch
from ._units import masking_units
from ._verification import verify_models
from .parameters import column_names, is_number

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


Wanted: TypeAlias = Sequence[tuple[tuple[str, ...], int]]

WIDEST = 60
"""Quasi-identifiers that the search can tell apart."""

DEAREST = 1e9
"""The largest price of a cell: beyond it the others would be lost in rounding."""

MOST = 10_000
"""Combinations beyond which no search is begun."""


@describe(
    tags=Tags(about="identity", kind="method", shown="proven"),
    effects=MethodEffects("nothing", blanks=True),
    family="remove",
    suits={"code": 2},
    example={"k": 3},
    use="Few records are rare, and a missing value here and there does less harm than coarser categories.",
    avoid="Most records are rare: coarsen first. Blanks are not at random, so that estimates need care.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressCells:
    """Blank few quasi-identifiers so that the release is k-anonymous on all of them, or on chosen combinations.

    ``k`` alone asks for k-anonymity on all quasi-identifiers together. ``combinations=3`` asks for it on every three of
    them instead, and ``subsets=[{"columns": ["zip", "sex"], "k": 5}, …]`` on the combinations named, each with its own
    k (that of the method where it has none). ``importance`` is the price of a blank in a column, 1 where nothing is
    said: the cells chosen are the cheapest, without it the fewest.

    Every record that fails gets the cheapest set of columns on whose remainder k others match it: exact, by counts over
    sets of columns in order of price. Then it depends on what a missing key means. **"any"**: a record need not be
    blanked where the blanks of others already make them match it; whom that spares is solved as an integer programme on
    small files (to about 2,000 rare combinations), by taking cells back one by one on middling ones, and left on very
    large ones. **"own"**: blanks make classes of their own, so rare records are grouped, with records that larger
    classes can spare. ``evidence`` has the cost, and a bound under which no choice among these sets can come ("any"),
    or no solution at all ("own", where nothing was missing before). The literal minimum under "any" would be useless:
    to blank k − 1 records wholly lets everybody match k. So a record loses no more than it needs for itself.

    **Claim**: on the result every record is matched by at least k records on every combination asked for, under the
    release's own policy for missing values. *Precondition*: the policy is chosen, and k ≤ n. *Argument*: under "any"
    blanks only add matches, each record's set is enough against the others as they were, and a cell is taken back only
    while all keep k. Under "own" the search is repeated until no record fails; cells only become blank, and with all of
    them blank all n are equal. *Checked* on the result by :class:`~tacit.models.KAnonymity` (``evidence["verdicts"]``),
    and by a count of all pairs in the tests.

    ``linked={"zip": ["city", "region"]}`` names columns that tell the same in other words: they lose the cells that the
    column they hang on loses, and are not searched over. Whatever tells a blanked value and is not named keeps telling it.

    ``strata`` asks for all this within every stratum (equal values in these columns, missing counted as one): k records
    of the same stratum match, which is k on the quasi-identifiers together with the strata, whose own cells stay.

    Who of several equals is blanked is drawn when a seed is given, else it follows the order of the rows. A column that
    is equal within every household is blanked for all members. Not a minimum: that is NP-hard.
    Time O(2^q · c) for c different combinations of q keys at worst, in practice the sets of few columns; at most 5,000
    sets are tried, then columns are given up one by one. Memory O(n + 2^q · c / 8).

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N3"], "sex": ["f", "f", "f", "f"]})
    >>> r = Release(table, quasi=["zip", "sex"], missing="own")
    >>> r.protect(SuppressCells(k=2)).to_native()["zip"].to_list()
    ['N1', 'N1', None, None]

    References
    ----------
    Templ, Kowarik, Meindl (2015), Statistical disclosure control for micro-data using sdcMicro, JSS 67(4).
    Meyerson and Williams (2004), On the complexity of optimal k-anonymity, PODS, 223–228.
    """

    k: int | None = None
    importance: Mapping[str, float] = field(default_factory=dict)
    subsets: Sequence[Mapping[str, Any]] = ()
    combinations: int | None = None
    linked: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    strata: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.k is not None or not self.subsets:
            check_int("k", self.k, least=2)
        object.__setattr__(self, "importance", _check_importance(self.importance))
        if isinstance(self.subsets, str | Mapping) or not isinstance(self.subsets, Sequence):
            raise TacitError(
                f"subsets={format_value(self.subsets)} is no list of combinations",
                code="wrong_type",
                parameter="subsets",
                fix=EXAMPLE,
            )
        object.__setattr__(self, "subsets", tuple(_check_subset(one, self.k) for one in self.subsets))
        if self.combinations is not None:
            check_int("combinations", self.combinations, least=1)
            check_int("k", self.k, least=2)
        object.__setattr__(self, "linked", checked_linked(self.linked))
        object.__setattr__(self, "strata", column_names(self.strata) if self.strata else None)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with blanks; the outcome has their number in each column."""
        wanted = self.required_combinations(release)
        if release.missing is None:
            raise TacitError(
                "suppressed cells are missing, and nobody said what a missing key means",
                code="blanks_undefined",
                fix="missing='own' if missing is a category of its own, missing='any' if it may match any value",
            )
        check_linked(release, self.linked, check_columns(self.strata))  # type: ignore[arg-type]
        report_progress(progress, "suppress_cells", 0.0)
        found = self._search_cells(release, wanted, None if seed is None else make_generator(seed), progress)
        cost = sum(int(rows.sum()) * self.importance.get(column, 1.0) for column, rows in found.cells.items())
        cells = with_linked(release, found.cells, self.linked)  # type: ignore[arg-type]
        masked = release.suppress_cells(cells) if cells else release
        report_progress(progress, "suppress_cells", 1.0)
        counts = {column: int(rows.sum()) for column, rows in cells.items()}
        trace = Trace.of(self, suppressed=Finding(counts, publishable=True, counts=True))
        models = _required_models(wanted, release)
        if found.strata is None:
            return verify_models(Masked(masked, (trace,)), models, cost=cost, bound=found.bound)
        verdicts = [
            verify_models(Masked(masked.take(rows), (trace,)), models).evidence["verdicts"] for rows in found.strata
        ]
        evidence = {"cost": cost, "bound": found.bound, "verdicts": tuple(one for each in verdicts for one in each)}
        return Masked(masked, (trace,), evidence=evidence)

    def _search_cells(
        self, release: Release, wanted: Wanted, rng: np.random.Generator | None, progress: Progress | None
    ) -> _SuppressionResult:
        """The cells to blank in the whole release, or stratum by stratum."""
        if not self.strata:
            search = SuppressionSearch(release, wanted, self.importance, rng=rng)
            return _SuppressionResult(search.until_enough(progress), search.bound, None)
        strata = _rows_of_strata(release, self.strata, most=max(k for _, k in wanted))
        cells: dict[str, np.ndarray] = {}
        bounds: list[float | None] = []
        for rows in strata:
            search = SuppressionSearch(release.take(rows), wanted, self.importance, rng=rng)
            for column, lost in search.until_enough(progress).items():
                cells.setdefault(column, np.zeros(release.size, dtype=bool))[rows] = lost
            bounds.append(search.bound)
        bound = None if None in bounds else sum(one for one in bounds if one is not None)
        return _SuppressionResult(cells, bound, strata)

    def required_combinations(self, release: Release) -> list[tuple[tuple[str, ...], int]]:
        """The combinations of columns with the k that must hold on each."""
        if not release.quasi:
            raise TacitError(
                "the release has no quasi-identifier",
                code="no_quasi_identifier",
                fix="say which columns an intruder may know, e.g. quasi=['zip', 'birth']",
            )
        wanted = [(one["columns"], one["k"]) for one in self.subsets]
        for column in (*self.importance, *(column for columns, _ in wanted for column in columns)):
            if check_columns(column, release.columns)[0] not in release.quasi:
                raise TacitError(
                    "is not a quasi-identifier",
                    code="column_not_chosen",
                    column=column,
                    fix=f"name some of {', '.join(release.quasi)}",
                )
        wanted += [(columns, int(self.k or 2)) for columns in self._all_of_a_size(release)]
        if len({column for columns, _ in wanted for column in columns}) > WIDEST:
            raise TacitError(
                f"cells cannot be suppressed over more than {WIDEST} quasi-identifiers",
                code="out_of_range",
                fix="give other columns another role, or name smaller combinations with subsets=[…]",
            )
        for _, k in wanted:
            if k > release.size:
                raise TacitError(
                    f"k={k} is above the {release.size} records of the release",
                    code="out_of_range",
                    parameter="k",
                    fix="use a smaller k",
                )
        return wanted

    def _all_of_a_size(self, release: Release) -> list[tuple[str, ...]]:
        if self.combinations is None:
            return [] if self.subsets else [tuple(release.quasi)]
        from math import comb

        if self.combinations > len(release.quasi):
            raise TacitError(
                f"combinations={self.combinations} is above the {len(release.quasi)} quasi-identifiers",
                code="out_of_range",
                parameter="combinations",
                fix=f"use at most {len(release.quasi)}",
            )
        if comb(len(release.quasi), self.combinations) > MOST:
            raise TacitError(
                f"combinations={self.combinations} of {len(release.quasi)} quasi-identifiers are more than {MOST:,}",
                code="out_of_range",
                parameter="combinations",
                fix="name those that matter with subsets=[…], or use a smaller number",
            )
        return list(combinations(release.quasi, self.combinations))


class _SuppressionResult(NamedTuple):
    """Column → the rows to blank, a bound of their cost, and the rows of each stratum if there are strata."""

    cells: dict[str, np.ndarray]
    bound: float | None
    strata: list[np.ndarray] | None


def _rows_of_strata(release: Release, strata: str | Sequence[str], *, most: int) -> list[np.ndarray]:
    """The rows of each stratum; none has fewer than are to match, and none cuts a household."""
    for column in check_columns(strata, release.columns):
        if column in release.quasi:
            raise TacitError(
                "makes the strata and is a quasi-identifier",
                code="unsuitable_column",
                column=column,
                fix="leave it out of one of the two",
            )
    part = masking_units(release, release.quasi, check_columns(strata))[0]
    of_row = part.stratum[part.of_row]
    found = [np.flatnonzero(of_row == stratum) for stratum in np.unique(of_row)]
    smallest = min(len(rows) for rows in found)
    if smallest < most:
        raise TacitError(
            f"makes strata of which the smallest has {smallest} records, fewer than k={most}",
            code="too_few_records",
            column=check_columns(strata)[0],
            fix="merge strata (recode), use a smaller k, or leave strata out",
        )
    return found


EXAMPLE = 'e.g. subsets=[{"columns": ["zip", "sex"], "k": 5}]'


def _check_importance(given: object) -> FrozenDict[str, float]:
    if not isinstance(given, Mapping):
        raise TacitError(
            f"importance={format_value(given)} is no price per column",
            code="wrong_type",
            parameter="importance",
            fix="e.g. importance={'zip': 0.5}",
        )
    for column, price in given.items():
        if not is_number(price) or not 0 <= price <= DEAREST:
            raise TacitError(
                f"importance={format_value(price)} is no price",
                code="wrong_type",
                parameter="importance",
                column=str(column),
                fix=f"a number from 0 to {DEAREST:g}; 1 is usual",
            )
    return FrozenDict(given)


def _check_subset(given: object, k: int | None) -> FrozenDict[str, Any]:
    if not isinstance(given, Mapping) or not {"columns"} <= set(given) <= {"columns", "k"}:
        raise TacitError("a subset has columns and a k, and nothing else", code="invalid_parameter", fix=EXAMPLE)
    own = given.get("k", k)
    check_int("k", own, least=2)
    return FrozenDict(columns=column_names(given["columns"]), k=own)


def _required_models(wanted: Sequence[tuple[tuple[str, ...], int]], release: Release) -> list[KAnonymity]:
    """What the result is held against: one model for every k."""
    asked: dict[int, list[tuple[str, ...]]] = {}
    for columns, k in wanted:
        asked.setdefault(k, []).append(columns)
    if list(asked.values()) == [[release.quasi]]:
        return [KAnonymity(k=k) for k in asked]
    return [KAnonymity(k=k, subsets=tuple(subsets)) for k, subsets in asked.items()]


def checked_linked(given: object) -> FrozenDict[str, tuple[str, ...]]:
    """Quasi-identifier → the columns that lose the same cells, as typed."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"linked={format_value(given)} is not given by column",
            code="missing_parameter",
            parameter="linked",
            fix="e.g. linked={'zip': ['city', 'region']}",
        )
    found = {str(column): column_names(followers) for column, followers in given.items()}
    for column, followers in found.items():
        if column in followers:
            raise TacitError(
                "is linked to itself", code="unsuitable_column", column=column, fix="name the columns that follow it"
            )
    return FrozenDict(found)


def check_linked(release: Release, linked: Mapping[str, tuple[str, ...]], strata: Sequence[str] = ()) -> None:
    """Columns hang on quasi-identifiers, and are none: those are blanked as far as they need it; strata stay."""
    for column, followers in linked.items():
        if check_columns(column, release.columns)[0] not in release.quasi:
            raise TacitError(
                "is not a quasi-identifier, and none of its cells is suppressed",
                code="column_not_chosen",
                column=column,
                fix=f"link columns to some of {', '.join(release.quasi)}",
            )
        for follower in check_columns(followers, release.columns):
            if follower in release.quasi:
                raise TacitError(
                    f"is linked to {column!r} and is a quasi-identifier itself",
                    code="unsuitable_column",
                    column=follower,
                    fix="take it out of linked, or out of the quasi-identifiers",
                )
            if follower in strata:
                raise TacitError(
                    f"is linked to {column!r} and makes the strata, whose cells stay",
                    code="unsuitable_column",
                    column=follower,
                    fix="take it out of linked, or out of the strata",
                )


def with_linked(
    release: Release, cells: Mapping[str, np.ndarray], linked: Mapping[str, tuple[str, ...]]
) -> dict[str, np.ndarray]:
    """The cells and those of the linked columns that are not missing already."""
    found = dict(cells)
    for column, followers in linked.items():
        for follower in followers:
            rows = cells.get(column, np.zeros(release.size, dtype=bool)) & release.valid(follower)
            rows = rows | found.get(follower, False)
            if rows.any():
                found[follower] = rows
    return found
