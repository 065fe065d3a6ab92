"""Numbers and names in plain words, the same on the page and in the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from ..result import format_fact

MOST = 12
"""How many parts of a long value a page lists."""


def format_percent(share: float, *, up: bool = False) -> str:
    """A share in per cent with two significant digits; an upper bound is rounded ``up``, never down.

    >>> (
    ...     format_percent(0.01749),
    ...     format_percent(0.01701, up=True),
    ...     format_percent(0.0005),
    ...     format_percent(0.123),
    ...     format_percent(1.0),
    ...     format_percent(0.0),
    ... )
    ('1.7 %', '1.8 %', '0.05 %', '12 %', '100 %', '0 %')
    """
    if share <= 0:
        return "0 %"
    value = 100 * share
    places = max(0, 1 - floor(log10(value)))
    scaled = value * 10**places
    whole = ceil(scaled - 1e-9) if up else round(scaled)
    text = f"{whole / 10**places:,.{places}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def join_words(words: Sequence[str], last: str = "and") -> str:
    """Words as a list in a sentence.

    >>> join_words(["zip", "birth", "sex"]), join_words(["zip"]), join_words(["zip", "sex"], "or")
    ('zip, birth and sex', 'zip', 'zip or sex')
    """
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def count_phrase(number: int | str, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count_phrase(1, "record"), count_phrase(2300, "record"), count_phrase(2, "class", "classes")
    ('1 record', '2,300 records', '2 classes')
    """
    noun = one if number in (1, "1") else (many or f"{one}s")
    return f"{number if isinstance(number, str) else format_fact(number)} {noun}"


def to_prose(text: str) -> str:
    """A plan name or the first line of a docstring as prose: no underscores or mark-up.

    >>> to_prose("rank_swap"), to_prose("k_anonymity"), to_prose("Swap at most ``percent`` of the ranks.")
    ('rank swap', 'k-anonymity', 'Swap at most percent of the ranks.')
    >>> to_prose("reidentification")
    're-identification'
    """
    plain = text.replace("``", "").replace("`", "")
    spelled = re.sub(r"\b([Rr]e)(?=identif)", r"\1-", plain)  # as everywhere but in plans
    return re.sub(r"\b([a-z])_(?=[a-z])", r"\1-", spelled).replace("_", " ")


def summarise_value(value: object) -> str:
    """A parameter or finding as text; of long ones the first parts and how many there are, of tables only that.

    >>> summarise_value({"zip": 1, "birth": 2}), summarise_value(["income"]), summarise_value(range(100))
    ('zip 1, birth 2', 'income', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (100 in all)')
    >>> summarise_value([list(range(5))] * 5), summarise_value([])
    ('25 entries, written out in trace.json', 'none')
    """
    if _nesting_depth(value) > 1 and _count_leaves(value) > MOST:
        return f"{_count_leaves(value)} entries, written out in trace.json"
    if isinstance(value, Mapping):
        parts = [f"{name} {summarise_value(part)}" for name, part in value.items()]
    elif isinstance(value, list | tuple | range | set | frozenset):
        parts = [summarise_value(part) for part in value]
    else:
        return format_fact(value)
    if not parts:
        return "none"
    return ", ".join(parts) if len(parts) <= MOST else f"{', '.join(parts[:MOST])}, … ({len(parts)} in all)"


def _child_values(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []


def _nesting_depth(value: object) -> int:
    parts = _child_values(value)
    return 1 + max(map(_nesting_depth, parts)) if parts else 0


def _count_leaves(value: object) -> int:
    parts = _child_values(value)
    return sum(map(_count_leaves, parts)) if parts else 1
