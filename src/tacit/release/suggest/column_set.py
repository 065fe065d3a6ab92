r"""How far some columns tell records apart.

With :math:`f` the number of records that share a key, over the :math:`c` different keys of :math:`n` records,

.. math::
    \text{distinction} = \frac{c}{n}, \qquad
    \text{separation} = 1 - \frac{\sum f (f - 1)}{n (n - 1)}, \qquad
    \text{unique share} = \frac{|\{f = 1\}|}{n}.

Missing is a value of its own here, as it is for whoever looks at the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import check_columns
from ...result import DisplayMixin
from .wording import format_percent

if TYPE_CHECKING:
    from ..codes import Codes
    from ..release import Release


@dataclass(frozen=True, slots=True)
class SeparationCounts:
    """The counts behind a column set: different keys, records alone with theirs, pairs of records that share one."""

    distinct: int
    alone: int
    alike_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ColumnSet(DisplayMixin):
    """Columns and how far they tell the records apart: counts only, no key is shown."""

    columns: tuple[str, ...]
    records: int
    spread: SeparationCounts

    @property
    def distinction(self) -> float:
        """Different keys per record; 0 without records."""
        return self.spread.distinct / self.records if self.records else 0.0

    @property
    def separation(self) -> float:
        """The share of the pairs of records that the columns tell apart; 0 when there is no pair."""
        pairs = self.records * (self.records - 1) // 2
        return 1.0 - self.spread.alike_pairs / pairs if pairs else 0.0

    @property
    def unique_share(self) -> float:
        """The share of the records that nobody else equals; 0 without records."""
        return self.spread.alone / self.records if self.records else 0.0

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        yield "columns", ", ".join(self.columns)
        yield "alone", f"{format_percent(self.unique_share)} of the records"
        yield "separation", f"{format_percent(self.separation)} of the pairs of records are told apart"
        yield "distinction", format_percent(self.distinction)

    def __repr__(self) -> str:
        return f"<ColumnSet {', '.join(self.columns)}: {format_percent(self.unique_share)} of the records alone>"

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        shares = {name: getattr(self, name) for name in ("unique_share", "separation", "distinction")}
        return {"columns": list(self.columns), "records": self.records, "distinct": self.spread.distinct, **shares}


def column_set(release: Release, columns: str | Iterable[str]) -> ColumnSet:
    """How far the columns tell the records of a release apart, exactly and on any engine.

    Time O(n·m) for m columns, memory O(n); one group-by on DuckDB and Spark. Source: Motwani and Xu (2007),
    Efficient algorithms for masking and finding quasi-identifiers, SDM workshop (separation and distinct ratio).

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = Release(pl.DataFrame({"sex": ["f", "f", "m"], "born": [1962, 1975, 1962]}))
    >>> print(column_set(people, ["sex", "born"]))
    columns      sex, born
    alone        100 % of the records
    separation   100 % of the pairs of records are told apart
    distinction  100 %
    """
    keys = check_columns(columns, release.columns)
    tally = release.classes(keys).size().tally()
    pairs = sum(int(size) * (int(size) - 1) // 2 * found.classes for size, found in tally.items())
    alone = tally[1].classes if 1 in tally else 0
    distinct = sum(found.classes for found in tally.values())
    return ColumnSet(columns=keys, records=release.size, spread=SeparationCounts(distinct, alone, pairs))


def separation_counts(columns: Sequence[Codes]) -> SeparationCounts:
    """The same counts for columns that are already integer codes, without keeping the classes."""
    from ...kernels.groups import group_rows

    groups, count = group_rows([column.codes for column in columns], [column.count for column in columns])
    sizes = np.bincount(groups, minlength=count)
    return SeparationCounts(count, int((sizes == 1).sum()), int((sizes * (sizes - 1)).sum()) // 2)
