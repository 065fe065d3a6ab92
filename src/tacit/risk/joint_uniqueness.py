"""Joint uniqueness: how far the columns that no role protects single records out, all together and by the fewest of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np
import polars as pl

from ..errors import TacitError, check_columns, check_int, format_value
from ..progress import report_progress
from ..release.engines.table import ROW
from ..release.masked import Masked, release_of
from ..result import DisplayMixin, format_fact

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.release import Release
    from ..release.roles import Role


UNPROTECTED: tuple[Role, ...] = ("other", "unrestricted", "weight")
"""Roles of columns that are released and that no attack looks at."""
SEARCHED = 10_000
"""Records among which column sets are searched; what is reported is counted among all."""
MOST_SETS = 20_000
"""So many sets of one size are counted; of more columns those that single out most by themselves are combined."""
MOST_CHECKED = 20
"""So many sets of one size are counted in the whole file."""
MOST_GROWN = 12
"""When no small set reaches the threshold, one is grown column by column up to this size."""

Places: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifyingSet:
    """Columns without a protecting role, and the share of the records that are unique on them and the quasi-identifiers."""

    columns: tuple[str, ...]
    share: float

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"columns": list(self.columns), "share": self.share}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JointUniqueness(DisplayMixin):
    """What :func:`joint_uniqueness` measures; every share is exact, a count over all records.

    ``columns`` are those measured, ``share_joint`` the share of the records that are unique on them and the
    quasi-identifiers together, ``share_quasi_alone`` that on the quasi-identifiers only (0 without any).
    ``smallest_sets`` are the smallest sets of ``columns`` that make at least ``threshold`` of the records unique beyond
    those that the quasi-identifiers make so. ``complete`` says that every set of up to ``largest`` columns was counted in
    the whole file: then no other minimal set of that size exists.
    """

    columns: tuple[str, ...]
    records: int
    share_joint: float
    share_quasi_alone: float
    smallest_sets: tuple[IdentifyingSet, ...]
    threshold: float
    largest: int
    complete: bool

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "joint uniqueness", f"{format_fact(self.share_joint)} of {self.records:,} records"
        yield "on the quasi-identifiers alone", format_fact(self.share_quasi_alone)
        yield from (("with " + ", ".join(one.columns), format_fact(one.share)) for one in self.smallest_sets)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        plain = {name: getattr(self, name) for name in ("records", "share_joint", "share_quasi_alone", "threshold")}
        sets = [one.as_json() for one in self.smallest_sets]
        return {**plain, "columns": list(self.columns), "smallest_sets": sets, "complete": self.complete}


def joint_uniqueness(
    release: Release | Masked,
    *,
    columns: str | Iterable[str] | None = None,
    threshold: float = 0.05,
    largest: int = 3,
    most: int = 5,
    progress: Progress | None = None,
) -> JointUniqueness:
    r"""The share of the records that are unique on the quasi-identifiers Q and all unprotected columns U together.

    With :math:`f_S(i)` the number of records that equal record i on the columns S,

    .. math:: \text{share}(S) = \frac{|\{i : f_{Q \cup S}(i) = 1\}|}{n}, \qquad
              \text{joint} = \text{share}(U), \quad \text{alone} = \text{share}(\emptyset).

    A column at a time says little: where each of 30 genotypes makes nobody unique, all of them make 95 % so. U are the
    columns without a role, those released as they are by decision, and the weight; ``columns`` names others. Whoever
    knows U and Q of somebody in the file links that person, so the joint share bounds what an intruder finds whom no
    attack stands for. ``smallest_sets`` are minimal sets :math:`S \subseteq U` with :math:`\text{share}(S) -
    \text{alone} \ge` ``threshold``: at most ``most``, small ones first. Uniqueness never falls when a column is added,
    so sets that hold a smaller one are left out (the a-priori rule). Missing is a value of its own.

    The search of sets is exact up to 10,000 records and 20,000 sets of one size. Beyond, sets are ranked among 10,000
    evenly spread records, where no set is less unique than in the whole file but for the choice of the records, the best
    20 of a size are counted in the whole file, and columns that single out most by themselves are combined first;
    ``complete`` is False then. When no set of ``largest`` columns reaches the threshold, the best is grown greedily.

    Identity disclosure, measured. Time O(n·|U|) for the joint share and O(n) for each of at most 20 sets of a
    size, memory O(n): seconds for 200 columns of 10⁶ records. Equal rows are found by 64-bit hashes on Polars and DuckDB,
    which take two different records for equal with a chance below n²/2⁶⁵.

    >>> import polars as pl
    >>> from tacit import Release
    >>> genes = pl.DataFrame({"sex": ["f", "f", "f", "f"], "a": [0, 0, 1, 1], "b": [0, 1, 0, 1]})
    >>> found = joint_uniqueness(Release(genes, quasi="sex"))
    >>> found.share_quasi_alone, found.share_joint, [(one.columns, one.share) for one in found.smallest_sets]
    (0.0, 1.0, [(('a', 'b'), 1.0)])

    References
    ----------
    Motwani and Xu (2007), Efficient algorithms for masking and finding quasi-identifiers, SDM workshop on practical
    privacy-preserving data mining. Agrawal and Srikant (1994), Fast algorithms for mining association rules, VLDB (the
    a-priori rule). Sweeney (2000), Simple demographics often identify people uniquely, Carnegie Mellon.
    """
    plain = release_of(release)
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 < threshold <= 1:
        raise TacitError(
            f"threshold={format_value(threshold)} is not in (0, 1]",
            code="out_of_range",
            parameter="threshold",
            fix="e.g. threshold=0.05",
        )
    check_int("largest", largest, least=1)
    check_int("most", most, least=1)
    measured = check_columns(columns, plain.columns) if columns is not None else _unprotected_columns(plain)
    measured = tuple(column for column in measured if column not in plain.quasi)
    count = _unique_share_counter(plain)
    alone = count(()) if plain.quasi else 0.0
    joint = count(measured) if measured else alone
    sets, complete = list[IdentifyingSet](), True
    if joint - alone >= threshold:
        search = _Search(plain, measured, count, least=alone + threshold, progress=progress)
        sets, complete = search.minimal_sets(largest=min(largest, len(measured)), most=most)
    return JointUniqueness(
        columns=measured,
        records=plain.size,
        share_joint=joint,
        share_quasi_alone=alone,
        smallest_sets=tuple(sets),
        threshold=float(threshold),
        largest=largest,
        complete=complete,
    )


def _unprotected_columns(release: Release) -> tuple[str, ...]:
    return tuple(column for column, role in release.roles.items() if role in UNPROTECTED)


def _unique_share_counter(release: Release) -> Callable[[Sequence[str]], float]:
    """The share of the records that are unique on the quasi-identifiers and further columns, counted in the whole file."""

    def count(more: Sequence[str]) -> float:
        keys = [*release.quasi, *more]
        if not keys or not release.size:
            return float(release.size == 1)
        return release.count_unique_rows(keys) / release.size

    return count


class _Search:
    """Minimal sets of columns that reach a share, searched among evenly spread records and counted among all."""

    def __init__(
        self,
        release: Release,
        columns: Sequence[str],
        count: Callable[[Sequence[str]], float],
        *,
        least: float,
        progress: Progress | None,
    ) -> None:
        from ..kernels.groups import group_rows

        self._columns, self._count, self._least, self._progress = columns, count, least, progress
        every = max(1, -(-release.size // SEARCHED))
        self._whole = every == 1
        rows = release.scan(numbered=True).filter(nw.col(ROW) % every == 0).select(*release.quasi, *columns)
        frame = rows.collect(backend="polars").to_native()
        self._codes = [_encode_values(frame[column]) for column in columns]
        keys = [_encode_values(frame[column]) for column in release.quasi]
        self._keys: tuple[np.ndarray, int] = (np.zeros(frame.height, dtype=np.int32), 1)
        if keys:
            self._keys = group_rows([codes for codes, _ in keys], [values for _, values in keys])
        self._shares: dict[Places, float] = {}

    def minimal_sets(self, *, largest: int, most: int) -> tuple[list[IdentifyingSet], bool]:
        """The sets, and whether every set of up to ``largest`` columns was counted in the whole file."""
        found, complete = list[IdentifyingSet](), self._whole
        short: list[Places] = [()]
        for size in range(1, largest + 1):
            level, every = self._widen_sets(short, size)
            complete &= every
            for done, places in enumerate(level):
                if done % 100 == 0:
                    report_progress(self._progress, "combining columns", (size - 1 + done / len(level)) / largest)
                self._unique_share(places)
            reached = self._reaching_sets(level)
            best = sorted(reached, key=lambda one: -one.share)
            found += best[: most - len(found)]
            if len(found) == most:
                return found, complete
            singled = {one.columns for one in reached}
            short = [places for places in level if self._column_names(places) not in singled]
        return found or self._grow_set(short), complete

    def _widen_sets(self, short: Sequence[Places], size: int) -> tuple[list[Places], bool]:
        """Sets of one column more whose subsets all fall short, and whether these are all there are.

        Of many columns those that single out most by themselves are combined.
        """
        if size == 1:
            return [(place,) for place in range(len(self._columns))], True
        useful = sorted(
            {place for places in short for place in places}, key=lambda place: -self._unique_share((place,))
        )
        width = len(useful)
        while width > size and comb(width, size) > MOST_SETS:
            width -= 1
        before, wider = set(short), (tuple(sorted(places)) for places in combinations(useful[:width], size))
        return [places for places in wider if self._all_short(places, before)], width == len(useful)

    def _all_short(self, places: Places, short: set[Places]) -> bool:
        return all(places[:j] + places[j + 1 :] in short for j in range(len(places)))

    def _reaching_sets(self, level: Sequence[Places]) -> list[IdentifyingSet]:
        """The sets of a level that reach the share."""
        likely = sorted(
            (one for one in level if self._unique_share(one) >= self._least), key=lambda one: -self._unique_share(one)
        )
        if self._whole:
            return [IdentifyingSet(columns=self._column_names(one), share=self._unique_share(one)) for one in likely]
        counted = [(one, self._count(self._column_names(one))) for one in likely[:MOST_CHECKED]]
        return [
            IdentifyingSet(columns=self._column_names(one), share=share)
            for one, share in counted
            if share >= self._least
        ]

    def _grow_set(self, short: Sequence[Places]) -> list[IdentifyingSet]:
        """The best set that falls short, with the column added each time that makes most records unique."""
        places = max(short, key=self._unique_share, default=())
        while len(places) < min(MOST_GROWN, len(self._columns)):
            others = (place for place in range(len(self._columns)) if place not in places)
            places = max((tuple(sorted((*places, place))) for place in others), key=self._unique_share)
            share = self._count(self._column_names(places)) if self._unique_share(places) >= self._least else 0.0
            if share >= self._least:
                return [IdentifyingSet(columns=self._column_names(places), share=share)]
        return []

    def _column_names(self, places: Places) -> tuple[str, ...]:
        return tuple(self._columns[place] for place in places)

    def _unique_share(self, places: Places) -> float:
        """The share of the searched records that are unique among them."""
        if places not in self._shares:
            from ..kernels.groups import group_rows

            keys, values = self._keys
            groups, count = group_rows(
                [keys, *(self._codes[place][0] for place in places)],
                [values, *(self._codes[place][1] for place in places)],
            )
            self._shares[places] = float((np.bincount(groups, minlength=count) == 1).sum() / max(1, len(keys)))
        return self._shares[places]


def _encode_values(series: pl.Series) -> tuple[np.ndarray, int]:
    """Codes of the values, missing among them, and how many there are."""
    hashes, codes = np.unique(series.hash().to_numpy(), return_inverse=True)
    return codes.astype(np.int32), len(hashes)
