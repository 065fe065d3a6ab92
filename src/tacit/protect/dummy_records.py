"""Dummy records: invented rows that bring the confidential values of every class near those of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, format_value
from ..models.t_closeness import TCloseness
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from ..risk.t_closeness import distance_and_tree
from ._verification import verify_models
from .parameters import column_names, is_number, make_rng

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed


TIMES = 10
"""Dummies per record of the file beyond which the search is given up."""

CELLS = 50_000_000
"""Counts of a value in a class that are kept in memory."""

SLACK = 1e-9
"""How much below t a class must come, so that rounding elsewhere cannot put it above."""


@describe(
    tags=Tags(about="attribute", kind="method", shown="proven"),
    effects=MethodEffects("changes", role="weight", adds=True),  # weights are made to add up again
    family="provide",
    example={"t": 0.4, "columns": ["income"]},
    use="A few classes miss t-closeness, and analysts can be told the share of invented records.",
    avoid="Counts must be those of real people, or the weights must add up to the population.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class DummyRecords:
    r"""Add invented records until no class is further than ``t`` from the file in any confidential column.

    No true value is changed or lost, but **every count is falsified**: a reader cannot tell the invented records (except in a file with weights, whose shares of a weight may show them), and
    neither can a statistic. The number of dummies is published with the trace, which ones they are never. For classes C
    with value counts :math:`h_C` the dummies :math:`a_C` are such that

    .. math:: d\Bigl(\frac{h_C + a_C}{n_C + m_C},\; \frac{\sum h + \sum a}{n + m}\Bigr) \le t
              \quad\text{for all classes, where } m_C = \sum a_C,\; m = \sum m_C

    with the variational or ordered distance of :func:`tacit.risk.t_closeness`; ``columns`` are the confidential columns
    meant, all by default. One dummy after the other takes the value that is furthest below its share (the one that
    lowers the ordered distance most), in every column at once; the dummies change the whole file, so this is repeated
    until it holds. A heuristic, not the fewest: on the tiny tables of the tests at most one more than the fewest, or half
    as many again. The pairing of
    values across columns is arbitrary, so relations between confidential columns suffer.

    The other columns of a dummy are those of a record of its class drawn at random. Identifiers, the household id and
    columns in which all known values differ (pseudonyms, other keys) are missing in dummies; drop such columns first,
    or dummies show. The weight of the record drawn is divided evenly among it and its copies, so that the total weight
    of every class stays what it was (whole numbers become numbers). Dummies stand at the end: shuffle afterwards.

    **Claim**: the result is t-close in these columns. *Argument*: the search ends only when it is; the verdict in
    ``evidence`` is measured on the result. Time O(classes · values) per round and O(values) per dummy.

    >>> import polars as pl
    >>> from tacit import Release
    >>> table = pl.DataFrame({"zip": ["N1", "N1", "N2", "N2"], "ill": ["flu", "acne", "flu", "flu"]})
    >>> m = Release(table, quasi="zip", confidential="ill").protect(DummyRecords(t=0.21), seed=7)
    >>> m.to_native().tail(-4).rows(), m.lineage.tolist()
    ([('N1', 'flu')], [0, 1, 2, 3, -1])

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE, 106–115.
    """

    t: float
    columns: str | Sequence[str] | None = None
    form: Literal["variational", "ordered"] | None = None

    def __post_init__(self) -> None:
        if not is_number(self.t) or not 0 < self.t <= 1:
            raise TacitError(
                f"t={format_value(self.t)} is no distance to reach",
                code="out_of_range",
                parameter="t",
                fix="a number above 0 and at most 1: t=0.2",
            )
        if self.form not in (None, "variational", "ordered"):
            raise TacitError(
                f"form={format_value(self.form)} cannot be reached by dummies",
                code="cannot_be_met",
                parameter="form",
                fix="form='variational' or form='ordered'",
            )
        if self.columns is not None:
            object.__setattr__(self, "columns", column_names(self.columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The longer release; the outcome has the number of dummies."""
        rng, columns = make_rng(self, seed), self._confidential_columns(release)
        classes = release.matches()
        if not isinstance(classes, ArrayClasses):
            release.capabilities.require("in_memory", "dummies cannot be added")
            raise TacitError(
                "a dummy belongs to one class, and records with missing keys that match anything belong to many",
                code="wildcards_not_supported",
                fix="missing='own', or suppress these records first",
            )
        wanted = TCloseness(columns=dict.fromkeys(columns, self.t), form=self.form)
        if wanted.holds(release):
            return verify_models(Masked(release, (self._make_trace(0),)), [wanted], rounds=0, dummies=0)
        found = make_dummies(release, classes, columns, self.form, self.t, progress=progress)
        longer = _append_dummies(release, classes, columns, found, rng) if len(found.group) else release
        lineage = np.concatenate([np.arange(release.size), np.full(len(found.group), -1)])
        masked = Masked(longer, (self._make_trace(len(found.group)),), lineage=lineage if len(found.group) else None)
        return verify_models(masked, [wanted], rounds=found.rounds, dummies=len(found.group))

    def _make_trace(self, dummies: int) -> Trace:
        return Trace.of(self, dummies=Finding(dummies, publishable=True, counts=True))

    def _confidential_columns(self, release: Release) -> tuple[str, ...]:
        chosen = check_columns(self.columns, release.columns) or release.confidential
        if not chosen:
            raise TacitError(
                "the release has no confidential column",
                code="no_confidential_column",
                fix="name one, e.g. confidential='diagnosis'",
            )
        for column in chosen:
            if column not in release.confidential:
                raise TacitError(
                    "is not confidential",
                    code="not_confidential",
                    column=column,
                    fix=f"name some of {', '.join(release.confidential)}",
                )
        return chosen


def _append_dummies(
    release: Release, classes: ArrayClasses, columns: tuple[str, ...], found: DummyCells, rng: np.random.Generator
) -> Release:
    """The release with the dummies at its end."""
    from ..kernels.groups import group_members

    start, rows = group_members(classes.of_record, classes.count)
    first, size = start[found.group], np.diff(start)[found.group]
    copied = rows[first + rng.integers(0, size)]
    frame = {column: _dummy_values(release, column, copied) for column in release.columns}
    for place, column in enumerate(columns):
        codes = release.codes(column)
        known = (found.codes[:, place] >= 0) & (found.codes[:, place] < len(codes.dictionary))
        value = codes.dictionary.gather(np.where(known, found.codes[:, place], 0))
        frame[column] = pl.select(pl.when(pl.lit(pl.Series(known))).then(pl.lit(value)).alias(column)).to_series()
    if release.weight is not None:
        copies = 1.0 + np.bincount(copied, minlength=release.size)
        weights = release.weights() / copies
        release = release.with_columns({release.weight: weights})
        frame[str(release.weight)] = pl.Series(weights[copied])
    return release.append(pl.DataFrame(frame))


def _dummy_values(release: Release, column: str, copied: np.ndarray) -> pl.Series:
    """What dummies have in a column: the values of the records drawn, or none where they would name somebody."""
    values = release.series(column).gather(copied)
    other = release.roles.get(column, "other") in ("other", "unrestricted")
    keys = other and release.distinct(column) == release.size - release.series(column).null_count()
    if column in release.identifiers or column == release.household or keys:
        return pl.Series(column, [None] * len(copied), dtype=values.dtype)
    return values


class DummyCells(NamedTuple):
    """For each dummy its class and its codes, one per confidential column (−1: none); and the rounds it took."""

    group: np.ndarray
    codes: np.ndarray
    rounds: int


def make_dummies(
    release: Release,
    classes: ArrayClasses,
    columns: tuple[str, ...],
    form: str | None,
    t: float,
    *,
    progress: Progress | None,
) -> DummyCells:
    """Dummies after which every class is within t of the file that has them.

    Rounds: the classes too far from the file, the furthest first, get rows, each with the value of every column that
    helps most, until they are near the file as it is by then; their rows change it, so in the next round all classes are
    measured anew. Dummies are never taken back.
    """
    from ..kernels.dummies import rows_to_add

    tally, bounds = _class_tallies(release, classes, columns)
    ordered = np.array([distance_and_tree(release, column, form)[0] == "ordered" for column in columns])  # type: ignore[arg-type]
    known = np.array([len(release.codes(column).dictionary) for column in columns])
    groups, rows = [np.zeros(0, np.int64)], [np.zeros((0, len(columns)), np.int64)]
    count, rounds, most = 0, 0, TIMES * release.size
    whole = tally.sum(axis=0)
    while True:
        failing = _failing_classes(tally, bounds, _file_distribution(whole, bounds), ordered, known, t)
        if not len(failing):
            return DummyCells(np.concatenate(groups), np.concatenate(rows), rounds)
        for place, group in enumerate(failing):
            report_progress(progress, "dummy_records", place / len(failing))
            share = _file_distribution(whole, bounds)
            before = tally[group].copy()
            new = rows_to_add(tally[group], bounds, share, ordered, known, t - SLACK, most - count)
            groups.append(np.full(len(new), group))
            rows.append(new)
            whole += tally[group] - before
            count += len(new)
            if count >= most:
                raise TacitError(
                    f"t={t} needs more than {TIMES} dummies for every record of the release",
                    code="out_of_range",
                    parameter="t",
                    fix="use a larger t, or generalise the quasi-identifiers first, so that classes are larger",
                )
        rounds += 1


def _class_tallies(release: Release, classes: ArrayClasses, columns: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Classes × codes of all columns side by side, and where each column begins; missing counts under "own" alone."""
    parts, bounds = [], [0]
    for column in columns:
        codes = release.codes(column)
        width = codes.count if release.missing == "own" else len(codes.dictionary)
        if not len(codes.dictionary):
            raise TacitError(
                "has no value at all",
                code="missing_values",
                column=column,
                fix="leave it out of the confidential columns",
            )
        if classes.count * codes.count > CELLS:
            raise TacitError(
                f"has {len(codes.dictionary)} values in {classes.count} classes: too many to count",
                code="too_large",
                column=column,
                fix="recode it into fewer values, or generalise the quasi-identifiers first",
            )
        group, value, number = classes.histogram(column)
        tally = np.zeros((classes.count, codes.count), dtype=np.int64)
        tally[group, value] = number
        parts.append(tally[:, :width])
        bounds.append(bounds[-1] + width)
    return np.ascontiguousarray(np.concatenate(parts, axis=1)), np.array(bounds)


def _file_distribution(whole: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """The distribution of every column in the whole file."""
    share: np.ndarray = whole.astype(float)
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        share[low:high] /= max(1.0, share[low:high].sum())
    return share


def _failing_classes(
    tally: np.ndarray, bounds: np.ndarray, share: np.ndarray, ordered: np.ndarray, known: np.ndarray, t: float
) -> np.ndarray:
    """The classes that lie too far from the file in some column, the furthest first."""
    from ..kernels.dummies import distribution_distance

    distance = np.zeros(len(tally))
    for j, (low, high) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        for group in range(len(tally)):
            part = tally[group, low:high]
            distance[group] = max(
                distance[group], distribution_distance(part, part.sum(), share[low:high], ordered[j], known[j])
            )
    failing = np.flatnonzero(distance > t - SLACK)
    furthest: np.ndarray = failing[np.argsort(-distance[failing], kind="stable")]
    return furthest
