"""An intruder who knows who lives with whom, in plain NumPy and Polars: nothing of the package's attacks is used.

It has the original quasi-identifiers and households, and the released file. A known household may be a released one of the
same size when its members can be assigned to the records of that household, one to one, so that every value is equal to the
released one, covered by its label, or suppressed there. One household left, and one record left for a person in it: a
certain link. Otherwise every household left is as likely as the others, and so is every record left in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

__all__ = ["HouseholdIntruder", "covered_values", "intrude_households"]

INTERVAL = re.compile(r"^([\[(]) *(-?[\d.]+) *, *(-?[\d.]+) *([\])])$")


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseholdIntruder:
    """What it found: ``certain`` and ``expected`` as shares of the people, and households with one candidate, how many of them right."""

    certain: float
    expected: float
    single_households: int
    single_right: int


def covered_values(label: object, values: list[object], groups: Mapping[str, set[str]]) -> set[object]:
    """The original values that a released value may stand for: itself, an interval, a set, a prefix or date with stars, a named group."""
    if label is None or label == "*":
        return set(values)
    text = str(label)
    if text in groups:
        return {value for value in values if str(value) in groups[text]}
    interval = INTERVAL.match(text)
    if interval:
        left, low, high, right = interval.groups()
        return {
            value
            for value in values
            if (float(value) > float(low) or (left == "[" and float(value) == float(low)))
            and (float(value) < float(high) or (right == "]" and float(value) == float(high)))
        }
    if text.startswith("{"):
        parts = {part.strip() for part in text.strip("{}").split(",")}
        return {value for value in values if str(value) in parts}
    if "*" in text:
        pattern = re.compile("^" + re.escape(text).replace(r"\*", ".") + "$")
        return {value for value in values if pattern.match(str(value))}
    return {value for value in values if str(value) == text or _same_number(value, text)}


def _same_number(value: object, text: str) -> bool:
    try:
        return float(str(value)) == float(text)
    except ValueError:
        return False


def _compatible(
    original: pl.DataFrame, released: pl.DataFrame, columns: list[str], groups: Mapping[str, Mapping[str, set[str]]]
) -> np.ndarray:
    """People × records: whether the record may be the person's. A value missing in the original fits a missing one alone."""
    fits = np.ones((original.height, released.height), dtype=bool)
    for column in columns:
        known = original[column].unique().drop_nulls().to_list()
        place = {value: i for i, value in enumerate(known)}
        labels = released[column].unique().to_list()
        table = np.zeros((len(known) + 1, len(labels)), dtype=bool)
        for j, label in enumerate(labels):
            for value in covered_values(label, known, groups.get(column, {})):
                table[place[value], j] = True
            table[len(known), j] = label is None
        mine = [place[value] if value is not None else len(known) for value in original[column].to_list()]
        which = {label: j for j, label in enumerate(labels)}
        fits &= table[np.array(mine)][:, np.array([which[label] for label in released[column].to_list()])]
    return fits


def _assignment(fits: np.ndarray) -> list[int] | None:
    """A record for every person, none twice; None when there is no such assignment (augmenting paths)."""
    owner: dict[int, int] = {}

    def place(person: int, seen: set[int]) -> bool:
        for record in np.flatnonzero(fits[person]):
            if record not in seen:
                seen.add(record)
                if record not in owner or place(owner[record], seen):
                    owner[record] = person
                    return True
        return False

    return list(owner) if all(place(person, set()) for person in range(len(fits))) else None


def _left_for(fits: np.ndarray, person: int) -> list[int]:
    """The records that the person has in some whole assignment: each is tried."""
    others = [i for i in range(len(fits)) if i != person]
    left = []
    for record in np.flatnonzero(fits[person]):
        rest = [j for j in range(fits.shape[1]) if j != record]
        if _assignment(fits[np.ix_(others, rest)]) is not None:
            left.append(int(record))
    return left


def intrude_households(
    original: pl.DataFrame,
    released: pl.DataFrame,
    lineage: np.ndarray,
    *,
    columns: list[str],
    household: str,
    groups: Mapping[str, Mapping[str, set[str]]] | None = None,
) -> HouseholdIntruder:
    """Match every known household with every released one; ``lineage`` (record → person) only judges at the end."""
    fits = _compatible(original, released, columns, groups or {})
    mine, theirs = original[household].to_numpy(), released[household].to_numpy()
    homes = {home: np.flatnonzero(theirs == home) for home in np.unique(theirs)}
    chance, certain, single, right = np.zeros(original.height), np.zeros(original.height, dtype=bool), 0, 0
    record_of = {int(person): record for record, person in enumerate(lineage)}
    for home in np.unique(mine):
        people = np.flatnonzero(mine == home)
        shared = set.intersection(*(set(np.unique(theirs[fits[person]]).tolist()) for person in people))
        same = [homes[one] for one in shared if len(homes[one]) == len(people)]
        feasible = [rows for rows in same if _assignment(fits[np.ix_(people, rows)]) is not None]
        if len(feasible) == 1:
            single += 1
            right += int(record_of[int(people[0])] in feasible[0])
        for rows in feasible:
            true = [i for i, person in enumerate(people) if record_of[int(person)] in rows]
            for i in true:
                left = rows[_left_for(fits[np.ix_(people, rows)], i)]
                if record_of[int(people[i])] in left:
                    chance[people[i]] += 1.0 / (len(feasible) * len(left))
                    certain[people[i]] = len(feasible) == 1 and len(left) == 1
    return HouseholdIntruder(
        certain=float(certain.mean()), expected=float(chance.mean()), single_households=single, single_right=right
    )
