"""Numbers and names in plain words, the same on the page and in the terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

from ..result import shown

MOST = 12
"""How many parts of a long value a page lists."""


def percent(share: float, *, up: bool = False) -> str:
    """A share in per cent with two significant digits; an upper bound is rounded ``up``, never down.

    >>> percent(0.01749), percent(0.01701, up=True), percent(0.0005), percent(0.123), percent(1.0), percent(0.0)
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


def joined(words: Sequence[str], last: str = "and") -> str:
    """Words as a list in a sentence.

    >>> joined(["zip", "birth", "sex"]), joined(["zip"]), joined(["zip", "sex"], "or")
    ('zip, birth and sex', 'zip', 'zip or sex')
    """
    return f" {last} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int | str, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "record"), counted(2300, "record"), counted(2, "class", "classes")
    ('1 record', '2,300 records', '2 classes')
    """
    noun = one if number in (1, "1") else (many or f"{one}s")
    return f"{number if isinstance(number, str) else shown(number)} {noun}"


def readable(text: str) -> str:
    """A plan name or the first line of a docstring as prose: no underscores, mark-up or catalogue ids.

    >>> readable("rank_swap"), readable("k_anonymity"), readable("Swap at most ``percent`` of the ranks (E-03).")
    ('rank swap', 'k-anonymity', 'Swap at most percent of the ranks.')
    >>> readable("reidentification")
    're-identification'
    """
    plain = re.sub(r"(?:, )?\b[A-Z]-\d\d\b", "", text).replace(" ()", "").replace("``", "").replace("`", "")
    spelled = re.sub(r"\b([Rr]e)(?=identif)", r"\1-", plain)  # as everywhere but in plans
    return re.sub(r"\b([a-z])_(?=[a-z])", r"\1-", spelled).replace("_", " ")


def listed(value: object) -> str:
    """A parameter or finding as text; of long ones the first parts and how many there are, of tables only that.

    >>> listed({"zip": 1, "birth": 2}), listed(["income"]), listed(range(100))
    ('zip 1, birth 2', 'income', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (100 in all)')
    >>> listed([list(range(5))] * 5), listed([])
    ('25 entries, written out in trace.json', 'none')
    """
    if _depth(value) > 1 and _leaves(value) > MOST:
        return f"{_leaves(value)} entries, written out in trace.json"
    if isinstance(value, Mapping):
        parts = [f"{name} {listed(part)}" for name, part in value.items()]
    elif isinstance(value, list | tuple | range | set | frozenset):
        parts = [listed(part) for part in value]
    else:
        return shown(value)
    if not parts:
        return "none"
    return ", ".join(parts) if len(parts) <= MOST else f"{', '.join(parts[:MOST])}, … ({len(parts)} in all)"


def _parts(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []


def _depth(value: object) -> int:
    parts = _parts(value)
    return 1 + max(map(_depth, parts)) if parts else 0


def _leaves(value: object) -> int:
    parts = _parts(value)
    return sum(map(_leaves, parts)) if parts else 1
