"""Roles suggested from names and values, for the user to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

from ...errors import TacitError, unknown_column
from ...progress import report_progress, sub_progress
from ...result import DisplayMixin
from ..codes import Codes, encode_column
from ..masked import release_of
from ..roles import QUASI
from .column_evidence import ColumnEvidence, read_column
from .column_set import ColumnSet, SeparationCounts
from .profile import Profile
from .role import Suggestion, suggest_role
from .search import Places, SetSearch
from .starter import starter_plan
from .wording import format_count, format_percent

if TYPE_CHECKING:
    from ...progress import Progress
    from ..release import Release
    from .safe_harbor import SafeHarbor


CERTAINTY = ("sure", "likely", "guess")


SETS_SHOWN = 12


SEVERAL = ("identifier", "quasi", "confidential", "unrestricted")


def suggest(
    release: Release, *, largest: int = 3, unique_share: float = 0.9, progress: Progress | None = None
) -> Suggestions:
    """Roles for the columns of a release, with reasons, and the column sets that single records out.

    A column is judged by what its values look like (e-mail addresses, telephone numbers, …), then by its name or
    label in seven languages, then by how its values are spread. Sets of up to ``largest`` columns are searched level
    by level for the minimal ones on which at least ``unique_share`` of the records are alone (``singling_out``), and
    on which all are (``keys``); missing counts as a value. A column whose name says nothing but which stands in such
    a set is suggested as a quasi-identifier. Roles that the release has already are not looked at.

    Columns are profiled by one group-by each, exactly and on any engine; sets are searched in memory, on DuckDB and
    Spark in the first rows (a note says so). Time O(m·n) for the profiles of m columns and at most
    C(20, 1) + … + C(20, ``largest``) groupings of O(n); memory O(n) per column combined.

    Source: Motwani and Xu (2007), Efficient algorithms for masking and finding quasi-identifiers, SDM workshop.

    >>> import polars as pl
    >>> from tacit import Release
    >>> people = pl.DataFrame({"phone": ["555-123-4567", "555-765-4321"], "zip": ["02139", "02139"], "sex": ["f", "m"]})
    >>> suggest(Release(people)).roles()["identifier"]
    ('phone',)
    """
    if not isinstance(largest, int) or isinstance(largest, bool) or largest < 1:
        raise TacitError(
            "largest is not a whole number from 1 on",
            code="not_whole_number",
            fix="e.g. largest=3: sets of up to three columns",
        )
    if not isinstance(unique_share, int | float) or not 0 < unique_share <= 1:
        raise TacitError(
            f"unique_share={unique_share} is not a share of the records",
            code="out_of_range",
            parameter="unique_share",
            fix="e.g. unique_share=0.9",
        )
    release = release_of(release)
    readings: list[ColumnEvidence] = []
    for place, column in enumerate(release.columns):
        report_progress(progress, "reading columns", 0.3 * place / len(release.columns))
        readings.append(read_column(release, column))
    columns = _one_of_each([suggest_role(reading) for reading in readings])
    judged = [(one, reading.profile) for one, reading in zip(columns, readings, strict=True)]
    nameless = {reading.profile.column for reading in readings if reading.nameless_category}
    knowable = nameless | {one.column for one in columns if one.role in ("identifier", *QUASI)}
    rest = sub_progress(progress, 0.3, 1.0)
    sets = column_sets(release, judged, unique_share=unique_share, largest=largest, progress=rest).rank_sets(knowable)
    within = [one for one in sets.singling_out if knowable.issuperset(one.columns)]
    return Suggestions(
        columns=tuple(_promote_to_quasi(one, within) if one.column in nameless else one for one in columns),
        singling_out=sets.singling_out,
        keys=sets.keys,
        unique_share=unique_share,
        notes=sets.notes,
    )


def _one_of_each(columns: Sequence[Suggestion]) -> list[Suggestion]:
    """One weight and one household at most: the surest, the first of equals; the others are left to the user."""
    kept = list(columns)
    for role in ("weight", "household"):
        found = sorted((one for one in kept if one.role == role), key=lambda one: CERTAINTY.index(one.confidence))
        for one in found[1:]:
            reason = f"a release has one {role} column, and {found[0].column!r} may be it"
            kept[kept.index(one)] = replace(one, role="other", confidence="guess", reasons=(*one.reasons, reason))
    return kept


def _promote_to_quasi(one: Suggestion, sets: Sequence[ColumnSet]) -> Suggestion:
    """A column whose name says nothing, as a quasi-identifier when it helps to single records out."""
    found = next((chosen for chosen in sets if one.column in chosen.columns), None)
    if one.role != "other" or found is None:
        return one
    others = " and ".join(name for name in found.columns if name != one.column)
    reason = f"with {others} it singles out" if others else "it singles out"
    reasons = (*one.reasons, f"{reason} {format_percent(found.unique_share)} of the records")
    return replace(one, role="quasi", reasons=reasons)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Suggestions(DisplayMixin):
    """A role for every column with its reasons, and the column sets that single records out.

    ``singling_out`` are the minimal sets on which at least ``unique_share`` of the records are alone, ``keys`` those
    on which all are. Nothing is assigned: look at it, then ``Release(frame, **suggestions.roles())``, or start from
    ``plan_text(path)``. No cell is shown.
    """

    columns: tuple[Suggestion, ...]
    singling_out: tuple[ColumnSet, ...]
    keys: tuple[ColumnSet, ...]
    unique_share: float
    notes: tuple[str, ...] = ()

    def __getitem__(self, column: str) -> Suggestion:
        found = next((one for one in self.columns if one.column == column), None)
        if found is None:
            raise unknown_column(column, [one.column for one in self.columns])
        return found

    def rows(self) -> Iterator[tuple[str, str]]:
        """What a reader sees, line by line."""
        for one in self.columns:
            yield one.column, f"{one.role} ({one.confidence}): {'; '.join(one.reasons)}"
            if one.warning:
                yield one.column, f"warning: {one.warning}"
        yield from _list_sets(f"{100 * self.unique_share:g} % or more alone", self.singling_out)
        yield from _list_sets("all alone", self.keys)
        yield from (("note", note) for note in self.notes)

    def roles(self) -> dict[str, Any]:
        """The suggested roles as a release takes them: ``Release(frame, **suggestions.roles())``; the rest is undecided."""
        several: dict[str, Any] = {role: self._with_role(role) for role in SEVERAL}
        return several | {role: next(iter(self._with_role(role)), None) for role in ("weight", "household")}

    def plan_text(
        self, path: str, *, reading: Mapping[str, str] | None = None, harbor: SafeHarbor | None = None
    ) -> str:
        """A plan to start from for the file at ``path``: TOML, with the reasons as comments.

        ``reading`` is how the file was read where that is not the usual (encoding, separator, decimal, dates). With
        ``harbor`` the plan drops or coarsens what the Safe Harbor check found. Columns that were only guessed at stay
        undecided, as comments.
        """
        return starter_plan(self.columns, path, reading or {}, harbor=harbor)

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "columns": [one.as_json() for one in self.columns],
            "singling_out": [one.as_json() for one in self.singling_out],
            "keys": [one.as_json() for one in self.keys],
            "unique_share": self.unique_share,
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        given = ", ".join(f"{one.column} {one.role}" for one in self.columns)
        return f"<Suggestions {given}>"

    def _with_role(self, role: str) -> tuple[str, ...]:
        both = ("quasi_confidential",) if role in ("quasi", "confidential") else ()
        return tuple(one.column for one in self.columns if one.role in (role, *both))


def _list_sets(title: str, sets: tuple[ColumnSet, ...]) -> Iterator[tuple[str, str]]:
    for one in sets[:SETS_SHOWN]:
        shares = f"{format_percent(one.unique_share)} of the records alone, {format_percent(one.separation)} of the pairs told apart"
        yield title, f"{', '.join(one.columns)}: {shares}"
    if len(sets) > SETS_SHOWN:
        yield title, f"and {format_count(len(sets) - SETS_SHOWN, 'set')} more"


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
