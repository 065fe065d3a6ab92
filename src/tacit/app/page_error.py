"""An error of the library, which speaks to everybody, in the words of the page: what to click, and where."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from .texts import texts

PLACE = re.compile(r"^(?:plan|table)\.toml(?:, line \d+)?(?:, [\w.\[\]]+)?: ")
"""Where in the plan it is wrong: of use to those who write it by hand."""
STEP = re.compile(r"^(?:plan\.toml(?:, line \d+)?, protect|table\.toml(?:, line \d+)?, (?:table|rule)): ")
"""Where the page has a form for it: a line of the plan says nothing to who filled that in."""
FOLDERS = re.compile(r"^\S*[/\\](?=[^/\\]+: )")
COLUMN = re.compile(r"^column '((?:[^'\\]|\\.)*)' ")
ARGUMENTS = re.compile(r"\s*\((?:[^()]*\s)?--[a-z][^()]*\)")
"""What to type on a command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageError:
    """What is wrong and what to do, with the address and the words of a link that leads there, if one does.

    ``edit`` is a change that mends it by one click on a button with the words ``press``.
    """

    what: str
    fix: str
    href: str = ""
    link: str = ""
    edit: str = ""
    press: str = ""


def in_clicks(what: str, fix: str) -> PageError:
    """The error as the page tells it; what no entry of ``clicks.toml`` knows is told as it is, without folders.

    >>> told = in_clicks("plan.toml, line 23, protect: the release has no quasi-identifier", "e.g. quasi=['zip']")
    >>> told.what, told.href
    ('no column is marked as one that an intruder may know', '/data#columns')
    """
    plain = FOLDERS.sub("", PLACE.sub("", what))
    column = COLUMN.match(plain)
    say: Any = texts().clicks
    for name in say.known:
        one = getattr(say, name)
        if one.says in plain and not (one.get("named") and plain.startswith(one.says)):
            subject = column[1] if column else ""
            said = one.get("what") or COLUMN.sub(r"\1 ", plain)
            return PageError(
                what=said.replace("{column}", subject).strip(),
                fix=one.fix.replace("{column}", subject),
                href=one.get("href").replace("{column}", quote(subject, safe="")),
                link=one.get("link").replace("{column}", subject),
                edit=one.get("edit"),
                press=one.get("press"),
            )
    placed = plain if STEP.match(what) else FOLDERS.sub("", what)
    return PageError(what=COLUMN.sub(r"\1 ", placed), fix=ARGUMENTS.sub("", fix))
