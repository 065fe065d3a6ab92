"""Transactions: which items lie in which basket, and which may lie there."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...errors import TacitError, format_value, nearest_name
from ...seed import make_generator

if TYPE_CHECKING:
    from ...seed import Seed


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Places in baskets: ``rows[i]`` and the item ``codes[i]``, sorted by both, each place once."""

    rows: np.ndarray
    codes: np.ndarray

    @staticmethod
    def of(rows: Sequence[int] | np.ndarray, codes: Sequence[int] | np.ndarray) -> Cells:
        """The places in order, doubles left out."""
        row, code = np.asarray(rows, np.int64), np.asarray(codes, np.int64)
        order = np.lexsort((code, row))
        row, code = row[order], code[order]
        new = np.append(True, (np.diff(row) != 0) | (np.diff(code) != 0))[: len(row)]
        return Cells(row[new], code[new])

    def __len__(self) -> int:
        return len(self.rows)

    def union(self, other: Cells) -> Cells:
        """These places and those."""
        return Cells.of(np.append(self.rows, other.rows), np.append(self.codes, other.codes))

    def is_among(self, other: Cells, width: int) -> np.ndarray:
        """Which of these places are among those; ``width`` is the number of items."""
        return np.isin(self.rows * width + self.codes, other.rows * width + other.codes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Baskets:
    """Transactions over named items: an immutable list of sets, each item at most once in each.

    ``items`` are all names in order; ``held`` the places where an item surely lies, ``unknown`` those where it may lie
    (the marks "?" that blocking leaves). ``doubled`` counts the repetitions within a transaction that were dropped on
    the way in. O(cells) memory.

    >>> b = Baskets.of([["bread", "milk"], ["milk", "milk"], []])
    >>> b, b.items, b.support(["milk"]), b.doubled
    (3 transactions of 2 items, 1 of them empty, ('bread', 'milk'), 2, 1)
    """

    items: tuple[str, ...]
    size: int
    held: Cells
    unknown: Cells
    doubled: int = 0

    @staticmethod
    def of(transactions: Iterable[Iterable[str]], *, unknown: Iterable[Iterable[str]] = ()) -> Baskets:
        """Baskets from lists of names, and lists of what may lie in them beside."""
        sure, maybe = [_check_names(row, place) for place, row in enumerate(transactions)], [[*row] for row in unknown]
        if maybe and len(maybe) != len(sure):
            raise TacitError(
                f"{len(sure)} transactions have {len(maybe)} lists of unknown items",
                code="invalid_parameter",
                fix="one for each transaction",
            )
        items = tuple(sorted({item for row in (*sure, *maybe) for item in row}))
        code = {item: place for place, item in enumerate(items)}
        held, possible = (_encode_cells(rows, code) for rows in (sure, maybe))
        surely = possible.is_among(held, max(len(items), 1))
        return Baskets(
            items,
            len(sure),
            held,
            Cells(possible.rows[~surely], possible.codes[~surely]),
            sum(map(len, sure)) - len(held),
        )

    @property
    def lengths(self) -> np.ndarray:
        """How many items surely lie in each transaction."""
        return np.bincount(self.held.rows, minlength=self.size)

    @property
    def supports(self) -> np.ndarray:
        """In how many transactions each item surely lies."""
        return np.bincount(self.held.codes, minlength=len(self.items))

    def item_codes(self, items: Iterable[str]) -> tuple[int, ...]:
        """The numbers of these items, in order; an unknown one is answered with the nearest."""
        found = []
        for item in sorted(set(items)):
            place = bisect_left(self.items, item)
            if place == len(self.items) or self.items[place] != item:
                raise unknown_item(item, self.items)
            found.append(place)
        return tuple(found)

    def rows(self, codes: Sequence[int], *, maybe: bool = False) -> np.ndarray:
        """The transactions that surely hold all these items, or that may (``maybe``); O(cells)."""
        where = self.held.union(self.unknown) if maybe and len(self.unknown) else self.held
        wanted = np.isin(where.codes, np.asarray(codes))
        return np.flatnonzero(np.bincount(where.rows[wanted], minlength=self.size) == len(set(codes)))

    def support(self, items: Iterable[str]) -> int:
        """In how many transactions all of the items surely lie."""
        return len(self.rows(self.item_codes(items)))

    def interval(self, items: Iterable[str]) -> tuple[int, int]:
        """The least and the most transactions that can hold all of the items, whatever the marks "?" stand for."""
        codes = self.item_codes(items)
        return len(self.rows(codes)), len(self.rows(codes, maybe=True))

    def item_lists(self) -> Iterator[list[str]]:
        """Each transaction as its items, unknown ones as ``?item``, in order of names."""
        told = [(row, self.items[code]) for row, code in _row_code_pairs(self.held)]
        told += [(row, f"?{self.items[code]}") for row, code in _row_code_pairs(self.unknown)]
        found: list[list[str]] = [[] for _ in range(self.size)]
        for row, name in sorted(told, key=lambda one: (one[0], one[1].removeprefix("?"))):
            found[row].append(name)
        yield from found

    def without(self, cells: Cells) -> Baskets:
        """The baskets with items taken out; items that are in no basket any more keep their names."""
        gone = self.held.is_among(cells, max(len(self.items), 1))
        return replace(self, held=Cells(self.held.rows[~gone], self.held.codes[~gone]))

    def with_unknown(self, cells: Cells) -> Baskets:
        """The baskets where nobody knows whether these places are filled."""
        return replace(self.without(cells), unknown=self.unknown.union(cells))

    def shuffled(self, seed: Seed) -> tuple[Baskets, np.ndarray]:
        """The transactions in random order, and the old place of each."""
        order = make_generator(seed).permutation(self.size)
        new = np.empty(self.size, np.int64)
        new[order] = np.arange(self.size)
        moved = [Cells.of(new[cells.rows], cells.codes) for cells in (self.held, self.unknown)]
        return replace(self, held=moved[0], unknown=moved[1]), order

    def __repr__(self) -> str:
        empty = int((self.lengths == 0).sum())
        told = f", {empty:,} of them empty" if empty else ""
        marks = f", {len(self.unknown):,} places unknown" if len(self.unknown) else ""
        return f"{self.size:,} transactions of {len(self.items):,} items{told}{marks}"


def unknown_item(item: str, items: Sequence[str]) -> TacitError:
    """An item that lies in no transaction, answered with the nearest name."""
    near = nearest_name(item, items)
    some = f"the file has {', '.join(items[:20])}{', …' if len(items) > 20 else ''}" if items else "the file has none"
    return TacitError(
        f"the item {format_value(item)} is in no transaction",
        code="invalid_parameter",
        fix=f"did you mean {format_value(near)}?" if near else some,
    )


def _check_names(row: Iterable[str], place: int) -> list[str]:
    if isinstance(row, str):
        raise TacitError(
            f"transaction {place + 1} is a text, not a list of items",
            code="invalid_parameter",
            fix="e.g. ['bread', 'milk']",
        )
    found = list(row)
    for name in found:
        if not isinstance(name, str) or not name.strip():
            kind = "blank" if isinstance(name, str) else type(name).__name__
            raise TacitError(
                f"transaction {place + 1} holds an item that is {kind}",
                code="invalid_parameter",
                fix="items are names, as text",
            )
    return found


def _encode_cells(rows: Sequence[Sequence[str]], code: dict[str, int]) -> Cells:
    places = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return Cells.of(places, [code[item] for row in rows for item in row])


def _row_code_pairs(cells: Cells) -> Iterable[tuple[int, int]]:
    return zip(cells.rows.tolist(), cells.codes.tolist(), strict=True)
