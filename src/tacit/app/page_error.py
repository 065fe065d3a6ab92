"""An error of the library, which speaks to everybody, in the words of the page: what to click, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..errors import TacitError
from .texts import texts

PLAN = re.compile(r"^(?:plan|table)\.toml(?:, line \d+)?(?:, [\w.\[\]]+)?$")
"""A place in the plan: of use to those who write it by hand."""
STEP = re.compile(r"^(?:plan\.toml(?:, line \d+)?, protect|table\.toml(?:, line \d+)?, (?:table|rule))$")
"""A place that the page has a form for: a line of the plan says nothing to who filled that in."""
FOLDERS = re.compile(r"^\S*[/\\]")
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


def in_clicks(problem: TacitError | Mapping[str, Any]) -> PageError:
    """The error as the page tells it; what ``clicks.toml`` has no code of is told as it is, without folders.

    >>> odd = TacitError("the release has no quasi-identifier", code="no_quasi_identifier", fix="e.g. quasi=['zip']")
    >>> told = in_clicks(odd.with_location("plan.toml, line 23, protect"))
    >>> told.what, told.href
    ('no column is marked as one that an intruder may know', '/data#columns')
    """
    given = problem if isinstance(problem, TacitError) else TacitError(**{"fix": "", **problem})
    where, subject = given.where or "", given.column or ""
    file = "" if PLAN.match(where) else FOLDERS.sub("", where)
    say: Any = texts().clicks
    one = getattr(say, given.code, None)
    if one is not None and (file or not one.get("named")):
        return PageError(
            what=one.get("what").replace("{column}", subject).strip() or _sentence(file, given),
            fix=one.fix.replace("{column}", subject),
            href=one.get("href").replace("{column}", quote(subject, safe="")),
            link=one.get("link").replace("{column}", subject),
            edit=one.get("edit"),
            press=one.get("press"),
        )
    place = "" if STEP.match(where) else FOLDERS.sub("", where)
    return PageError(what=_sentence(place, given), fix=ARGUMENTS.sub("", given.fix))


def _sentence(place: str, problem: TacitError) -> str:
    subject = "" if problem.column is None else f"{problem.column} "
    return f"{place}: {subject}{problem.what}" if place else f"{subject}{problem.what}"
