"""Sums of products of columns that lie with different parties: what is wanted, in the words that all parties share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ring import Words

Key = tuple[str, ...]
"""Columns of one party whose product, row by row, is a factor."""
Term = Mapping[str, Key]
"""A product: for each party that has a part in it, its factor."""
Own = Mapping[Key, Words]
"""A party's factors, a word for each row."""


def keys_of(terms: Sequence[Term], owner: str) -> list[Key]:
    """The factors that a party brings, each once, in an order that all agree on.

    >>> keys_of([{"A": ("x",), "B": ("y",)}, {"A": ("x", "z")}], "A")
    [('x',), ('x', 'z')]
    """
    return sorted({term[owner] for term in terms if owner in term})
