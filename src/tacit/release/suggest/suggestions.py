"""What was suggested, laid out for the user to confirm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import unknown_column
from ...result import Shown
from .column_set import ColumnSet
from .role import Suggestion
from .starter import starter_plan
from .wording import counted, percent

if TYPE_CHECKING:
    from .safe_harbor import SafeHarbor

__all__ = ["Suggestions"]

SETS_SHOWN = 12
SEVERAL = ("identifier", "quasi", "confidential", "unrestricted")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Suggestions(Shown):
    """A role for every column with its reasons, and the column sets that single records out (A-03).

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
        yield from _listed(f"{100 * self.unique_share:g} % or more alone", self.singling_out)
        yield from _listed("all alone", self.keys)
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


def _listed(title: str, sets: tuple[ColumnSet, ...]) -> Iterator[tuple[str, str]]:
    for one in sets[:SETS_SHOWN]:
        shares = f"{percent(one.unique_share)} of the records alone, {percent(one.separation)} of the pairs told apart"
        yield title, f"{', '.join(one.columns)}: {shares}"
    if len(sets) > SETS_SHOWN:
        yield title, f"and {counted(len(sets) - SETS_SHOWN, 'set')} more"
