"""How shares are written in reasons: never rounded to none or to all."""

from __future__ import annotations


def format_percent(share: float) -> str:
    """A share as a percentage with one digit.

    >>> format_percent(0.987), format_percent(1.0), format_percent(0.99999), format_percent(0.00001), format_percent(0.0)
    ('98.7 %', '100 %', 'more than 99.9 %', 'less than 0.1 %', '0 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    rounded = f"{100 * share:.1f}"
    return {"100.0": "more than 99.9 %", "0.0": "less than 0.1 %"}.get(rounded, f"{rounded} %")


def format_count(count: int, thing: str) -> str:
    """A count with its noun.

    >>> format_count(1, "record"), format_count(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
