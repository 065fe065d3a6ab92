"""The column sets that single out the records of a release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from ...progress import report_progress
from ..codes import Codes, encode_column
from ..roles import QUASI
from .column_set import ColumnSet, SeparationCounts
from .profile import Profile
from .role import Suggestion
from .search import Places, SetSearch
from .wording import format_count

if TYPE_CHECKING:
    from ...progress import Progress
    from ..release import Release


MOST_COLUMNS = 20
"""So many columns are combined, which makes C(20, 3) = 1140 sets of three; the others are named in a note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UniqueColumnSets:
    """Minimal sets on which enough records, or all of them, are alone, and what was left out."""

    singling_out: tuple[ColumnSet, ...]
    keys: tuple[ColumnSet, ...]
    notes: tuple[str, ...] = ()

    def rank_sets(self, knowable: set[str]) -> UniqueColumnSets:
        """Smallest sets first, then those whose columns others are likeliest to know, then those that tell most."""

        def rank(one: ColumnSet) -> tuple[int, int, int]:
            return len(one.columns), len(set(one.columns) - knowable), -one.spread.alone

        ordered = (tuple(sorted(sets, key=rank)) for sets in (self.singling_out, self.keys))
        return UniqueColumnSets(singling_out=next(ordered), keys=next(ordered), notes=self.notes)


def column_sets(
    release: Release,
    judged: Sequence[tuple[Suggestion, Profile]],
    *,
    unique_share: float,
    largest: int,
    progress: Progress | None,
) -> UniqueColumnSets:
    """The sets of all columns but identifiers and the household, which are reported alone and not combined."""
    aside = [one.column for one, _ in judged if one.role in ("identifier", "household")]
    singles = [_single_column_set(profile) for one, profile in judged if one.role == "identifier"]
    columns, notes = _columns_to_combine([pair for pair in judged if pair[0].column not in aside])
    if aside:
        notes.append(f"not combined with others, because they are dropped or renumbered: {', '.join(aside)}")
    codes, rows = _load_codes(release, columns)
    if rows < release.size:
        notes.append(
            f"sets were searched in the first {format_count(rows, 'row')} of {release.size:,}: in all, fewer are alone"
        )
    search = SetSearch(codes, tell=lambda share: report_progress(progress, "combining columns", share))

    def described(found: Iterable[Places]) -> list[ColumnSet]:
        named = ((tuple(columns[place] for place in places), search.spread_of(places)) for places in found)
        return [ColumnSet(columns=chosen, records=rows, spread=spread) for chosen, spread in named]

    enough = ceil(unique_share * rows - 1e-9)
    singling = described(search.minimal_sets(alone=enough, largest=largest)) if rows else []
    keys = described(search.minimal_sets(alone=rows, largest=largest)) if rows else []
    return UniqueColumnSets(
        singling_out=(*(one for one in singles if one.unique_share >= unique_share), *singling),
        keys=(*(one for one in singles if one.unique_share == 1), *keys),
        notes=tuple(notes),
    )


def _columns_to_combine(judged: Sequence[tuple[Suggestion, Profile]]) -> tuple[list[str], list[str]]:
    """The columns to combine, in the order of the table, and a note on those left out."""
    ranked = sorted(judged, key=lambda pair: (pair[0].role not in QUASI, -pair[1].separation))
    left = [one.column for one, _ in ranked[MOST_COLUMNS:]]
    note = f"only {MOST_COLUMNS} columns are combined, quasi-identifiers first; left out: {', '.join(left)}"
    return [one.column for one, _ in judged if one.column not in left], [note] if left else []


def _single_column_set(profile: Profile) -> ColumnSet:
    """A column by itself, from its profile; missing is a value like the others."""
    distinct, alone = profile.distinct + (profile.missing > 0), profile.once + (profile.missing == 1)
    spread = SeparationCounts(distinct, alone, profile.alike_pairs)
    return ColumnSet(columns=(profile.column,), records=profile.records, spread=spread)


def _load_codes(release: Release, columns: list[str]) -> tuple[list[Codes], int]:
    """The columns as codes and the number of rows: all rows in memory, the first ones elsewhere."""
    rows = release.capabilities.search_rows
    if rows is None or not columns:
        return [release.codes(column) for column in columns], release.size
    first = release.scan().select(*columns).head(rows).collect(backend="polars").to_native()
    return [encode_column(first[column]) for column in columns], first.height
