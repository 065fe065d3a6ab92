"""Who used which terms: a table of events, read as one list of terms for each person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError

if TYPE_CHECKING:
    from ...release.release import Release
    from ...risk.user_k import Form


@dataclass(frozen=True, eq=False)
class Events:
    """Events in the order of the people, and within a person in an order that the values decide.

    Event i stands in row ``row[i]``: person ``person[i]`` (numbered from 0) used the term with the code ``term[i]``.
    """

    row: np.ndarray
    person: np.ndarray
    term: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """How many events each person has."""
        return np.bincount(self.person)

    @property
    def start(self) -> np.ndarray:
        """Where the events of each person begin."""
        counts = self.counts
        found: np.ndarray = np.cumsum(counts) - counts
        return found


def events(release: Release, person: str, column: str, *, form: Form, order: str | None, place: np.ndarray) -> Events:
    """The events that have a term; of a set each term of a person once. O(n log n) time.

    Within a person they are in the order of ``order`` for a sequence, else in that of ``place``, one for each code.
    """
    people, terms = release.codes(person), release.codes(column)
    for name, codes in ((person, people), *(((order, release.codes(order)),) if order is not None else ())):
        if codes.has_missing:
            lost = codes.codes == codes.missing
            raise TacitError(
                f"is missing in {int(lost.sum()):,} rows, the first of them row {int(lost.argmax()) + 1}",
                column=name,
                fix="remove these rows, or fill the cells: each event belongs to a person"
                + (" and has its place in the sequence" if order is not None else ""),
            )
    rows = np.flatnonzero(terms.codes < len(terms.dictionary))
    if not len(rows):
        raise TacitError("has no term", column=column, fix="check the column, or the filter that made the file")
    term = terms.codes[rows].astype(np.int64)
    who = np.unique(people.codes[rows], return_inverse=True)[1].astype(np.int64)
    within = place[term] if order is None else release.codes(order).codes[rows]
    sort = np.lexsort((term, within, who))
    rows, who, term = rows[sort], who[sort], term[sort]
    if form == "set":
        first = np.append(True, (np.diff(who) != 0) | (np.diff(term) != 0))
        rows, who, term = rows[first], who[first], term[first]
    return Events(rows, who, term)
