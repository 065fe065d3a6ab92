"""What a released file teaches about a column: the fewest columns that tell it, and whether its models are the original's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..attack.agreement import agreement
from ..attack.smallest_sets import SmallestSets, smallest_sets
from ..errors import Cancelled, TacitError
from ..progress import Progress, report_progress
from ..release.release import Release
from ..result import Result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AttributeReport:
    """Of one column: the smallest sets of known columns (None where the release does not have it), and DDMBAR.

    ``notes`` say what could not be learnt, and why.
    """

    column: str
    sets: SmallestSets | None = None
    agreement: Result | None = None
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        return {
            "name": "taught",
            "column": self.column,
            "smallest sets": None if self.sets is None else self.sets.as_json(),
            "agreement": None if self.agreement is None else self.agreement.as_json(),
            "notes": list(self.notes),
        }


def report_attributes(
    release: Release,
    original: Release,
    columns: Sequence[str],
    *,
    lineage: np.ndarray,
    knows: Sequence[str],
    percent: float,
    seed: int | bytes | None = None,
    progress: Progress | None = None,
) -> tuple[AttributeReport, ...]:
    """Both for each column; one that the release does not have is an absent attribute, of which models alone can speak."""
    found = []
    for place, column in enumerate(columns):
        report_progress(progress, f"what teaches {column}", place / len(columns))
        notes: list[str] = []
        sets = agrees = None
        with _note_errors(notes, column):
            if column in release.columns:
                sets = smallest_sets(
                    release, original=original, column=column, knows=knows, percent=percent, lineage=lineage, seed=seed
                )
        with _note_errors(notes, column):
            agrees = agreement(release, original=original, column=column, percent=percent, lineage=lineage, seed=seed)
        found.append(AttributeReport(column=column, sets=sets, agreement=agrees, notes=tuple(dict.fromkeys(notes))))
    return tuple(found)


@contextmanager
def _note_errors(notes: list[str], column: str) -> Iterator[None]:
    """What cannot be learnt becomes a note, so that the rest is said nevertheless."""
    try:
        yield
    except Cancelled:
        raise
    except TacitError as problem:
        notes.append(f"column {problem.column or column!r}: {problem.what} ({problem.fix})")
