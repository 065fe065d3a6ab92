"""Which methods no seed repeats, and how that is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..registry import Entry
from . import METHODS


def nonreproducible_methods(methods: Iterable[str], known: Mapping[str, Entry] = METHODS) -> tuple[str, ...]:
    """A sentence about those of the methods, by plan name, whose noise comes from a secure source; none without them.

    >>> nonreproducible_methods(["rank_swap", "dp_identity"])
    ('the noise of dp_identity comes from a secure source: every run draws anew, whatever the seed',)
    """
    found = [name for name in dict.fromkeys(methods) if name in known and not known[name].repeatable]
    said = f"the noise of {', '.join(found)} comes from a secure source: every run draws anew, whatever the seed"
    return (said,) if found else ()
