"""What can be mined, and what a user wants nobody to mine: sets of items, and rules between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...errors import TacitError, format_value

if TYPE_CHECKING:
    import polars as pl


ItemSet: TypeAlias = tuple[str, ...]
ARROW = "->"
COMMA = re.compile(r",(?![^\[(]*[\])])")
"""A comma between items, not one inside an interval such as [30, 40)."""


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """If ``body`` is in the basket, ``head`` is: bread, butter -> milk.

    support = transactions with body and head; confidence = support / transactions with body.

    >>> Rule.read("butter, bread -> milk")
    Rule(body=('bread', 'butter'), head=('milk',))
    """

    body: ItemSet
    head: ItemSet

    def __post_init__(self) -> None:
        for name in ("body", "head"):
            object.__setattr__(self, name, _item_set(getattr(self, name)))
        both = set(self.body) & set(self.head)
        if both:
            raise TacitError(
                f"the item {format_value(min(both))} is on both sides of a rule",
                code="duplicate",
                fix="leave it out of one",
            )

    @staticmethod
    def read(text: str) -> Rule:
        """The rule that a text says."""
        body, arrow, head = text.partition(ARROW)
        if not arrow:
            raise TacitError(f"{format_value(text)} is no rule", code="wrong_type", fix="e.g. 'bread, butter -> milk'")
        return Rule(_read_set(body), _read_set(head))

    @property
    def items(self) -> ItemSet:
        """All items of both sides, in order."""
        return tuple(sorted((*self.body, *self.head)))

    def __str__(self) -> str:
        return f"{', '.join(self.body)} {ARROW} {', '.join(self.head)}"


Pattern: TypeAlias = ItemSet | Rule


def parse_patterns(given: object) -> tuple[Pattern, ...]:
    """Sensitive patterns as a user gives them: a text, a list of items or a Rule each; in order, each once.

    >>> parse_patterns(["bread, milk", ["milk", "bread"], "bread -> milk"])
    (('bread', 'milk'), Rule(body=('bread',), head=('milk',)))
    """
    listed = [given] if isinstance(given, str | Rule) else given
    if not isinstance(listed, Sequence | set | frozenset):
        raise TacitError(
            f"sensitive={format_value(given)} is no list of patterns",
            code="wrong_type",
            parameter="sensitive",
            fix="e.g. sensitive=['bread, milk', 'beer -> crisps']",
        )
    found = [_parse_pattern(one) for one in listed]
    if not found:
        raise TacitError(
            "no sensitive pattern is named", code="missing_parameter", fix="e.g. sensitive=['bread, milk']"
        )
    return tuple(dict.fromkeys(found))


def format_pattern(pattern: Pattern) -> str:
    """A pattern as text, as :func:`parse_patterns` reads it."""
    return str(pattern) if isinstance(pattern, Rule) else ", ".join(pattern)


def _parse_pattern(given: object) -> Pattern:
    if isinstance(given, Rule):
        return given
    if isinstance(given, str):
        return Rule.read(given) if ARROW in given else _read_set(given)
    return _item_set(given)


def _read_set(text: str) -> ItemSet:
    return _item_set([name for part in COMMA.split(text) if (name := part.strip())])


def _item_set(given: object) -> ItemSet:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TacitError(f"{format_value(given)} is no list of items", code="wrong_type", fix="e.g. ['bread', 'milk']")
    found = list(given)
    if not found or not all(isinstance(item, str) and item for item in found):
        raise TacitError(
            "a pattern has no item, or one that is no name",
            code="wrong_type",
            fix="e.g. 'bread, milk' or 'bread -> milk'",
        )
    return tuple(sorted(set(found)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ItemSets(Mapping[ItemSet, int]):
    """Frequent sets with their support, small ones first, then by name."""

    counts: Mapping[ItemSet, int]
    size: int

    def __getitem__(self, items: ItemSet) -> int:
        return self.counts[items]

    def __iter__(self) -> Iterator[ItemSet]:
        return iter(self.counts)

    def __len__(self) -> int:
        return len(self.counts)

    def frame(self) -> pl.DataFrame:
        """One row a set: items, support, share of the transactions."""
        import polars as pl

        rows = [(", ".join(items), count, count / self.size) for items, count in self.counts.items()]
        return pl.DataFrame(rows, schema={"items": pl.String, "support": pl.Int64, "share": pl.Float64}, orient="row")

    def __repr__(self) -> str:
        return f"<{len(self):,} frequent sets in {self.size:,} transactions>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rules(Mapping[Rule, float]):
    """Rules with their confidence, in the order of their sets; ``sets`` has the supports behind them."""

    confidences: Mapping[Rule, float]
    sets: ItemSets

    def __getitem__(self, rule: Rule) -> float:
        return self.confidences[rule]

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.confidences)

    def __len__(self) -> int:
        return len(self.confidences)

    def frame(self) -> pl.DataFrame:
        """One row a rule: text, support, confidence, lift (confidence over the share of its head)."""
        import polars as pl

        rows = [
            (str(rule), self.sets[rule.items], found, found * self.sets.size / self.sets[rule.head])
            for rule, found in self.confidences.items()
        ]
        names = {"rule": pl.String, "support": pl.Int64, "confidence": pl.Float64, "lift": pl.Float64}
        return pl.DataFrame(rows, schema=names, orient="row")

    def __repr__(self) -> str:
        return f"<{len(self):,} rules in {self.sets.size:,} transactions>"
