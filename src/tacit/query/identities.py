"""Identities between confidential columns: a column that is a fixed combination of others in every row.

Gross pay is net pay plus tax, for everybody, and everybody knows. Protections that look at one column at a time then give
away what they protect: exact answers about one column stand for sums of another, and of the worlds that intervals leave open
only the true one keeps the identity. So the owner declares identities, and what is declared is compared with the data.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
import numpy.typing as npt

from ..errors import TacitError, suggest_alternative
from .column import Schema

Codes = npt.NDArray[np.int64]

FIELD = 2**31 - 1
"""The prime modulo which ranks are computed."""

_TERMS = re.compile(r"\s*([+-])\s*([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Identity:
    """Σ coefficient · code = 0 for every unit, over columns in grid units; the coefficients are whole numbers."""

    text: str
    terms: Mapping[str, int]


def parse_identity(text: str, schema: Schema) -> Identity:
    """An identity as the owner writes it: one column equals a sum of others.

    >>> from .column import Column
    >>> pay = {n: Column(name=n, kind="integer", low=0, high=9, confidential=True) for n in ("gross", "net", "tax")}
    >>> dict(parse_identity("gross = net + tax", Schema(name="s", version="1", columns=pay, joins={})).terms)
    {'gross': 1, 'net': -1, 'tax': -1}
    """
    left, sign, right = text.partition("=")
    signed = "+" + right.strip() if not right.strip().startswith(("+", "-")) else right.strip()
    if not sign or not left.strip() or not re.fullmatch(f"(?:{_TERMS.pattern})+", signed):
        raise TacitError(f"{text!r} is no identity", code="wrong_type", fix='e.g. identities = ["gross = net + tax"]')
    found: dict[str, Fraction] = {}
    for factor, name in [(1, left.strip()), *((-1 if s == "+" else 1, name) for s, name in _TERMS.findall(signed))]:
        column = schema.columns.get(name)
        if column is None or not column.confidential or not column.is_numeric:
            known = [one.name for one in schema.columns.values() if one.confidential and one.is_numeric]
            raise TacitError(
                "is no confidential number",
                code="wrong_type",
                column=name,
                fix=suggest_alternative(name, known or ["none"]),
            )
        found[name] = found.get(name, Fraction(0)) + factor * column.step
    scale = lcm(*(value.denominator for value in found.values()))
    return Identity(text, {name: int(value * scale) for name, value in found.items() if value})


def check_identities(identities: Sequence[Identity], codes: Mapping[str, Codes]) -> None:
    """Refuse an identity that the data do not keep, and data that keep one which is not declared."""
    for one in identities:
        total = sum(factor * codes[name].astype(object) for name, factor in one.terms.items())
        if bool(np.any(total != 0)):
            raise TacitError(
                f"the identity {one.text!r} does not hold in every row",
                code="invalid_service",
                fix="correct it, or leave it out",
            )
    declared = [[one.terms.get(name, 0) for name in codes] for one in identities]
    for tied in found_identities(codes, declared):
        raise TacitError(
            f"is tied to {', '.join(repr(name) for name in tied[1:])} by the same sum in every row, which is not declared",
            code="column_not_chosen",
            column=tied[0],
            fix='declare it, e.g. identities = ["gross = net + tax"]; then all of them are audited together',
        )


def found_identities(codes: Mapping[str, Codes], declared: Sequence[Sequence[int]] = ()) -> list[tuple[str, ...]]:
    """The columns of a linear identity (with any constant) that all rows keep beside the declared ones; at most one is named.

    The rank of the rows is that of a few random combinations of them, but for a chance below 10⁻⁸. Columns with one value
    only are left out, and so are data of hardly more rows than columns. O(rows · columns²).
    """
    names = [name for name, values in codes.items() if len(values) and bool((values != values[0]).any())]
    size = len(next(iter(codes.values()), ()))
    if len(names) < 2 or size < 2 * (len(names) + 1):
        return []
    table = np.stack([np.ones(size, np.int64), *(codes[name] % FIELD for name in names)])
    rng = np.random.default_rng(secrets.randbits(128))
    mixed = [
        [int((draw * row % FIELD).sum() % FIELD) for row in table]
        for draw in (rng.integers(0, FIELD, size) for _ in range(len(names) + 3))
    ]
    free = _null_space(mixed, len(names) + 1)
    places = [list(codes).index(name) for name in names]
    known = [[0, *(int(row[place]) % FIELD for place in places)] for row in declared]
    rank = _matrix_rank(known)
    for vector in free:
        if _matrix_rank([*known, vector]) > rank:
            return [tuple(name for name, entry in zip(names, vector[1:], strict=True) if entry)]
    return []


def _reduce_rows(rows: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[int]]:
    """Rows in reduced row-echelon form modulo the prime, and their pivots."""
    left, pivots = [list(row) for row in rows], []
    done: list[list[int]] = []
    width = len(rows[0]) if rows else 0
    for column in range(width):
        found = next((row for row in left if row[column] % FIELD), None)
        if found is None:
            continue
        left.remove(found)
        factor = pow(found[column], -1, FIELD)
        found = [entry * factor % FIELD for entry in found]
        left = [[(a - row[column] * b) % FIELD for a, b in zip(row, found, strict=True)] for row in left]
        done = [[(a - row[column] * b) % FIELD for a, b in zip(row, found, strict=True)] for row in done]
        done.append(found)
        pivots.append(column)
    return done, pivots


def _matrix_rank(rows: Sequence[Sequence[int]]) -> int:
    return len(_reduce_rows(rows)[1]) if rows else 0


def _null_space(rows: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """Vectors that every row annihilates, one for each column without a pivot."""
    done, pivots = _reduce_rows(rows)
    found = []
    for free in (column for column in range(width) if column not in pivots):
        vector = [0] * width
        vector[free] = 1
        for row, pivot in zip(done, pivots, strict=True):
            vector[pivot] = -row[free] % FIELD
        found.append(vector)
    return found
