"""The overflow oracle: a question that fails exactly when a matching row lies far from a lower bound reads anything.

Bins of a birth date were computed in 16 bits, so `BIN(birth, 3650)` failed when somebody born after 2009-09-17 met the
condition. Children known by birth, sex and postal code are then read by binary search, one bit a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

__all__ = ["BOUNDS", "known_children", "read_values", "true_value"]

BOUNDS = {"visits": (1, 20, 1), "education": (0, 8, 1), "rent": (0, 3000, 10), "income": (0, 100_000, 1)}
"""Confidential column → declared low, high and step of the example service."""


def known_children(rows: Sequence[Mapping[str, Any]], count: int = 40) -> list[Mapping[str, Any]]:
    """The first rows whose birth date would overflow and whom birth, sex and postal code single out."""
    found: list[Mapping[str, Any]] = []
    for row in rows:
        if date.fromisoformat(str(row["birth"])[:10]) > date(2009, 9, 17):
            alike = [one for one in rows if all(one[name] == row[name] for name in ("birth", "sex", "zip"))]
            if len(alike) == 1 and all(row[name] is not None for name in ("birth", "sex", "zip")):
                found.append(row)
        if len(found) == count:
            break
    return found


def true_value(child: Mapping[str, Any], name: str) -> int | None:
    """A value as the service counts it: on the declared grid and within the bounds; None is missing."""
    low, high, step = BOUNDS[name]
    return None if child[name] is None else min(max(int(child[name] / step + 0.5) * step, low), high)


def read_values(
    fails: Callable[[str], bool], children: Sequence[Mapping[str, Any]]
) -> dict[tuple[int, str], int | None]:
    """What the oracle tells of each child's columns; a value is claimed only when the oracle confirms it."""
    claims: dict[tuple[int, str], int | None] = {}
    for number, child in enumerate(children):
        person = f"birth = DATE '{str(child['birth'])[:10]}' AND sex = '{child['sex']}' AND zip = '{child['zip']}'"
        for name, (low, high, step) in BOUNDS.items():

            def matches(condition: str, person: str = person) -> bool:
                where = f"{person} AND {condition}"
                return fails(f"SELECT COUNT(*) FROM patients WHERE {where} GROUP BY BIN(birth, 3650)")

            def holds(first: int, last: int, name: str = name, matches: Callable[[str], bool] = matches) -> bool:
                return matches(f"{name} BETWEEN {first} AND {last}")

            first, last = 0, (high - low) // step
            if matches(f"{name} IS NULL"):
                claims[number, name] = None
                continue
            if not holds(low, high):
                continue
            while first < last:
                middle = (first + last) // 2
                first, last = (first, middle) if holds(low + first * step, low + middle * step) else (middle + 1, last)
            claims[number, name] = low + first * step
    return claims
