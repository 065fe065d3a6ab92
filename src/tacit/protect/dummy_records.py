"""Dummy records: invented rows that bring the confidential values of every class near those of the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from ..errors import TacitError, names, typed
from ..models.t_closeness import TCloseness
from ..release.classes.arrays import ArrayClasses
from ..release.masked import Masked
from ..release.trace import Finding, Trace
from .dummies import Invented, invented
from .parameters import column_names, number, random
from .verified import verified

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..seed import Seed

__all__ = ["DummyRecords"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DummyRecords:
    r"""Add invented records until no class is further than ``t`` from the file in any confidential column (D-07).

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
    >>> m.native().tail(-4).rows(), m.lineage.tolist()
    ([('N1', 'flu')], [0, 1, 2, 3, -1])

    References
    ----------
    Li, Li, Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and ℓ-diversity, ICDE, 106–115.
    """

    t: float
    columns: str | Sequence[str] | None = None
    form: Literal["variational", "ordered"] | None = None

    def __post_init__(self) -> None:
        if not number(self.t) or not 0 < self.t <= 1:
            raise TacitError(f"t={typed(self.t)} is no distance to reach", fix="a number above 0 and at most 1: t=0.2")
        if self.form not in (None, "variational", "ordered"):
            raise TacitError(
                f"form={typed(self.form)} cannot be reached by dummies", fix="form='variational' or form='ordered'"
            )
        if self.columns is not None:
            object.__setattr__(self, "columns", column_names(self.columns))

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The longer release; the outcome has the number of dummies."""
        rng, columns = random(self, seed), self._columns(release)
        classes = release.matches()
        if not isinstance(classes, ArrayClasses):
            raise TacitError(
                "a dummy belongs to one class, and records with missing keys that match anything belong to many"
                if release.engine == "polars"
                else f"dummies cannot be added on {release.engine}",
                fix="missing='own', or suppress these records first"
                if release.engine == "polars"
                else "read the file into memory, with engine='polars'",
            )
        wanted = TCloseness(columns=dict.fromkeys(columns, self.t), form=self.form)
        if wanted.holds(release):
            return verified(Masked(release, (self._trace(0),)), [wanted], rounds=0, dummies=0)
        found = invented(release, classes, columns, self.form, self.t, progress=progress)
        longer = _with(release, classes, columns, found, rng) if len(found.group) else release
        lineage = np.concatenate([np.arange(release.size), np.full(len(found.group), -1)])
        masked = Masked(longer, (self._trace(len(found.group)),), lineage=lineage if len(found.group) else None)
        return verified(masked, [wanted], rounds=found.rounds, dummies=len(found.group))

    def _trace(self, dummies: int) -> Trace:
        return Trace.of(self, dummies=Finding(dummies, publishable=True, counts=True))

    def _columns(self, release: Release) -> tuple[str, ...]:
        chosen = names(self.columns, release.columns) or release.confidential
        if not chosen:
            raise TacitError("the release has no confidential column", fix="name one, e.g. confidential='diagnosis'")
        for column in chosen:
            if column not in release.confidential:
                raise TacitError(
                    "is not confidential", column=column, fix=f"name some of {', '.join(release.confidential)}"
                )
        return chosen


def _with(
    release: Release, classes: ArrayClasses, columns: tuple[str, ...], found: Invented, rng: np.random.Generator
) -> Release:
    """The release with the dummies at its end."""
    from ..kernels.groups import members

    start, rows = members(classes.of_record, classes.count)
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
        release = release.replaced({release.weight: weights})
        frame[str(release.weight)] = pl.Series(weights[copied])
    return release.extended(pl.DataFrame(frame))


def _dummy_values(release: Release, column: str, copied: np.ndarray) -> pl.Series:
    """What dummies have in a column: the values of the records drawn, or none where they would name somebody."""
    values = release.series(column).gather(copied)
    other = release.roles.get(column, "other") in ("other", "unrestricted")
    keys = other and release.distinct(column) == release.size - release.series(column).null_count()
    if column in release.identifiers or column == release.household or keys:
        return pl.Series(column, [None] * len(copied), dtype=values.dtype)
    return values
