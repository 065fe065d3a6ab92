"""How shares are written in reasons: never rounded to none or to all."""

from __future__ import annotations


def percent(share: float) -> str:
    """A share as a percentage with one digit.

    >>> percent(0.987), percent(1.0), percent(0.99999), percent(0.00001), percent(0.0)
    ('98.7 %', '100 %', 'more than 99.9 %', 'less than 0.1 %', '0 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    rounded = f"{100 * share:.1f}"
    return {"100.0": "more than 99.9 %", "0.0": "less than 0.1 %"}.get(rounded, f"{rounded} %")


def counted(count: int, thing: str) -> str:
    """A count with its noun.

    >>> counted(1, "record"), counted(2000, "record")
    ('1 record', '2,000 records')
    """
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
