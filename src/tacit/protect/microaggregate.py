"""Microaggregation, our way: groups of at least k like records at a small loss, for columns of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import numpy as np

from ..errors import TacitError, check_columns, check_int, format_value, suggest_alternative
from ..frozen import FrozenDict
from ..progress import report_progress, sub_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import Trace
from ..seed import make_generator, secret_seed
from ._microaggregation.centres import BY_FORM, Aggregate
from ._microaggregation.embedding import column_form
from ._microaggregation.group_values import GroupAssignment, drop_code_labels, group_findings, replace_values
from ._microaggregation.grouping import GroupingParams, group_units
from ._microaggregation.partition import partition_points
from ._totals import check_totals, checked_totals, with_totals
from ._units import masking_units
from .parameters import column_names, column_weights, is_number, seed_of, strata_names

if TYPE_CHECKING:
    import polars as pl

    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed
    from ._microaggregation.grouping import Lacking, UnitGroups
    from ._microaggregation.partition import Effort


Value = TypeVar("Value")

NEAREST = 8
"""A record takes one of so many nearest centres."""

BATCH = 1 << 17
"""So many records are drawn for at a time."""

TINY = 1e-300
"""Squared distances from here on: a record on its centre has all the membership."""


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns", "totals"), model="microaggregation"),
    family="average",
    suits={"continuous": 1},
    example={"columns": ["income", "visits", "sex"], "k": 3},
    use="Amounts must stay amounts, and nobody may stand out from k others; the first choice for numbers.",
    avoid="Variances and rare extremes matter to the analysts, or the columns hold nothing but a few categories.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class Microaggregate:
    r"""Replace the values of at least ``k`` like records by one value that stands for all of them.

    The groups are sought so that

    .. math:: SSE = \sum_g \sum_{i \in g} \lVert x_i - \bar x_g \rVert^2

    is small: of one column the optimum, else a partition of blocks that is improved by moving and exchanging records
    (``effort="high"``: longer). Distances are those of :func:`~tacit.protect._microaggregation.embedding.embed_rows`:
    numbers and dates by standard deviations, ordinal values by places, nominal ones equal or not, or along their
    hierarchy; ``weights`` make a column count more or less. A group shows the mean of numbers and dates, rounded to
    their type, the median of ordinal values, the mode of nominal ones, and of those with a hierarchy the member's value
    that is nearest to all; ``aggregate={"income": "median", "town": "mode"}`` says otherwise. No value of a
    category is invented.

    ``groups="together"`` makes one grouping of all columns, ``"each"`` one per column (individual ranking: little
    loss, and little protection), ``[["income", "rent"], ["age"]]`` one per list. With ``strata`` groups stay within
    a stratum. Columns that are equal within every household are grouped by household, apart from the others. A total of
    ``totals`` is computed anew from its parts.

    On quasi-identifiers, all of them together, it gives k-anonymity, provided that none is missing and that they are
    all of the person or all of the household: the k or more records of a group show the same values. Records with a
    missing value are left as they are and counted; ``missing="apart"`` groups those that lack the same columns, and
    leaves only patterns that fewer than k records have.

    Who knows the method can tell from the published centres which group a known record must be in. With
    ``randomised=m`` a record takes one of the eight nearest centres by lot, with the memberships of fuzzy c-means
    for the fuzzifier m > 1 (1.5 little, 2 usual); centres that fewer than k records drew are given up, so that k holds
    as before, at a larger loss. Means are kept then on average only, and a seed is needed.

    Time O(n log n) and memory O(n · columns) about, more for small files and ``effort="high"``. Lots
    break ties, never the order of the file; without a seed the operating system draws them.

    >>> import polars as pl
    >>> from tacit import Release
    >>> r = Release(pl.DataFrame({"pay": [1.0, 2.0, 10.0, 12.0, 14.0]}), quasi="pay")
    >>> r.protect(Microaggregate(columns="pay", k=2)).to_native()["pay"].to_list()
    [1.5, 1.5, 12.0, 12.0, 12.0]

    References
    ----------
    Domingo-Ferrer and Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control,
    IEEE TKDE 14, 189–201. Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation,
    IEEE TKDE 15, 1043–1044. Domingo-Ferrer and Torra (2005), Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation, Data Mining and Knowledge Discovery 11, 195–212.
    """

    columns: str | Sequence[str]
    k: int
    groups: Literal["together", "each"] | Sequence[Sequence[str]] = "together"
    effort: Effort = "normal"
    strata: str | Sequence[str] | None = None
    weights: Mapping[str, float] = field(default_factory=FrozenDict)
    aggregate: Mapping[str, Aggregate] = field(default_factory=FrozenDict)
    totals: Mapping[str, Sequence[str]] = field(default_factory=FrozenDict)
    missing: Lacking = "leave"
    randomised: float | None = None

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        check_int("k", self.k, least=2)
        one_of("effort", self.effort, ("normal", "high"))
        one_of("missing", self.missing, ("leave", "apart"))
        if self.randomised is not None and (not is_number(self.randomised) or self.randomised <= 1):
            raise TacitError(
                f"randomised={format_value(self.randomised)} is no fuzzifier",
                code="wrong_type",
                parameter="randomised",
                fix="give a number above 1, e.g. randomised=2",
            )
        checked = {
            "columns": columns,
            "groups": checked_groups(self.groups, columns),
            "strata": strata_names(self.strata, columns) or None,
            "weights": known_columns("weights", column_weights(self.weights), columns),
            "aggregate": known_columns("aggregate", checked_aggregates(self.aggregate), columns),
            "totals": checked_totals(self.totals, columns),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with values of groups; the outcome has the groups, their sizes, and the records left out."""
        columns = check_columns(self.columns, release.columns)
        shown = {column: aggregate_of(release, column, self.aggregate) for column in columns}
        check_totals(release, self.totals)
        rng = self._tie_rng(seed)
        jobs = [of for listed in self._column_groups() for of in masking_units(release, listed, self.strata or ())]
        changes: dict[str, pl.Series] = {}
        done: list[GroupAssignment] = []
        for place, of in enumerate(jobs):
            inside = sub_progress(progress, place / len(jobs), (place + 1) / len(jobs))
            report_progress(inside, "microaggregate", 0.0)
            groups = group_units(release, of, way=self._grouping_params(rng), rng=rng, progress=inside)
            taken = groups.group if self.randomised is None else redraw_groups(groups, self.k, self.randomised, rng)
            done.append(GroupAssignment(of, groups, taken))
            changes |= replace_values(release, done[-1], shown, rng)
        report_progress(progress, "microaggregate", 1.0)
        masked = with_totals(drop_code_labels(release.with_columns(changes), release, columns), self.totals)
        return Masked(
            masked, (Trace.of(self, **group_findings(release, done, randomised=self.randomised is not None)),)
        )

    def _tie_rng(self, seed: Seed | None) -> np.random.Generator:
        """Lots for ties, and for who takes which centre: the groups are those of the method without the latter."""
        if seed is None and self.randomised is None:
            return make_generator(secret_seed())
        return make_generator(seed_of(self, seed, without=("randomised",)))

    def _column_groups(self) -> tuple[tuple[str, ...], ...]:
        """The columns of each grouping."""
        if isinstance(self.groups, str):
            return (tuple(self.columns),) if self.groups == "together" else tuple((one,) for one in self.columns)
        return tuple(map(tuple, self.groups))

    def _grouping_params(self, rng: np.random.Generator) -> GroupingParams:
        def divide(points: np.ndarray, progress: Progress | None) -> np.ndarray:
            from ..kernels.univariate_groups import univariate_groups

            if points.shape[1] == 1:
                return univariate_groups(points[:, 0], self.k)
            return partition_points(points, self.k, effort=self.effort, rng=rng, progress=progress)

        return GroupingParams(self.k, divide, self.weights, self.missing, tuple(self.strata or ()))


def one_of(name: str, value: object, words: Sequence[str]) -> None:
    """Refuse what is none of the words."""
    if value not in words:
        raise TacitError(
            f"{name}={format_value(value)} is unknown",
            code="unknown_name",
            parameter=name,
            fix=f"use {name}={' or '.join(map(repr, words))}",
        )


def checked_groups(given: object, columns: Sequence[str]) -> Literal["together", "each"] | tuple[tuple[str, ...], ...]:
    """Which columns are grouped together: a word, or lists that have every column once."""
    if given in ("together", "each"):
        return given
    if (
        isinstance(given, str)
        or not isinstance(given, list | tuple)
        or not all(isinstance(g, list | tuple) for g in given)
    ):
        raise TacitError(
            f"groups={format_value(given)} is unknown",
            code="unknown_name",
            parameter="groups",
            fix="use 'together', 'each', or lists of columns such as [['income', 'rent'], ['age']]",
        )
    found = tuple(check_columns(group) for group in given if group)
    listed = check_columns([column for group in found for column in group])
    alien = next((column for column in listed if column not in columns), None)
    if alien is not None:
        raise TacitError(
            "is in a group and not among the columns",
            code="column_not_chosen",
            column=alien,
            fix=suggest_alternative(alien, columns),
        )
    lonely = next((column for column in columns if column not in listed), None)
    if lonely is not None:
        raise TacitError(
            "is in no group",
            code="column_not_chosen",
            column=lonely,
            fix="put it into one, or leave it out of the columns",
        )
    return found


def checked_aggregates(given: object) -> FrozenDict[str, Aggregate]:
    """Column → what a group shows of it."""
    if not isinstance(given, Mapping):
        raise TacitError(
            f"aggregate={format_value(given)} is not given by column",
            code="missing_parameter",
            parameter="aggregate",
            fix="e.g. aggregate={'income': 'median'}",
        )
    for column, word in given.items():
        if word not in get_args(Aggregate):
            raise TacitError(
                f"is to be shown by {format_value(word)}",
                code="unsuitable_column",
                column=str(column),
                fix=suggest_alternative(str(word), get_args(Aggregate)),
            )
    return FrozenDict(given)


def known_columns(name: str, given: FrozenDict[str, Value], columns: Sequence[str]) -> FrozenDict[str, Value]:
    """A parameter given by column, every one of them masked."""
    for column in given:
        if column not in columns:
            raise TacitError(
                f"is in {name} and not among the columns",
                code="column_not_chosen",
                column=column,
                fix=suggest_alternative(column, columns),
            )
    return given


def aggregate_of(release: Release, column: str, given: Mapping[str, Aggregate]) -> Aggregate:
    """What a group shows of a column: as said, where its kind allows it."""
    fitting = BY_FORM[column_form(release, column)]
    word = given.get(column, fitting[0])
    if word not in fitting:
        hint = " (a centroid needs a hierarchy)" if word == "centroid" else ""
        raise TacitError(
            f"is {release.kind(column)} and has no {word}{hint}",
            code="unsuitable_column",
            column=column,
            fix=f"use {' or '.join(fitting)}",
        )
    return word


def redraw_groups(groups: UnitGroups, k: int, m: float, rng: np.random.Generator) -> np.ndarray:
    r"""The group whose centre each unit takes: drawn by membership, and taken by k units or more.

    Memberships are those of fuzzy c-means among the eight nearest centres of the unit's cell (:func:`fuzzy_memberships`).
    Centres that fewer than k units drew are given up, those with fewest first, and their units draw again among the
    centres left; at least one is left, because n units share at most n/k centres. O(n log n) time.

    References
    ----------
    Torra (2017), Fuzzy microaggregation for the transparency principle, Journal of Applied Logic 23, 70–80.
    """
    taken = np.empty_like(groups.group)
    for cell in groups.cells():
        group = groups.group[cell]
        taken[cell] = group.min() + _draw_centres(groups.points[cell], group - group.min(), k, m, rng)
    return taken


def fuzzy_memberships(squares: np.ndarray, m: float) -> np.ndarray:
    r"""The memberships of fuzzy c-means from squared distances, one row per record.

    .. math:: u_{ik} = \frac{d_{ik}^{-2/(m-1)}}{\sum_l d_{il}^{-2/(m-1)}}

    Near m = 1 all of it is with the nearest centre, for large m it is shared evenly.

    >>> fuzzy_memberships(np.array([[1.0, 4.0]]), m=2).tolist()
    [[0.8, 0.2]]

    References
    ----------
    Bezdek (1981), Pattern recognition with fuzzy objective function algorithms, Plenum Press.
    """
    with np.errstate(divide="ignore"):
        power = -np.log(np.maximum(squares, TINY)) / (m - 1)
    share = np.exp(power - power.max(axis=1, keepdims=True))
    found: np.ndarray = share / share.sum(axis=1, keepdims=True)
    return found


def _draw_centres(points: np.ndarray, group: np.ndarray, k: int, m: float, rng: np.random.Generator) -> np.ndarray:
    size = np.bincount(group)
    centres = np.column_stack([np.bincount(group, weights=column) / size for column in points.T])
    taken = _draw_near_centres(points, centres, m, rng)
    alive = np.ones(len(centres), dtype=bool)
    for fewest in range(1, k):
        count = np.bincount(taken, minlength=len(centres))
        given_up = alive & (count <= fewest)
        alive &= ~given_up
        left = np.flatnonzero(alive)
        again = np.flatnonzero(given_up[taken])
        if len(again):
            taken[again] = left[_draw_near_centres(points[again], centres[left], m, rng)]
    return taken


def _draw_near_centres(points: np.ndarray, centres: np.ndarray, m: float, rng: np.random.Generator) -> np.ndarray:
    """A centre near to each point, drawn by membership; in batches, so that little memory is needed."""
    from scipy.spatial import cKDTree

    tree, nearest = cKDTree(centres), np.arange(1, min(NEAREST, len(centres)) + 1)
    found = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), BATCH):
        batch = slice(start, start + BATCH)
        distance, place = tree.query(points[batch], k=nearest)
        cumulated = np.cumsum(fuzzy_memberships(np.square(distance), m), axis=1)
        drawn = (rng.random(len(place))[:, None] >= cumulated[:, :-1]).sum(axis=1)
        found[batch] = np.take_along_axis(place, drawn[:, None], axis=1)[:, 0]
    return found
