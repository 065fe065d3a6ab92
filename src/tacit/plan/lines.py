"""Which line of a TOML file a key stands on; the standard library tells lines for syntax errors only."""

from __future__ import annotations

import re

__all__ = ["line_of"]

HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line (from 1) of the deepest part of ``path`` that has a line of its own.

    >>> line_of('[data]\\npath = "a.csv"\\n[[protect]]\\nmethod = "x"\\npercent = 5', ("protect", 0, "percent"))
    5
    """
    lines = _lines(text)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def _lines(text: str) -> dict[tuple[str | int, ...], int]:
    found: dict[tuple[str | int, ...], int] = {}
    arrays: dict[tuple[str, ...], int] = {}
    section: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        header, key = HEADER.match(line), KEY.match(line)
        if header:
            named = _parts(header[2])
            if header[1] == "[[":
                arrays[named] = arrays.get(named, -1) + 1
            section = (*named, arrays[named]) if named in arrays else named
            found.setdefault(section, number)
            found.setdefault(named, number)
        elif key:
            found.setdefault((*section, *_parts(key[1])), number)
    return found


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.]+", dotted))
