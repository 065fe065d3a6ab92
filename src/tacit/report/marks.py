"""Texts as a page sets them: a number with its sign, a verdict with its colour."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markupsafe import Markup


def tie_percent_signs(text: str) -> str:
    """Keeps a number and its per cent sign on one line.

    >>> tie_percent_signs("found 4.7 %") == "found 4.7\\u00a0%"
    True
    """
    return re.sub(r"(?<=\d) %", "\u00a0%", text)


def mark_verdict(text: str) -> Markup | str:
    """Colours the verdict of a row; the mark itself tells those who see no colour."""
    from markupsafe import Markup

    tone = {"✓": "yes", "✗": "no"}.get(text[:1])
    return Markup('<span class="{}">{}</span>').format(tone, text) if tone else tie_percent_signs(text)
