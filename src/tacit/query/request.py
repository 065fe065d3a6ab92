"""What an analyst sends: a text, an amount, a project. Numbers are taken as they were typed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from .refusal import Refusal

LONGEST = 16_000
"""Characters of a question."""

AMOUNT = re.compile(r"[0-9]{1,12}(?:\.[0-9]{0,20})?(?:[eE][+-]?[0-9]{1,2})?|[0-9]{1,9}/[1-9][0-9]{0,8}")
"""A decimal or a fraction; longer ones would be arithmetic for its own sake (``1e999999999``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question with what may be spent on it; modes that spend nothing take no amount."""

    sql: str
    spend: Fraction | None = None
    project: str | None = None

    def __post_init__(self) -> None:
        if len(self.sql) > LONGEST:
            raise Refusal(
                "too_large", f"the question has more than {LONGEST} characters", fix="ask in several questions"
            )
        try:
            (self.sql + (self.project or "")).encode()
        except UnicodeEncodeError:
            raise Refusal("bad_request", "the text holds half a character", fix="send text in UTF-8") from None


def parse_amount(given: object) -> Fraction | None:
    """An amount as a fraction: a whole number, a decimal (as typed), or a text such as ``"0.1"`` or ``"1/3"``.

    >>> parse_amount("0.1"), parse_amount(Decimal("1e-3")), parse_amount(None)
    (Fraction(1, 10), Fraction(1, 1000), None)
    """
    if given is None:
        return None
    text = str(given) if isinstance(given, int | str | Decimal | float) and not isinstance(given, bool) else ""
    if not AMOUNT.fullmatch(text):
        raise Refusal("bad_request", "spend is not a number from 0 on", fix='give e.g. "spend": 0.1 or "spend": "1/3"')
    return Fraction(text)
