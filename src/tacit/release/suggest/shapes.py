"""The shapes of values that tell what a column holds: regular expressions that Polars, DuckDB and Spark read alike.

No look-around and no back-references, which Rust's expressions and RE2 lack; digits as ``[0-9]``, which ``\\d`` is not
everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import narwhals as nw

from ..engines.table import Type
from .profile import ONCE, VALUE

_OCTET = "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_GROUP = "[0-9A-Fa-f]{1,4}"
_MONTH = (
    "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|j[aä]n|m[aä]r|mrz|mai|okt|dez|janv|f[eé]vr?|avr|juin|juil|ao[uû]t|d[eé]c"
    "|ene|abr|ago|dic|gen|mag|giu|lug|set|ott|mrt|mei|fev|out)[a-zéû]*"
)
DATE = (
    r"\b([0-9]{4}[-/.](0?[1-9]|1[0-2])[-/.](0?[1-9]|[12][0-9]|3[01])|(1[89]|20)[0-9]{2}-(0[1-9]|1[0-2])"
    r"|[0-9]{1,2}(\.[0-9]{1,2}\.|-[0-9]{1,2}-|/[0-9]{1,2}/)(1[89]|20)[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}"
    rf"|[0-9]{{1,2}}\.?[ ./-]?{_MONTH}\.?[ ./-]?((1[89]|20)[0-9]{{2}}|[0-9]{{2}})"
    rf"|{_MONTH}\.?[ .-]?[0-9]{{1,2}}(st|nd|rd|th)?,? (1[89]|20)[0-9]{{2}})\b"
)
INSIDE: Mapping[str, str] = {
    "e-mail addresses": r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}",
    "web addresses": r"(https?://|www\.)[^ ]+",
    "social security numbers": r"\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b",
    "IP addresses": rf"\b({_OCTET}\.){{3}}{_OCTET}\b|\b({_GROUP}:){{7}}{_GROUP}\b|\b({_GROUP}:){{1,6}}:{_GROUP}\b",
    "device addresses": r"\b([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b",
    "telephone numbers": (
        r"\+[0-9]{1,3}[ ./()-]{0,2}[0-9][0-9 ./()-]{5,14}[0-9]\b|\b00[0-9]{1,3}[ /-][0-9][0-9 /-]{5,14}[0-9]\b"
        r"|\(?\b[0-9]{3,5}\)?[ /-]{1,2}[0-9]{3,4}[ -]?[0-9]{3,4}\b|\b[0-9]{3}\.[0-9]{3}\.[0-9]{4}\b"
    ),
    "bank account numbers": r"\b[A-Z]{2}[0-9]{2} ?([A-Z0-9]{4} ?){2,7}[A-Z0-9]{1,4}\b",
    "national identity numbers": (
        r"\b([A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]|[XYZ0-9][0-9]{7}-?[A-HJ-NP-TV-Z]"
        r"|[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z])\b"
    ),
    "dates": DATE,
}
"""What may stand anywhere in a text, by the plural noun that a reason uses."""

GROUPED = "numbers with thousands separators"
GROUPS = "^-?[0-9]{1,3}([.,' ][0-9]{3})+([.,][0-9]+)?$|^-?[0-9]{1,3}[.,][0-9]+$"
DECIMAL = "numbers with decimals"
DECIMALS = r"^-?[0-9]*\.[0-9]+([eE][-+]?[0-9]+)?$"
COMMA = "numbers with a decimal comma"
COMMAED = "^-?[0-9]+,[0-9]+$"
CODE = "letters and digits without blanks"
CODED = "^[A-Za-z0-9.*-]*[0-9][A-Za-z0-9.*-]*$"
SEVERAL_WORDS, MANY_WORDS = 3, 6
"""So many words make a text, in a column named like remarks and in any other."""


CONTACTS = "telephone numbers or addresses"
"""What names a person wherever it stands in a text."""


WORD_BESIDE = r"[A-Za-z]{2,}\s|\s[A-Za-z]{2,}"
"""A word with a blank beside it: a number alone is an identifier, in a sentence it is a remark."""


def contact_expression() -> nw.Expr:
    """Which texts hold an e-mail address, a web address, a telephone or a social security number among other words."""
    shapes = [
        INSIDE[name] for name in ("e-mail addresses", "web addresses", "telephone numbers", "social security numbers")
    ]
    found = nw.col(VALUE).str.contains("|".join(f"({shape})" for shape in shapes))
    return found & nw.col(VALUE).str.contains(WORD_BESIDE)


def as_text(type: Type) -> nw.Expr:
    """The values as text."""
    return nw.col(VALUE) if type == "text" else nw.col(VALUE).cast(nw.String)


def shape_expressions(type: Type) -> dict[str, nw.Expr]:
    """Which values are, from end to end, of each shape; only text and whole numbers have shapes."""
    if type not in ("text", "integer"):
        return {}
    whole = {name: f"^({shape})$" for name, shape in INSIDE.items()} if type == "text" else {}
    return {
        name: as_text(type).str.contains(shape)
        for name, shape in {**whole, COMMA: COMMAED, GROUPED: GROUPS, CODE: CODED, DECIMAL: DECIMALS}.items()
    }


def words_at_least(count: int) -> nw.Expr:
    """Which texts have so many words and occur only once: a phrase that many records share is a category."""
    return nw.col(VALUE).str.contains(rf"(\S+\s+){{{count - 1}}}\S") & ONCE
