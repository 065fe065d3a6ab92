"""The identifiers of HIPAA's Safe Harbor, 45 CFR 164.514(b)(2)(i)(A) to (R), and the tests that values are put to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import narwhals as nw

from ..engines.table import Type
from .notion import Notion
from .profile import VALUE
from .shapes import INSIDE, as_text
from .words import AGE, BIRTH, EVENT, ZIP

__all__ = ["BY_SHAPE", "IDENTIFIERS", "Identifier", "last_old_year", "value_tests"]


@dataclass(frozen=True, slots=True)
class Identifier:
    """One of the eighteen: its letter in the rule, what it is, and what takes it out of a file."""

    letter: str
    title: str
    remedy: str = "drop the column"


IDENTIFIERS: Mapping[str, Identifier] = {
    one.letter: one
    for one in (
        Identifier("A", "names"),
        Identifier(
            "B",
            "places smaller than a state",
            "drop the column, or keep the first three digits of ZIP codes, and 000 for areas of 20,000 people or fewer",
        ),
        Identifier(
            "C", "dates finer than a year, and ages over 89", "keep the year only, and put all of 90 and older together"
        ),
        Identifier("D", "telephone numbers"),
        Identifier("E", "fax numbers"),
        Identifier("F", "e-mail addresses"),
        Identifier("G", "social security numbers"),
        Identifier("H", "medical record numbers"),
        Identifier("I", "health plan beneficiary numbers"),
        Identifier("J", "account numbers"),
        Identifier("K", "certificate and licence numbers"),
        Identifier("L", "vehicle identifiers and licence plates"),
        Identifier("M", "device identifiers and serial numbers"),
        Identifier("N", "web addresses"),
        Identifier("O", "IP addresses"),
        Identifier("P", "biometric identifiers"),
        Identifier("Q", "full-face photographs"),
        Identifier(
            "R",
            "other unique numbers, characteristics and codes",
            "drop the column, or put random codes in its place that are not made from it (164.514(c))",
        ),
    )
}
BY_SHAPE = {
    "e-mail addresses": "F",
    "web addresses": "N",
    "social security numbers": "G",
    "IP addresses": "O",
    "device addresses": "M",
    "telephone numbers": "D",
    "bank account numbers": "J",
    "national identity numbers": "G",
    "dates": "C",
}

OLD = 90
SPARSE = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()
"""The ZIP areas of 20,000 people or fewer in the 2000 Census, as the guidance of the Department of Health (2012) lists them."""
DIGITS_OF_DATES = "^(1[89]|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])?$"
UNMASKED = "[0-9A-WYZa-wyz]"
MASK = r"[ *xX.-]*$"
"""What stands in for the signs of a code that were taken away."""


def last_old_year(today: date) -> int:
    """Who was born in this year turns 90; it may stand for all who were born before."""
    return today.year - OLD


def value_tests(type: Type, notion: Notion | None, *, today: date) -> dict[str, nw.Expr]:
    """What to count in a column of this type that is named so; the names are those that findings ask for."""
    value, tests = nw.col(VALUE), dict[str, nw.Expr]()
    if type in ("date", "datetime"):
        tests["inside dates"] = (value.dt.month() != 1) | (value.dt.day() != 1)
        tests["old"] = value.dt.year() < last_old_year(today)
        return tests
    shapes = _shapes(notion, today)
    if type == "text":
        shapes |= {f"inside {name}": shape for name, shape in INSIDE.items()}
        shapes |= {"masked": r"^\*+$", "five digits": "^[0-9]{5}(-[0-9]{4})?$"}
    if type in ("text", "integer"):
        tests |= {name: as_text(type).str.contains(shape) for name, shape in shapes.items()}
    if type in ("integer", "number") and notion is AGE:
        tests["old"] = (value > OLD - 1) & (value != OLD)
    return tests


def _shapes(notion: Notion | None, today: date) -> dict[str, str]:
    if notion is ZIP:
        sparse = "|".join(area if area[0] != "0" else f"0?{area[1:]}" for area in SPARSE)
        return {"coarse": f"^{UNMASKED}{{0,3}}{MASK}", "sparse": f"^({sparse}){MASK}"}
    if notion is AGE:
        return {"old": r"^\[?(9[1-9]|1[0-9]{2})\b"}
    if notion is BIRTH:
        return {"old": _years_before(last_old_year(today)), "digits of dates": DIGITS_OF_DATES}
    return {"digits of dates": DIGITS_OF_DATES} if notion is EVENT else {}


def _years_before(end: int) -> str:
    """Years before ``end``, decades and intervals that lie before it, as text begins with them.

    >>> import re
    >>> [bool(re.search(_years_before(1934), text)) for text in ("1933-**-**", "1934", "192*", "193*", "[1930, 1934)")]
    [True, False, True, False, True]
    """
    years = range(1800, end)
    decades = {str(year // 10) for year in years if year // 10 * 10 + 9 < end}
    until = "|".join(str(year + 1) for year in years)
    return rf"^({'|'.join(map(str, years))})([^0-9]|$)|^({'|'.join(sorted(decades))})\*|^\[[0-9]{{4}}, ({until})\)"
