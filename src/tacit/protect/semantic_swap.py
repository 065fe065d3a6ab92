"""Semantic swapping: categories exchanged between records whose values stand near each other in a taxonomy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from ..errors import TacitError, check_columns
from ..progress import report_progress
from ..registry import MethodEffects, Tags, describe
from ..release.masked import Masked
from ..release.trace import FEWEST, Finding, Trace
from ._semantic.taxonomies import of_the_data
from ._swapping.ranks import order_by_value, pair_ranks, ranks_in
from ._units import Units, masking_units
from .parameters import column_names, make_rng, per_column, strata_names, value_for

if TYPE_CHECKING:
    from ..progress import Progress
    from ..release.hierarchy.taxonomy import Taxonomy
    from ..release.release import Release
    from ..seed import Seed


PERCENT = "give a percentage of the records in (0, 100], e.g. percent=5"


@describe(
    tags=Tags(about="identity and attribute", kind="method"),
    effects=MethodEffects("changes", ("columns",), exchanges=True, model="semantic_swap"),
    family="exchange",
    example={"columns": ["occupation"], "percent": 5},
    use="Categories with a taxonomy whose counts must stay exact, exchanged between likes.",
    avoid="Rare combinations with other columns must hold, or one category is most of the file.",
)
@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticSwap:
    r"""Exchange each category with one at most ``percent`` of the records away along the taxonomy.

    The values of the column are put in the order in which a depth-first walk meets them in its taxonomy, sisters in
    the order of their values, so that likes stand next to each other; records of the same value in random order. Then as in
    rank swapping: from the first on, each record still unchanged exchanges its value with one of the next
    :math:`r = \lfloor percent \cdot n / 100 \rfloor` that are unchanged, chosen uniformly; both are done.

    The counts of every value are kept exactly, in every stratum if there are ``strata`` (r is then that of the stratum);
    what suffers is the relation to other columns, the less the nearer the values are in meaning. A frequent value is mostly
    exchanged with itself: choose r larger than the most frequent value where that one must move. ``percent`` is one
    number, or one for each column by name. A column that is equal within every household is swapped between
    households; missing values stay where they are. A stratum in which r is 0 is left as it is and its values are counted;
    an error when that is all of them. The trace has the reach r, the mean semantic distance between old and new values
    and the share of values that are another one now.

    Time O(n log n), memory O(n) per column.

    >>> import polars as pl
    >>> from tacit import Release
    >>> jobs = {"edges": {"surgeon": "health", "nurse": "health", "health": "work", "clerk": "work"}}
    >>> r = Release(pl.DataFrame({"job": ["surgeon", "clerk", "nurse", "clerk"]}), hierarchies={"job": jobs})
    >>> sorted(r.protect(SemanticSwap(columns="job", percent=50), seed=7).to_native()["job"])
    ['clerk', 'clerk', 'nurse', 'surgeon']

    References
    ----------
    Domingo-Ferrer, Sánchez and Rufian-Torrell (2013), Anonymization of nominal data based on semantic marginality,
    Information Sciences 242, 35–48.
    """

    columns: str | Sequence[str]
    percent: float | Mapping[str, float]
    strata: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        columns = column_names(self.columns)
        object.__setattr__(self, "columns", columns)
        percent = per_column("percent", self.percent, columns, lambda value: 0 < value <= 100, PERCENT)
        object.__setattr__(self, "percent", percent)
        object.__setattr__(self, "strata", strata_names(self.strata, columns) or None)

    def apply(self, release: Release, *, seed: Seed | None = None, progress: Progress | None = None) -> Masked:
        """The release with swapped values; the outcome has the reach, the mean distance and the share changed."""
        rng = make_rng(self, seed)
        columns = check_columns(self.columns, release.columns)
        of = {column: part for part in masking_units(release, columns, self.strata or ()) for column in part.columns}
        changes: dict[str, pl.Series] = {}
        moves = {}
        for place, column in enumerate(columns):
            report_progress(progress, "semantic_swap", place / len(columns))
            source, moves[column] = self._source_rows(release, column, of[column], rng)
            changes[column] = release.series(column).gather(source)
        report_progress(progress, "semantic_swap", 1.0)
        return Masked(release.with_columns(changes), (Trace.of(self, **_make_findings(moves)),))

    def _source_rows(
        self, release: Release, column: str, of: Units, rng: np.random.Generator
    ) -> tuple[np.ndarray, _SwapDistances]:
        """The row whose value each row gets, and how far the values moved."""
        known = of_the_data(release, column)
        codes = release.codes(column).codes
        place = np.append(known.depth_first_order(), -1)
        source = np.arange(release.size)
        reaches, left = [], 0
        for stratum in of.strata():
            rows = of.first[stratum]
            rows = rows[codes[rows] < len(known.values)]
            reach = min(ranks_in(value_for(self.percent, column), len(rows)), len(rows) - 1)
            if reach < 1:
                left += len(rows)
                continue
            ranked = rows[order_by_value(place[codes[rows]], rng)[0]]
            source[ranked] = ranked[pair_ranks("uniform", len(ranked), value_for(self.percent, column), rng)]
            reaches.append(reach)
        if not reaches:
            raise TacitError(
                f"has {left} values, of which percent={value_for(self.percent, column):g} reaches no neighbour",
                code="unsuitable_column",
                column=column,
                fix="use a larger percent, or larger strata; swapping needs two values or more",
            )
        shown = of.first[codes[of.first] < len(known.values)]
        moves = _SwapDistances.of(known, codes[shown], codes[source[shown]], max(reaches), left)
        return source[of.first][of.of_row], moves


@dataclass(frozen=True)
class _SwapDistances:
    """How far the values of one column moved."""

    values: int
    reach: int
    left: int
    distance: float
    changed: float

    @staticmethod
    def of(known: Taxonomy, old: np.ndarray, new: np.ndarray, reach: int, left: int) -> _SwapDistances:
        apart = known.distance(old, new)
        return _SwapDistances(len(old), reach, left, float(apart.mean()), float((old != new).mean()))


def _make_findings(moves: Mapping[str, _SwapDistances]) -> dict[str, Finding]:
    """Means over a handful of records would tell of single ones: they are kept back."""
    enough = all(one.values >= FEWEST for one in moves.values())
    found = {
        "reach": Finding({column: one.reach for column, one in moves.items()}, publishable=True),
        "distance": Finding({column: one.distance for column, one in moves.items()}, publishable=enough),
        "changed": Finding({column: one.changed for column, one in moves.items()}, publishable=enough),
    }
    left = {column: one.left for column, one in moves.items() if one.left}
    return found | ({"left": Finding(left, publishable=True, counts=True)} if left else {})
